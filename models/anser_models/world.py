"""The whole queue as one value. Nothing here knows what an operation means.

The dictionaries of a world are never changed once it is made: `step` copies what it changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from anser.types import Dead, Finished, Job, Lease, Lock

__all__ = ["EMPTY", "World", "canonical", "shifted"]


@dataclass(frozen=True, slots=True)
class World:
    """Everything that a file holds: live, dead and finished jobs by id, paused queues, the last id and fence given, and
    locks by name.
    """

    jobs: dict[int, Job] = field(default_factory=dict)
    dead: dict[int, Dead] = field(default_factory=dict)
    finished: dict[int, Finished] = field(default_factory=dict)
    paused: frozenset[str] = frozenset()
    last_id: int = 0
    last_fence: int = 0
    locks: dict[str, Lock] = field(default_factory=dict)


EMPTY = World()


def shifted(world: World, by_s: int) -> World:
    """The same world with every instant in it later by `by_s` seconds."""

    def later(at: int | None) -> int | None:
        return None if at is None else at + by_s

    def lease(held: Lease | None) -> Lease | None:
        if held is None:
            return None
        return replace(held, claimed_at=later(held.claimed_at), expires_at=held.expires_at + by_s)

    return replace(
        world,
        jobs={
            job.id: replace(
                job,
                run_at=job.run_at + by_s,
                created_at=job.created_at + by_s,
                expires_at=later(job.expires_at),
                lease=lease(job.lease),
            )
            for job in world.jobs.values()
        },
        dead={
            job.id: replace(job, run_at=job.run_at + by_s, created_at=job.created_at + by_s, died_at=job.died_at + by_s)
            for job in world.dead.values()
        },
        finished={job.id: replace(job, ended_at=job.ended_at + by_s) for job in world.finished.values()},
        locks={
            name: replace(lock, acquired_at=later(lock.acquired_at), expires_at=lock.expires_at + by_s)
            for name, lock in world.locks.items()
        },
    )


def canonical(world: World, now: int) -> tuple[object, ...]:
    """Equal for two worlds of one job that no operation can tell apart but by how long ago something was.

    Instants are taken relative to `now`, those that have passed are one, and of fences only their order is kept. With
    several jobs or locks the order of past instants decides who is first: `anser_spec.transitions.distinct` adds it.
    """
    rank = {fence: place for place, fence in enumerate(sorted(set(_fences(world))), start=1)}
    return (
        tuple(_live(job, now, rank) for _, job in sorted(world.jobs.items())),
        tuple(_dead(job, now) for _, job in sorted(world.dead.items())),
        tuple((job.id, job.queue, job.state) for _, job in sorted(world.finished.items())),
        world.paused,
        world.last_id,
        tuple(_lock(lock, now, rank) for _, lock in sorted(world.locks.items())),
    )


def _fences(world: World) -> Iterator[int]:
    for job in world.jobs.values():
        if job.lease is not None:
            yield job.lease.fence
    for lock in world.locks.values():
        yield lock.fence


def _live(job: Job, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    lease = job.lease
    return (
        job.id,
        job.queue,
        job.payload,
        job.state,
        job.priority,
        max(job.run_at - now, -1),
        job.attempts,
        job.max_attempts,
        job.lapses,
        job.max_lapses,
        None if job.expires_at is None else max(job.expires_at - now, -1),
        job.unique_key,
        job.last_error,
        None if lease is None else (lease.worker, rank[lease.fence], max(lease.expires_at - now, -2)),
    )


def _dead(job: Dead, now: int) -> tuple[object, ...]:
    return (
        job.id,
        job.queue,
        job.payload,
        job.priority,
        job.attempts,
        job.max_attempts,
        job.lapses,
        job.unique_key,
        job.reason,
        job.last_error,
        max(job.died_at - now, -2),
    )


def _lock(lock: Lock, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    return (lock.name, lock.owner, rank[lock.fence], max(lock.expires_at - now, -1), lock.depth)
