"""Streams: entries by offset, who has seen them up to where, and what workers of groups were given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    return replace(
        world,
        stream={offset: replace(entry, created_at=entry.created_at + by_s) for offset, entry in world.stream.items()},
        stream_pending={
            key: replace(held, expires_at=held.expires_at + by_s) for key, held in world.stream_pending.items()
        },
    )


def fences(world: World) -> Iterator[int]:
    return (held.fence for held in world.stream_pending.values())


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    """Of offsets that were given only their order is kept, and which are one: what comes is always behind them."""
    given = {offset for offset in _offsets(world) if offset <= world.last_offset}
    place = {offset: number for number, offset in enumerate(sorted({0, world.last_offset, *given}))}
    place |= {offset: len(place) + offset - world.last_offset for offset in _offsets(world) if offset not in given}
    return (
        tuple(
            (place[offset], entry.topic, entry.key, entry.payload, max(entry.created_at - now, -1))
            for offset, entry in sorted(world.stream.items())
        ),
        tuple((key, place[one.offset]) for key, one in sorted(world.stream_consumers.items())),
        tuple((key, place[one.offset]) for key, one in sorted(world.stream_groups.items())),
        tuple(
            (
                (held.topic, held.group, place[held.offset]),
                (held.worker, rank[held.fence], max(held.expires_at - now, -2), held.deliveries),
            )
            for _, held in sorted(world.stream_pending.items())
        ),
        tuple((topic, place[one.offset]) for topic, one in sorted(world.stream_trimmed.items())),
        place[world.last_offset],
    )


def _offsets(world: World) -> Iterator[int]:
    yield from world.stream
    yield from (one.offset for one in world.stream_consumers.values())
    yield from (one.offset for one in world.stream_groups.values())
    yield from (one.offset for one in world.stream_pending.values())
    yield from (one.offset for one in world.stream_trimmed.values())


# --- invariants


def offsets_were_given(world: World) -> str | None:
    """No entry has an offset beyond the last one given, and none that was trimmed (STR-1)."""
    beyond = [offset for offset in world.stream if not 0 < offset <= world.last_offset]
    return f"offsets that were never given: {beyond}" if beyond else None


def groups_are_where_they_were_brought(world: World) -> str | None:
    """What a group has pending it was given before its place, to a fence that was given (STR-6)."""
    wrong = [
        key
        for key, held in world.stream_pending.items()
        if (group := world.stream_groups.get(key[:2])) is None
        or held.offset > group.offset
        or held.deliveries < 1
        or not 0 < held.fence <= world.last_fence
    ]
    return f"entries that no claim gave away: {wrong}" if wrong else None


INVARIANTS = (offsets_were_given, groups_are_where_they_were_brought)
