"""Limits: windows, buckets, and slots that end with a lease."""

from __future__ import annotations

from anser.errors import LeaseLost
from anser.ops import LimitAcquire, LimitGet, LimitRelease, LimitSweep, RateLimitSweep, RateLimitTry, TokenBucketTry
from anser.types import SLOTS_FORGOTTEN, Allowance, Bucket, Slot, Window
from anser_models.draft import Draft
from anser_models.predicates import full, held_by, holds_slot, level_at, window_start
from anser_models.quirks import Quirk
from anser_models.verbs.moves import find

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "rate_limit_try.first": "LIM-2",
    "rate_limit_try.counted": "LIM-1",
    "rate_limit_try.refused": "LIM-1",
    "token_bucket_try.first": "LIM-4",
    "token_bucket_try.taken": "LIM-5",
    "token_bucket_try.back": "LIM-6",
    "token_bucket_try.changed": "LIM-7",
    "token_bucket_try.refused": "LIM-4",
    "rate_limit_sweep.forgot": "LIM-8",
    "rate_limit_sweep.nothing": "LIM-8",
    "limit_acquire.given": "LIM-9",
    "limit_acquire.again": "LIM-9",
    "limit_acquire.refused": "LIM-9",
    "limit_acquire.lost": "LIM-10",
    "limit_release.given_back": "LIM-11",
    "limit_release.nothing": "LIM-11",
    "limit_release.lost": "LIM-11",
    "limit_get.held": "LIM-10",
    "limit_get.nothing": "LIM-10",
    "limit_sweep.forgot": "LIM-12",
    "limit_sweep.nothing": "LIM-12",
}

LOOSE = {Quirk.E21_PAST_RUN_AT: {"older_than_s"}}


def rate_limit_try(draft: Draft, op: RateLimitTry) -> Allowance:
    """One count a key and a start, whatever the limit and the length are that were asked for (LIM-2)."""
    start = window_start(draft.now, op.per_s)
    there = draft.world.windows.get((op.key, start))
    count = there.count if there else 0
    if count >= op.limit:
        draft.took("rate_limit_try.refused")
        return Allowance(False, 0, start + op.per_s)
    draft.took("rate_limit_try.counted" if there else "rate_limit_try.first")
    draft.world.windows[op.key, start] = Window(op.key, start, count + 1)
    return Allowance(True, op.limit - count - 1, None)


def token_bucket_try(draft: Draft, op: TokenBucketTry) -> Allowance:
    """All of the tokens or none (LIM-4)."""
    there = draft.world.buckets.get(op.key) or Bucket(op.key, op.limit, op.per_s, op.limit * op.per_s, draft.now)
    left = level_at(there, op.limit, op.per_s, draft.now) - op.n * op.per_s
    since = max(there.at, draft.now)
    if left < 0:
        draft.took("token_bucket_try.refused")
        return Allowance(False, op.n + left // op.per_s, since - left // op.limit)  # rounded to the second after
    draft.took(f"token_bucket_try.{_taken(draft, op)}")
    draft.world.buckets[op.key] = Bucket(op.key, op.limit, op.per_s, left, since)
    return Allowance(True, left // op.per_s, None)


def _taken(draft: Draft, op: TokenBucketTry) -> str:
    """What was to be thought of when the tokens were taken."""
    there = draft.world.buckets.get(op.key)
    if there is None:
        return "first"
    if (there.capacity, there.per_s) != (op.limit, op.per_s):
        return "changed"
    return "back" if draft.now < there.at else "taken"


def rate_limit_sweep(draft: Draft, op: RateLimitSweep) -> int:
    """Windows by key and start, then buckets by key, so many in all (LIM-8)."""
    before = draft.now - op.older_than_s
    windows, buckets = draft.world.windows, draft.world.buckets
    began = sorted(place for place, window in windows.items() if window.start < before)[: op.limit]
    filled = sorted(key for key, bucket in buckets.items() if bucket.at < before and full(bucket, draft.now))
    filled = filled[: op.limit - len(began)]
    for place in began:
        del windows[place]
    for key in filled:
        del buckets[key]
    forgotten = len(began) + len(filled)
    draft.took("rate_limit_sweep.forgot" if forgotten else "rate_limit_sweep.nothing")
    return forgotten


def limit_acquire(draft: Draft, op: LimitAcquire) -> bool:
    """A lease has one slot of a key at most (LIM-9)."""
    _hold(draft, op)
    mine = Slot(op.key, op.id, op.fence)
    if draft.world.slots.get((op.key, op.id)) == mine:
        draft.took("limit_acquire.again")
        return True
    if len(_holders(draft, op.key)) >= op.limit:
        draft.took("limit_acquire.refused")
        return False
    draft.took("limit_acquire.given")
    draft.world.slots[op.key, op.id] = mine
    for slot in _over(draft, op.key)[:SLOTS_FORGOTTEN]:
        del draft.world.slots[slot.key, slot.job_id]
    return True


def limit_release(draft: Draft, op: LimitRelease) -> bool:
    _hold(draft, op)
    if draft.world.slots.get((op.key, op.id)) != Slot(op.key, op.id, op.fence):
        draft.took("limit_release.nothing")
        return False
    draft.took("limit_release.given_back")
    del draft.world.slots[op.key, op.id]
    return True


def limit_get(draft: Draft, op: LimitGet) -> int:
    count = len(_holders(draft, op.key))
    draft.took("limit_get.held" if count else "limit_get.nothing")
    return count


def limit_sweep(draft: Draft, op: LimitSweep) -> int:
    over = _over(draft)[: op.limit]
    for slot in over:
        del draft.world.slots[slot.key, slot.job_id]
    draft.took("limit_sweep.forgot" if over else "limit_sweep.nothing")
    return len(over)


def _hold(draft: Draft, op: LimitAcquire | LimitRelease) -> None:
    """The lease that the word names holds, or it is refused (CLM-8)."""
    job = find(draft, op.queue, op.id)
    if job is None or not held_by(job, op.worker, op.fence, draft.now):
        draft.took(f"{op.name}.lost")
        raise LeaseLost


def _holders(draft: Draft, key: str) -> list[Slot]:
    """The slots of the key that a lease has now."""
    return [slot for slot in draft.world.slots.values() if slot.key == key and _held(draft, slot)]


def _over(draft: Draft, key: str | None = None) -> list[Slot]:
    """The slots, of one key or all, whose lease is over: by key and job."""
    slots = [slot for _, slot in sorted(draft.world.slots.items())]
    return [slot for slot in slots if key in (None, slot.key) and not _held(draft, slot)]


def _held(draft: Draft, slot: Slot) -> bool:
    return holds_slot(slot, draft.world.jobs.get(slot.job_id), draft.now)


VERBS = (
    rate_limit_try,
    token_bucket_try,
    rate_limit_sweep,
    limit_acquire,
    limit_release,
    limit_get,
    limit_sweep,
)
