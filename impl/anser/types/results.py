"""Results of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["RESULT_TTL_S", "Result", "ResultState", "StoredResult"]

RESULT_TTL_S = 604_800  # 7 days; how long a result is kept whose job does not say


class ResultState(StrEnum):
    """What there is to know of a job's result. WAITING: the job is live, and its result is still to come."""

    WAITING = "waiting"
    SAVED = "saved"
    DONE = "done"  # and there is no result, or none any more
    DEAD = "dead"
    CANCELLED = "cancelled"
    GONE = "gone"  # no such job, or history has forgotten it


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of a job's result: `value` where one is saved, `error` where the job is dead and left one."""

    state: ResultState
    value: str | bytes | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A result as the file holds it, to the instant `expires_at`, when it is over already; for ever if None.

    Without a `queue`, a `value` or an end it is of a foreign binding, which knows the job by its id alone.
    """

    job_id: int
    queue: str | None
    value: str | bytes | None
    created_at: int
    expires_at: int | None
