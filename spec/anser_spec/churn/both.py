"""Every operation done twice, on a file and by the model: each answer is compared, and all rows when it is asked."""

from __future__ import annotations

from collections import Counter
from typing import Any

from anser.ops import Op
from anser_models import EMPTY, Refused, World, broken, step_named
from anser_spec.file import TABLES
from anser_spec.targets import Target

__all__ = ["Both", "Wrong"]

SHOWN_MAX = 200  # characters of either side; a world of a day fills a book


class Wrong(Exception):
    """A day is not as it must be: the two sides told two things, or there is too much. The message says when."""


class Both:
    """The file, the model's world, and the instant at which the next operation is done.

    Whole worlds are compared only by `compare`: with the history of a day that costs as much as a thousand operations.
    """

    def __init__(self, target: Target, now: int) -> None:
        self.now = now
        self.world = EMPTY
        self.operations: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.names: Counter[str] = Counter()
        self.compared = 0
        self._target = target
        target.load(EMPTY, now)

    def run(self, op: Op, _tx: None = None) -> Any:
        """The answer that both give, a refusal too: nothing is raised but for a disagreement."""
        step = step_named(self.world, op, self.now)
        found = self._target.apply(op, self.now)
        self.operations[op.name] += 1
        self.names.update(step.names)
        if isinstance(found, Refused):
            self.refusals[found.code] += 1
        if found != step.answer:
            raise Wrong(f"{_shown(op)} at {self.now}: expected {_shown(step.answer)}, found {_shown(found)}")
        self.world = step.world
        return found

    def compare(self) -> None:
        """Both hold the same rows, and what always holds does (STO-1)."""
        found = self._target.read()
        self.compared += 1
        for table in TABLES:
            if (different := _different(self.world, found, table.part)) is not None:
                raise Wrong(f"{table.name} at {self.now}: {different}")
        if found != self.world:
            raise Wrong(f"a counter at {self.now}")
        if wrong := broken(self.world):
            raise Wrong(f"at {self.now}: {_shown(wrong)}")


def _different(expected: World, found: World, part: str) -> str | None:
    """The first row of a part that only one side has, or that the two have otherwise."""
    ours, theirs = getattr(expected, part), getattr(found, part)
    if ours == theirs:
        return None
    if isinstance(ours, frozenset):
        return f"only one side has {_shown(sorted(ours ^ theirs))}"
    key = min(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
    return f"row {key}: expected {_shown(ours.get(key))}, found {_shown(theirs.get(key))}"


def _shown(value: object) -> str:
    return repr(value)[:SHOWN_MAX]
