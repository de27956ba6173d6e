"""The queue as one pure function: `step(world, op, now) -> (world, answer)`.

What each operation means stands in `verbs`, a module a family. A refusal is an answer too (`Refused`), and leaves the
world as it was (ERR-1).

`step_named` also tells which named transitions were taken: the vacuity gate demands that a run has seen each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from anser.errors import AnserError, Invalid
from anser.ops import Op
from anser_models.draft import Draft, Refused
from anser_models.quirks import Quirk
from anser_models.verbs import LOOSE, TRANSITIONS, VERBS
from anser_models.world import World

__all__ = ["TRANSITIONS", "VERBS", "Draft", "Refused", "Step", "step", "step_named"]

NO_QUIRKS: frozenset[Quirk] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """What one operation came to, and the names of the transitions that it took."""

    world: World
    answer: Any
    names: tuple[str, ...]


def step(world: World, op: Op, now: int, quirks: frozenset[Quirk] = NO_QUIRKS) -> tuple[World, Any]:
    """The world after `op` at `now`, and its answer."""
    taken = step_named(world, op, now, quirks)
    return taken.world, taken.answer


def step_named(world: World, op: Op, now: int, quirks: frozenset[Quirk] = NO_QUIRKS) -> Step:
    """As `step`, with the names of the transitions taken."""
    draft = Draft(world, now, quirks)
    try:
        answer = VERBS[op.name](draft, _checked(op, quirks))
    except AnserError as refusal:
        return Step(world, Refused(refusal.code, getattr(refusal, "argument", None)), tuple(draft.names))
    return Step(draft.world, answer, tuple(draft.names))


def _checked(op: Op, quirks: frozenset[Quirk]) -> Op:
    """The operation, if its arguments are right, or wrong only where a quirk lets them through."""
    try:
        op.check()
    except Invalid as refusal:
        loose = set[str]().union(*(names for quirk, names in LOOSE[op.name].items() if quirk in quirks))
        if refusal.argument.rpartition(".")[2] not in loose or _is_fraction(refusal.value):
            raise
        whole = {name: int(value) for name in loose if isinstance(value := getattr(op, name, None), (bool, float))}
        return replace(op, **whole)  # whole numbers of another type are let through as what they are
    return op


def _is_fraction(value: object) -> bool:
    return isinstance(value, float) and not value.is_integer()
