"""Tries of windows and buckets around their edges; slots for each job, by its own lease and with one thing wrong."""

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
from anser.types import Job
from anser_models import World
from anser_spec.alphabets.base import NAMES, Alphabet, Scope, other

__all__ = ["BUCKETS", "SLOTS", "WINDOWS"]

WINDOWS_MAX = 2  # of a key: the one that is open, and one more
SLOTS_MAX = 3  # of a key: each job's, and one of a job that is gone


def windows(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    for key in NAMES[:size]:
        yield RateLimitTry(key=key, limit=1, per_s=2)
        yield RateLimitTry(key=key, limit=2, per_s=2)
        yield RateLimitTry(key=key, limit=2, per_s=1)
    yield RateLimitSweep(older_than_s=1)
    yield from _sweeps()


def windows_fit(world: World, size: int) -> bool:
    return len(world.windows) <= WINDOWS_MAX * size


def windows_instants(world: World) -> Iterator[int]:
    return (start for _, start in world.windows)


def buckets(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    for key in NAMES[:size]:
        yield TokenBucketTry(key=key, limit=2, per_s=3)
        yield TokenBucketTry(key=key, limit=2, per_s=3, n=2)
        yield TokenBucketTry(key=key, limit=1, per_s=2)
    yield RateLimitSweep(older_than_s=2)
    yield from _sweeps()


def buckets_fit(world: World, size: int) -> bool:
    return len(world.buckets) <= size


def buckets_instants(world: World) -> Iterator[int]:
    return (bucket.at for bucket in world.buckets.values())


def _sweeps() -> Iterator[Op]:
    yield RateLimitSweep(older_than_s=0)
    yield RateLimitSweep(older_than_s=0, limit=1)


def slots(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    for key in NAMES[:size]:
        for job in world.jobs.values():
            yield from _words(key, job, world.last_fence)
        yield LimitGet(key=key)
    yield LimitSweep()
    yield LimitSweep(limit=1)


def slots_fit(world: World, size: int) -> bool:
    return len(world.slots) <= SLOTS_MAX * size


def _words(key: str, job: Job, last_fence: int) -> Iterator[Op]:
    lease = job.lease
    named: dict[str, Any] = {
        "key": key,
        "queue": job.queue,
        "id": job.id,
        "worker": (lease.worker if lease else "") or "w1",
        "fence": (lease.fence if lease else last_fence) or 1,
    }
    yield LimitAcquire(**named, limit=2)
    wrongs: list[dict[str, Any]] = [{}, {"fence": named["fence"] + 1}]
    if lease is not None:
        wrongs += [{"queue": other(job.queue)}, {"worker": "w2" if named["worker"] == "w1" else "w1"}]
        wrongs += [{"fence": lease.fence - 1}] if lease.fence > 1 else []
    for wrong in wrongs:
        yield LimitAcquire(**(named | wrong), limit=1)
        yield LimitRelease(**(named | wrong))


WINDOWS = Alphabet(
    kind="windows",
    operations=windows,
    fits=windows_fit,
    instants=windows_instants,
    scopes=(Scope(windows=1), Scope(windows=2, depth=5), Scope(windows=1, buckets=1, depth=4)),
)
BUCKETS = Alphabet(
    kind="buckets", operations=buckets, fits=buckets_fit, instants=buckets_instants, scopes=(Scope(buckets=2),)
)
SLOTS = Alphabet(kind="slots", operations=slots, fits=slots_fit, scopes=(Scope(jobs=2, slots=1, depth=2),))
