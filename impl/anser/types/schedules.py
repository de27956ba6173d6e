"""Schedules: what becomes due again and again, what has been fired, and what a tick answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "FIRES_MAX",
    "JITTER_MAX_S",
    "SCHEDULER_LOCK",
    "WALK_MAX",
    "Bad",
    "Change",
    "Fire",
    "Fired",
    "HonkerSchedule",
    "Misfire",
    "Miss",
    "Missed",
    "Overlap",
    "Registered",
    "Schedule",
    "Ticked",
]

FIRES_MAX = 64  # boundaries of one schedule that one tick fires
WALK_MAX = 1_000  # boundaries, or fires, of one schedule that one operation looks at
JITTER_MAX_S = 86_400
SCHEDULER_LOCK = "scheduler"  # who holds it leads


class Misfire(StrEnum):
    """Which of the boundaries that have come due are fired: each, the latest alone, or those that are not late."""

    ALL = "all"
    LATEST = "latest"
    SKIP = "skip"


class Overlap(StrEnum):
    """Whether a boundary is fired while an earlier job of the schedule is live."""

    ALLOW = "allow"
    SKIP = "skip"


class Miss(StrEnum):
    """Why a boundary was passed and not fired."""

    LATE = "late"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    OVERLAP = "overlap"


class Change(StrEnum):
    """What a registration came to."""

    CREATED = "created"
    UNCHANGED = "unchanged"
    UPDATED = "updated"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A definition of jobs to come. `next_fire_at` is None when no boundary comes any more, or `error` says why.

    `@every` counts from `anchor_at`. `fires` and `missed` count boundaries that were fired and passed.
    """

    name: str
    queue: str
    cron: str
    tz: str
    payload: str | bytes
    priority: int
    max_attempts: int
    max_lapses: int
    expires_s: int | None
    misfire: Misfire
    grace_s: int
    overlap: Overlap
    jitter_s: int
    start_at: int | None
    end_at: int | None
    max_fires: int | None
    paused: bool
    anchor_at: int
    next_fire_at: int | None
    last_fire_at: int | None
    fires: int
    missed: int
    error: str | None
    created_at: int


@dataclass(frozen=True, slots=True)
class Fire:
    """A job that a schedule made, by the boundary `fire_at`, or None where it was run at once."""

    job_id: int
    schedule: str
    fire_at: int | None


@dataclass(frozen=True, slots=True)
class HonkerSchedule:
    """A schedule as honker keeps it, which knows no time zone."""

    name: str
    queue: str
    cron_expr: str
    payload: str | bytes
    priority: int
    expires_s: int | None
    next_fire_at: int
    enabled: int
    max_attempts: int


@dataclass(frozen=True, slots=True)
class Registered:
    """What became of a definition, and when the schedule fires next."""

    change: Change
    next_fire_at: int | None


@dataclass(frozen=True, slots=True)
class Fired:
    """A boundary that became a job."""

    schedule: str
    fire_at: int
    job_id: int


@dataclass(frozen=True, slots=True)
class Missed:
    """How many boundaries of a schedule a tick passed, and why."""

    schedule: str
    reason: Miss
    count: int


@dataclass(frozen=True, slots=True)
class Bad:
    """A schedule that a tick could not read, and what is wrong with it."""

    schedule: str
    error: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """What a tick did. `more` says that schedules are due still: tick again at once."""

    fired: tuple[Fired, ...]
    missed: tuple[Missed, ...]
    bad: tuple[Bad, ...]
    more: bool
