"""The families whose rules make the machine, and how each sequence begins: with a world, and with a mixture of them.

A family is added by its line in `FAMILIES`. Each rule more makes the others rarer, so that only some sequences mix all
families, where these meet each other; the others mix some, each of which goes on for longer.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from anser.ops import Op
from anser_models import World
from anser_spec.machine import (
    claims,
    dead,
    events,
    jobs,
    leases,
    limits,
    locks,
    notifications,
    orders,
    results,
    schedules,
)
from anser_spec.machine.base import Family, Machine, Run
from anser_spec.machine.values import pick
from anser_spec.seeds import CROWDS, SEED_NOW, SEEDS

__all__ = ["FAMILIES", "INVALID", "STARTS", "machine_of"]

FAMILIES: tuple[Family, ...] = (
    jobs.FAMILY,
    claims.FAMILY,
    leases.FAMILY,
    dead.FAMILY,
    locks.FAMILY,
    notifications.FAMILY,
    events.FAMILY,
    results.FAMILY,
    limits.FAMILY,
    orders.FAMILY,
    schedules.FAMILY,
)

INVALID: tuple[Op, ...] = tuple(op for family in FAMILIES for op in family.invalid)

STARTS: tuple[World, ...] = (*([SEEDS["empty"]] * (len(SEEDS) // 2)), *SEEDS.values(), *CROWDS.values())

NAMES = tuple(dict.fromkeys(family.name for family in FAMILIES))


def mixture(bits: int) -> frozenset[str]:
    """All families where the first bit is not set; else those that the other bits say, and all if they say none."""
    some = {name for place, name in enumerate(NAMES, start=1) if bits >> place & 1}
    return frozenset(some if bits % 2 and some else NAMES)


mixtures = st.integers(0, 2 ** (1 + len(NAMES)) - 1).map(mixture)


class Beginning(Machine):
    """What needs to know every family: how a sequence begins, and what is refused whatever came before."""

    @initialize(place=st.integers(0, len(STARTS) - 1), first=pick, mixed=mixtures)
    def begin_with(self, place: int, first: int, mixed: frozenset[str]) -> None:
        self.start = self.judge.project(STARTS[place])
        self.judge.start(self.start, self.now)
        self.marks.clear()
        self.mixed = mixed
        self.begun(first)

    @rule(place=st.integers(0, len(STARTS) - 1), first=pick, mixed=mixtures)
    def begin_again(self, place: int, first: int, mixed: frozenset[str]) -> None:
        """Now and then a sequence begins anew: Hypothesis varies what comes later more than what comes first."""
        if not self.inside and first % 4 == 0:
            self.now = SEED_NOW
            self.begin_with(place, first // 4, mixed)

    @rule(op=st.sampled_from(INVALID))
    def refused(self, op: Op) -> None:
        self.do(op)


def machine_of(run: Run) -> type[Machine]:
    """The machine of all families, for one run. A family comes before those that it adds to."""
    bases: tuple[type[Machine], ...] = (Beginning, *(family.machine for family in reversed(FAMILIES)))
    return type("Sequences", bases, {"run": run})
