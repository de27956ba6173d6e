"""Locks by name: two owners meet at two names, nest, renew, release, and come too late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anser.ops import LockAcquire, LockGet, LockList, LockRelease, LockRenew, LockSweep, Op
from anser.types import INTEGER_MAX, LEASE_MAX_S, Lock
from anser_spec.machine.base import Family, Machine, rule_of
from anser_spec.machine.values import LEASES, LIMITS, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.locks import SEEDS

__all__ = ["FAMILY", "Locks"]

NAME = "locks"

INVALID: tuple[Op, ...] = (
    LockAcquire(lock="", owner="w1", ttl_s=1),
    LockAcquire(lock="a", owner="w\n", ttl_s=1),
    LockAcquire(lock="a", owner="w1", ttl_s=0),
    LockAcquire(lock="a", owner="w1", ttl_s=0.5),  # type: ignore[arg-type]  # fractions are refused
    LockAcquire(lock="a", owner="w1", ttl_s=LEASE_MAX_S + 1),
    LockRenew(lock="a", owner="w1", fence=0, ttl_s=1),
    LockRenew(lock="a", owner="w1", fence=1, ttl_s=0),
    LockRelease(lock="a", owner="w1", fence=INTEGER_MAX + 1),
    LockGet(lock=""),
    LockList(after_name="\ud800"),
    LockSweep(limit=0),
)


@dataclass(frozen=True, slots=True)
class KnownLock:
    """A lock that an acquire once answered, whatever became of it."""

    lock: str
    owner: str
    fence: int


class Locks(Machine):
    """Names that are locked, by owners who meet, nest, renew, and come too late."""

    def __init__(self) -> None:
        super().__init__()
        self.known_locks: list[KnownLock] = []

    def begun(self, first: int) -> None:
        super().begun(first)
        self.known_locks.clear()

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (lock.expires_at for lock in self.world.locks.values())

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def lock(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them: each rule more makes the others rarer."""
        if kind % 8 < 3:
            self.lock_acquire(which, how, kind // 8)
        elif kind % 8 < 5:
            self.lock_word(which, kind // 8, how)
        elif kind % 8 < 7:
            self.lock_within(which, how)
        else:
            self.lock_looks(which, how)

    def lock_acquire(self, name: int, owner: int, ttl: int) -> None:
        """Mostly one of two names by one of two owners, so that they meet; or one that is held, by its holder."""
        held = [lock for lock in self.world.locks.values() if lock.expires_at > self.now]
        if held and ttl % 4 == 2:
            again = one_of(held, name)
            self.do(LockAcquire(lock=again.name, owner=again.owner, ttl_s=one_of(LEASES, owner)))
            return
        wide = ttl % 4 == 3
        op = LockAcquire(
            lock=one_of(QUEUES if wide else QUEUES[:2], name),
            owner=one_of(WORKERS if wide else WORKERS[:2], owner),
            ttl_s=one_of(LEASES, ttl),
        )
        lock = self.do(op)
        if isinstance(lock, Lock):
            self.known_locks.append(KnownLock(lock.name, lock.owner, lock.fence))

    def lock_word(self, which: int, wrong: int, late: int) -> None:
        """A word about a lock that was had lately; sometimes with one thing wrong, or at the edge of its end."""
        if not self.known_locks:
            self.lock_acquire(which, wrong, late)
        locks = [KnownLock(lock.name, lock.owner, lock.fence) for lock in self.world.locks.values()]
        known = one_of(locks if locks and which % 4 else self.known_locks[-4:] or [KnownLock("a", "w1", 1)], which // 4)
        wrongs: tuple[dict[str, Any], ...] = (
            *({} for _ in range(5)),
            {"fence": known.fence + 1},
            {"fence": max(known.fence - 1, 1)},
            {"owner": one_of(WORKERS, which)},
            {"lock": one_of(QUEUES, which)},
        )
        there = self.world.locks.get(known.lock)
        if there is not None and late % 4 == 0:
            self.go_to(there.expires_at + one_of((-1, 0, 1), late // 4))
        named = {"lock": known.lock, "owner": known.owner, "fence": max(known.fence, 1), **one_of(wrongs, wrong)}
        if late % 3:
            self.do(LockRelease(**named))
        else:
            self.do(LockRenew(**named, ttl_s=one_of(LEASES, which)))

    def lock_within(self, which: int, how: int) -> None:
        """A body within a body: two acquires by one owner and two releases, now and then a second or two between."""
        named = {"lock": one_of(QUEUES[:2], which), "owner": one_of(WORKERS[:2], how)}
        outer = self.do(LockAcquire(**named, ttl_s=one_of(LEASES, how // 2)))
        if isinstance(outer, Lock):
            self.known_locks.append(KnownLock(outer.name, outer.owner, outer.fence))
            self.do(LockAcquire(**named, ttl_s=one_of(LEASES, how // 8)))
            for later in (how // 32, how // 96):
                self.go_to(self.now + later % 3)
                self.do(LockRelease(**named, fence=outer.fence))

    def lock_looks(self, name: int, limit: int) -> None:
        """Both looks, mostly at a lock that is there, and now and then the sweep."""
        self.do(
            LockGet(lock=one_of(sorted(self.world.locks) if name % 4 and self.world.locks else QUEUES[:3], name // 4))
        )
        self.do(LockList(after_name=one_of(("", *QUEUES), name), limit=one_of(LIMITS, limit)))
        if limit % 3 == 0:
            self.do(LockSweep(limit=one_of(LIMITS, limit // 3)))


FAMILY = Family(NAME, Locks, INVALID, tuple(SEEDS.values()), Locks.lock)
