"""Every condition by which a statement decides, held against the model's own predicate.

A condition stands here with a twin: the same text in Python, in SQL's logic of three values. The grid shows that SQLite
and the twin say the same of every combination of small values, and the twin and the model too; CrossHair shows the
latter for every integer (`anser_spec.contracts`). Together: the statement decides as the model does.

The table is bound to the statements: the conditions are cut out of their texts, so a `where` that is changed, added or
taken away fails until the table says it too. Nothing here knows order or effect: that is for the transitions.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf
from typing import Any

from anser.engine.sqlite import prepare
from anser.errors import LeaseLost
from anser.ops import (
    Ack,
    Cancel,
    CountJobs,
    DeadList,
    DeadPrune,
    GetJob,
    ListJobs,
    LockAcquire,
    LockGet,
    LockList,
    LockRelease,
    LockRenew,
    LockSweep,
    NextClaimAt,
    QueueResume,
    Retry,
    SweepExpired,
)
from anser.sql import STATEMENTS
from anser.types import HISTORY_IDS, Counts, Dead, Finished, Job, Lease, Lock, Reason, State
from anser_models import VERBS, World
from anser_models.predicates import claim_order, doom, due, held_by, lapsed, locked_by
from anser_models.step import Draft
from anser_models.verbs import moves
from anser_spec.trace import seen

__all__ = [
    "COLUMNS",
    "NO_DECISION",
    "PARAMETERS",
    "TABLE",
    "Condition",
    "Given",
    "Grid",
    "Row",
    "check",
    "conditions",
    "differences",
    "grid",
    "unbound",
]

Truth = bool | None  # SQL's third value, null, is None


# --- SQL's logic


def same(one: Any, other: Any) -> Truth:
    """`one = other`"""
    return None if one is None or other is None else bool(one == other)


def below(one: float | None, other: float | None) -> Truth:
    """`one < other`"""
    return None if one is None or other is None else one < other


def at_most(one: float | None, other: float | None) -> Truth:
    """`one <= other`"""
    return None if one is None or other is None else one <= other


def negated(part: Truth) -> Truth:
    """`not part`"""
    return None if part is None else not part


def both(*parts: Truth) -> Truth:
    """`part and part`: one false makes it false, whatever is unknown."""
    if any(part is False for part in parts):
        return False
    return None if any(part is None for part in parts) else True


def either(*parts: Truth) -> Truth:
    """`part or part`: one true makes it true, whatever is unknown."""
    return negated(both(*(negated(part) for part in parts)))


def typeof(value: object) -> str:
    """`typeof(value)`"""
    return {int: "integer", float: "real", str: "text", bytes: "blob", type(None): "null"}[type(value)]


# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The columns that conditions name, of whichever table; `at` is the instant that `next_claim_at` computes."""

    id: int = 7
    queue: str = "a"
    state: str = "pending"
    priority: int = 0
    run_at: int = 10
    attempts: int = 0
    max_attempts: int = 2
    lapses: int = 0
    max_lapses: int = 2
    created_at: int = 10
    expires_at: int | None = None
    unique_key: str | None = None
    worker_id: str | None = None
    fence: int = 0
    claim_expires_at: int | None = None
    died_at: int = 10
    name: str = "k"
    owner: str = "w"
    depth: int = 1
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The parameters of the statements, and what a condition reads outside of its row (`OUTSIDE`)."""

    now: int = 10
    id: int = 7
    queue: str = "a"
    worker: str = "w"
    lock: str = "k"
    owner: str = "w"
    after_name: str = "k"
    fence: int = 5
    state: str | None = None
    unique_key: str = "k"
    priority: int = 0
    below: float = 0
    level_priority: int | None = 0
    after_run_at: float = 10
    after_id: Any = 7  # whole numbers, and minus infinity where a walk begins
    before: int = 10
    history_ids: int = HISTORY_IDS
    found: bool = False


OUTSIDE = {"level.priority": ":level_priority", "wanted.value": ":id", "(…)": "(select 1 where :found)"}

# Around each boundary its neighbours; None where the schema allows it, which a test compares with the schema.
COLUMNS: dict[str, tuple[Any, ...]] = {
    "id": (6, 7, 8),
    "queue": ("a", "b"),
    "state": ("pending", "processing", "dead", "lost"),
    "priority": (-1, 0, 1),
    "run_at": (9, 10, 11),
    "attempts": (1, 2, 3),
    "max_attempts": (2,),
    "lapses": (1, 2, 3),
    "max_lapses": (2,),
    "created_at": (10,),
    "expires_at": (9, 10, 11, None),
    "unique_key": ("k", "l", None),
    "worker_id": ("w", "v", None),
    "fence": (4, 5, 6),
    "claim_expires_at": (9, 10, 11, None),
    "died_at": (9, 10, 11),
    "name": ("j", "k", "l"),
    "owner": ("w", "v"),
    "depth": (0, 1, 2),
    "at": (10, 10.5, "soon", None),
}
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "now": (10,),
    "id": (7, HISTORY_IDS + 7),
    "queue": ("a",),
    "worker": ("w",),
    "lock": ("k",),
    "owner": ("w",),
    "after_name": ("k",),
    "fence": (5,),
    "state": ("pending", "processing", None),
    "unique_key": ("k",),
    "priority": (0,),
    "below": (0, inf),
    "level_priority": (0, None),
    "after_run_at": (10, -inf),
    "after_id": (7, -inf),
    "before": (10,),
    "history_ids": (HISTORY_IDS,),
    "found": (False, True),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Condition:
    """A condition as it stands in a statement (`text`), its twin, and what the model says in its place.

    A `where` keeps the rows of which the twin is True: null and false are one to it. A `case` tells a reason. `within`
    has kept the row before this one is asked. `values` are columns of the grid that differ from `COLUMNS`.
    """

    text: str
    rules: tuple[str, ...]
    twin: Callable[[Row, Given], Truth | str]
    model: Callable[[Row, Given], bool | str | None]
    table: str = "_honker_live"
    within: Condition | None = None
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def agrees(self, row: Row, given: Given) -> bool:
        """Whether the model says of the row what the twin says."""
        if self.within is not None and self.within.twin(row, given) is not True:
            return True
        said = self.twin(row, given)
        return (said if self.text.startswith("case ") else said is True) == self.model(row, given)


# --- the model's side


def job(row: Row) -> Job:
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


def live(row: Row, given: Given) -> Draft:
    """The world whose only job is the row, about to be changed."""
    return Draft(World(jobs={row.id: job(row)}), given.now, frozenset())


def dead(row: Row, given: Given) -> Draft:
    """The world whose only job is the row, and dead."""
    return Draft(World(dead={row.id: _dead(row)}), given.now, frozenset())


def _dead(row: Row) -> Dead:
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


def finished(row: Row, given: Given) -> Draft:
    """The world whose only job is the row, and done."""
    ended = Finished(row.id, row.queue, State.DONE, row.attempts, row.created_at)
    return Draft(World(finished={row.id: ended}), given.now, frozenset())


def in_queue(row: Row, given: Given) -> bool:
    """`moves.live`: the jobs of one queue."""
    return any(moves.live(live(row, given), given.queue))


def pending(row: Row, given: Given) -> bool:
    """A job of the queue that waits."""
    return in_queue(row, given) and job(row).state is State.PENDING


def on_level(row: Row, given: Given) -> bool:
    """A due job of the queue, on the priority that the claim has come to."""
    return pending(row, given) and due(row.run_at, given.now) and row.priority == given.level_priority


def in_line(row: Row, given: Given) -> bool:
    """A due job of the queue and the priority, behind the place that the claim has come to."""
    ready = pending(row, given) and due(row.run_at, given.now) and row.priority == given.priority
    return ready and claim_order(job(row)) > (-given.priority, given.after_run_at, given.after_id)


def ended(row: Row, given: Given) -> bool:
    """A job of the queue that nobody holds, its lease over."""
    return in_queue(row, given) and lapsed(job(row), given.now) and job(row).lease is not None


def endless(row: Row, given: Given) -> bool:
    """A job of the queue that nobody holds, its lease missing."""
    return in_queue(row, given) and lapsed(job(row), given.now) and job(row).lease is None


def word_holds(row: Row, given: Given) -> bool:
    """`ack` is not refused: it begins as every word about a lease does. `held_by` says the same of the job."""
    draft = live(row, given)
    named = moves.find(draft, given.queue, given.id)
    predicate = named is not None and held_by(named, given.worker, given.fence, given.now)
    try:
        VERBS["ack"](draft, Ack(queue=given.queue, id=given.id, worker=given.worker, fence=given.fence))
        holds = True
    except LeaseLost:
        holds = False
    assert holds == predicate, "the model writes one meaning twice, and differently"
    return holds


def retries(row: Row, given: Given) -> bool:
    """A retry after which the job is pending."""
    word = Retry(queue=given.queue, id=given.id, worker=given.worker, fence=given.fence, delay_s=0)
    try:
        return bool(VERBS["retry"](live(row, given), word).state is State.PENDING)
    except LeaseLost:
        return False


def reason(row: Row, given: Given) -> str | None:
    """`doom`, in the words that a file holds."""
    doomed = doom(job(row), given.now)
    return None if doomed is None else doomed.value


def counted(row: Row, given: Given) -> Counts:
    """`count_jobs` where the row is the only job."""
    counts: Counts = VERBS["count_jobs"](live(row, given), CountJobs(queue=row.queue))
    return counts


def listed(row: Row, given: Given) -> bool:
    """`list_jobs` answers the row."""
    state = None if given.state is None else State(given.state)
    op = ListJobs(queue=given.queue, state=state, after_id=given.after_id)
    return bool(VERBS["list_jobs"](live(row, given), op))


def looked_up(draft: Draft, given: Given) -> bool:
    """`get_job` finds the row, wherever it is."""
    return VERBS["get_job"](draft, GetJob(queue=given.queue, id=given.id)) is not None


def cancelled(row: Row, given: Given) -> bool:
    """`cancel` finds the row."""
    return bool(VERBS["cancel"](live(row, given), Cancel(queue=given.queue, id=given.id)))


def forgotten(row: Row, given: Given) -> bool:
    """The row of history that the end of another job makes the model forget."""
    draft = finished(row, given)
    draft.world.jobs[given.id] = job(Row(id=given.id))
    moves.finish(draft, draft.world.jobs[given.id], State.DONE)
    moves.forget(draft, [given.id])
    return row.id not in draft.world.finished


def paused(row: Row, given: Given) -> bool:
    """`queue_resume` finds the queue paused."""
    draft = Draft(World(paused=frozenset({row.queue})), given.now, frozenset())
    return bool(VERBS["queue_resume"](draft, QueueResume(queue=given.queue)))


def claim_is_ahead(row: Row, given: Given) -> bool:
    """`next_claim_at` answers an instant, where the only job is due at `at`, and the queue is paused if `found`."""
    jobs = {row.id: job(replace(row, run_at=row.at))} if isinstance(row.at, int) else {}
    draft = Draft(World(jobs=jobs, paused=frozenset({"a"} if given.found else ())), given.now, frozenset())
    return VERBS["next_claim_at"](draft, NextClaimAt(queues=("a",))) is not None


def swept(row: Row, given: Given) -> bool:
    """`sweep_expired` buries the row."""
    return bool(VERBS["sweep_expired"](live(row, given), SweepExpired(queue=given.queue)) == 1)


def pruned(row: Row, given: Given) -> bool:
    """`dead_prune` forgets the row; it takes an age where the statement takes an instant."""
    op = DeadPrune(queue=given.queue, older_than_s=given.now - given.before, limit=1)
    return bool(VERBS["dead_prune"](dead(row, given), op) == 1)


def dead_listed(row: Row, given: Given) -> bool:
    """`dead_list` answers the row."""
    return bool(VERBS["dead_list"](dead(row, given), DeadList(queue=given.queue, after_id=given.after_id)))


def strays(row: Row, given: Given) -> bool:
    """A row of the queue that no place in the line shows: a state that nobody knows, or an instant that is none."""
    in_some_place = (
        State(row.state) in (State.PENDING, State.PROCESSING)
        and isinstance(row.run_at, int)
        and isinstance(row.priority, int)
        and isinstance(row.claim_expires_at, int | None)
    )
    return row.queue == given.queue and not in_some_place


def line_reason(row: Row, given: Given) -> str | None:
    """Why a row of the line is buried; one whose numbers are none makes no `Job` (CLM-17)."""
    numbers = (row.attempts, row.max_attempts, row.lapses, row.max_lapses, row.created_at, row.expires_at or 0)
    return reason(row, given) if all(isinstance(number, int) for number in numbers) else Reason.UNREADABLE.value


# --- the table: jobs


def _waiting(row: Row, given: Given) -> Truth:
    return both(same(row.queue, given.queue), same(row.state, "pending"))


def _running(row: Row, given: Given) -> Truth:
    return both(same(row.queue, given.queue), same(row.state, "processing"))


IN_QUEUE = Condition(
    text="queue = :queue",
    rules=("JOB-13",),
    twin=lambda row, given: same(row.queue, given.queue),
    model=in_queue,
)
PAUSED = replace(IN_QUEUE, rules=("CLM-14",), table="_anser_paused", model=paused)

FOUND = Condition(
    text="id = :id and queue = :queue",
    rules=("JOB-9",),
    twin=lambda row, given: both(same(row.id, given.id), same(row.queue, given.queue)),
    model=cancelled,
)
LIVE_FOUND = replace(FOUND, rules=("JOB-10",), model=lambda row, given: looked_up(live(row, given), given))
DEAD_FOUND = replace(LIVE_FOUND, table="_honker_dead", model=lambda row, given: looked_up(dead(row, given), given))
FINISHED_FOUND = replace(
    FOUND,
    rules=("JOB-11",),
    model=lambda row, given: looked_up(finished(row, given), given),
    table="_anser_finished",
)

KEY = Condition(
    text="queue = :queue and unique_key = :unique_key",
    rules=("JOB-6",),
    twin=lambda row, given: both(same(row.queue, given.queue), same(row.unique_key, given.unique_key)),
    model=lambda row, given: moves.key_holder(live(row, given), given.queue, given.unique_key) is not None,
)


def _key_reason(row: Row, given: Given) -> str | None:
    if both(same(row.state, "processing"), at_most(given.now, row.claim_expires_at)):
        return None
    if at_most(row.expires_at, given.now):
        return "expired"
    if both(same(row.state, "pending"), at_most(row.max_attempts, row.attempts)):
        return "max attempts exceeded"
    if both(same(row.state, "processing"), at_most(row.max_lapses, row.lapses)):
        return "max lapses exceeded"
    return None


KEY_REASON = Condition(
    text="case when state = 'processing' and claim_expires_at >= :now then null when expires_at <= :now then 'expired' "
    "when state = 'pending' and attempts >= max_attempts then 'max attempts exceeded' "
    "when state = 'processing' and lapses >= max_lapses then 'max lapses exceeded' end",
    rules=("CLM-5", "JOB-7"),
    twin=_key_reason,
    model=reason,
    within=KEY,
)

LISTED = Condition(
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
    text="state = 'pending'",
    rules=("JOB-13",),
    twin=lambda row, _: same(row.state, "pending"),
    model=lambda row, given: counted(row, given).pending == 1,
)
COUNTED_DUE = Condition(
    text="state = 'pending' and run_at <= :now",
    rules=("JOB-2", "JOB-13"),
    twin=lambda row, given: both(same(row.state, "pending"), at_most(row.run_at, given.now)),
    model=lambda row, given: counted(row, given).due == 1,
)
COUNTED_PROCESSING = Condition(
    text="state = 'processing'",
    rules=("JOB-13",),
    twin=lambda row, _: same(row.state, "processing"),
    model=lambda row, given: counted(row, given).processing == 1,
)
COUNTED_DEAD = replace(
    IN_QUEUE,
    model=lambda row, given: VERBS["count_jobs"](dead(row, given), CountJobs(queue=given.queue)).dead == 1,
    table="_honker_dead",
)

FORGOTTEN = Condition(
    text="id < :id - :history_ids",
    rules=("JOB-11",),
    twin=lambda row, given: below(row.id, given.id - given.history_ids),
    model=forgotten,
    table="_anser_finished",
)


# --- the table: claims


WAITING = Condition(
    text="queue = :queue and state = 'pending'",
    rules=("CLM-15",),
    twin=_waiting,
    model=pending,
)
RUNNING = Condition(
    text="queue = :queue and state = 'processing'",
    rules=("CLM-15",),
    twin=_running,
    model=lambda row, given: in_queue(row, given) and job(row).state is State.PROCESSING,
)
LAPSED = Condition(
    text="queue = :queue and state = 'processing' and claim_expires_at < :now",
    rules=("CLM-2", "CLM-4"),
    twin=lambda row, given: both(_running(row, given), below(row.claim_expires_at, given.now)),
    model=ended,
)
ENDLESS = Condition(
    text="queue = :queue and state = 'processing' and claim_expires_at is null",
    rules=("CLM-18",),
    twin=lambda row, given: both(_running(row, given), row.claim_expires_at is None),
    model=endless,
)


def _lapsed_reason(row: Row, given: Given) -> str | None:
    if at_most(row.expires_at, given.now):
        return "expired"
    return "max lapses exceeded" if at_most(row.max_lapses, row.lapses) else None


LAPSED_REASON = Condition(
    text="case when expires_at <= :now then 'expired' when lapses >= max_lapses then 'max lapses exceeded' end",
    rules=("CLM-4", "CLM-5"),
    twin=_lapsed_reason,
    model=reason,
    within=LAPSED,
)
ENDLESS_REASON = replace(LAPSED_REASON, within=ENDLESS)

STRAYS = Condition(
    text="queue = :queue and (state not in ('pending', 'processing') or typeof(run_at) <> 'integer' "
    "or typeof(priority) <> 'integer' or typeof(claim_expires_at) not in ('integer', 'null'))",
    rules=("CLM-17",),
    twin=lambda row, given: both(
        same(row.queue, given.queue),
        either(
            row.state not in ("pending", "processing"),
            typeof(row.run_at) != "integer",
            typeof(row.priority) != "integer",
            typeof(row.claim_expires_at) not in ("integer", "null"),
        ),
    ),
    model=strays,
    values={
        "run_at": (10, "soon"),
        "priority": (0, 0.5),
        "claim_expires_at": (10, 10.5, None),
    },
)

BELOW = Condition(
    text="queue = :queue and state = 'pending' and priority < :below",
    rules=("CLM-1",),
    twin=lambda row, given: both(_waiting(row, given), below(row.priority, given.below)),
    model=lambda row, given: pending(row, given) and claim_order(job(row))[0] > -given.below,
)
BELOW_LEVEL = Condition(
    text="queue = :queue and state = 'pending' and priority < level.priority",
    rules=("CLM-1",),
    twin=lambda row, given: both(_waiting(row, given), below(row.priority, given.level_priority)),
    model=lambda row, given: (
        pending(row, given) and given.level_priority is not None and claim_order(job(row))[0] > -given.level_priority
    ),
)
WITHOUT_WORK = Condition(
    text="level.priority is not null and not exists (…)",
    rules=("CLM-1",),
    twin=lambda _, given: both(given.level_priority is not None, negated(given.found)),
    model=lambda _, given: given.level_priority is not None and not given.found,
)
LEVEL = Condition(
    text="level.priority is not null",
    rules=("CLM-15",),
    twin=lambda _, given: given.level_priority is not None,
    model=lambda _, given: given.level_priority is not None,
)
ANY_ON_LEVEL = Condition(
    text="queue = :queue and state = 'pending' and priority = level.priority",
    rules=("CLM-15",),
    twin=lambda row, given: both(_waiting(row, given), same(row.priority, given.level_priority)),
    model=lambda row, given: pending(row, given) and job(row).priority == given.level_priority,
)
ON_LEVEL = Condition(
    text="queue = :queue and state = 'pending' and priority = level.priority and run_at <= :now",
    rules=("CLM-1", "JOB-2"),
    twin=lambda row, given: both(
        _waiting(row, given), same(row.priority, given.level_priority), at_most(row.run_at, given.now)
    ),
    model=on_level,
)


def _behind(row: Row, given: Given) -> Truth:
    """`(run_at, id) > (:after_run_at, :after_id)`"""
    same_instant = same(given.after_run_at, row.run_at)
    return either(below(given.after_run_at, row.run_at), both(same_instant, below(given.after_id, row.id)))


IN_LINE = Condition(
    text="queue = :queue and state = 'pending' and priority = :priority and run_at <= :now "
    "and (run_at, id) > (:after_run_at, :after_id)",
    rules=("CLM-1", "JOB-2"),
    twin=lambda row, given: both(
        _waiting(row, given), same(row.priority, given.priority), at_most(row.run_at, given.now), _behind(row, given)
    ),
    model=in_line,
)


def _in_line_reason(row: Row, given: Given) -> str | None:
    numbers = (row.attempts, row.max_attempts, row.lapses, row.max_lapses, row.created_at)
    if {typeof(number) for number in numbers} != {"integer"} or typeof(row.expires_at) not in ("integer", "null"):
        return "unreadable"
    if at_most(row.expires_at, given.now):
        return "expired"
    return "max attempts exceeded" if at_most(row.max_attempts, row.attempts) else None


IN_LINE_REASON = Condition(
    text="case when typeof(attempts) <> 'integer' or typeof(max_attempts) <> 'integer' or typeof(lapses) <> 'integer' "
    "or typeof(max_lapses) <> 'integer' or typeof(created_at) <> 'integer' "
    "or typeof(expires_at) not in ('integer', 'null') then 'unreadable' "
    "when expires_at <= :now then 'expired' when attempts >= max_attempts then 'max attempts exceeded' end",
    rules=("CLM-5", "CLM-17"),
    twin=_in_line_reason,
    model=line_reason,
    within=IN_LINE,
    values={
        "attempts": (1, 2, 3, b"0"),
        "max_attempts": (2, "two"),
        "lapses": (0, 0.5),
        "max_lapses": (2, "two"),
        "created_at": (10, 10.5),
        "expires_at": (9, 10, 11, "never", None),
    },
)
TAKEN = Condition(
    text="id = wanted.value and state = 'pending'",
    rules=("CLM-3",),
    twin=lambda row, given: both(same(row.id, given.id), same(row.state, "pending")),
    model=lambda row, given: row.id == given.id and job(row).state is State.PENDING,
)

AHEAD = Condition(
    text="typeof(at) = 'integer' and not exists (…)",
    rules=("CLM-14", "CLM-15"),
    twin=lambda row, given: both(same(typeof(row.at), "integer"), negated(given.found)),
    model=claim_is_ahead,
)


# --- the table: words about a lease, and the dead


def _word(row: Row, given: Given) -> Truth:
    return both(
        same(row.id, given.id),
        same(row.queue, given.queue),
        same(row.state, "processing"),
        same(row.worker_id, given.worker),
        same(row.fence, given.fence),
        at_most(given.now, row.claim_expires_at),
    )


WORD = Condition(
    text="id = :id and queue = :queue and state = 'processing' and worker_id = :worker and fence = :fence "
    "and claim_expires_at >= :now",
    rules=("CLM-2", "CLM-7", "CLM-8"),
    twin=_word,
    model=word_holds,
)
WORD_OF_MANY = replace(WORD, text=WORD.text.replace("id = :id", "id = wanted.value"))
WORD_WITH_ATTEMPTS_LEFT = Condition(
    text=f"{WORD.text} and attempts < max_attempts",
    rules=("CLM-8", "RET-1", "RET-2"),
    twin=lambda row, given: both(_word(row, given), below(row.attempts, row.max_attempts)),
    model=retries,
)

EXPIRED = Condition(
    text="queue = :queue and state = 'pending' and expires_at <= :now",
    rules=("CLM-5", "DED-2"),
    twin=lambda row, given: both(_waiting(row, given), at_most(row.expires_at, given.now)),
    model=lambda row, given: swept(row, given) and job(row).state is State.PENDING,
)
EXPIRED_LAPSED = Condition(
    text="queue = :queue and state = 'processing' and expires_at <= :now "
    "and (claim_expires_at < :now or claim_expires_at is null)",
    rules=("CLM-2", "DED-2"),
    twin=lambda row, given: both(
        _running(row, given),
        at_most(row.expires_at, given.now),
        either(below(row.claim_expires_at, given.now), row.claim_expires_at is None),
    ),
    model=lambda row, given: swept(row, given) and job(row).state is not State.PENDING,
)

DEAD_LISTED = Condition(
    text="queue = :queue and id > :after_id",
    rules=("DED-3",),
    twin=lambda row, given: both(same(row.queue, given.queue), below(given.after_id, row.id)),
    model=dead_listed,
    table="_honker_dead",
)
PRUNED = Condition(
    text="queue = :queue and died_at <= :before",
    rules=("DED-6",),
    twin=lambda row, given: both(same(row.queue, given.queue), at_most(row.died_at, given.before)),
    model=pruned,
    table="_honker_dead",
)

# --- the table: locks


def _lock(row: Row) -> Lock:
    assert row.expires_at is not None, "the column takes no null"
    return Lock(row.name, row.owner, row.fence, None, row.expires_at, row.depth)


def locked_row(row: Row, given: Given) -> Draft:
    """The world whose only lock is the row, about to be changed."""
    return Draft(World(locks={row.name: _lock(row)}), given.now, frozenset())


def acquired_again(row: Row, given: Given) -> bool:
    """An acquire that adds to the depth that the row has."""
    op = LockAcquire(lock=given.lock, owner=given.owner, ttl_s=1)
    lock: Lock | None = VERBS["lock_acquire"](locked_row(row, given), op)
    return lock is not None and lock.acquired_at is None


def taken_over(row: Row, given: Given) -> bool:
    """Somebody else may have the lock."""
    op = LockAcquire(lock=row.name, owner="nobody yet", ttl_s=1)
    return bool(VERBS["lock_acquire"](locked_row(row, given), op))


def lock_word_holds(row: Row, given: Given) -> bool:
    """A renewal is not refused. `locked_by` says the same of the lock it finds."""
    op = LockRenew(lock=given.lock, owner=given.owner, fence=given.fence, ttl_s=1)
    try:
        holds = bool(VERBS["lock_renew"](locked_row(row, given), op) == given.now + 1)
    except LeaseLost:
        holds = False
    predicate = row.name == given.lock and locked_by(_lock(row), given.owner, given.fence, given.now)
    assert holds == predicate, "the model writes one meaning twice, and differently"
    return holds


def released(row: Row, given: Given) -> bool | None:
    """What `lock_release` answers, None where it is refused."""
    op = LockRelease(lock=given.lock, owner=given.owner, fence=given.fence)
    try:
        return bool(VERBS["lock_release"](locked_row(row, given), op))
    except LeaseLost:
        return None


def _lock_held(row: Row, given: Given) -> Truth:
    return both(same(row.name, given.lock), below(given.now, row.expires_at))


def _lock_word(row: Row, given: Given) -> Truth:
    return both(_lock_held(row, given), same(row.owner, given.owner), same(row.fence, given.fence))


_LOCKS: dict[str, Any] = {"table": "_honker_locks", "values": {"expires_at": (9, 10, 11)}}

LOCK_AGAIN = Condition(
    text="name = :lock and owner = :owner and expires_at > :now",
    rules=("LCK-2", "LCK-4"),
    twin=lambda row, given: both(_lock_held(row, given), same(row.owner, given.owner)),
    model=acquired_again,
    **_LOCKS,
)
LOCK_OVER = Condition(
    text="expires_at <= :now",
    rules=("LCK-1", "LCK-2"),
    twin=lambda row, given: at_most(row.expires_at, given.now),
    model=taken_over,
    **_LOCKS,
)
LOCK_SWEPT = replace(
    LOCK_OVER,
    rules=("LCK-9",),
    model=lambda row, given: VERBS["lock_sweep"](locked_row(row, given), LockSweep()) == 1,
)
LOCK_WORD = Condition(
    text="name = :lock and owner = :owner and fence = :fence and expires_at > :now",
    rules=("LCK-2", "LCK-5", "LCK-6"),
    twin=_lock_word,
    model=lock_word_holds,
    **_LOCKS,
)
LOCK_RELEASED = replace(LOCK_WORD, rules=("LCK-5", "LCK-7"), model=lambda row, given: released(row, given) is not None)
LOCK_RELEASED_WITHIN = replace(
    LOCK_RELEASED,
    text=f"{LOCK_WORD.text} and depth > 1",
    twin=lambda row, given: both(_lock_word(row, given), below(1, row.depth)),
    model=lambda row, given: released(row, given) is False,
)
LOCK_FOUND = Condition(
    text="name = :lock and expires_at > :now",
    rules=("LCK-2", "LCK-8"),
    twin=_lock_held,
    model=lambda row, given: VERBS["lock_get"](locked_row(row, given), LockGet(lock=given.lock)) is not None,
    **_LOCKS,
)
LOCK_LISTED = Condition(
    text="name > :after_name and expires_at > :now",
    rules=("LCK-2", "LCK-8"),
    twin=lambda row, given: both(row.name > given.after_name, below(given.now, row.expires_at)),
    model=lambda row, given: bool(VERBS["lock_list"](locked_row(row, given), LockList(after_name=given.after_name))),
    **_LOCKS,
)

# The conditions of each statement, in the order in which they begin in its text.
TABLE: dict[str, tuple[Condition, ...]] = {
    "enqueue_key_holder": (KEY_REASON, KEY),
    "cancel": (FOUND,),
    "get_job": (LIVE_FOUND,),
    "get_job_dead": (DEAD_FOUND,),
    "get_job_finished": (FINISHED_FOUND,),
    "list_jobs": (LISTED,),
    "count_jobs": (COUNTED_PENDING, COUNTED_DUE, COUNTED_PROCESSING, COUNTED_DEAD, IN_QUEUE),
    "queue_resume": (PAUSED,),
    "finish_forget": (FORGOTTEN,),
    "claim_lapsed": (LAPSED_REASON, LAPSED),
    "claim_lapsed_endless": (ENDLESS_REASON, ENDLESS),
    "claim_strays": (STRAYS,),
    "claim_priority": (BELOW, BELOW_LEVEL, WITHOUT_WORK, ON_LEVEL, ON_LEVEL),
    "claim_pick": (IN_LINE_REASON, IN_LINE),
    "claim_take": (TAKEN,),
    "next_claim_at": (WAITING, BELOW_LEVEL, LEVEL, ANY_ON_LEVEL, RUNNING, ENDLESS, STRAYS, AHEAD, PAUSED),
    "ack": (WORD,),
    "ack_batch": (WORD_OF_MANY,),
    "heartbeat": (WORD,),
    "release": (WORD,),
    "retry": (WORD_WITH_ATTEMPTS_LEFT,),
    "bury_held": (WORD,),
    "sweep_expired": (EXPIRED,),
    "sweep_expired_lapsed": (EXPIRED_LAPSED,),
    "dead_list": (DEAD_LISTED,),
    "dead_requeue_find": (DEAD_FOUND,),
    "dead_prune": (PRUNED,),
    "lock_acquire_again": (LOCK_AGAIN,),
    "lock_acquire": (LOCK_OVER,),
    "lock_renew": (LOCK_WORD,),
    "lock_release_inner": (LOCK_RELEASED_WITHIN,),
    "lock_release": (LOCK_RELEASED,),
    "lock_get": (LOCK_FOUND,),
    "lock_list": (LOCK_LISTED,),
    "lock_sweep": (LOCK_SWEPT,),
}

# Statements whose `where` decides nothing: its text, and why.
_BY_ID = ("id = :id", "it takes the row that the operation named, or has found")
_FOUND = ("id <= :last_id", "it takes the rows that another statement has found")
_SEQUENCE = ("name = '_honker_live'", "it is the sequence of that table")
NO_DECISION: dict[str, tuple[str, str]] = {
    "claim_settle": _BY_ID,
    "bury": _BY_ID,
    "bury_remove": _BY_ID,
    "bury_taken": _BY_ID,
    "bury_make_way": _BY_ID,
    "bury_fresh_id": _SEQUENCE,
    "bury_give_id": _SEQUENCE,
    "dead_requeue_clash": _BY_ID,
    "dead_requeue": _BY_ID,
    "dead_requeue_remove": _BY_ID,
    "storage_has_format": ("type = 'table' and name = '_anser_format'", "it asks whether the table is there"),
    "storage_lock": ("one = 0", "no row is meant: it takes the write lock"),
}


# --- the conditions that a text has


_WORDS = re.compile(r"'[^']*'|[\w.]+|[()]")
_BEGIN = re.compile(r"\b(?:where|case|join)\b")
_NEXT = {"order", "limit", "returning", "union", "group", "where"}
_PASSED_ON = {"exists (…)", "id in (…)", "name in (…)"}  # what the select inside of them has decided


def conditions(statement: str) -> tuple[str, ...]:
    """The conditions of a statement in the order in which they begin, each on one line, a select within one as (…)."""
    text = " ".join(statement.split()).replace("( ", "(").replace(" )", ")")
    found = []
    for begin in _BEGIN.finditer(text):
        if begin[0] == "case":
            found.append(f"{text[begin.start() : _end(text, begin.start(), {'end'})]}end")
        else:
            found.append(_without_selects(text[begin.end() : _end(text, begin.end(), _NEXT)].strip()))
    return tuple(condition for condition in found if condition not in _PASSED_ON)


def _end(text: str, begin: int, words: set[str]) -> int:
    """Where one of the words follows, or the parenthesis around ends."""
    depth = 0
    for word in _WORDS.finditer(text, begin):
        depth += {"(": 1, ")": -1}.get(word[0], 0)
        if depth < 0 or (depth == 0 and word[0] in words):
            return word.start()
    return len(text)


def _without_selects(condition: str) -> str:
    while (begin := condition.find("(select ")) >= 0:
        end = _end(condition, begin + 1, set())
        condition = f"{condition[:begin]}(…){condition[end + 1 :]}"
    return condition


def unbound(statements: Mapping[str, str] = STATEMENTS) -> list[str]:
    """Where the table and the texts of the statements differ, a line a statement."""
    told = {name: tuple(condition.text for condition in row) for name, row in TABLE.items()}
    told |= {name: (text,) for name, (text, _) in NO_DECISION.items()}
    found = {name: conditions(text) for name, text in statements.items()}
    return [
        f"{name}: the statement decides by {found.get(name, ())}, the table tells {told.get(name, ())}"
        for name in sorted(told.keys() | found.keys())
        if told.get(name, ()) != found.get(name, ())
    ]


# --- the grid


_COLUMN = re.compile(r"(?<![:.'\w])[a-z_]+\b(?![.'(])")
_PARAMETER = re.compile(r":([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Grid:
    """Every combination of the values of the columns and of the parameters that are named."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    parameters: tuple[str, ...]
    givens: tuple[Given, ...]


def grid(condition: Condition, text: str) -> Grid:
    """The grid of what the condition names, as the table tells it or as `text`."""
    told = _inside(" ".join((text, condition.text, condition.within.text if condition.within else "")))
    named, given = set(_COLUMN.findall(told)), set(_PARAMETER.findall(told))
    values = {name: usual for name, usual in {**COLUMNS, **condition.values}.items() if name in named}
    parameters = {name: usual for name, usual in PARAMETERS.items() if name in given}
    return Grid(
        tuple(values),
        tuple(Row(**dict(zip(values, point, strict=True))) for point in product(*values.values())),
        tuple(parameters),
        tuple(Given(**dict(zip(parameters, point, strict=True))) for point in product(*parameters.values())),
    )


def _inside(text: str) -> str:
    """The condition with parameters in place of what it reads outside of its row."""
    for outside, parameter in OUTSIDE.items():
        text = text.replace(outside, parameter)
    return text


def differences(connection: sqlite3.Connection, condition: Condition, text: str) -> Iterator[str]:
    """Where, on the grid, SQLite says something else of `text` than the twin does, or the twin than the model."""
    tried = grid(condition, text)
    _fill(connection, condition.table, tried)
    for given in tried.givens:
        parameters = {name: getattr(given, name) for name in tried.parameters}
        answers = connection.execute(f"select {_inside(text)} from grid order by place", parameters).fetchall()
        for row, (answer,) in zip(tried.rows, answers, strict=True):
            said = bool(answer) if isinstance(answer, int) else answer
            twin = condition.twin(row, given)
            if said != twin:
                yield f"SQLite says {said}, the twin {twin}, of {_point(tried, row, given)}"
            if not condition.agrees(row, given):
                yield f"the twin says {twin}, the model {condition.model(row, given)}, of {_point(tried, row, given)}"


def _point(tried: Grid, row: Row, given: Given) -> str:
    columns = [f"{name} = {getattr(row, name)!r}" for name in tried.columns]
    return ", ".join(columns + [f":{name} = {getattr(given, name)!r}" for name in tried.parameters])


def _fill(connection: sqlite3.Connection, table: str, tried: Grid) -> None:
    """A table `grid` of the rows, its columns of the types that the condition's own table has."""
    types = dict(connection.execute("select name, type from pragma_table_info(?)", (table,)))
    columns = "".join(f", {name} {types.get(name, '')}" for name in tried.columns)
    places = ", ?" * len(tried.columns)
    connection.execute("drop table if exists grid")
    connection.execute(f"create table grid (place integer primary key{columns})")
    connection.executemany(
        f"insert into grid values (null{places})",
        [[getattr(row, name) for name in tried.columns] for row in tried.rows],
    )


def check(statements: Mapping[str, str] = STATEMENTS) -> list[str]:
    """Every problem: where table and texts differ, and where a condition decides otherwise on the grid.

    A rule counts as seen by each condition that cites it and has no problem.
    """
    problems = unbound(statements)
    placed = {
        (text, condition): name
        for name, row in TABLE.items()
        for text, condition in zip(conditions(statements.get(name, "")), row, strict=False)
    }
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        prepare(connection)
        for (text, condition), name in placed.items():
            found = _first_difference(connection, condition, text)
            problems += [f"{name}: {text}: {found}"] if found else []
            for rule in condition.rules if found is None else ():
                seen(rule, "predicates")
    finally:
        connection.close()
    return problems


def _first_difference(connection: sqlite3.Connection, condition: Condition, text: str) -> str | None:
    try:
        return next(differences(connection, condition, text), None)
    except sqlite3.Error as error:
        return str(error)
