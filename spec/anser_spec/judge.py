"""One step done twice, by the model and by a target, and compared: the answer, every row, and what must always hold.

Every instrument that looks for disagreements is built on `Judge`: they differ only in where they look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

from anser.ops import OPS, Op, to_json
from anser_models import EMPTY, TRANSITIONS, Quirk, Refused, Step, World, broken, step_named
from anser_spec.targets import Target
from anser_spec.witness import Mark, Witness

__all__ = [
    "CITED",
    "VISIBLE",
    "Batching",
    "Difference",
    "Judge",
    "Projecting",
    "Selective",
    "Simplifying",
    "Transactional",
    "replay",
    "rules_of",
]

CITED = {  # the rules that each operation says it follows
    name: tuple(re.findall(r"[A-Z]{3}-\d+", (kind.__doc__ or "").partition("Rules:")[2])) for name, kind in OPS.items()
}

NAMED = {name.partition(".")[0] for name in TRANSITIONS}
VISIBLE = frozenset(  # every rule that comparing one step can see
    {"ERR-1", "ERR-2", *TRANSITIONS.values(), *(id for name in CITED for id in CITED[name] if name not in NAMED)}
)


@runtime_checkable
class Transactional(Protocol):
    """A target whose operations can be done within a transaction of the caller's."""

    def begin(self) -> None:
        """Begin a transaction that writes."""

    def commit(self) -> None:
        """Keep what was done since `begin`."""

    def rollback(self) -> None:
        """Undo what was done since `begin`."""


@runtime_checkable
class Projecting(Protocol):
    """A target that cannot hold or tell everything: both sides are compared, and started, through its eyes."""

    def project(self, world: World) -> World:
        """The part of a world that the target can hold."""

    def project_answer(self, op: Op, answer: Any) -> Any:
        """The part of an answer that the target can give."""


@runtime_checkable
class Selective(Protocol):
    """A target that has an operation only for some arguments."""

    def can(self, op: Op) -> bool:
        """Whether the target has this operation with these arguments."""


@runtime_checkable
class Simplifying(Selective, Protocol):
    """A selective target that knows what of an operation is left without what it lacks."""

    def plain(self, op: Op) -> Op:
        """The operation without the arguments that the target lacks, as far as it means something without them."""


@runtime_checkable
class Batching(Protocol):
    """A target that tries many operations from one world faster together than one by one."""

    def steps(self, world: World, now: int, ops: Sequence[Op]) -> list[tuple[Any, World]]:
        """Each operation's answer, and the world after it, all from the same world."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What the target did otherwise than the model, after one step from a world."""

    op: Op | str
    now: int
    kind: str  # answer | rows | invariant
    expected: str
    found: str
    rules: tuple[str, ...]

    def __str__(self) -> str:
        name = self.op if isinstance(self.op, str) else self.op.name
        return (
            f"{name} at {self.now}: {self.kind} ({', '.join(self.rules)})\n"
            f"  expected {self.expected}\n"
            f"  found    {self.found}"
        )


class Judge:
    """Holds a target against the model with the given quirks. `world` is the model's, as the target can hold it."""

    def __init__(self, target: Target, quirks: frozenset[Quirk] = frozenset()) -> None:
        self.target = target
        self.quirks = quirks
        self.world = EMPTY
        self._saved: World | None = None
        self._projecting = target if isinstance(target, Projecting) else None
        self._selective = target if isinstance(target, Selective) else None
        self._simplifying = target if isinstance(target, Simplifying) else None

    def fitted(self, op: Op) -> Op | None:
        """The operation as the target has it, perhaps without what only Anser has; None where it has none such."""
        if op.name not in self.target.features:
            return None
        if self._selective is None or self._selective.can(op):
            return op
        if self._simplifying is None:
            return None
        plain = self._simplifying.plain(op)
        return plain if self._simplifying.can(plain) else None

    def project(self, world: World) -> World:
        """A world as the target can hold it."""
        return world if self._projecting is None else self._projecting.project(world)

    def start(self, world: World, now: int) -> None:
        """Let both sides begin with that world."""
        self.world = self.project(world)
        self.target.load(self.world, now)

    def do(self, op: Op, now: int) -> tuple[Step, Difference | None]:
        """Do the operation on both sides and compare. The model's world goes on."""
        before = self.world
        step = self.step(before, op, now)
        if self.is_silent(step):
            return step, None
        self.world = step.world
        answer = self.target.apply(op, now)
        return step, self.compare(before, step, op, now, answer, self.target.read())

    def step(self, world: World, op: Op, now: int) -> Step:
        """What the model says, as the target can hold and tell it."""
        step = step_named(world, op, now, self.quirks)
        if self._projecting is None:
            return step
        return Step(self.project(step.world), self._projecting.project_answer(op, step.answer), step.names)

    def is_silent(self, step: Step) -> bool:
        """Whether the model cannot tell what comes: which wrong arguments other builds take is written nowhere."""
        return bool(self.quirks) and isinstance(step.answer, Refused) and step.answer.code == "invalid"

    def compare(self, before: World, step: Step, op: Op, now: int, answer: Any, held: World) -> Difference | None:
        """The target's answer and rows against the model's, and the model's world against the invariants."""
        if self._projecting is not None:
            answer, held = self._projecting.project_answer(op, answer), self.project(held)
        if answer != step.answer or type(answer) is not type(step.answer):
            return Difference(op, now, "answer", _shown(step.answer), _shown(answer), rules_of(step, op))
        if held != step.world:
            return Difference(op, now, "rows", *world_difference(step.world, held), rules=rules_seen(step, op))
        return self._newly_broken(before, step, op, now)

    def mark(self, act: str, now: int) -> Difference | None:
        """Begin or end a transaction of the caller's on both sides and compare."""
        target = self.target
        assert isinstance(target, Transactional), f"{target.name} has no transactions"
        if act == "begin":
            target.begin()
            self._saved = self.world
        elif act == "commit":
            target.commit()
            self._saved = None
        else:
            target.rollback()
            assert self._saved is not None, "a transaction was begun"
            self.world, self._saved = self._saved, None
        held = self.project(target.read())
        if held == self.world:
            return None
        return Difference(act, now, "rows", *world_difference(self.world, held), rules=("STO-6",))

    def end(self) -> None:
        """Leave a transaction that was begun and not ended."""
        if self._saved is not None and isinstance(self.target, Transactional):
            self.target.rollback()
            self._saved = None

    def witness(self, start: World, steps: tuple[Mark, ...], found: Difference) -> Witness:
        """The disagreement as something that can be saved and seen again."""
        return Witness(self.target.name, self.quirks, start, steps, str(found))

    def _newly_broken(self, before: World, step: Step, op: Op, now: int) -> Difference | None:
        """What holds before an operation holds after it. Worlds of other bindings may break some from the start."""
        if step.world is before or self.quirks:
            return None
        after = broken(step.world)
        if not after:
            return None
        known = {finding.partition(":")[0] for finding in broken(before)}
        new = [finding for finding in after if finding.partition(":")[0] not in known]
        if not new:
            return None
        return Difference(op, now, "invariant", "none broken", "; ".join(new), rules_of(step, op))


def replay(witness: Witness, target: Target) -> Difference | None:
    """Do the steps of a saved counterexample again. Answers the first difference, or None if there is none now."""
    judge = Judge(target, witness.quirks)
    judge.start(witness.start, witness.steps[0].now if witness.steps else 0)
    try:
        for mark in witness.steps:
            if isinstance(mark.act, str):
                difference = judge.mark(mark.act, mark.now)
            else:
                _, difference = judge.do(mark.act, mark.now)
            if difference is not None:
                return difference
    finally:
        judge.end()
    return None


def rules_of(step: Step, op: Op) -> tuple[str, ...]:
    """The rules that a step is about: those of the transitions it took, or else those that the operation cites."""
    named = tuple(dict.fromkeys(TRANSITIONS[name] for name in step.names))
    if named:
        return named
    if isinstance(step.answer, Refused) and step.answer.code == "invalid":
        return ("ERR-2",)
    return CITED[op.name]


def rules_seen(step: Step, op: Op) -> tuple[str, ...]:
    """The rules that comparing a step sees: what it is about, and that a refusal leaves every row as it was."""
    return (*rules_of(step, op), "ERR-1") if isinstance(step.answer, Refused) else rules_of(step, op)


def world_difference(expected: World, found: World) -> tuple[str, str]:
    """The parts in which two worlds differ, each told from both sides."""
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    for field in fields(World):
        one, other = getattr(expected, field.name), getattr(found, field.name)
        if one == other:
            continue
        if isinstance(one, dict):
            for id in sorted(one.keys() | other.keys()):
                _note_row(left, right, f"{field.name}[{id}]", one.get(id), other.get(id))
        else:
            left[field.name], right[field.name] = one, other
    return _listed(left), _listed(right)


def _note_row(left: dict[str, Any], right: dict[str, Any], name: str, one: Any, other: Any) -> None:
    if one == other:
        return
    if one is None or other is None:
        left[name], right[name] = one and "a row", other and "a row"
        return
    for field in fields(one):
        mine, its = getattr(one, field.name), getattr(other, field.name)
        if mine != its:
            left[f"{name}.{field.name}"], right[f"{name}.{field.name}"] = mine, its


def _listed(parts: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {_shown(value)}" for name, value in parts.items())


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and value and not isinstance(value[0], int):
        return f"({', '.join(_shown(item) for item in value)})"
    shown = to_json(value)
    return f"{type(value).__name__}{shown}" if isinstance(shown, dict) else repr(shown)
