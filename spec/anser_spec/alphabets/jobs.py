"""Jobs come, are looked at, and are cancelled; queues are paused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import Cancel, CountJobs, Enqueue, EnqueueMany, GetJob, ListJobs, Op, QueuePause, QueueResume
from anser.types import BURIED_MAX, TURN_AT, Dead, Finished, Job, State
from anser_models import World
from anser_spec.alphabets.base import Alphabet, other

__all__ = ["ALPHABET"]

CROWD_SAMPLE = 3  # jobs of a crowd that are cancelled


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - whatever jobs there are
    yield from _enqueues(now)
    yield from _cancels(world)
    yield QueuePause(queue="a")
    yield QueueResume(queue="a")
    yield from _looks(world)


def crowd(world: World) -> Iterator[Op]:
    yield ListJobs(queue="a", limit=BURIED_MAX)
    for job in list(world.jobs.values())[-CROWD_SAMPLE:]:
        yield Cancel(queue=job.queue, id=job.id)


def fits(world: World, size: int) -> bool:
    """Jobs that are or were: ids that were given, and rows that share one."""
    return max(world.last_id, len(world.jobs) + len(world.dead) + len(world.finished)) <= size


def instants(world: World) -> Iterator[int]:
    for job in world.jobs.values():
        yield 0 if job.run_at == TURN_AT else job.run_at
        yield job.expires_at or 0


def orders(world: World) -> Iterator[tuple[int, ...]]:
    if len(world.jobs) > 1:
        yield tuple(sorted(world.jobs, key=lambda id: (world.jobs[id].run_at, id)))
        yield tuple(sorted(world.jobs, key=lambda id: (world.jobs[id].expires_at or 0, id)))


def _enqueues(now: int) -> Iterator[Op]:
    tries: dict[str, Any] = {"queue": "a", "payload": 1, "max_attempts": 2, "max_lapses": 1}
    yield Enqueue(**tries)
    yield Enqueue(**tries, delay_s=1, priority=1)
    yield Enqueue(**tries, expires_s=1, delay_s=1)
    yield Enqueue(**tries, unique_key="k")
    yield Enqueue(**tries, unique_key="k", expires_s=1)
    yield Enqueue(**tries, run_at=now - 1)
    yield Enqueue(queue="b", payload=1, max_attempts=1, max_lapses=0)
    one = Enqueue(**tries, unique_key="k")
    yield EnqueueMany(jobs=(one, one))
    yield EnqueueMany(jobs=(one, Enqueue(**tries, expires_s=1, delay_s=1)))


def _named(world: World) -> Iterator[tuple[str, int]]:
    """Every job by the queue that it is or was in, and by the wrong one."""
    rows: tuple[Job | Dead | Finished, ...] = (*world.jobs.values(), *world.dead.values(), *world.finished.values())
    for row in rows:
        yield row.queue, row.id
        yield other(row.queue), row.id


def _cancels(world: World) -> Iterator[Op]:
    for queue, id in _named(world):
        yield Cancel(queue=queue, id=id)


def _looks(world: World) -> Iterator[Op]:
    for queue, id in _named(world):
        yield GetJob(queue=queue, id=id)
    yield GetJob(queue="a", id=world.last_id + 1)
    yield ListJobs(queue="a", state=State.PENDING)
    yield ListJobs(queue="a", limit=1)
    yield CountJobs(queue="a")


ALPHABET = Alphabet(kind="jobs", operations=operations, crowd=crowd, fits=fits, instants=instants, orders=orders)
