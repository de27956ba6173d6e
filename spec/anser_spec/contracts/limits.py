"""What holds of buckets and of slots, for every level and every instant.

From `bucket_take_pays_from_what_came` follows the bound of LIM-4, step by step: no take leaves less than nothing, what
was taken is missing from the level, the level never exceeds the capacity, and grows by the rate at most.
"""

from __future__ import annotations

from anser.ops import LimitAcquire, LimitRelease, TokenBucketTry
from anser.types import Bucket, Slot
from anser_models import World, step
from anser_models.predicates import filled
from anser_spec.contracts.words import all_agree, state_of
from anser_spec.predicates import limits
from anser_spec.predicates.jobs import JobRow, job
from anser_spec.predicates.limits import BucketGiven, BucketRow, HoldingGiven

_LIMIT, _PER_S = 3, 7  # a product of two unknowns is beyond the solver; a rate whose tokens come at odd instants


def bucket_twins(level: int, at: int, older_than_s: int, now: int) -> None:
    """The `where` of a try and that of the sweep keep a bucket if and only if the model does (LIM-5, LIM-8)."""
    assert now >= 0
    assert 0 <= level <= _LIMIT * _PER_S
    assert older_than_s >= 0
    row = BucketRow(capacity=_LIMIT, per_s=_PER_S, level=level, at=at)
    given = BucketGiven(capacity=_LIMIT, per_s=_PER_S, older_than_s=older_than_s, now=now)
    assert all_agree(row, given, limits.BUCKET_HAS, limits.BUCKET_SWEPT)


def bucket_take_pays_from_what_came(level: int, at: int, n: int, now: int) -> None:
    """A take leaves what there was and what has come since, less the tokens; never less than nothing (LIM-4, LIM-6)."""
    assert now >= 0
    assert 0 <= level <= _LIMIT * _PER_S
    assert 1 <= n <= _LIMIT
    world = World(buckets={"k": Bucket("k", _LIMIT, _PER_S, level, at)})
    after, allowance = step(world, TokenBucketTry(key="k", limit=_LIMIT, per_s=_PER_S, n=n), now)
    left = after.buckets["k"]
    came = max(now - at, 0) * _LIMIT
    paid = left.level + (n * _PER_S if allowance.allowed else 0) <= level + came
    bounded = 0 <= left.level <= _LIMIT * _PER_S
    assert (paid, bounded, left.at >= at) == (True, True, True)


def bucket_refusal_ends_when_it_says(level: int, at: int, n: int, now: int) -> None:
    """What is refused is allowed at `retry_at`, and not a second before (LIM-5)."""
    assert now >= 0
    assert 0 <= level <= _LIMIT * _PER_S
    assert 1 <= n <= _LIMIT
    world = World(buckets={"k": Bucket("k", _LIMIT, _PER_S, level, at)})
    op = TokenBucketTry(key="k", limit=_LIMIT, per_s=_PER_S, n=n)
    _, allowance = step(world, op, now)
    retry_at = now if allowance.allowed else allowance.retry_at
    _, then = step(world, op, retry_at)
    _, before = step(world, op, retry_at - 1)
    assert (then.allowed, before.allowed and not allowance.allowed) == (True, False)


def bucket_fills_alike_in_one_or_two_steps(level: int, first_s: int, second_s: int) -> None:
    """Who looks between changes nothing (LIM-5)."""
    assert 0 <= level <= _LIMIT * _PER_S
    assert first_s >= 0
    assert second_s >= 0
    twice = filled(filled(level, first_s, _LIMIT, _PER_S), second_s, _LIMIT, _PER_S)
    assert twice == filled(level, first_s + second_s, _LIMIT, _PER_S)


def slot_held_twins(pending: bool, right: bool, fence: int, named: int, end: int, now: int) -> None:
    """The `where` that finds a slot's lease does so if and only if the model counts the slot (LIM-10)."""
    assert now >= 0
    row = JobRow(id=7 if right else 8, state=state_of(pending), fence=fence, worker_id="w", claim_expires_at=end)
    assert limits.SLOT_HELD.agrees(row, HoldingGiven(slot_fence=named, now=now))


def slot_is_given_back_by_its_lease_alone(named: bool, given: bool, end: int, now: int) -> None:
    """After its release a slot is gone if the lease holds and has it; else it is there as it was (LIM-11)."""
    assert now >= 0
    row = JobRow(id=1, state="processing", attempts=1, worker_id="w", fence=5, claim_expires_at=end)
    world = World(jobs={1: job(row)}, slots={("k", 1): Slot("k", 1, 5 if given else 4)}, last_fence=5)
    after, _ = step(world, LimitRelease(key="k", queue="a", id=1, worker="w", fence=5 if named else 4), now)
    assert (not after.slots) == (named and given and end >= now)


def slot_is_never_given_twice(first: int, second: int, now: int) -> None:
    """With a limit of one, of two leases one has the slot (LIM-9)."""
    assert now >= 0
    jobs = {
        id: job(JobRow(id=id, state="processing", attempts=1, worker_id="w", fence=id, claim_expires_at=end))
        for id, end in ((1, first), (2, second))
    }
    world, had = step(World(jobs=jobs, last_fence=2), _acquire(1), now)
    _, has = step(world, _acquire(2), now)
    assert not (had is True and has is True)


def _acquire(id: int) -> LimitAcquire:
    return LimitAcquire(key="k", queue="a", id=id, worker="w", fence=id, limit=1)
