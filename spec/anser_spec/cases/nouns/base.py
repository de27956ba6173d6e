"""What a noun of `given` and `then` is: a word for a part of the world."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from anser_models import World
from anser_spec.cases.compare import Different, compared, plain
from anser_spec.cases.lines import Then

__all__ = ["Noun", "Number", "Rows"]

Number = Callable[[Any], int | None]


class Noun(ABC):
    """A word for a part of the world. What a noun does not have is refused with ValueError, TypeError or KeyError."""

    name: str

    @abstractmethod
    def given(self, world: World, arguments: dict[str, Any]) -> World:
        """The world with what is given put into it by hand."""

    @abstractmethod
    def then(self, absent: bool, arguments: dict[str, Any]) -> tuple[Any, ...]:
        """The keys that a `then` is about, taken out of its arguments."""

    @abstractmethod
    def different(self, line: Then, world: World) -> Different | None:
        """Where the world is not what the line says."""

    def numbers(self, world: World) -> Iterator[tuple[str, int]]:  # noqa: ARG002 - here nothing has a number
        """The numbers that were given to what is there, each with the world's field for the last one given."""
        yield from ()

    def own(self, world: World) -> Any:  # noqa: ARG002 - here nothing is its own
        """The part without what a target numbers or words by itself: equal where a target holds what is given."""
        return None


@dataclass(frozen=True, slots=True)
class Rows(Noun):
    """The rows of one part of the world by a key. `given` and `then` may name several by a range.

    `make` fills in what is sound where a `given` says nothing; `bare` takes away what a target numbers or words.
    """

    name: str
    called: str
    part: str
    row: type
    key: str
    read_key: Callable[[Any], Any]
    make: Callable[..., Any]
    bare: Callable[[Any], Any]
    numbered: Mapping[str, Number] = field(default_factory=dict)

    def given(self, world: World, arguments: dict[str, Any]) -> World:
        keys = self._keys(arguments.pop(self.key))
        rows = {key: self.make(**{self.key: key}, **arguments) for key in keys}
        there: dict[str, Any] = {self.part: {**getattr(world, self.part), **rows}}
        return replace(world, **there)

    def then(self, absent: bool, arguments: dict[str, Any]) -> tuple[Any, ...]:
        keys = self._keys(arguments.pop(self.key, ()))
        if not (keys or absent):
            raise ValueError(f"then {self.name} names the {self.key}")
        if unknown := set(arguments) - {field.name for field in fields(self.row)}:
            raise ValueError(f"a {self.called} has no {', '.join(sorted(unknown))}")
        if absent and arguments:
            raise ValueError(f"then no {self.name} names the {self.key} and nothing else")
        return keys

    def different(self, line: Then, world: World) -> Different | None:
        rows: dict[Any, Any] = getattr(world, self.part)
        if line.absent:
            there = sorted(set(rows) & set(line.keys) if line.keys else rows)
            return Different([], there, f"{self.key}s") if there else None
        for key in line.keys:
            if key not in rows:
                return Different(f"a {self.called} {key}", sorted(rows), f"{self.key}s")
            if found := compared(line.fields, plain(rows[key]), f"{self.name} {key}"):
                return found
        return None

    def numbers(self, world: World) -> Iterator[tuple[str, int]]:
        for row in getattr(world, self.part).values():
            for last, number_of in self.numbered.items():
                if (number := number_of(row)) is not None:
                    yield last, number

    def own(self, world: World) -> Any:
        return [self.bare(row) for row in getattr(world, self.part).values()]

    def _keys(self, value: Any) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, (range, tuple)) else (self.read_key(value),)
