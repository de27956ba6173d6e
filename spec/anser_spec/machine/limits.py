"""Limits: keys that are tried around their edges, and slots that two jobs want at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import (
    Ack,
    LimitAcquire,
    LimitGet,
    LimitRelease,
    LimitSweep,
    Op,
    RateLimitSweep,
    RateLimitTry,
    TokenBucketTry,
)
from anser.types import DELAY_MAX_S, INTEGER_MAX, PERIOD_MAX_S, RATE_MAX, SLOTS_MAX, Job
from anser_spec.machine.base import Family, rule_of
from anser_spec.machine.leases import GOOD, Leases
from anser_spec.machine.values import LIMITS, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.limits import SEEDS

__all__ = ["FAMILY", "Limits"]

NAME = "limits"

INVALID: tuple[Op, ...] = (
    RateLimitTry(key="", limit=1, per_s=1),
    RateLimitTry(key="a", limit=0, per_s=1),
    RateLimitTry(key="a", limit=RATE_MAX + 1, per_s=1),
    RateLimitTry(key="a", limit=1, per_s=0),
    RateLimitTry(key="a", limit=1, per_s=PERIOD_MAX_S + 1),
    TokenBucketTry(key="a", limit=1, per_s=1, n=2),
    TokenBucketTry(key="a", limit=1, per_s=1, n=0),
    TokenBucketTry(key="a\n", limit=1, per_s=1),
    TokenBucketTry(key="a", limit=1, per_s=0.5),  # type: ignore[arg-type]  # fractions are refused
    RateLimitSweep(older_than_s=-1),
    RateLimitSweep(older_than_s=DELAY_MAX_S + 1),
    RateLimitSweep(older_than_s=0, limit=0),
    LimitAcquire(**GOOD, key="", limit=1),
    LimitAcquire(**GOOD, key="a", limit=0),
    LimitAcquire(**GOOD, key="a", limit=SLOTS_MAX + 1),
    LimitRelease(**GOOD | {"fence": INTEGER_MAX + 1}, key="a"),
    LimitGet(key="\ud800"),
    LimitSweep(limit=0),
)

PERIODS = (2, 3, 1, 60, PERIOD_MAX_S)
RATES = (2, 1, 3, 7, RATE_MAX)
OLDER = (0, 1, 3, 60, DELAY_MAX_S)


class Limits(Leases):
    """Windows, buckets and slots of few keys, so that they meet."""

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (start + period for _, start in self.world.windows for period in (0, *PERIODS[:2]))
        for bucket in self.world.buckets.values():
            lacking = bucket.capacity * bucket.per_s - bucket.level
            yield from (
                bucket.at,
                bucket.at - -bucket.per_s // bucket.capacity,
                bucket.at - -lacking // bucket.capacity,
            )

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def limit(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them: each rule more makes the others rarer."""
        if kind % 4 == 0:
            self.limit_window(which, how, kind // 4)
        elif kind % 4 == 1:
            self.limit_bucket(which, how, kind // 4)
        elif kind % 4 == 2:
            self.limit_slots(which, how)
        else:
            self.limit_word(which, kind // 4, how)
        if kind // 8 % 2:
            self.limit_sweeps(kind // 16, how)

    def limit_window(self, key: int, rate: int, odd: int) -> None:
        """A key tried as often as it may be and once more, now and then with a second or an edge between."""
        named = self.rate(key, rate, odd)
        for later in (0, rate // 4, rate // 16, rate // 64):
            self.go_to(self.now + one_of((0, 0, 1, -1), later))
            self.do(RateLimitTry(**named))

    def limit_bucket(self, key: int, rate: int, odd: int) -> None:
        """Tokens taken until there are none, mostly, a second later, earlier, and a period later at another rate."""
        named = self.rate(key, rate, odd)
        for place, later in enumerate((0, rate // 4, rate // 16)):
            self.do(TokenBucketTry(**named, n=min(1 + later % 2, named["limit"])))
            self.go_to(self.now + one_of((-1, 1, 0, 2), later + place))
            self.do(TokenBucketTry(**named))
        self.go_to(self.now + named["per_s"])
        self.do(TokenBucketTry(**named | {"limit": named["limit"] % RATE_MAX + 1}))

    def rate(self, key: int, rate: int, odd: int) -> dict[str, Any]:
        """Mostly one of few keys, each with one rate."""
        place = key % 2
        return {
            "key": one_of(QUEUES if odd % 8 == 7 else QUEUES[:2], key),
            "limit": one_of(RATES, rate) if odd % 8 == 6 else RATES[place],
            "per_s": one_of(PERIODS, rate) if odd % 8 == 5 else PERIODS[place],
        }

    def limit_slots(self, which: int, how: int) -> None:
        """Two jobs that want the one slot; it is given back, and had by the other."""
        held = self.two_held(which, how)
        key = one_of(QUEUES[:2], how // 2)
        for job in held:
            self.do(LimitAcquire(**lease_of(job), key=key, limit=1))
            self.do(LimitAcquire(**lease_of(job), key=key, limit=1))
        self.do(LimitGet(key=key))
        if held and how % 4:
            first = lease_of(held[0])
            self.do(Ack(**first) if how % 4 == 1 else LimitRelease(**first, key=key))
            self.do(LimitRelease(**first, key=key))
            self.do(LimitAcquire(**lease_of(held[-1]), key=key, limit=1))

    def two_held(self, which: int, how: int) -> list[Job]:
        """Two jobs under a lease; where there are fewer, more are made and claimed."""
        if len(self.held()) < 2:
            self.enqueue(which, 2, 0)
            self.enqueue(which, 2, 0)
            self.claim_as((one_of(self.waiting(), which),), one_of(WORKERS, how), 2, one_of((60, 2), how))
        held = self.held()
        return [one_of(held, which), one_of(held, which + 1)] if held else []

    def limit_word(self, which: int, wrong: int, how: int) -> None:
        """A word about a slot; sometimes with one thing wrong, or just too late."""
        job = self.hold(which, how)
        if job is None or job.lease is None:
            return
        named = lease_of(job)
        wrongs: tuple[dict[str, Any], ...] = (
            *({} for _ in range(3)),
            {"fence": named["fence"] + 1},
            {"worker": one_of(WORKERS, which)},
            {"queue": one_of(QUEUES, which)},
            {"id": named["id"] + 1},
        )
        if which % 4 == 3:
            self.go_to(job.lease.expires_at + how % 2)
        named |= one_of(wrongs, wrong)
        key = one_of(QUEUES if wrong % 8 == 7 else QUEUES[:2], which)
        if how % 3:
            self.do(LimitAcquire(**named, key=key, limit=one_of((1, 2, SLOTS_MAX), how // 3)))
        else:
            self.do(LimitRelease(**named, key=key))

    def limit_sweeps(self, older: int, limit: int) -> None:
        """Both sweeps, and a look."""
        self.do(RateLimitSweep(older_than_s=one_of(OLDER, older), limit=one_of(LIMITS, limit)))
        self.do(LimitSweep(limit=one_of(LIMITS, limit)))
        self.do(LimitGet(key=one_of(QUEUES[:3], older)))


def lease_of(job: Job) -> dict[str, Any]:
    """What a word about the lease of the job names."""
    assert job.lease is not None, "the job is held"
    return {"queue": job.queue, "id": job.id, "worker": job.lease.worker, "fence": job.lease.fence}


FAMILY = Family(NAME, Limits, INVALID, tuple(SEEDS.values()), Limits.limit)
