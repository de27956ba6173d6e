"""Locks by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser.types import Lock
from anser_models.parts.instants import later
from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    return replace(
        world,
        locks={
            name: replace(lock, acquired_at=later(lock.acquired_at, by_s), expires_at=lock.expires_at + by_s)
            for name, lock in world.locks.items()
        },
    )


def fences(world: World) -> Iterator[int]:
    return (lock.fence for lock in world.locks.values())


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    return tuple(_lock(lock, now, rank) for _, lock in sorted(world.locks.items()))


def _lock(lock: Lock, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    return (lock.name, lock.owner, rank[lock.fence], max(lock.expires_at - now, -1), lock.depth)


# --- invariants


def locks_are_held_once_at_least(world: World) -> str | None:
    """A lock that is held was acquired, and its fence was given (LCK-3, LCK-7)."""
    wrong = [lock.name for lock in world.locks.values() if lock.depth < 1 or not 0 < lock.fence <= world.last_fence]
    return f"locks that nobody acquired: {wrong}" if wrong else None


INVARIANTS = (locks_are_held_once_at_least,)
