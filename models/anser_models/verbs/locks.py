"""Locks: leases of a name."""

from __future__ import annotations

from dataclasses import replace

from anser.errors import Invalid, LeaseLost
from anser.ops import LockAcquire, LockGet, LockList, LockRelease, LockRenew, LockSweep
from anser.types import Lock
from anser_models.draft import Draft
from anser_models.predicates import locked, locked_by
from anser_models.quirks import Quirk

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "lock_acquire.free": "LCK-1",
    "lock_acquire.over": "LCK-2",
    "lock_acquire.again": "LCK-4",
    "lock_acquire.refused": "LCK-1",
    "lock_renew.held": "LCK-6",
    "lock_renew.lost": "LCK-5",
    "lock_release.free": "LCK-7",
    "lock_release.inner": "LCK-7",
    "lock_release.lost": "LCK-5",
    "lock_get.held": "LCK-8",
    "lock_get.nothing": "LCK-8",
    "lock_sweep.forgot": "LCK-9",
    "lock_sweep.nothing": "LCK-9",
}

LOOSE = {Quirk.E18_LOCKS_REVIVE: {"ttl_s"}}


def lock_acquire(draft: Draft, op: LockAcquire) -> Lock | None:
    """It is had by nobody, or by its holder once more, or by somebody else (LCK-1, LCK-4)."""
    there = draft.world.locks.get(op.lock)
    expires_at = draft.now + op.ttl_s
    if there is None or not locked(there, draft.now):
        draft.took("lock_acquire.free" if there is None else "lock_acquire.over")
        lock = Lock(op.lock, op.owner, draft.give_fence(), draft.now, expires_at, depth=1)
    elif there.owner == op.owner:
        draft.took("lock_acquire.again")
        later = there.expires_at if draft.has(Quirk.D06_LOCK_NOT_EXTENDED) else max(there.expires_at, expires_at)
        lock = replace(there, expires_at=later, depth=there.depth + 1)
    else:
        draft.took("lock_acquire.refused")
        return None
    draft.world.locks[op.lock] = lock
    return lock


def lock_renew(draft: Draft, op: LockRenew) -> int:
    if op.ttl_s < 1:
        raise Invalid("ttl_s", op.ttl_s, "no quirk renews a lock for no time")
    lock = _named(draft, op)
    draft.took("lock_renew.held")
    draft.world.locks[op.lock] = replace(lock, expires_at=draft.now + op.ttl_s)
    return draft.now + op.ttl_s


def lock_release(draft: Draft, op: LockRelease) -> bool:
    """One acquire is given back; the lock is free when none is left (LCK-7)."""
    lock = _named(draft, op)
    if lock.depth > 1 and not draft.has(Quirk.E18_LOCKS_REVIVE):
        draft.took("lock_release.inner")
        draft.world.locks[op.lock] = replace(lock, depth=lock.depth - 1)
        return False
    draft.took("lock_release.free")
    del draft.world.locks[op.lock]
    return True


def _named(draft: Draft, op: LockRenew | LockRelease) -> Lock:
    """The lock that the word names, or the refusal (LCK-5)."""
    lock = draft.world.locks.get(op.lock)
    if lock is not None:
        fence = lock.fence if draft.has(Quirk.D06_LOCK_NOT_EXTENDED) else op.fence
        now = min(draft.now, lock.expires_at - 1) if draft.has(Quirk.E18_LOCKS_REVIVE) else draft.now
        if locked_by(lock, op.owner, fence, now):
            return lock
    draft.took(f"{op.name}.lost")
    raise LeaseLost


def lock_get(draft: Draft, op: LockGet) -> Lock | None:
    lock = draft.world.locks.get(op.lock)
    found = lock if lock is not None and locked(lock, draft.now) else None
    draft.took("lock_get.held" if found else "lock_get.nothing")
    return found


def lock_list(draft: Draft, op: LockList) -> tuple[Lock, ...]:
    found = [
        lock for name, lock in sorted(draft.world.locks.items()) if name > op.after_name and locked(lock, draft.now)
    ]
    return tuple(found[: op.limit])


def lock_sweep(draft: Draft, op: LockSweep) -> int:
    """Locks that are over, the longest over first (LCK-9)."""
    over = [lock for lock in draft.world.locks.values() if not locked(lock, draft.now)]
    if draft.has(Quirk.D06_LOCK_NOT_EXTENDED):
        over = []  # honker has no such sweep
    over.sort(key=lambda lock: (lock.expires_at, lock.name))
    for lock in over[: op.limit]:
        del draft.world.locks[lock.name]
    draft.took("lock_sweep.forgot" if over else "lock_sweep.nothing")
    return len(over[: op.limit])


VERBS = (
    lock_acquire,
    lock_renew,
    lock_release,
    lock_get,
    lock_list,
    lock_sweep,
)
