"""Locks: what only honker meets of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from anser.ops import LockAcquire, LockRelease, LockRenew, Op
from anser_models import Quirk, World
from anser_spec.seeds import lock, world
from tests.conformance_honker.worlds.base import NOW, Family, Showing

SHOWINGS: dict[Quirk, Showing] = {
    Quirk.D06_LOCK_NOT_EXTENDED: Showing(world(lock("a")), LockAcquire(lock="a", owner="w1", ttl_s=9), "LCK-4"),
    Quirk.E18_LOCKS_REVIVE: Showing(
        world(lock("a", expires_at=NOW)), LockRenew(lock="a", owner="w1", fence=1, ttl_s=1), "LCK-5"
    ),
}


def loose_operations() -> Iterator[Op]:
    for owner in ("w1", "w2"):
        named: dict[str, Any] = {"lock": "a", "owner": owner}
        yield from (LockAcquire(**named, ttl_s=ttl_s) for ttl_s in (1, 0, -1))
        yield from (LockRenew(**named, fence=fence, ttl_s=1) for fence in (1, 2))
        yield from (LockRelease(**named, fence=fence) for fence in (1, 2))


def drawn(draw: random.Random, world: World, now: int) -> list[Op]:
    named: dict[str, Any] = {"lock": draw.choice("ab"), "owner": draw.choice(("w1", "w2"))}
    return [
        LockAcquire(**named, ttl_s=draw.randint(-1, 9)),
        LockRenew(**named, fence=1, ttl_s=draw.randint(1, 9)),
        LockRelease(**named, fence=1),
    ]


def deadlines(world: World) -> Iterator[int]:
    return (lock.expires_at for lock in world.locks.values())


FAMILY = Family(
    showings=SHOWINGS,
    loose_operations=loose_operations,
    drawn=drawn,
    deadlines=deadlines,
    seen=frozenset(
        {"lock_acquire.free", "lock_acquire.again", "lock_acquire.refused", "lock_renew.held", "lock_release.free"}
    ),
)
