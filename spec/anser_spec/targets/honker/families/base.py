"""The words in which a family tells what honker's tables hold of a world, and how its operations are asked.

Knows no table and no operation by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Protocol

from anser.ops import Op
from anser_models import World

__all__ = ["FENCE", "Asking", "Constant", "Counter", "Family", "Part", "Row", "Rows", "Said", "Table"]

Row = dict[str, Any]
Rows = dict[str, Any]  # the rows of each table by its name, and the last number given by a counter's

FENCE = 1  # honker has none: whatever has a fence is told with this one


class Part(Protocol):
    """A field of the world that honker's file holds, or holds in part. The others are empty in its eyes."""

    @property
    def field(self) -> str:
        """The field's name."""

    def held(self, world: World) -> Any:
        """The field's value as honker can hold it."""

    def rows(self, world: World) -> Rows:
        """The field as the driver puts it into the file."""

    def value(self, rows: Rows, before: World) -> Any:
        """The field as the driver found it; `before` is what was loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A dictionary that a table holds: each value a row, a dictionary of honker's columns in their order."""

    field: str
    name: str
    key: Callable[[Any], Any]  # of a value, in the dictionary
    held_value: Callable[[Any], Any]
    row: Callable[[Any], Row]
    from_row: Callable[[Row, World], Any]

    def held(self, world: World) -> Any:
        return {key: self.held_value(value) for key, value in getattr(world, self.field).items()}

    def rows(self, world: World) -> Rows:
        return {self.name: [self.row(value) for _, value in sorted(getattr(world, self.field).items())]}

    def value(self, rows: Rows, before: World) -> Any:
        values = [self.from_row(row, before) for row in rows[self.name]]
        return {self.key(value): value for value in values}


@dataclass(frozen=True, slots=True)
class Counter:
    """The last number that a table has given, told by the driver under the field's name."""

    field: str

    def held(self, world: World) -> Any:
        return getattr(world, self.field)

    def rows(self, world: World) -> Rows:
        return {self.field: getattr(world, self.field)}

    def value(self, rows: Rows, before: World) -> Any:  # noqa: ARG002  # a counter tells itself
        return rows[self.field]


@dataclass(frozen=True, slots=True)
class Constant:
    """What honker does not have, told as always the same."""

    field: str
    constant: Any

    def held(self, world: World) -> Any:  # noqa: ARG002  # whatever the world says
        return self.constant

    def rows(self, world: World) -> Rows:  # noqa: ARG002  # as above
        return {}

    def value(self, rows: Rows, before: World) -> Any:  # noqa: ARG002  # as above
        return self.constant


def _any(op: Any) -> bool:  # noqa: ARG001  # whatever its arguments are
    return True


def _none(op: Any) -> dict[str, Any]:  # noqa: ARG001  # as above
    return {}


@dataclass(frozen=True, slots=True)
class Said:
    """An operation, honker's answer to it, and the worlds before and after."""

    op: Any
    answer: Any
    before: World
    after: World


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How an operation is asked of honker, where that is not by its fields, and what its answer tells.

    `can`: whether honker has it with these arguments. `plain`: the fields that make it one that honker may have.
    `arguments`: those that the driver takes otherwise, or besides.
    `told`: the answer as a value of `anser.types`; what honker only says yes to is read from the rows.
    """

    can: Callable[[Any], bool] = _any
    plain: Callable[[Any], dict[str, Any]] = _none
    arguments: Callable[[Any], dict[str, Any]] = _none
    told: Callable[[Said], Any] = attrgetter("answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Its parts of the world, its operations that need a word, and what honker can tell of the values it answers."""

    parts: tuple[Part, ...] = ()
    asking: Mapping[type[Op], Asking] = field(default_factory=dict)
    answers: Mapping[type, Callable[[Any], Any]] = field(default_factory=dict)
