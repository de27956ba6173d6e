"""A counterexample made short: fewer steps, a start nearer to the fault, fewer rows in it, plainer arguments.

It tries the same things in the same order each time, and keeps a try that still shows a disagreement about one of the
same rules. What is left cannot spare a step, or two that follow each other, or a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, replace
from itertools import count, takewhile
from typing import Any

from anser.ops import Op
from anser_models import World
from anser_spec.judge import Difference, Judge, replay
from anser_spec.targets import Target
from anser_spec.witness import Mark, Witness

__all__ = ["shorten"]

ROUNDS_MAX = 20  # rounds end by themselves, as each makes something smaller; a target that wavers is left here
LEAST = {
    "n": 1,
    "lease_s": 1,
    "ttl_s": 1,
    "payload": 1,
    "error": "e",
    "value": 1,
}  # plain values where there is no default
PAIR = 2
ROWS = ("jobs", "dead", "finished", "locks", "notifications", "channels", "results")

Tries = Callable[[Witness, Target], Iterator[Witness]]


def shorten(witness: Witness, target: Target) -> Witness:
    """The shortest witness that can be had from this one. One that shows nothing now is given back as it is."""
    shown = replay(witness, target)
    if shown is None:
        return witness
    trial = _Trial(witness, target, shown)
    for _ in range(ROUNDS_MAX):
        before = trial.witness
        for tries in (_without_steps, _from_later, _without_rows, _plainer):
            trial.take(tries)
        if trial.witness == before:
            break
    return replace(trial.witness, found=str(trial.shown))


class _Trial:
    """The shortest witness so far. `rules` keeps a target with several faults from swapping one for another."""

    def __init__(self, witness: Witness, target: Target, shown: Difference) -> None:
        self.witness, self.shown, self.target = witness, shown, target
        self.rules = set(shown.rules)

    def take(self, tries: Tries) -> None:
        """Keep a try that still shows the fault, and go on from its place, until none of those left does."""
        found: int | None = 0
        while found is not None:
            first, found = found, None
            for place, tried in enumerate(tries(self.witness, self.target)):
                if place >= first and self._shows(tried):
                    found = place
                    break

    def _shows(self, tried: Witness) -> bool:
        shown = replay(tried, self.target)
        if shown is None or not self.rules & set(shown.rules):
            return False
        self.witness, self.shown = tried, shown
        return True


# --- what is tried: each a way to make the witness smaller, the last steps and rows first


def _without_steps(witness: Witness, target: Target) -> Iterator[Witness]:  # noqa: ARG001 - all tries are called alike
    """Runs of steps left out, long ones first, down to pairs and single steps; then a transaction's begin and end."""
    steps = witness.steps
    for first, after in _runs(len(steps)):
        fewer = steps[:first] + steps[after:]
        if _is_paired(fewer):
            yield replace(witness, steps=fewer)
    for begin, end in _transactions(steps):
        yield replace(witness, steps=tuple(mark for place, mark in enumerate(steps) if place not in (begin, end)))


def _from_later(witness: Witness, target: Target) -> Iterator[Witness]:
    """The same with a start that holds what the first steps led to, as many of them as can be."""
    worlds = _worlds(witness, target)
    for place in sorted(worlds, reverse=True):
        yield replace(witness, start=worlds[place], steps=witness.steps[place:])


def _without_rows(witness: Witness, target: Target) -> Iterator[Witness]:  # noqa: ARG001 - all tries are called alike
    """A start with less rows, many at once first, or with no queue paused."""
    start = witness.start
    for name in ROWS:
        rows: dict[Any, Any] = getattr(start, name)
        for first, after in _runs(len(rows)):
            kept = list(rows.items())
            fewer: dict[str, Any] = {name: dict(kept[:first] + kept[after:])}
            yield replace(witness, start=replace(start, **fewer))
    if start.paused:
        yield replace(witness, start=replace(start, paused=frozenset()))


def _plainer(witness: Witness, target: Target) -> Iterator[Witness]:
    """One argument of one operation left out, or as small as it can be."""
    judge = Judge(target, witness.quirks)
    for place, mark in enumerate(witness.steps):
        for op in _plainer_ops(mark.act) if isinstance(mark.act, Op) else ():
            if judge.fitted(op) == op:
                steps = (*witness.steps[:place], Mark(mark.now, op), *witness.steps[place + 1 :])
                yield replace(witness, steps=steps)


def _plainer_ops(op: Op) -> Iterator[Op]:
    for field in fields(op):
        value: Any = getattr(op, field.name)
        plain = LEAST.get(field.name, value) if field.default is MISSING else field.default
        if type(value) is not type(plain) or value != plain:
            yield replace(op, **{field.name: plain})
        if isinstance(value, tuple):
            yield from (replace(op, **{field.name: value[:place] + value[place + 1 :]}) for place in range(len(value)))


def _runs(length: int) -> Iterator[tuple[int, int]]:
    """Where a run begins and ends that may be left out: halves and quarters side by side, every pair, every single."""
    for size in takewhile(bool, (length >> place for place in count())):
        yield from ((first, first + size) for first in range(length - size, -1, -(size if size > PAIR else 1)))
    if length > PAIR:
        yield from ((first, first + PAIR) for first in range(length - PAIR, -1, -1))


# --- transactions


def _is_paired(steps: tuple[Mark, ...]) -> bool:
    """Whether each transaction is begun before it ends, and none within another."""
    inside = False
    for mark in steps:
        if isinstance(mark.act, str):
            if inside == (mark.act == "begin"):
                return False
            inside = not inside
    return True


def _transactions(steps: tuple[Mark, ...]) -> list[tuple[int, int]]:
    """The places at which each begins and ends; one that is left open ends where it begins."""
    marks = [place for place, mark in enumerate(steps) if isinstance(mark.act, str)]
    if len(marks) % 2:
        marks.append(marks[-1])
    return list(zip(marks[::2], marks[1::2], strict=True))


def _worlds(witness: Witness, target: Target) -> dict[int, World]:
    """The model's world before each step but the first, where no transaction is open."""
    judge = Judge(target, witness.quirks)
    world = saved = judge.project(witness.start)
    worlds: dict[int, World] = {}
    inside = False
    for place, mark in enumerate(witness.steps):
        if place and not inside:
            worlds[place] = world
        if not isinstance(mark.act, str):
            step = judge.step(world, mark.act, mark.now)
            world = world if judge.is_silent(step) else step.world
        elif mark.act == "begin":
            saved, inside = world, True
        else:
            world, inside = (saved if mark.act == "rollback" else world), False
    return worlds
