"""Rows of the file as values. The column order is that of the statements `get_job`, `get_job_dead`, `claim_pick`."""

from __future__ import annotations

from anser.core.tx import Row
from anser.types import Dead, Finished, Job, Lease, Reason, State

__all__ = ["dead_of", "finished_of", "job_of"]

_REASONS = {reason.value: reason for reason in Reason}


def job_of(row: Row) -> Job:
    """A live row. Lease columns that stand on a row without a lease end are no lease (CLM-18)."""
    *_, worker, fence, claimed_at, claim_expires_at = row
    lease = None if claim_expires_at is None else Lease(worker or "", fence, claimed_at, claim_expires_at)
    return Job(*row[:3], State(row[3]), *row[4:14], lease)


def dead_of(row: Row) -> Dead:
    """A dead row; a reason that only a foreign hand can have written is None."""
    return Dead(*row[:11], _REASONS.get(row[11]), *row[12:])


def finished_of(row: Row) -> Finished:
    """A row of history."""
    return Finished(row[0], row[1], State(row[2]), row[3], row[4])
