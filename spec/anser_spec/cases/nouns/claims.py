"""Paused queues, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser_models import World
from anser_spec.cases.compare import Different
from anser_spec.cases.lines import Then
from anser_spec.cases.nouns.base import Noun

__all__ = ["NOUNS"]


class _Paused(Noun):
    name = "paused"

    def given(self, world: World, arguments: dict[str, Any]) -> World:
        return replace(world, paused=world.paused | {arguments["queue"]})

    def then(self, absent: bool, arguments: dict[str, Any]) -> tuple[Any, ...]:  # noqa: ARG002 - both name it
        return (arguments.pop("queue"),)

    def different(self, line: Then, world: World) -> Different | None:
        named = line.keys[0] in world.paused
        return None if named != line.absent else Different(not line.absent, named, "paused")

    def own(self, world: World) -> Any:
        return world.paused


NOUNS: tuple[Noun, ...] = (_Paused(),)
