"""What stands in a case: its lines, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anser.ops import Op
from anser_models import World
from anser_spec.cron_cases import CRON, Next

__all__ = ["BACKOFF", "UNCHANGED", "Case", "CaseError", "Do", "Line", "Then", "Wait"]

BACKOFF = "backoff"  # the feature of a target whose waits are those of `anser.backoff`
UNCHANGED = "unchanged"  # what a `then` says of the whole world


class CaseError(Exception):
    """A case that cannot be read; the text names file and line."""


@dataclass(frozen=True, slots=True)
class Do:
    """One operation at an instant. `expected` is JSON, a `Refused`, or `...` for any answer but a refusal."""

    line: int
    said: str
    at: int
    op: Op
    expected: Any


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait of a backoff: its bounds after an attempt."""

    line: int
    said: str
    attempt: int
    policy: dict[str, Any]
    expected: Any


@dataclass(frozen=True, slots=True)
class Then:
    """A statement about the world: rows that are there with these fields, or (`absent`) that are not."""

    line: int
    said: str
    noun: str
    absent: bool
    keys: tuple[Any, ...]
    fields: dict[str, Any]


Line = Do | Then | Wait | Next


@dataclass(frozen=True, slots=True)
class Case:
    """The `number`-th case of a rule: a world to begin with, and lines to go through."""

    rule: str
    number: int
    file: str
    line: int
    text: str
    start: World
    lines: tuple[Line, ...]

    @property
    def id(self) -> str:
        return f"{self.rule}[{self.number}]"

    @property
    def needs(self) -> frozenset[str]:
        """The features of a target without which the case says nothing."""
        words = {Wait: BACKOFF, Next: CRON}
        return frozenset(
            line.op.name if isinstance(line, Do) else words[type(line)]
            for line in self.lines
            if not isinstance(line, Then)
        )
