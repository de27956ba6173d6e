"""What holds of locks and of the words about them, to the second."""

from __future__ import annotations

from anser.ops import LockAcquire, LockRelease
from anser.types import LEASE_MAX_S, Lock
from anser_models import World, step
from anser_spec.contracts.words import all_agree
from anser_spec.predicates import locks
from anser_spec.predicates.locks import LockGiven, LockRow


def lock_word_twins(lock: bool, owner: bool, fence: int, named: int, depth: int, end: int, now: int) -> None:
    """The `where` of each word about a lock keeps a row if and only if the model lets the word pass (LCK-2, LCK-5)."""
    assert now >= 0
    row = LockRow(name="k" if lock else "l", owner="w" if owner else "v", fence=fence, depth=depth, expires_at=end)
    given = LockGiven(fence=named, now=now)
    assert all_agree(row, given, locks.LOCK_WORD, locks.LOCK_RELEASED, locks.LOCK_RELEASED_WITHIN)


def lock_held_twins(lock: bool, owner: bool, end: int, now: int) -> None:
    """So is who holds a lock, who may have it, what is looked up and what is swept (LCK-1, LCK-4, LCK-8, LCK-9)."""
    assert now >= 0
    row = LockRow(name="k" if lock else "l", owner="w" if owner else "v", expires_at=end)
    given = LockGiven(now=now)
    held = (locks.LOCK_AGAIN, locks.LOCK_FOUND, locks.LOCK_LISTED)
    assert all_agree(row, given, *held, locks.LOCK_OVER, locks.LOCK_SWEPT)


def lock_has_a_holder_or_is_free(end: int, ttl_s: int, now: int) -> None:
    """In each second either the holder may speak or another owner may have the lock (LCK-1, LCK-2)."""
    assert now >= 0
    assert 1 <= ttl_s <= LEASE_MAX_S
    world = World(locks={"k": Lock("k", "w", 5, None, end, 1)}, last_fence=5)
    _, refused = step(world, LockRelease(lock="k", owner="w", fence=5), now)
    _, taken = step(world, LockAcquire(lock="k", owner="v", ttl_s=ttl_s), now)
    assert (refused is True) == (taken is None)


def lock_is_never_shortened_by_its_holder(end: int, ttl_s: int, now: int) -> None:
    """To acquire again ends the lock at the later of both ends (LCK-4)."""
    assert 0 <= now < end
    assert 1 <= ttl_s <= LEASE_MAX_S
    world = World(locks={"k": Lock("k", "w", 5, None, end, 1)}, last_fence=5)
    _, lock = step(world, LockAcquire(lock="k", owner="w", ttl_s=ttl_s), now)
    assert (lock.expires_at, lock.fence, lock.depth) == (max(end, now + ttl_s), 5, 2)
