"""What was told of jobs, and whether it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser_models.parts.instants import later
from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    return replace(world, events={id: replace(event, at=later(event.at, by_s)) for id, event in world.events.items()})


def fences(world: World) -> Iterator[int]:  # noqa: ARG001  # an event has none
    yield from ()


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:  # noqa: ARG001  # no fences
    told = (
        replace(event, id=world.last_event - event.id, at=None if event.at is None else max(event.at - now, -2))
        for _, event in sorted(world.events.items())
    )
    return (*told, world.events_keep)


# --- invariants


def events_have_no_gap(world: World) -> str | None:
    """The events that are kept are the last that were told (EVT-5, EVT-6)."""
    ids = sorted(world.events)
    last = list(range(world.last_event - len(ids) + 1, world.last_event + 1))
    return f"events {ids} are not the last ones up to {world.last_event}" if ids != last else None


INVARIANTS = (events_have_no_gap,)
