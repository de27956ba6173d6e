"""Locks: a lease of a name. Each word about one is refused in the `where` of its own statement."""

from __future__ import annotations

from typing import Any

from anser.core.rows import lock_of
from anser.core.tx import Row, Tx
from anser.errors import LeaseLost
from anser.ops import LockAcquire, LockGet, LockList, LockRelease, LockRenew, LockSweep
from anser.types import Lock

__all__ = ["lock_acquire", "lock_get", "lock_list", "lock_release", "lock_renew", "lock_sweep"]


def lock_acquire(tx: Tx, op: LockAcquire) -> Lock | None:
    """LCK-1, LCK-3, LCK-4."""
    asked: dict[str, Any] = {"lock": op.lock, "owner": op.owner, "now": tx.now, "expires_at": tx.now + op.ttl_s}
    for row in tx.run("lock_acquire_again", **asked):
        return lock_of(row)
    for row in tx.run("lock_acquire", **asked):
        tx.run("claim_fence")
        return lock_of(row)
    return None


def lock_renew(tx: Tx, op: LockRenew) -> int:
    """LCK-6."""
    for (expires_at,) in _run("lock_renew", tx, op, expires_at=tx.now + op.ttl_s):
        return int(expires_at)
    raise _lost(op)


def lock_release(tx: Tx, op: LockRelease) -> bool:
    """LCK-7."""
    if _run("lock_release_inner", tx, op):
        return False
    if _run("lock_release", tx, op):
        return True
    raise _lost(op)


def _run(name: str, tx: Tx, op: LockRenew | LockRelease, **parameters: Any) -> list[Row]:
    """A statement on the lock that the word names (LCK-5)."""
    return tx.run(name, lock=op.lock, owner=op.owner, fence=op.fence, now=tx.now, **parameters)


def _lost(op: LockRenew | LockRelease) -> LeaseLost:
    return LeaseLost(f"the lock {op.lock!r} is not held by {op.owner!r} with fence {op.fence}")


def lock_get(tx: Tx, op: LockGet) -> Lock | None:
    """LCK-8."""
    for row in tx.run("lock_get", lock=op.lock, now=tx.now):
        return lock_of(row)
    return None


def lock_list(tx: Tx, op: LockList) -> tuple[Lock, ...]:
    """LCK-8."""
    return tuple(map(lock_of, tx.run("lock_list", after_name=op.after_name, now=tx.now, limit=op.limit)))


def lock_sweep(tx: Tx, op: LockSweep) -> int:
    """LCK-9."""
    return len(tx.run("lock_sweep", now=tx.now, limit=op.limit))


VERBS = (lock_acquire, lock_renew, lock_release, lock_get, lock_list, lock_sweep)
