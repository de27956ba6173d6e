"""Limits: keys that are tried around their edges, and slots that two jobs want at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import (
    LimitAcquire,
    LimitGet,
    LimitRelease,
    LimitSweep,
    Op,
    RateLimitSweep,
    RateLimitTry,
    TokenBucketTry,
)
from anser.types import DELAY_MAX_S, INTEGER_MAX, PERIOD_MAX_S, RATE_MAX, SLOTS_MAX
from anser_spec.machine.base import Family, rule_of
from anser_spec.machine.leases import GOOD, Leases
from anser_spec.machine.values import LEASES, LIMITS, QUEUES, WORKERS, one_of, pick

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
        if kind % 8 < 2:
            self.limit_try(which, kind // 8, how)
        elif kind % 8 < 6:
            self.limit_word(which, kind // 8, how)
        else:
            self.limit_looks(which, kind // 8, how)

    def limit_try(self, key: int, rate: int, how: int) -> None:
        """A window and a bucket of one key, twice each, now and then a second later or earlier."""
        named: dict[str, Any] = {
            "key": one_of(QUEUES if key % 8 == 7 else QUEUES[:2], key // 8),
            "limit": one_of(RATES if rate % 8 == 7 else RATES[:2], rate // 8),
            "per_s": one_of(PERIODS if how % 8 == 7 else PERIODS[:2], how // 8),
        }
        for place in range(2):
            self.do(RateLimitTry(**named))
            self.do(TokenBucketTry(**named, n=min(1 + (how // 16 + place) % 3, named["limit"])))
            self.go_to(self.now + one_of((0, 0, 1, -1), how // 64 + place))

    def limit_word(self, which: int, wrong: int, how: int) -> None:
        """Slots asked for and given back by a lease that holds; sometimes with one thing wrong, or just too late."""
        if len(self.held()) < 2 and how % 2:
            self.enqueue(which, how, 0)
            self.claim_as((one_of(self.waiting(), which),), one_of(WORKERS, how), 1, one_of(LEASES, how // 2))
        job = self.hold(which, how)
        if job is None or job.lease is None:
            return
        named: dict[str, Any] = {"queue": job.queue, "id": job.id, "worker": job.lease.worker, "fence": job.lease.fence}
        key = one_of(QUEUES if wrong % 8 == 7 else QUEUES[:1], which)
        limit = one_of((1, 1, 2, SLOTS_MAX), how // 4)
        if how % 8 < 5:
            self.do(LimitAcquire(**named, key=key, limit=limit))
        wrongs: tuple[dict[str, Any], ...] = (
            *({} for _ in range(5)),
            {"fence": named["fence"] + 1},
            {"worker": one_of(WORKERS, which)},
            {"queue": one_of(QUEUES, which)},
            {"id": named["id"] + 1},
        )
        named |= one_of(wrongs, wrong)
        if which % 4 == 3:
            self.go_to(job.lease.expires_at + how % 2)
        if wrong % 3:
            self.do(LimitAcquire(**named, key=key, limit=limit))
        else:
            self.do(LimitRelease(**named, key=key))

    def limit_looks(self, key: int, sweep: int, limit: int) -> None:
        """A look, and one of the sweeps."""
        self.do(LimitGet(key=one_of(QUEUES[:2], key)))
        if sweep % 2:
            self.do(LimitSweep(limit=one_of(LIMITS, limit)))
        else:
            self.do(RateLimitSweep(older_than_s=one_of(OLDER, sweep // 2), limit=one_of(LIMITS, limit)))


FAMILY = Family(NAME, Limits, INVALID)
