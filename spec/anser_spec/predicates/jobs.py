"""What decides about jobs: who is found, counted and listed, who holds a unique key, and what history forgets.

Claims, leases and the dead speak of the same rows, as this module sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, ClassVar

from anser.ops import Cancel, CountJobs, GetJob, ListJobs, QueueResume
from anser.types import HISTORY_IDS, Counts, Dead, Finished, Job, Lease, Reason, State
from anser_models import VERBS, World
from anser_models.predicates import doom
from anser_models.step import Draft
from anser_models.verbs import moves
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.logic import Truth, at_most, below, both, either, same

__all__ = [
    "DEAD",
    "DEAD_FOUND",
    "FINISHED",
    "LIVE",
    "NO_DECISION",
    "PAUSED",
    "TABLE",
    "JobGiven",
    "JobRow",
    "dead",
    "in_queue",
    "job",
    "live",
    "pending",
    "reason",
    "running",
    "waiting",
]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """The columns that conditions name, of whichever table of jobs."""

    id: int = field(default=7, metadata=tried(6, 7, 8))
    queue: str = field(default="a", metadata=tried("a", "b"))
    state: str = field(default="pending", metadata=tried("pending", "processing", "dead", "lost"))
    priority: int = field(default=0, metadata=tried(-1, 0, 1))
    run_at: int = field(default=10, metadata=tried(9, 10, 11))
    attempts: int = field(default=0, metadata=tried(1, 2, 3))
    max_attempts: int = 2
    lapses: int = field(default=0, metadata=tried(1, 2, 3))
    max_lapses: int = 2
    created_at: int = 10
    expires_at: int | None = field(default=None, metadata=tried(9, 10, 11, None))
    unique_key: str | None = field(default=None, metadata=tried("k", "l", None))
    worker_id: str | None = field(default=None, metadata=tried("w", "v", None))
    fence: int = field(default=0, metadata=tried(4, 5, 6))
    claim_expires_at: int | None = field(default=None, metadata=tried(9, 10, 11, None))
    died_at: int = field(default=10, metadata=tried(9, 10, 11))


@dataclass(frozen=True, slots=True, kw_only=True)
class JobGiven(Given):
    """The parameters of statements about jobs."""

    id: int = field(default=7, metadata=tried(7, HISTORY_IDS + 7))
    queue: str = "a"
    state: str | None = field(default=None, metadata=tried("pending", "processing", None))
    unique_key: str = "k"
    after_id: Any = field(default=7, metadata=tried(7, -inf))  # whole numbers, and minus infinity where a walk begins
    history_ids: int = HISTORY_IDS

    OUTSIDE: ClassVar[Mapping[str, str]] = {**Given.OUTSIDE, "wanted.value": ":id"}


LIVE = Table("_honker_live", JobRow, JobGiven)
DEAD = Table("_honker_dead", JobRow, JobGiven)
FINISHED = Table("_anser_finished", JobRow, JobGiven)
QUEUES = Table("_anser_paused", JobRow, JobGiven)

# --- the model's side


def job(row: JobRow) -> Job:
    """The row as the model sees it: `anser_spec.file` reads it so."""
    lease = None if row.claim_expires_at is None else Lease(row.worker_id or "", row.fence, None, row.claim_expires_at)
    return Job(
        id=row.id,
        queue=row.queue,
        payload="1",
        state=State(row.state),
        priority=row.priority,
        run_at=row.run_at,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        lapses=row.lapses,
        max_lapses=row.max_lapses,
        created_at=row.created_at,
        expires_at=row.expires_at,
        unique_key=row.unique_key,
        last_error=None,
        lease=lease,
    )


def live(row: JobRow, given: JobGiven) -> Draft:
    """The world whose only job is the row, about to be changed."""
    return Draft(World(jobs={row.id: job(row)}), given.now, frozenset())


def dead(row: JobRow, given: JobGiven) -> Draft:
    """The world whose only job is the row, and dead."""
    return Draft(World(dead={row.id: _dead(row)}), given.now, frozenset())


def _dead(row: JobRow) -> Dead:
    return Dead(
        id=row.id,
        queue=row.queue,
        payload="1",
        priority=row.priority,
        run_at=row.run_at,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        lapses=row.lapses,
        max_lapses=row.max_lapses,
        created_at=row.created_at,
        unique_key=row.unique_key,
        reason=Reason.FAILED,
        last_error=None,
        died_at=row.died_at,
    )


def finished(row: JobRow, given: JobGiven) -> Draft:
    """The world whose only job is the row, and done."""
    ended = Finished(row.id, row.queue, State.DONE, row.attempts, row.created_at)
    return Draft(World(finished={row.id: ended}), given.now, frozenset())


def in_queue(row: JobRow, given: JobGiven) -> bool:
    """`moves.live`: the jobs of one queue."""
    return any(moves.live(live(row, given), given.queue))


def pending(row: JobRow, given: JobGiven) -> bool:
    """A job of the queue that waits."""
    return in_queue(row, given) and job(row).state is State.PENDING


def reason(row: JobRow, given: JobGiven) -> str | None:
    """`doom`, in the words that a file holds."""
    doomed = doom(job(row), given.now)
    return None if doomed is None else doomed.value


def counted(row: JobRow, given: JobGiven) -> Counts:
    """`count_jobs` where the row is the only job."""
    counts: Counts = VERBS["count_jobs"](live(row, given), CountJobs(queue=row.queue))
    return counts


def listed(row: JobRow, given: JobGiven) -> bool:
    """`list_jobs` answers the row."""
    state = None if given.state is None else State(given.state)
    op = ListJobs(queue=given.queue, state=state, after_id=given.after_id)
    return bool(VERBS["list_jobs"](live(row, given), op))


def looked_up(draft: Draft, given: JobGiven) -> bool:
    """`get_job` finds the row, wherever it is."""
    return VERBS["get_job"](draft, GetJob(queue=given.queue, id=given.id)) is not None


def cancelled(row: JobRow, given: JobGiven) -> bool:
    """`cancel` finds the row."""
    return bool(VERBS["cancel"](live(row, given), Cancel(queue=given.queue, id=given.id)))


def forgotten(row: JobRow, given: JobGiven) -> bool:
    """The row of history that the end of another job makes the model forget."""
    draft = finished(row, given)
    draft.world.jobs[given.id] = job(JobRow(id=given.id))
    moves.finish(draft, draft.world.jobs[given.id], State.DONE)
    moves.forget(draft, [given.id])
    return row.id not in draft.world.finished


def paused(row: JobRow, given: JobGiven) -> bool:
    """`queue_resume` finds the queue paused."""
    draft = Draft(World(paused=frozenset({row.queue})), given.now, frozenset())
    return bool(VERBS["queue_resume"](draft, QueueResume(queue=given.queue)))


# --- the twins


def waiting(row: JobRow, given: JobGiven) -> Truth:
    """`queue = :queue and state = 'pending'`"""
    return both(same(row.queue, given.queue), same(row.state, "pending"))


def running(row: JobRow, given: JobGiven) -> Truth:
    """`queue = :queue and state = 'processing'`"""
    return both(same(row.queue, given.queue), same(row.state, "processing"))


def _key_reason(row: JobRow, given: JobGiven) -> str | None:
    if both(same(row.state, "processing"), at_most(given.now, row.claim_expires_at)):
        return None
    if at_most(row.expires_at, given.now):
        return "expired"
    if both(same(row.state, "pending"), at_most(row.max_attempts, row.attempts)):
        return "max attempts exceeded"
    if both(same(row.state, "processing"), at_most(row.max_lapses, row.lapses)):
        return "max lapses exceeded"
    return None


# --- the table


IN_QUEUE = Condition(
    table=LIVE,
    text="queue = :queue",
    rules=("JOB-13",),
    twin=lambda row, given: same(row.queue, given.queue),
    model=in_queue,
)
PAUSED = replace(IN_QUEUE, rules=("CLM-14",), table=QUEUES, model=paused)

FOUND = Condition(
    table=LIVE,
    text="id = :id and queue = :queue",
    rules=("JOB-9",),
    twin=lambda row, given: both(same(row.id, given.id), same(row.queue, given.queue)),
    model=cancelled,
)
LIVE_FOUND = replace(FOUND, rules=("JOB-10",), model=lambda row, given: looked_up(live(row, given), given))
DEAD_FOUND = replace(LIVE_FOUND, table=DEAD, model=lambda row, given: looked_up(dead(row, given), given))
FINISHED_FOUND = replace(
    FOUND,
    rules=("JOB-11",),
    model=lambda row, given: looked_up(finished(row, given), given),
    table=FINISHED,
)

KEY = Condition(
    table=LIVE,
    text="queue = :queue and unique_key = :unique_key",
    rules=("JOB-6",),
    twin=lambda row, given: both(same(row.queue, given.queue), same(row.unique_key, given.unique_key)),
    model=lambda row, given: moves.key_holder(live(row, given), given.queue, given.unique_key) is not None,
)
KEY_REASON = Condition(
    table=LIVE,
    text="case when state = 'processing' and claim_expires_at >= :now then null when expires_at <= :now then 'expired' "
    "when state = 'pending' and attempts >= max_attempts then 'max attempts exceeded' "
    "when state = 'processing' and lapses >= max_lapses then 'max lapses exceeded' end",
    rules=("CLM-5", "JOB-7"),
    twin=_key_reason,
    model=reason,
    within=KEY,
)

LISTED = Condition(
    table=LIVE,
    text="queue = :queue and id > :after_id and (:state is null or state = :state)",
    rules=("JOB-12",),
    twin=lambda row, given: both(
        same(row.queue, given.queue),
        below(given.after_id, row.id),
        either(given.state is None, same(row.state, given.state)),
    ),
    model=listed,
)

COUNTED_PENDING = Condition(
    table=LIVE,
    text="state = 'pending'",
    rules=("JOB-13",),
    twin=lambda row, _: same(row.state, "pending"),
    model=lambda row, given: counted(row, given).pending == 1,
)
COUNTED_DUE = Condition(
    table=LIVE,
    text="state = 'pending' and run_at <= :now",
    rules=("JOB-2", "JOB-13"),
    twin=lambda row, given: both(same(row.state, "pending"), at_most(row.run_at, given.now)),
    model=lambda row, given: counted(row, given).due == 1,
)
COUNTED_PROCESSING = Condition(
    table=LIVE,
    text="state = 'processing'",
    rules=("JOB-13",),
    twin=lambda row, _: same(row.state, "processing"),
    model=lambda row, given: counted(row, given).processing == 1,
)
COUNTED_DEAD = replace(
    IN_QUEUE,
    model=lambda row, given: VERBS["count_jobs"](dead(row, given), CountJobs(queue=given.queue)).dead == 1,
    table=DEAD,
)

FORGOTTEN = Condition(
    table=FINISHED,
    text="id < :id - :history_ids",
    rules=("JOB-11",),
    twin=lambda row, given: below(row.id, given.id - given.history_ids),
    model=forgotten,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "enqueue_key_holder": (KEY_REASON, KEY),
    "cancel": (FOUND,),
    "get_job": (LIVE_FOUND,),
    "get_job_dead": (DEAD_FOUND,),
    "get_job_finished": (FINISHED_FOUND,),
    "list_jobs": (LISTED,),
    "count_jobs": (COUNTED_PENDING, COUNTED_DUE, COUNTED_PROCESSING, COUNTED_DEAD, IN_QUEUE),
    "queue_resume": (PAUSED,),
    "finish_forget": (FORGOTTEN,),
}
NO_DECISION: dict[str, tuple[str, str]] = {}
