"""Locks: a lease of a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anser.ops import checks
from anser.ops.base import Op
from anser.types import INTEGER_MAX, LEASE_MAX_S, LIST_MAX, NAME_MAX_BYTES

__all__ = ["LockAcquire", "LockGet", "LockList", "LockRelease", "LockRenew", "LockSweep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockAcquire(Op):
    """Take the lock for `ttl_s` seconds, if nobody else holds it. Answers `Lock`, or None.

    Its holder extends it by that, and has one acquire more to release. Rules: LCK-1, LCK-2, LCK-3, LCK-4.
    """

    name: ClassVar[str] = "lock_acquire"
    lock: str
    owner: str
    ttl_s: int

    def check(self) -> None:
        checks.name("lock", self.lock)
        checks.name("owner", self.owner)
        checks.whole("ttl_s", self.ttl_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRenew(Op):
    """Let the lock end `ttl_s` seconds from now, sooner or later than before. Answers its end.

    Refused with `LeaseLost`. Rules: LCK-5, LCK-6.
    """

    name: ClassVar[str] = "lock_renew"
    lock: str
    owner: str
    fence: int
    ttl_s: int

    def check(self) -> None:
        checks.name("lock", self.lock)
        checks.name("owner", self.owner)
        checks.whole("fence", self.fence, 1, INTEGER_MAX)
        checks.whole("ttl_s", self.ttl_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRelease(Op):
    """Give one acquire back. Answers whether the lock is free now. Refused with `LeaseLost`. Rules: LCK-5, LCK-7."""

    name: ClassVar[str] = "lock_release"
    lock: str
    owner: str
    fence: int

    def check(self) -> None:
        checks.name("lock", self.lock)
        checks.name("owner", self.owner)
        checks.whole("fence", self.fence, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockGet(Op):
    """Look the lock up. Answers `Lock` while somebody holds it, or None. Writes nothing. Rules: LCK-8."""

    name: ClassVar[str] = "lock_get"
    writes: ClassVar[bool] = False
    lock: str

    def check(self) -> None:
        checks.name("lock", self.lock)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockList(Op):
    """The locks that somebody holds by name, after `after_name`. Answers a tuple of `Lock`. Writes nothing.

    Rules: LCK-8.
    """

    name: ClassVar[str] = "lock_list"
    writes: ClassVar[bool] = False
    after_name: str = ""
    limit: int = 100

    def check(self) -> None:
        checks.text("after_name", self.after_name, NAME_MAX_BYTES)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockSweep(Op):
    """Forget up to `limit` locks that are over, the longest over first. Answers how many. Rules: LCK-9."""

    name: ClassVar[str] = "lock_sweep"
    limit: int = 1_000

    def check(self) -> None:
        checks.whole("limit", self.limit, 1, LIST_MAX)


OPS: tuple[type[Op], ...] = (LockAcquire, LockRenew, LockRelease, LockGet, LockList, LockSweep)
