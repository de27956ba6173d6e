"""Which known defects a build has: for each entry of the register, steps that tell the defect from what is right.

A step tells a defect apart when the model with it says something else than the model without: once with no other
defect beside, and once with all the known ones, since they can hide each other. An entry without a switch in the model
is judged by the cases of its rules. Where those tell nothing, a probe may (`anser_spec.probes`), if the target has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Protocol, runtime_checkable

from anser.ops import Op
from anser_models import HONKER_0_5, Quirk, Step, World
from anser_spec.alphabets import ALPHABETS
from anser_spec.cases import Outcome, cases_of, run_case
from anser_spec.judge import Judge
from anser_spec.machine import INVALID
from anser_spec.register import Entry, read_register
from anser_spec.report import counted
from anser_spec.rulebook import read_rules
from anser_spec.seeds import SEED_NOW, SEEDS
from anser_spec.targets import Target
from anser_spec.transitions import alphabet

__all__ = ["Probing", "Sighted", "Sighting", "diagnose"]

NO_QUIRKS: frozenset[Quirk] = frozenset()


class Sighted(StrEnum):
    """`not seen`: nothing that was tried tells."""

    PRESENT = "present"
    ABSENT = "absent"
    NOT_SEEN = "not seen"


@dataclass(frozen=True, slots=True)
class Sighting:
    """Whether a build has the defect of an entry, and by what that was seen."""

    entry: Entry
    sighted: Sighted
    by: str


@runtime_checkable
class Probing(Protocol):
    """A target with probes: programs of its own for what neither a step nor a case can show."""

    def probe(self, entry: str) -> tuple[bool, str] | None:
        """Whether it has the defect, and by what that was seen; None without a probe."""


def diagnose(target_factory: Callable[[], Target]) -> list[Sighting]:
    """Judge every entry of the register. The target is a fresh one."""
    target = target_factory()
    try:
        shown = _by_steps(target)
        return [_judged(entry, target, shown) for entry in read_register().values()]
    finally:
        target.close()


def _judged(entry: Entry, target: Target, shown: dict[Quirk, tuple[Sighted, str]]) -> Sighting:
    """By the first of the three that tells anything."""
    sighting = _by_cases(entry, target) if entry.quirk is None else Sighting(entry, *shown[entry.quirk])
    if sighting.sighted is Sighted.NOT_SEEN and isinstance(target, Probing):
        probed = target.probe(entry.id)
        if probed is not None:
            present, by = probed
            return Sighting(entry, Sighted.PRESENT if present else Sighted.ABSENT, by)
    return sighting


def _by_steps(target: Target) -> dict[Quirk, tuple[Sighted, str]]:
    """A defect that shows once is there; one that never does, where it could have, is not.

    A target that does what is right shows no defect, so such a step is looked at for the sake of those not seen yet.
    """
    found = dict.fromkeys(HONKER_0_5, (Sighted.NOT_SEEN, "no step that tells"))
    bases = (NO_QUIRKS, HONKER_0_5)
    judges = {quirks: Judge(target, quirks) for quirks in {*bases, *_with_and_without(bases)}}
    for world, op, now in _steps(judges[NO_QUIRKS]):
        steps = {quirks: judges[quirks].step(world, op, now) for quirks in bases}
        if _same(steps[NO_QUIRKS], steps[HONKER_0_5]):
            continue
        target.load(world, now)
        answer, held = target.apply(op, now), target.read()

        def agrees(quirks: frozenset[Quirk]) -> bool:
            return judges[quirks].compare(world, steps[quirks], op, now, answer, held) is None  # noqa: B023  # at once

        known = {Sighted.PRESENT, Sighted.ABSENT} if agrees(NO_QUIRKS) else {Sighted.PRESENT}
        left = [quirk for quirk in HONKER_0_5 if found[quirk][0] not in known]
        for quirk, base in product(left, bases):
            present, absent = base | {quirk}, base - {quirk}
            for quirks in {present, absent} - steps.keys():
                steps[quirks] = judges[quirks].step(world, op, now)
            if found[quirk][0] is Sighted.PRESENT or _same(steps[present], steps[absent]):
                continue
            if agrees(present) and not _same(steps[present], steps[NO_QUIRKS]):
                found[quirk] = (Sighted.PRESENT, f"{op.name} answers as with it")
            elif agrees(absent):
                found[quirk] = (Sighted.ABSENT, f"{op.name} answers as without it")
        if all(sighted is Sighted.PRESENT for sighted, _ in found.values()):
            break
    return found


def _with_and_without(bases: Iterable[frozenset[Quirk]]) -> Iterator[frozenset[Quirk]]:
    for quirk, base in product(HONKER_0_5, bases):
        yield base | {quirk}
        yield base - {quirk}


def _same(one: Step, other: Step) -> bool:
    return (one.world, one.answer) == (other.world, other.answer)


def _steps(judge: Judge) -> Iterator[tuple[World, Op, int]]:
    begun = [(seed, now) for seed in SEEDS.values() for now in (SEED_NOW, SEED_NOW + 1)]
    for seed, now in (*begun, *(start for family in ALPHABETS for start in family.starts())):
        world = judge.project(seed)
        for op in (*alphabet(world, now), *INVALID):
            fitted = judge.fitted(op)
            if fitted is not None:
                yield world, fitted, now


def _by_cases(entry: Entry, target: Target) -> Sighting:
    rules = read_rules()
    cases = [case for id in entry.rules if id in rules for case in cases_of(rules[id])]
    outcomes = {case.id: run_case(case, target).outcome for case in cases}
    failed = [id for id, outcome in outcomes.items() if outcome is Outcome.FAIL]
    if failed:
        return Sighting(entry, Sighted.PRESENT, f"case {failed[0]} fails")
    if outcomes and set(outcomes.values()) == {Outcome.PASS}:
        return Sighting(entry, Sighted.ABSENT, f"{counted(len(outcomes), 'case')} of {', '.join(entry.rules)}")
    return Sighting(entry, Sighted.NOT_SEEN, f"no case of {', '.join(entry.rules)} tells")
