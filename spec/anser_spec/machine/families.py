"""The families whose rules make the machine, and how each sequence begins: with a world, and with a mixture of them.

A family is added by its line in `FAMILIES`. Each rule more makes the others rarer, so that only some sequences mix all
families, where these meet each other; the others are of one or two, each of which goes on for longer, and begin with a
world of theirs.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from anser.ops import Op
from anser_models import EMPTY, World
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
    streams,
)
from anser_spec.machine.base import Family, Machine, Run
from anser_spec.machine.values import one_of, pick
from anser_spec.seeds import SEED_NOW

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
    streams.FAMILY,
)

INVALID: tuple[Op, ...] = tuple(op for family in FAMILIES for op in family.invalid)

STARTS: tuple[World, ...] = tuple(world for family in FAMILIES for world in family.worlds)

NAMES = tuple(dict.fromkeys(family.name for family in FAMILIES))

MIXTURES = 8 * len(NAMES) ** 2


def mixture(place: int) -> frozenset[str]:
    """Of eight, two are of all families, two of some two, three of one alone, and one of jobs, whose rules are many."""
    kind, place = place % 8, place // 8
    first, second = NAMES[place % len(NAMES)], NAMES[place // len(NAMES) % len(NAMES)]
    if kind < 2:
        return frozenset(NAMES)
    if kind < 4:
        return frozenset({first, second})
    return frozenset({first if kind < 7 else jobs.NAME})


def starts_of(mixed: frozenset[str]) -> tuple[World, ...]:
    """The worlds that show something to one of these families; a third are empty."""
    worlds = [world for family in FAMILIES if family.name in mixed for world in family.worlds]
    return (*([EMPTY] * (1 + len(worlds) // 2)), *worlds)


mixtures = st.integers(0, MIXTURES - 1).map(mixture)


class Beginning(Machine):
    """What needs to know every family: how a sequence begins, and what is refused whatever came before."""

    @initialize(place=pick, first=pick, mixed=mixtures)
    def begin_with(self, place: int, first: int, mixed: frozenset[str]) -> None:
        self.start = self.judge.project(one_of(starts_of(mixed), place))
        self.judge.start(self.start, self.now)
        self.marks.clear()
        self.mixed = mixed
        self.begun(first)

    @rule(place=pick, first=pick, mixed=mixtures)
    def begin_again(self, place: int, first: int, mixed: frozenset[str]) -> None:
        """Now and then a sequence begins anew: Hypothesis varies what comes later more than what comes first."""
        if not self.inside and first % 2 == 0:
            self.now = SEED_NOW
            self.begin_with(place, first // 2, mixed)

    @rule(family=pick, acts=st.lists(st.tuples(pick, pick, pick), min_size=1, max_size=4))
    def go_on(self, family: int, acts: list[tuple[int, int, int]]) -> None:
        """Some acts in a row of a family with a single rule: that rule alone would be drawn too seldom."""
        mixed = [one.act for one in FAMILIES if one.act is not None and one.name in self.mixed]
        for which, kind, how in acts if mixed else ():
            one_of(mixed, family)(self, which, kind, how)

    @rule(op=st.sampled_from(INVALID))
    def refused(self, op: Op) -> None:
        self.do(op)


def machine_of(run: Run) -> type[Machine]:
    """The machine of all families, for one run. A family comes before those that it adds to."""
    bases: tuple[type[Machine], ...] = (Beginning, *(family.machine for family in reversed(FAMILIES)))
    return type("Sequences", bases, {"run": run})
