"""Windows of rate limits, buckets, and slots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]

PAST_S = 4  # a window or a take that lies farther back has passed


def shifted(world: World, by_s: int) -> World:
    """Later by a multiple of the periods a window is one again."""
    return replace(
        world,
        windows={
            (key, start + by_s): replace(window, start=start + by_s) for (key, start), window in world.windows.items()
        },
        buckets={key: replace(bucket, at=bucket.at + by_s) for key, bucket in world.buckets.items()},
    )


def fences(world: World) -> Iterator[int]:
    return (slot.fence for slot in world.slots.values())


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    """Where in its window an instant lies is told by the windows that there are."""
    return (
        tuple((key, max(start - now, -PAST_S), one.count) for (key, start), one in sorted(world.windows.items())),
        tuple(
            (key, one.capacity, one.per_s, one.level, max(one.at - now, -PAST_S))
            for key, one in sorted(world.buckets.items())
        ),
        tuple((*place, rank[slot.fence]) for place, slot in sorted(world.slots.items())),
    )


# --- invariants


def windows_were_opened(world: World) -> str | None:
    """A window that is kept was counted in (LIM-2)."""
    wrong = [place for place, window in world.windows.items() if window.count < 1]
    return f"windows in which nothing was counted: {wrong}" if wrong else None


def buckets_hold_their_capacity(world: World) -> str | None:
    """No bucket has less than nothing, or more than its capacity (LIM-4)."""
    wrong = [key for key, bucket in world.buckets.items() if not 0 <= bucket.level <= bucket.capacity * bucket.per_s]
    return f"buckets that hold what they cannot: {wrong}" if wrong else None


def slots_were_given_to_a_lease(world: World) -> str | None:
    """No slot has a fence beyond the last one given (LIM-10)."""
    wrong = [place for place, slot in world.slots.items() if not 0 < slot.fence <= world.last_fence]
    return f"slots of a lease that never was: {wrong}" if wrong else None


INVARIANTS = (windows_were_opened, buckets_hold_their_capacity, slots_were_given_to_a_lease)
