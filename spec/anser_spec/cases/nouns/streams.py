"""Streams: entries by their offset; consumers, groups, what groups have pending, and what was trimmed, by names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from anser.types import StreamConsumer, StreamEntry, StreamGroup, StreamPending, StreamTrimmed
from anser_models import World
from anser_spec.cases.compare import Different, compared, plain
from anser_spec.cases.lines import Then
from anser_spec.cases.nouns.base import Noun, Number, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS"]


def _entry(**given: Any) -> StreamEntry:
    return StreamEntry(**{"key": None, "payload": "1", "created_at": T} | given)


@dataclass(frozen=True, slots=True)
class _Named(Noun):
    """Rows that have a key of several fields, each of them usual where a line does not say it.

    `usual` are the values of a sound row. A `then` is about the row of the key that it names, or about all if it says
    `no` and names none.
    """

    name: str
    part: str
    row: type
    key: tuple[str, ...]
    usual: Mapping[str, Any]
    bare: Callable[[Any], Any] = lambda row: row
    numbered: Mapping[str, Number] = field(default_factory=dict)

    def given(self, world: World, arguments: dict[str, Any]) -> World:
        row = self.row(**{**self.usual, **arguments})
        there: dict[str, Any] = {self.part: {**getattr(world, self.part), self._key({**self.usual, **arguments}): row}}
        return replace(world, **there)

    def then(self, absent: bool, arguments: dict[str, Any]) -> tuple[Any, ...]:
        if unknown := set(arguments) - {field.name for field in fields(self.row)}:
            raise ValueError(f"{self.name} has no {', '.join(sorted(unknown))}")
        if absent and not arguments:
            return ()
        if absent and set(arguments) - set(self.key):
            raise ValueError(f"then no {self.name} names {', '.join(self.key)} and nothing else")
        return (self._key({**self.usual, **arguments}),)

    def different(self, line: Then, world: World) -> Different | None:
        rows: dict[Any, Any] = getattr(world, self.part)
        if line.absent:
            there = sorted(set(rows) & set(line.keys) if line.keys else rows)
            return Different([], there, self.name) if there else None
        (key,) = line.keys
        if key not in rows:
            return Different(key, sorted(rows), self.name)
        return compared(line.fields, plain(rows[key]), f"{self.name} {key}")

    def numbers(self, world: World) -> Iterator[tuple[str, int]]:
        for row in getattr(world, self.part).values():
            for last, number_of in self.numbered.items():
                if (number := number_of(row)) is not None:
                    yield last, number

    def own(self, world: World) -> Any:
        return {key: self.bare(row) for key, row in getattr(world, self.part).items()}

    def _key(self, row: Mapping[str, Any]) -> Any:
        key = tuple(row[name] for name in self.key)
        return key[0] if len(key) == 1 else key


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="entry",
        called="entry",
        part="stream",
        row=StreamEntry,
        key="offset",
        read_key=int,
        make=_entry,
        bare=lambda entry: entry,
        numbered={"last_offset": lambda entry: int(entry.offset)},
    ),
    _Named(
        name="consumer",
        part="stream_consumers",
        row=StreamConsumer,
        key=("topic", "consumer"),
        usual={"topic": "t", "consumer": "c"},
    ),
    _Named(
        name="group",
        part="stream_groups",
        row=StreamGroup,
        key=("topic", "group"),
        usual={"topic": "t", "group": "g"},
    ),
    _Named(
        name="given_entry",
        part="stream_pending",
        row=StreamPending,
        key=("topic", "group", "offset"),
        usual={"topic": "t", "group": "g", "worker": "w", "fence": 1, "expires_at": T, "deliveries": 1},
        bare=lambda held: replace(held, fence=0),
        numbered={"last_fence": lambda held: int(held.fence)},
    ),
    _Named(
        name="trimmed",
        part="stream_trimmed",
        row=StreamTrimmed,
        key=("topic",),
        usual={"topic": "t"},
    ),
)
