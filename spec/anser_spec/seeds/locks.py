"""Locks that are held, nested and over; and how a lock is made."""

from __future__ import annotations

from typing import Any

from anser.types import Lock
from anser_models import World
from anser_spec.seeds.base import SEED_NOW, world

__all__ = ["SEEDS", "lock"]

_LOCK: dict[str, Any] = {
    "owner": "w1",
    "fence": 1,
    "acquired_at": SEED_NOW,
    "expires_at": SEED_NOW + 1,
    "depth": 1,
}


def lock(name: str, **given: Any) -> Lock:
    """A lock that w1 acquired just now for another second, but for what is given."""
    return Lock(name, **(_LOCK | given))


SEEDS: dict[str, World] = {
    "locked": world(lock("a")),
    "locked_by_honker": world(lock("a", acquired_at=None)),
    "lock_over": world(lock("a", expires_at=SEED_NOW)),
    "locked_twice": world(lock("a", depth=2, expires_at=SEED_NOW + 2)),
    "two_locks": world(lock("a"), lock("b", owner="w2", fence=2)),
    "two_locks_over": world(lock("a", expires_at=SEED_NOW - 1), lock("b", fence=2, expires_at=SEED_NOW - 2)),
}
