"""Live and finished jobs, paused queues, and the last id that was given."""

from __future__ import annotations

from typing import Any

from anser.types import Finished, Job, Lease, State
from anser_spec.file.table import Counter, Row, Table, fields_of

__all__ = ["COUNTERS", "TABLES"]


def _job(*, worker_id: str | None, claim_expires_at: int | None, fence: int, claimed_at: int | None, **row: Any) -> Job:
    """A job has a lease exactly where its end is stored."""
    lease = None if claim_expires_at is None else Lease(worker_id or "", fence, claimed_at, claim_expires_at)
    return Job(**row, lease=lease)


def _job_row(job: Job) -> Row:
    row = fields_of(job)
    lease: Lease | None = row.pop("lease")
    if lease is None:
        return row | {"worker_id": None, "claim_expires_at": None, "fence": 0, "claimed_at": None}
    ends = {"claim_expires_at": lease.expires_at, "claimed_at": lease.claimed_at}
    return row | ends | {"worker_id": lease.worker, "fence": lease.fence}


def _paused(*, queue: str, paused_at: int) -> str:  # noqa: ARG001 - since when is not of the world
    return queue


def _paused_row(queue: str) -> Row:
    return {"queue": queue, "paused_at": 0}


LIVE = Table(
    name="_honker_live",
    part="jobs",
    key=("id",),
    columns=(
        "id",
        "queue",
        "payload",
        "state",
        "priority",
        "run_at",
        "attempts",
        "max_attempts",
        "created_at",
        "expires_at",
        "worker_id",
        "claim_expires_at",
    ),
    added={
        "lapses": "0",
        "max_lapses": "5",
        "unique_key": "null",
        "last_error": "null",
        "fence": "0",
        "claimed_at": "null",
    },
    raw=("payload",),
    enums={"state": State},
    value=_job,
    row=_job_row,
)
FINISHED = Table(
    name="_anser_finished",
    part="finished",
    key=("id",),
    columns=("id", "queue", "state", "attempts", "ended_at"),
    enums={"state": State},
    value=Finished,
)
PAUSED = Table(
    name="_anser_paused",
    part="paused",
    key=("queue",),
    columns=("queue", "paused_at"),
    value=_paused,
    row=_paused_row,
)
LAST_ID = Counter(
    part="last_id",
    table="sqlite_sequence",
    read="select coalesce(max(seq), 0) from sqlite_sequence where name = '_honker_live'",
    write=(
        "delete from sqlite_sequence where name = '_honker_live'",
        "insert into sqlite_sequence (name, seq) values ('_honker_live', :number)",
    ),
    moved_by="jobs",
)

TABLES = (LIVE, FINISHED, PAUSED)
COUNTERS = (LAST_ID,)
