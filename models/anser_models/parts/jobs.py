"""Jobs wherever they are, the paused queues, and the last id given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser.types import TURN_AT, Dead, Job, Lease, State
from anser_models.parts.instants import later
from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    def lease(held: Lease | None) -> Lease | None:
        if held is None:
            return None
        return replace(held, claimed_at=later(held.claimed_at, by_s), expires_at=held.expires_at + by_s)

    return replace(
        world,
        jobs={
            job.id: replace(
                job,
                run_at=job.run_at if job.run_at == TURN_AT else job.run_at + by_s,
                created_at=job.created_at + by_s,
                expires_at=later(job.expires_at, by_s),
                lease=lease(job.lease),
            )
            for job in world.jobs.values()
        },
        dead={
            job.id: replace(job, run_at=job.run_at + by_s, created_at=job.created_at + by_s, died_at=job.died_at + by_s)
            for job in world.dead.values()
        },
        finished={job.id: replace(job, ended_at=job.ended_at + by_s) for job in world.finished.values()},
    )


def fences(world: World) -> Iterator[int]:
    return (job.lease.fence for job in world.jobs.values() if job.lease is not None)


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    return (
        tuple(_live(job, now, rank) for _, job in sorted(world.jobs.items())),
        tuple(_dead(job, now) for _, job in sorted(world.dead.items())),
        tuple((job.id, job.queue, job.state) for _, job in sorted(world.finished.items())),
        world.paused,
        world.last_id,
    )


def _live(job: Job, now: int, rank: dict[int, int]) -> tuple[object, ...]:
    lease = job.lease
    return (
        job.id,
        job.queue,
        job.payload,
        job.state,
        job.priority,
        TURN_AT if job.run_at == TURN_AT else max(job.run_at - now, -1),
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


# --- invariants


def one_place(world: World) -> str | None:
    """A job is in exactly one place (JOB-1)."""
    for first, second in ((world.jobs, world.dead), (world.jobs, world.finished), (world.dead, world.finished)):
        both = set(first) & set(second)
        if both:
            return f"jobs in two places: {sorted(both)}"
    return None


def ids_were_given(world: World) -> str | None:
    """No job has an id beyond the last one given (JOB-5)."""
    beyond = [id for id in (*world.jobs, *world.dead, *world.finished) if not 0 < id <= world.last_id]
    return f"ids that were never given: {beyond}" if beyond else None


def keys_are_unique(world: World) -> str | None:
    """No two live jobs of a queue hold one key (JOB-6)."""
    keys = [(job.queue, job.unique_key) for job in world.jobs.values() if job.unique_key is not None]
    return f"keys held twice: {keys}" if len(set(keys)) < len(keys) else None


def lease_means_processing(world: World) -> str | None:
    """A job has a lease if and only if it is processing (CLM-18)."""
    wrong = [job.id for job in world.jobs.values() if (job.lease is not None) != (job.state is State.PROCESSING)]
    return f"jobs whose state and lease disagree: {wrong}" if wrong else None


def fences_were_given(world: World) -> str | None:
    """No lease has a fence beyond the last one given (CLM-7)."""
    beyond = [job.id for job in world.jobs.values() if job.lease and not 0 < job.lease.fence <= world.last_fence]
    return f"jobs with a fence that was never given: {beyond}" if beyond else None


def tries_are_bounded(world: World) -> str | None:
    """No job has more attempts or lapses than it is allowed (CLM-3, CLM-4)."""
    every: list[Job | Dead] = [*world.jobs.values(), *world.dead.values()]
    over = [
        job.id for job in every if not (0 <= job.attempts <= job.max_attempts and 0 <= job.lapses <= job.max_lapses)
    ]
    return f"jobs with too many attempts or lapses: {over}" if over else None


def a_processing_job_was_tried(world: World) -> str | None:
    """A job being worked on is in at least its first attempt (CLM-3)."""
    wrong = [job.id for job in world.jobs.values() if job.state is State.PROCESSING and job.attempts < 1]
    return f"processing jobs without an attempt: {wrong}" if wrong else None


INVARIANTS = (
    one_place,
    ids_were_given,
    keys_are_unique,
    lease_means_processing,
    fences_were_given,
    tries_are_bounded,
    a_processing_job_was_tried,
)
