"""Rows of the file as values. The column order is that of the statements `get_job`, `get_job_dead`, `claim_pick`,
`lock_get`, `notification_read`, `event_read`, `schedule_get`.
"""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from typing import Any, cast

from anser.core.tx import Row
from anser.types import (
    Dead,
    Event,
    EventKind,
    Finished,
    Job,
    Lease,
    Lock,
    Misfire,
    Notification,
    Overlap,
    Reason,
    Schedule,
    State,
)

__all__ = ["dead_of", "event_of", "finished_of", "job_of", "leased_of", "lock_of", "notification_of", "schedule_of"]

_REASONS = {reason.value: reason for reason in Reason}
_PROCESSING = State.PROCESSING
_STATE, _PLAIN = 3, 14  # places in a live row; the first _PLAIN columns are a job's own fields
_LINE = 13  # how many columns of a row of the line are a job's own fields; its state is not among them
_REASON = 11  # place in a dead row
_MISFIRE, _OVERLAP, _PAUSED = 9, 11, 16  # places in a row of the schedules


def job_of(row: Row) -> Job:
    """A live row. Without a lease end it has no lease (CLM-18)."""
    fields = list(row[:_PLAIN])
    worker, fence, claimed_at, claim_expires_at = row[_PLAIN:]
    fields[_STATE] = State(fields[_STATE])
    fields.append(None if claim_expires_at is None else Lease(worker or "", fence, claimed_at, claim_expires_at))
    return Job(*fields)


# To make frozen values, each field through `object.__setattr__`, took a tenth of the time of claiming a hundred jobs. A
# draft has the slots of a job, is filled in like any object, and then becomes the job.
_Draft: Any = make_dataclass("_Draft", [field.name for field in fields(Job)], slots=True)


def leased_of(row: Row, lease: Lease) -> Job:
    """A row of the line as it is after its claim (CLM-3)."""
    draft = _Draft(*row[:_STATE], _PROCESSING, *row[_STATE:_LINE], lease)
    draft.attempts += 1
    draft.__class__ = Job
    return cast(Job, draft)


def dead_of(row: Row) -> Dead:
    """A dead row; a reason that only a foreign hand can have written is None."""
    fields = list(row)
    fields[_REASON] = _REASONS.get(fields[_REASON])
    return Dead(*fields)


def finished_of(row: Row) -> Finished:
    """A row of history."""
    id, queue, state, attempts, ended_at = row
    return Finished(id, queue, State(state), attempts, ended_at)


def event_of(row: Row) -> Event:
    """A row of the events."""
    id, kind, queue, job_id, attempts, worker, reason, at = row
    return Event(id, EventKind(kind), queue, job_id, attempts, worker, _REASONS.get(reason), at)


def lock_of(row: Row) -> Lock:
    """A row of the locks."""
    return Lock(*row)


def notification_of(row: Row) -> Notification:
    """A notification, its payload as it stands."""
    return Notification(*row)


def schedule_of(row: Row) -> Schedule:
    """A row of the schedules."""
    fields = list(row)
    fields[_MISFIRE], fields[_OVERLAP] = Misfire(fields[_MISFIRE]), Overlap(fields[_OVERLAP])
    fields[_PAUSED] = bool(fields[_PAUSED])
    return Schedule(*fields)
