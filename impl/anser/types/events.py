"""What is told of jobs: one event a transition."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from anser.types.jobs import Reason

__all__ = ["EVENTS_MAX", "Event", "EventKind", "EventPage"]

EVENTS_MAX = 1_000_000  # events that a file keeps at most


class EventKind(StrEnum):
    """What happened to a job (EVT-1)."""

    ENQUEUED = "enqueued"
    CLAIMED = "claimed"
    RELEASED = "released"
    RETRIED = "retried"
    LAPSED = "lapsed"
    ACKED = "acked"
    CANCELLED = "cancelled"
    DEAD = "dead"
    REQUEUED = "requeued"


@dataclass(frozen=True, slots=True)
class Event:
    """One transition of a job. Ids grow without a gap in the order in which things happened.

    `attempts` are those that the job has after it. `worker` is who claimed, `reason` why it is dead; they are None of
    other kinds. `at` is None where another binding put a job back: its row does not say when.
    """

    id: int
    kind: EventKind
    queue: str
    job_id: int
    attempts: int
    worker: str | None
    reason: Reason | None
    at: int | None


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events by id, and the last id after the one asked for that is kept no more, or None if nothing was missed."""

    events: tuple[Event, ...]
    lost_through_id: int | None
