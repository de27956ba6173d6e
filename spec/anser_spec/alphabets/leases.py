"""Each word about a lease, right and with one thing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import Ack, AckBatch, Fail, Heartbeat, Op, Release, Retry
from anser.types import Held, Job
from anser_models import World
from anser_spec.alphabets.base import WORKERS, Alphabet, other

__all__ = ["ALPHABET", "named_by"]

CROWD_SAMPLE = 3  # jobs of a crowd that are spoken of


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - whatever leases there are
    for job in world.jobs.values():
        yield from _words(job, world.last_fence)
    if not world.jobs:
        yield Ack(queue="a", id=1, worker="w1", fence=1)
    yield from _batches(world)


def crowd(world: World) -> Iterator[Op]:
    for job in list(world.jobs.values())[-CROWD_SAMPLE:]:
        yield from _words(job, world.last_fence)


def instants(world: World) -> Iterator[int]:
    return (_end(job) for job in world.jobs.values())


def orders(world: World) -> Iterator[tuple[int, ...]]:
    if len(world.jobs) > 1:
        yield tuple(sorted(world.jobs, key=lambda id: (_end(world.jobs[id]), id)))


def _end(job: Job) -> int:
    return job.lease.expires_at if job.lease else 0


def named_by(job: Job, last_fence: int) -> dict[str, Any]:
    """The lease as a word names it; of a job without one what might be taken for it."""
    lease = job.lease
    return {
        "queue": job.queue,
        "id": job.id,
        "worker": (lease.worker if lease else "") or "w1",
        "fence": (lease.fence if lease else last_fence) or 1,
    }


def _words(job: Job, last_fence: int) -> Iterator[Op]:
    named = named_by(job, last_fence)
    yield from _each_word(named)
    yield Retry(**named, delay_s=1, error="e")
    yield Release(**named, delay_s=1)
    yield Heartbeat(**named, lease_s=2)
    if job.lease is None:
        return
    yield from _each_word(named | {"fence": named["fence"] + 1})
    if named["fence"] > 1:
        yield from _each_word(named | {"fence": named["fence"] - 1})
    yield from _each_word(named | {"worker": "w2" if named["worker"] == "w1" else "w1"})
    yield from _each_word(named | {"queue": other(job.queue)})


def _each_word(named: dict[str, Any]) -> Iterator[Op]:
    yield Ack(**named)
    yield Fail(**named, error="e")
    yield Retry(**named, delay_s=0)
    yield Release(**named)
    yield Heartbeat(**named, lease_s=1)


def _batches(world: World) -> Iterator[Op]:
    held = tuple(Held(job.id, job.lease.fence if job.lease else 1) for job in world.jobs.values())
    held = tuple(one for one in held if one.fence > 0)
    if not held:
        return
    for worker in WORKERS:
        yield AckBatch(queue="a", worker=worker, held=held[::-1])
    yield AckBatch(queue="a", worker="w1", held=(held[0], held[0], Held(held[-1].id, held[-1].fence + 1)))


ALPHABET = Alphabet(kind="jobs", operations=operations, crowd=crowd, instants=instants, orders=orders)
