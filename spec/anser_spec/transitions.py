"""Every operation in every small world: breadth first over the model's worlds, each step done by the target too.

Instants are kept relative to now, so the worlds of one job close: there is no other world left to try. Worlds of two
jobs are tried to a depth, a number of transitions, or a time. A disagreement does not end the search: the first of each
kind is kept, with the world it started from.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from anser.ops import Op
from anser_models import Quirk, Step, World, canonical
from anser_spec.alphabets import ALPHABETS, HORIZON_S, KINDS, Scope, alphabet
from anser_spec.judge import Batching, Difference, Judge, rules_seen
from anser_spec.seeds import CROWDS, SEED_NOW, SEEDS
from anser_spec.targets import Target
from anser_spec.witness import Mark, Witness

__all__ = ["Exploration", "Scope", "alphabet", "distinct", "explore"]

MOVES_S = (1, 2, -1)
PROGRESS_EVERY = 5_000

Progress = Callable[[int, int], None]  # transitions, worlds


@dataclass(slots=True)
class Exploration:
    """What was looked at, and what was found."""

    scope: Scope
    worlds: int = 0
    transitions: int = 0
    seconds: float = 0.0
    depth: int = 0  # every way of so many steps from a start was gone to its end
    closed: bool = False  # no world was left
    names: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    witnesses: dict[tuple[str, ...], Witness] = field(default_factory=dict)
    differences: dict[tuple[str, ...], Difference] = field(default_factory=dict)
    disagreements: int = 0

    @property
    def rate(self) -> float:
        """Transitions a second."""
        return self.transitions / self.seconds if self.seconds else 0.0


def explore(
    target: Target,
    scope: Scope,
    quirks: frozenset[Quirk] = frozenset(),
    progress: Progress = lambda *counts: None,  # noqa: ARG005 - nobody listens
) -> Exploration:
    """Try every operation in every world of the scope."""
    return _Explorer(target, scope, quirks, progress).run()


class _Explorer:
    def __init__(self, target: Target, scope: Scope, quirks: frozenset[Quirk], progress: Progress) -> None:
        unknown = scope.sizes.keys() - set(KINDS)
        if unknown:
            raise ValueError(f"no alphabet is of the kind {', '.join(sorted(unknown))}: there are {', '.join(KINDS)}")
        self.judge = Judge(target, quirks)
        self.families = [family for family in ALPHABETS if scope.size(family.kind)]
        self.batching = target if isinstance(target, Batching) else None
        self.scope = scope
        self.progress = progress
        self.found = Exploration(scope)
        self.began = time.perf_counter()
        self.seen: set[object] = set()
        self.waiting: deque[tuple[World, int, int]] = deque()

    def run(self) -> Exploration:
        for start in SEEDS.values():
            self.add(start, SEED_NOW, 0)
        for start, now in (each for family in self.families for each in family.starts()):
            self.add(start, now, 0)
        for start in CROWDS.values() if self.scope.crowds else ():
            self.try_all(self.judge.project(start), SEED_NOW, self.crowd_ops(start))
        while self.waiting and not self.spent():
            world, now, depth = self.waiting[0]
            if depth == self.scope.depth:
                break
            self.waiting.popleft()
            self.found.depth = depth + 1
            self.check_promises(world, now)
            for after in self.try_all(world, now, self.ops(world, now)):
                self.add(after, now, depth + 1)
            for by_s in MOVES_S:
                self.add(world, now + by_s, depth + 1)
        self.found.closed = not self.waiting
        self.found.depth = self.waiting[0][2] if self.waiting else self.found.depth
        self.found.seconds = time.perf_counter() - self.began
        self.found.worlds = len(self.seen)
        return self.found

    def ops(self, world: World, now: int) -> Iterator[Op]:
        for family in self.families:
            yield from family.operations(world, now, self.scope.size(family.kind))

    def crowd_ops(self, world: World) -> Iterator[Op]:
        for family in self.families:
            yield from family.crowd(world)

    def spent(self) -> bool:
        limit, seconds = self.scope.max_transitions, self.scope.max_seconds
        if limit is not None and self.found.transitions >= limit:
            return True
        return seconds is not None and time.perf_counter() - self.began >= seconds

    def try_all(self, world: World, now: int, ops: Iterable[Op]) -> list[World]:
        """Every operation from this world, and where they lead."""
        fitting = [fitted for op in ops if (fitted := self.judge.fitted(op)) is not None]
        told = [(op, step) for op in fitting if not self.judge.is_silent(step := self.judge.step(world, op, now))]
        led = []
        for (op, step), (answer, held) in zip(told, self.done(world, now, [op for op, _ in told]), strict=True):
            difference = self.judge.compare(world, step, op, now, answer, held)
            self.note(world, op, now, step, difference)
            led.append(step.world)
        return led

    def done(self, world: World, now: int, ops: list[Op]) -> Iterable[tuple[Any, World]]:
        """What the target makes of each operation, one by one, or all in one where it can."""
        if self.batching is not None:
            return self.batching.steps(world, now, ops)
        return (self.done_alone(world, now, op) for op in ops)

    def done_alone(self, world: World, now: int, op: Op) -> tuple[Any, World]:
        self.judge.start(world, now)
        return self.judge.target.apply(op, now), self.judge.target.read()

    def note(self, world: World, op: Op, now: int, step: Step, difference: Difference | None) -> None:
        self.found.transitions += 1
        self.found.names.update(step.names)
        self.found.rules.update(rules_seen(step, op))
        if difference is not None:
            self.keep(world, op, now, step.names, difference)
        if self.found.transitions % PROGRESS_EVERY == 0:
            self.progress(self.found.transitions, len(self.seen))

    def keep(self, world: World, op: Op, now: int, names: tuple[str, ...], difference: Difference) -> None:
        """The search is breadth first, so the first of a kind is one of the shortest."""
        self.found.disagreements += 1
        kind = (op.name, difference.kind, *names)
        if kind not in self.found.differences:
            self.found.differences[kind] = difference
            self.found.witnesses[kind] = self.judge.witness(world, (Mark(now, op),), difference)

    def add(self, world: World, now: int, depth: int) -> None:
        if not self.holds(world) or _horizon(world) > now + HORIZON_S:
            return
        world = self.judge.project(world)
        key = distinct(world, now)
        if key not in self.seen:
            self.seen.add(key)
            self.waiting.append((world, now, depth))

    def holds(self, world: World) -> bool:
        """Whether the world is small enough to go on from."""
        return all(family.fits(world, self.scope.size(family.kind)) for family in ALPHABETS)

    def check_promises(self, world: World, now: int) -> None:
        """What the model promises of itself holds in this world; with quirks it does not."""
        if self.judge.quirks:
            return
        for family in self.families:
            for difference in family.breaches(world, now):
                assert not isinstance(difference.op, str), "a promise is about an operation"
                self.keep(world, difference.op, now, ("promise",), difference)


def _horizon(world: World) -> int:
    return max((instant for family in ALPHABETS for instant in family.instants(world)), default=0)


def distinct(world: World, now: int) -> object:
    """`canonical`, and the order of past instants, which decides who is first among several."""
    return (canonical(world, now), *(order for family in ALPHABETS for order in family.orders(world)))
