"""Limits: windows and buckets that refuse in the `where` of their own statement, and slots that end with a lease."""

from __future__ import annotations

from anser.core.tx import Tx
from anser.errors import LeaseLost
from anser.ops import LimitAcquire, LimitGet, LimitRelease, LimitSweep, RateLimitSweep, RateLimitTry, TokenBucketTry
from anser.types import SLOTS_FORGOTTEN, Allowance

__all__ = [
    "limit_acquire",
    "limit_get",
    "limit_release",
    "limit_sweep",
    "rate_limit_sweep",
    "rate_limit_try",
    "token_bucket_try",
]


def rate_limit_try(tx: Tx, op: RateLimitTry) -> Allowance:
    """LIM-1, LIM-2."""
    start = tx.now // op.per_s * op.per_s
    for (count,) in tx.run("rate_limit_try", key=op.key, window_start=start, most=op.limit):
        return Allowance(True, op.limit - count, None)
    return Allowance(False, 0, start + op.per_s)


def token_bucket_try(tx: Tx, op: TokenBucketTry) -> Allowance:
    """LIM-4, LIM-5, LIM-6, LIM-7."""
    asked = {"key": op.key, "capacity": op.limit, "per_s": op.per_s, "now": tx.now}
    for (level,) in tx.run("token_bucket_try", n=op.n, **asked):
        return Allowance(True, level // op.per_s, None)
    [(level, at)] = tx.run("token_bucket_level", **asked)
    lacking = op.n * op.per_s - level
    return Allowance(False, level // op.per_s, at + -(-lacking // op.limit))


def rate_limit_sweep(tx: Tx, op: RateLimitSweep) -> int:
    """LIM-8."""
    forgotten = 0
    for statement in ("rate_limit_sweep", "token_bucket_sweep"):
        left = op.limit - forgotten
        forgotten += len(tx.run(statement, now=tx.now, older_than_s=op.older_than_s, limit=left))
    return forgotten


def limit_acquire(tx: Tx, op: LimitAcquire) -> bool:
    """LIM-9, LIM-10, LIM-12."""
    _hold(tx, op)
    slot = {"key": op.key, "id": op.id, "fence": op.fence}
    if tx.run("limit_own", **slot):
        return True
    if not tx.run("limit_acquire", now=tx.now, most=op.limit, **slot):
        return False
    tx.run("limit_forget", key=op.key, now=tx.now, limit=SLOTS_FORGOTTEN)
    return True


def limit_release(tx: Tx, op: LimitRelease) -> bool:
    """LIM-11."""
    _hold(tx, op)
    return bool(tx.run("limit_release", key=op.key, id=op.id, fence=op.fence))


def _hold(tx: Tx, op: LimitAcquire | LimitRelease) -> None:
    """The lease that the word names holds, or it is refused (CLM-8)."""
    if not tx.run("limit_lease", id=op.id, queue=op.queue, worker=op.worker, fence=op.fence, now=tx.now):
        raise LeaseLost(f"job {op.id} of queue {op.queue!r} is not held by {op.worker!r} with fence {op.fence}")


def limit_get(tx: Tx, op: LimitGet) -> int:
    """LIM-12."""
    [(count,)] = tx.run("limit_get", key=op.key, now=tx.now)
    return int(count)


def limit_sweep(tx: Tx, op: LimitSweep) -> int:
    """LIM-12."""
    return len(tx.run("limit_sweep", now=tx.now, limit=op.limit))


VERBS = (
    rate_limit_try,
    token_bucket_try,
    rate_limit_sweep,
    limit_acquire,
    limit_release,
    limit_get,
    limit_sweep,
)
