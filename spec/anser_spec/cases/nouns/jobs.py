"""Live and finished jobs, by id. What a `given` does not say is sound: due at T, three attempts, worker w, fence 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser.types import Finished, Job, Lease, State
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS", "SOUND"]

SOUND: dict[str, Any] = {
    "payload": "1",
    "priority": 0,
    "run_at": T,
    "attempts": 1,
    "max_attempts": 3,
    "lapses": 0,
    "max_lapses": 5,
    "created_at": T,
    "unique_key": None,
}
_LEASE: dict[str, Any] = {"worker": "w", "fence": 1, "claimed_at": T}


def _live(*, lease: dict[str, Any] | None = None, state: str | None = None, **given: Any) -> Job:
    in_work = lease is not None if state is None else state == State.PROCESSING
    row = SOUND | {"attempts": int(in_work), "expires_at": None, "last_error": None} | given
    held = None if lease is None else Lease(**_LEASE | lease)
    return Job(state=State.PROCESSING if in_work else State.PENDING, lease=held, **row)


def _finished(*, state: str = State.DONE, **given: Any) -> Finished:
    return Finished(state=State(state), **{"attempts": 1, "ended_at": T} | given)


def _bare(job: Job) -> Job:
    return replace(job, lease=job.lease and replace(job.lease, fence=0, claimed_at=None))


def _id(job: Job | Finished) -> int:
    return job.id


def _fence(job: Job) -> int | None:
    return None if job.lease is None else job.lease.fence


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="live",
        called="live job",
        part="jobs",
        row=Job,
        key="id",
        read_key=int,
        make=_live,
        bare=_bare,
        numbered={"last_id": _id, "last_fence": _fence},
    ),
    Rows(
        name="finished",
        called="finished job",
        part="finished",
        row=Finished,
        key="id",
        read_key=int,
        make=_finished,
        bare=lambda job: job,
        numbered={"last_id": _id},
    ),
)
