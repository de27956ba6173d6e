"""What holds in every world that the operations can make, one function a rule. Each answers what is wrong, or None."""

from __future__ import annotations

from collections.abc import Callable

from anser.types import Dead, Job, State
from anser_models.world import World

__all__ = ["INVARIANTS", "broken"]


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


def locks_are_held_once_at_least(world: World) -> str | None:
    """A lock that is held was acquired, and its fence was given (LCK-3, LCK-7)."""
    wrong = [lock.name for lock in world.locks.values() if lock.depth < 1 or not 0 < lock.fence <= world.last_fence]
    return f"locks that nobody acquired: {wrong}" if wrong else None


INVARIANTS: tuple[Callable[[World], str | None], ...] = (
    one_place,
    ids_were_given,
    keys_are_unique,
    lease_means_processing,
    fences_were_given,
    tries_are_bounded,
    a_processing_job_was_tried,
    locks_are_held_once_at_least,
)


def broken(world: World) -> list[str]:
    """Every invariant that the world breaks, by name and finding."""
    found = ((invariant.__name__, invariant(world)) for invariant in INVARIANTS)
    return [f"{name}: {finding}" for name, finding in found if finding is not None]
