"""The last numbers that were given in the world: ids, fences, and what else a family counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser_models import EMPTY, World
from anser_spec.cases.compare import Different, compared
from anser_spec.cases.lines import Then
from anser_spec.cases.nouns.base import Noun

__all__ = ["LAST", "NOUNS"]

LAST = "last"


class _Last(Noun):
    """`fence` is the world's `last_fence`, and so are all."""

    name = LAST

    def given(self, world: World, arguments: dict[str, Any]) -> World:
        return replace(world, **{f"last_{name}": number for name, number in arguments.items()})

    def then(self, absent: bool, arguments: dict[str, Any]) -> tuple[Any, ...]:
        if absent:
            raise ValueError("some number is always the last")
        self.given(EMPTY, arguments)
        return ()

    def different(self, line: Then, world: World) -> Different | None:
        return compared(line.fields, {name: getattr(world, f"last_{name}") for name in line.fields}, "")


NOUNS: tuple[Noun, ...] = (_Last(),)
