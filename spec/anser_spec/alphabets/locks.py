"""Locks are acquired, looked at and swept; each word about a holding, right and with one thing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import LockAcquire, LockGet, LockList, LockRelease, LockRenew, LockSweep, Op
from anser.types import Lock
from anser_models import World
from anser_spec.alphabets.base import NAMES, WORKERS, Alphabet, Scope, other

__all__ = ["ALPHABET"]

NESTED_MAX = 2  # a world in which a lock was acquired more often than that without a release is not gone on from


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    for name in NAMES[:size]:
        for owner in WORKERS:
            yield LockAcquire(lock=name, owner=owner, ttl_s=1)
            yield LockAcquire(lock=name, owner=owner, ttl_s=2)
        yield LockGet(lock=name)
        yield from _words(world.locks.get(name) or Lock(name, "w1", world.last_fence or 1, None, 0, 1))
    yield LockList()
    yield LockList(after_name="a", limit=1)
    yield LockList(limit=1)
    yield LockSweep()
    yield LockSweep(limit=1)


def fits(world: World, size: int) -> bool:
    return len(world.locks) <= size and all(lock.depth <= NESTED_MAX for lock in world.locks.values())


def instants(world: World) -> Iterator[int]:
    return (lock.expires_at for lock in world.locks.values())


def orders(world: World) -> Iterator[tuple[str, ...]]:
    if len(world.locks) > 1:
        yield tuple(sorted(world.locks, key=lambda name: (world.locks[name].expires_at, name)))


def _words(lock: Lock) -> Iterator[Op]:
    named: dict[str, Any] = {"lock": lock.name, "owner": lock.owner, "fence": lock.fence}
    yield LockRenew(**named, ttl_s=2)
    wrongs: list[dict[str, Any]] = [{}, {"fence": lock.fence + 1}, {"lock": other(lock.name)}]
    wrongs += [{"owner": "w2" if lock.owner == "w1" else "w1"}]
    wrongs += [{"fence": lock.fence - 1}] if lock.fence > 1 else []
    for wrong in wrongs:
        yield LockRenew(**(named | wrong), ttl_s=1)
        yield LockRelease(**(named | wrong))


ALPHABET = Alphabet(
    kind="locks", operations=operations, fits=fits, instants=instants, orders=orders, scopes=(Scope(locks=2),)
)
