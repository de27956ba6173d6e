"""Whether events are told, and how those that were are read and forgotten; what tells them is what jobs meet."""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import EventPrune, EventRead, EventsOff, EventsOn, Op
from anser_models import World
from anser_spec.alphabets.base import Alphabet, Scope

__all__ = ["ALPHABET"]


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    for keep in range(1, size + 1):
        yield EventsOn(keep=keep)
    yield EventsOff()
    yield EventRead()
    yield EventRead(after_id=max(world.last_event - 1, 0), limit=1)
    yield EventRead(after_id=world.last_event)
    yield EventPrune(older_than_s=0, limit=1)
    yield EventPrune(older_than_s=1)


def fits(world: World, size: int) -> bool:
    """Without events at all where they are not looked at: each would make a world of its own."""
    return max(len(world.events), world.events_keep) <= size


def instants(world: World) -> Iterator[int]:
    return (event.at or 0 for event in world.events.values())


ALPHABET = Alphabet(
    kind="events",
    operations=operations,
    fits=fits,
    instants=instants,
    scopes=(Scope(jobs=1, events=2, depth=2),),
)
