"""Jobs, alive, dead and finished; leases; what is answered about them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "BURIED_MAX",
    "CLAIM_MAX",
    "ERROR_MAX_BYTES",
    "HISTORY_IDS",
    "KEY_MAX_BYTES",
    "PRIORITY_MAX",
    "QUEUES_MAX",
    "SETTLED_MAX",
    "TRIES_MAX",
    "Counts",
    "Dead",
    "Enqueued",
    "Finished",
    "Held",
    "Job",
    "Lease",
    "Reason",
    "Settled",
    "State",
]

PRIORITY_MAX = 1_000  # both signs; a claim seeks once for each distinct priority in use
TRIES_MAX = 1_000_000  # attempts and lapses
KEY_MAX_BYTES = 512
ERROR_MAX_BYTES = 65_536
CLAIM_MAX = 1_000
QUEUES_MAX = 100
SETTLED_MAX = 100  # lapsed leases that one claim settles in a queue
BURIED_MAX = 100  # jobs past saving that one claim buries on its walk
HISTORY_IDS = 100_000  # how far behind the newest ended id history reaches


class State(StrEnum):
    """Where a job is. It is in exactly one (JOB-1). UNKNOWN stands for whatever a foreign hand wrote that is none."""

    PENDING = "pending"
    PROCESSING = "processing"
    DEAD = "dead"
    DONE = "done"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"

    @classmethod
    def _missing_(cls, value: object) -> State:  # noqa: ARG003  # whatever it is, nobody knows it
        return cls.UNKNOWN


class Reason(StrEnum):
    """Why a job is dead. The words are those that honker writes where it has the case."""

    FAILED = "failed"
    EXHAUSTED = "max attempts exceeded"
    EXPIRED = "expired"
    LAPSED = "max lapses exceeded"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a job until the end of the second `expires_at`.

    `fence` only ever grows in a file; every word about the lease names it. `claimed_at` is None where a foreign
    binding claimed.
    """

    worker: str
    fence: int
    claimed_at: int | None
    expires_at: int


@dataclass(frozen=True, slots=True)
class Job:
    """A live job: pending, or processing under a lease."""

    id: int
    queue: str
    payload: str | bytes
    state: State
    priority: int
    run_at: int
    attempts: int
    max_attempts: int
    lapses: int
    max_lapses: int
    created_at: int
    expires_at: int | None
    unique_key: str | None
    last_error: str | None
    lease: Lease | None


@dataclass(frozen=True, slots=True)
class Dead:
    """A job that will not run again unless it is requeued. `reason` is None where a foreign binding moved it."""

    id: int
    queue: str
    payload: str | bytes
    priority: int
    run_at: int
    attempts: int
    max_attempts: int
    lapses: int
    max_lapses: int
    created_at: int
    unique_key: str | None
    reason: Reason | None
    last_error: str | None
    died_at: int


@dataclass(frozen=True, slots=True)
class Finished:
    """What history keeps of a job that was acked or cancelled."""

    id: int
    queue: str
    state: State
    attempts: int
    ended_at: int


@dataclass(frozen=True, slots=True)
class Enqueued:
    """The job that an enqueue stands for: a new one, or the live one that holds the unique key."""

    id: int
    created: bool


@dataclass(frozen=True, slots=True)
class Held:
    """One lease of a batch, as its holder names it."""

    id: int
    fence: int


@dataclass(frozen=True, slots=True)
class Settled:
    """What a retry came to: pending again at `run_at`, or dead (`run_at` is None)."""

    state: State
    run_at: int | None


@dataclass(frozen=True, slots=True)
class Counts:
    """Jobs of a queue by state; `due` of the pending ones have reached their `run_at`."""

    pending: int
    due: int
    processing: int
    dead: int
