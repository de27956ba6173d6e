"""Limits: how often something may happen, and how many jobs may do it at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anser.errors import Invalid
from anser.ops import checks
from anser.ops.base import Op
from anser.types import DELAY_MAX_S, INTEGER_MAX, LIST_MAX, PERIOD_MAX_S, RATE_MAX, SLOTS_MAX

__all__ = ["LimitAcquire", "LimitGet", "LimitRelease", "LimitSweep", "RateLimitSweep", "RateLimitTry", "TokenBucketTry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitTry(Op):
    """Count one more in the key's window of `per_s` seconds, if that has fewer than `limit`. Answers `Allowance`.

    One that is refused writes nothing. Rules: LIM-1, LIM-2.
    """

    name: ClassVar[str] = "rate_limit_try"
    key: str
    limit: int
    per_s: int

    def check(self) -> None:
        checks.name("key", self.key)
        checks.whole("limit", self.limit, 1, RATE_MAX)
        checks.whole("per_s", self.per_s, 1, PERIOD_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBucketTry(Op):
    """Take `n` tokens of the key's bucket of `limit`, which fills in `per_s` seconds. Answers `Allowance`.

    All `n` or none; one that is refused writes nothing. Rules: LIM-4, LIM-5, LIM-6, LIM-7.
    """

    name: ClassVar[str] = "token_bucket_try"
    key: str
    limit: int
    per_s: int
    n: int = 1

    def check(self) -> None:
        checks.name("key", self.key)
        checks.whole("limit", self.limit, 1, RATE_MAX)
        checks.whole("per_s", self.per_s, 1, PERIOD_MAX_S)
        checks.whole("n", self.n, 1, RATE_MAX)
        if self.n > self.limit:
            raise Invalid("n", self.n, f"the bucket never has more than its limit of {self.limit}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitSweep(Op):
    """Forget windows that began, and full buckets last taken from, more than `older_than_s` ago. Answers how many.

    `limit` at most. Rules: LIM-8.
    """

    name: ClassVar[str] = "rate_limit_sweep"
    older_than_s: int
    limit: int = 1_000

    def check(self) -> None:
        checks.whole("older_than_s", self.older_than_s, 0, DELAY_MAX_S)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word(Op):
    """What a word about a slot names: the key, and the lease as every word about a lease does (CLM-8)."""

    key: str
    queue: str
    id: int
    worker: str
    fence: int

    def check(self) -> None:
        checks.name("key", self.key)
        checks.name("queue", self.queue)
        checks.whole("id", self.id, 1, INTEGER_MAX)
        checks.name("worker", self.worker)
        checks.whole("fence", self.fence, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitAcquire(_Word):
    """Give the lease a slot of the key, if fewer than `limit` leases have one. Answers whether it has one.

    It is over with the lease, whatever ends that. Refused with `LeaseLost`. Rules: LIM-9, LIM-10.
    """

    name: ClassVar[str] = "limit_acquire"
    limit: int

    def check(self) -> None:
        _Word.check(self)
        checks.whole("limit", self.limit, 1, SLOTS_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRelease(_Word):
    """Give the lease's slot back before the lease is over. Answers whether it had one.

    Refused with `LeaseLost`. Rules: LIM-11.
    """

    name: ClassVar[str] = "limit_release"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitGet(Op):
    """How many leases have a slot of the key now. Answers a number. Writes nothing. Rules: LIM-10, LIM-12."""

    name: ClassVar[str] = "limit_get"
    writes: ClassVar[bool] = False
    key: str

    def check(self) -> None:
        checks.name("key", self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSweep(Op):
    """Forget up to `limit` slots whose lease is over. Answers how many. Rules: LIM-12."""

    name: ClassVar[str] = "limit_sweep"
    limit: int = 1_000

    def check(self) -> None:
        checks.whole("limit", self.limit, 1, LIST_MAX)


OPS: tuple[type[Op], ...] = (
    RateLimitTry,
    TokenBucketTry,
    RateLimitSweep,
    LimitAcquire,
    LimitRelease,
    LimitGet,
    LimitSweep,
)
