"""The questions that decide about windows, buckets and slots."""

from __future__ import annotations

from anser.types import Bucket, Job, Slot
from anser_models.predicates.jobs import held

__all__ = ["filled", "full", "holds_slot", "level_at", "window_start"]


def window_start(now: int, per_s: int) -> int:
    """When the window began that is open now (LIM-2)."""
    return now - now % per_s


def level_at(bucket: Bucket, limit: int, per_s: int, now: int) -> int:
    """What the bucket has now, as one of `limit` and `per_s`, in tokens times `per_s` (LIM-5, LIM-6, LIM-7)."""
    return filled(bucket.level * per_s // bucket.per_s, now - bucket.at, limit, per_s)


def filled(level: int, by_s: int, limit: int, per_s: int) -> int:
    """A level after some seconds: more by `limit` each second, the capacity at most. Seconds back give nothing."""
    return min(level + max(by_s, 0) * limit, limit * per_s)


def full(bucket: Bucket, now: int) -> bool:
    """Nothing was taken from it, or all of that has come again (LIM-8)."""
    return level_at(bucket, bucket.capacity, bucket.per_s, now) == bucket.capacity * bucket.per_s


def holds_slot(slot: Slot, job: Job | None, now: int) -> bool:
    """The lease that the slot was given to still holds: that one, and no later one of the job (LIM-10)."""
    return job is not None and held(job, now) and job.lease is not None and job.lease.fence == slot.fence
