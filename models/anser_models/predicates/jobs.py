"""The questions that decide about a job and its lease."""

from __future__ import annotations

from anser.types import Job, Reason, State

__all__ = ["claim_order", "doom", "due", "expired", "held", "held_by", "lapsed", "stray"]


def due(run_at: int, now: int) -> bool:
    """A job is due from its `run_at` on (JOB-2)."""
    return run_at <= now


def expired(expires_at: int | None, now: int) -> bool:
    """A job is over at its `expires_at` (CLM-5); without one it never is."""
    return expires_at is not None and expires_at <= now


def held(job: Job, now: int) -> bool:
    """A lease holds to the end of its last second (CLM-2), and only a processing job has one (CLM-18)."""
    return job.state is State.PROCESSING and job.lease is not None and job.lease.expires_at >= now


def stray(job: Job) -> bool:
    """A live row whose state is none that a live job can have; only a foreign hand writes one (CLM-17)."""
    return job.state is not State.PENDING and job.state is not State.PROCESSING


def lapsed(job: Job, now: int) -> bool:
    """A processing job that nobody holds, be its lease over or missing (CLM-4)."""
    return job.state is State.PROCESSING and not held(job, now)


def held_by(job: Job, worker: str, fence: int, now: int) -> bool:
    """The lease holds, and is the one that the word names (CLM-8)."""
    return held(job, now) and job.lease is not None and job.lease.worker == worker and job.lease.fence == fence


def doom(job: Job, now: int) -> Reason | None:
    """Why nobody will work on the job again, or None. A held job is never past saving (CLM-5)."""
    if held(job, now):
        return None
    if expired(job.expires_at, now):
        return Reason.EXPIRED
    if job.state is State.PENDING:
        return Reason.EXHAUSTED if job.attempts >= job.max_attempts else None
    return Reason.LAPSED if job.state is State.PROCESSING and job.lapses >= job.max_lapses else None


def claim_order(job: Job) -> tuple[int, int, int]:
    """Highest priority first, then earliest due, then first enqueued (CLM-1)."""
    return (-job.priority, job.run_at, job.id)
