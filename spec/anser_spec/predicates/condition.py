"""A condition with its twin, and the row and the parameters of which both speak.

A family says in its own module what its rows and its parameters are: a frozen dataclass each, whose fields are columns
and parameters. What the grid tries of a field stands with it (`tried`); of one where nothing stands, its default alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Generic, TypeVar

from anser_spec.predicates.logic import Truth

__all__ = ["AnyCondition", "Condition", "Given", "Table", "tried", "values_of"]


def tried(*values: Any) -> Mapping[str, tuple[Any, ...]]:
    """What the grid tries of a field: around each boundary its neighbours, and None where the schema allows it."""
    return {"tried": values}


def values_of(kind: type[Any]) -> dict[str, tuple[Any, ...]]:
    """What the grid tries of each field of a row or of parameters, by its name."""
    return {one.name: one.metadata.get("tried", (one.default,)) for one in fields(kind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The parameters of every family. `OUTSIDE` tells what a condition reads outside of its row, as parameters."""

    now: int = 10
    found: bool = field(default=False, metadata=tried(False, True))

    OUTSIDE: ClassVar[Mapping[str, str]] = {"(…)": "(select 1 where :found)"}


Row_ = TypeVar("Row_")
Given_ = TypeVar("Given_", bound=Given)


@dataclass(frozen=True, slots=True)
class Table(Generic[Row_, Given_]):
    """A table of the file, the row that conditions see of it, and the parameters that they are given."""

    name: str
    row: type[Row_]
    given: type[Given_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Condition(Generic[Row_, Given_]):
    """A condition as it stands in a statement (`text`), its twin, and what the model says in its place.

    A `where` keeps the rows of which the twin is True: null and false are one to it. A `case` tells a reason. `within`
    has kept the row before this one is asked. `values` are columns of the grid that the row tries otherwise.
    """

    table: Table[Row_, Given_]
    text: str
    rules: tuple[str, ...]
    twin: Callable[[Row_, Given_], Truth | str]
    model: Callable[[Row_, Given_], bool | str | None]
    within: Condition[Row_, Given_] | None = None
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def agrees(self, row: Row_, given: Given_) -> bool:
        """Whether the model says of the row what the twin says."""
        if self.within is not None and self.within.twin(row, given) is not True:
            return True
        said = self.twin(row, given)
        return (said if self.text.startswith("case ") else said is True) == self.model(row, given)


AnyCondition = Condition[Any, Any]  # of whichever table
