"""The nouns of `given` and `then`, a module a family. A family is added by its line in `_FAMILIES`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from anser_models import World
from anser_spec.cases.nouns import (
    claims,
    dead,
    events,
    jobs,
    limits,
    locks,
    notifications,
    orders,
    results,
    schedules,
    whole,
)
from anser_spec.cases.nouns.base import Noun
from anser_spec.cases.nouns.whole import LAST

__all__ = ["LAST", "NOUNS", "numbered", "own"]

_FAMILIES: tuple[tuple[Noun, ...], ...] = (
    jobs.NOUNS,
    claims.NOUNS,
    dead.NOUNS,
    locks.NOUNS,
    notifications.NOUNS,
    events.NOUNS,
    results.NOUNS,
    limits.NOUNS,
    orders.NOUNS,
    schedules.NOUNS,
    whole.NOUNS,
)

NOUNS: dict[str, Noun] = {noun.name: noun for nouns in _FAMILIES for noun in nouns}


def numbered(world: World) -> World:
    """Where no `given last` says otherwise, the numbers in the world are the last that were given."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for noun in NOUNS.values():
        for last, number in noun.numbers(world):
            numbers[last].append(number)
    lasts: dict[str, Any] = {last: max(given) for last, given in numbers.items()}
    return replace(world, **lasts)


def own(world: World) -> tuple[Any, ...]:
    """A world without what a target numbers or words by itself: fences, the last given, and why a job died."""
    return tuple(noun.own(world) for noun in NOUNS.values())
