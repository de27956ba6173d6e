"""What decides in a claim: who has lapsed, who is next in the line, who is past saving, and when that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, ClassVar

from anser.ops import NextClaimAt
from anser.types import Reason, State
from anser_models import VERBS, World
from anser_models.predicates import claim_order, due, lapsed
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.jobs import LIVE, PAUSED, JobGiven, JobRow, in_queue, job, pending, reason, running, waiting
from anser_spec.predicates.logic import Truth, at_most, below, both, either, negated, same, typeof

__all__ = ["NO_DECISION", "TABLE", "ClaimGiven", "InstantRow"]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimGiven(JobGiven):
    """The place in the line that a claim has come to."""

    priority: int = 0
    below: float = field(default=0, metadata=tried(0, inf))
    level_priority: int | None = field(default=0, metadata=tried(0, None))
    after_run_at: float = field(default=10, metadata=tried(10, -inf))

    OUTSIDE: ClassVar[Mapping[str, str]] = {**JobGiven.OUTSIDE, "level.priority": ":level_priority"}


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantRow:
    """An instant that `next_claim_at` computes. A run_at that is none comes to it as it stands."""

    at: Any = field(default=None, metadata=tried(10, 10.5, "soon", None))


LINE = Table("_honker_live", JobRow, ClaimGiven)
INSTANTS = Table("instants", InstantRow, Given)

# --- the model's side


def on_level(row: JobRow, given: ClaimGiven) -> bool:
    """A due job of the queue, on the priority that the claim has come to."""
    return pending(row, given) and due(row.run_at, given.now) and row.priority == given.level_priority


def in_line(row: JobRow, given: ClaimGiven) -> bool:
    """A due job of the queue and the priority, behind the place that the claim has come to."""
    ready = pending(row, given) and due(row.run_at, given.now) and row.priority == given.priority
    return ready and claim_order(job(row)) > (-given.priority, given.after_run_at, given.after_id)


def ended(row: JobRow, given: JobGiven) -> bool:
    """A job of the queue that nobody holds, its lease over."""
    return in_queue(row, given) and lapsed(job(row), given.now) and job(row).lease is not None


def endless(row: JobRow, given: JobGiven) -> bool:
    """A job of the queue that nobody holds, its lease missing."""
    return in_queue(row, given) and lapsed(job(row), given.now) and job(row).lease is None


def claim_is_ahead(row: InstantRow, given: Given) -> bool:
    """`next_claim_at` answers an instant, where the only job is due `at`, and the queue is paused if `found`."""
    jobs = {7: job(JobRow(run_at=row.at))} if isinstance(row.at, int) else {}
    draft = Draft(World(jobs=jobs, paused=frozenset({"a"} if given.found else ())), given.now, frozenset())
    return VERBS["next_claim_at"](draft, NextClaimAt(queues=("a",))) is not None


def strays(row: JobRow, given: JobGiven) -> bool:
    """A row of the queue that no place in the line shows: a state that nobody knows, or an instant that is none."""
    in_some_place = (
        State(row.state) in (State.PENDING, State.PROCESSING)
        and isinstance(row.run_at, int)
        and isinstance(row.priority, int)
        and isinstance(row.claim_expires_at, int | None)
    )
    return row.queue == given.queue and not in_some_place


def line_reason(row: JobRow, given: JobGiven) -> str | None:
    """Why a row of the line is buried; one whose numbers are none makes no `Job` (CLM-17)."""
    numbers = (row.attempts, row.max_attempts, row.lapses, row.max_lapses, row.created_at, row.expires_at or 0)
    return reason(row, given) if all(isinstance(number, int) for number in numbers) else Reason.UNREADABLE.value


# --- the twins


def _lapsed_reason(row: JobRow, given: JobGiven) -> str | None:
    if at_most(row.expires_at, given.now):
        return "expired"
    return "max lapses exceeded" if at_most(row.max_lapses, row.lapses) else None


def _behind(row: JobRow, given: ClaimGiven) -> Truth:
    """`(run_at, id) > (:after_run_at, :after_id)`"""
    same_instant = same(given.after_run_at, row.run_at)
    return either(below(given.after_run_at, row.run_at), both(same_instant, below(given.after_id, row.id)))


def _in_line_reason(row: JobRow, given: JobGiven) -> str | None:
    numbers = (row.attempts, row.max_attempts, row.lapses, row.max_lapses, row.created_at)
    if {typeof(number) for number in numbers} != {"integer"} or typeof(row.expires_at) not in ("integer", "null"):
        return "unreadable"
    if at_most(row.expires_at, given.now):
        return "expired"
    return "max attempts exceeded" if at_most(row.max_attempts, row.attempts) else None


# --- the table


WAITING = Condition(
    table=LIVE,
    text="queue = :queue and state = 'pending'",
    rules=("CLM-15",),
    twin=waiting,
    model=pending,
)
RUNNING = Condition(
    table=LIVE,
    text="queue = :queue and state = 'processing'",
    rules=("CLM-15",),
    twin=running,
    model=lambda row, given: in_queue(row, given) and job(row).state is State.PROCESSING,
)
LAPSED = Condition(
    table=LIVE,
    text="queue = :queue and state = 'processing' and claim_expires_at < :now",
    rules=("CLM-2", "CLM-4"),
    twin=lambda row, given: both(running(row, given), below(row.claim_expires_at, given.now)),
    model=ended,
)
ENDLESS = Condition(
    table=LIVE,
    text="queue = :queue and state = 'processing' and claim_expires_at is null",
    rules=("CLM-18",),
    twin=lambda row, given: both(running(row, given), row.claim_expires_at is None),
    model=endless,
)
LAPSED_REASON = Condition(
    table=LIVE,
    text="case when expires_at <= :now then 'expired' when lapses >= max_lapses then 'max lapses exceeded' end",
    rules=("CLM-4", "CLM-5"),
    twin=_lapsed_reason,
    model=reason,
    within=LAPSED,
)
ENDLESS_REASON = replace(LAPSED_REASON, within=ENDLESS)

STRAYS = Condition(
    table=LIVE,
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
    table=LINE,
    text="queue = :queue and state = 'pending' and priority < :below",
    rules=("CLM-1",),
    twin=lambda row, given: both(waiting(row, given), below(row.priority, given.below)),
    model=lambda row, given: pending(row, given) and claim_order(job(row))[0] > -given.below,
)
BELOW_LEVEL = Condition(
    table=LINE,
    text="queue = :queue and state = 'pending' and priority < level.priority",
    rules=("CLM-1",),
    twin=lambda row, given: both(waiting(row, given), below(row.priority, given.level_priority)),
    model=lambda row, given: (
        pending(row, given) and given.level_priority is not None and claim_order(job(row))[0] > -given.level_priority
    ),
)
WITHOUT_WORK = Condition(
    table=LINE,
    text="level.priority is not null and not exists (…)",
    rules=("CLM-1",),
    twin=lambda _, given: both(given.level_priority is not None, negated(given.found)),
    model=lambda _, given: given.level_priority is not None and not given.found,
)
LEVEL = Condition(
    table=LINE,
    text="level.priority is not null",
    rules=("CLM-15",),
    twin=lambda _, given: given.level_priority is not None,
    model=lambda _, given: given.level_priority is not None,
)
ANY_ON_LEVEL = Condition(
    table=LINE,
    text="queue = :queue and state = 'pending' and priority = level.priority",
    rules=("CLM-15",),
    twin=lambda row, given: both(waiting(row, given), same(row.priority, given.level_priority)),
    model=lambda row, given: pending(row, given) and job(row).priority == given.level_priority,
)
ON_LEVEL = Condition(
    table=LINE,
    text="queue = :queue and state = 'pending' and priority = level.priority and run_at <= :now",
    rules=("CLM-1", "JOB-2"),
    twin=lambda row, given: both(
        waiting(row, given), same(row.priority, given.level_priority), at_most(row.run_at, given.now)
    ),
    model=on_level,
)

IN_LINE = Condition(
    table=LINE,
    text="queue = :queue and state = 'pending' and priority = :priority and run_at <= :now "
    "and (run_at, id) > (:after_run_at, :after_id)",
    rules=("CLM-1", "JOB-2"),
    twin=lambda row, given: both(
        waiting(row, given), same(row.priority, given.priority), at_most(row.run_at, given.now), _behind(row, given)
    ),
    model=in_line,
)
IN_LINE_REASON = Condition(
    table=LINE,
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
    table=LIVE,
    text="id = wanted.value and state = 'pending'",
    rules=("CLM-3",),
    twin=lambda row, given: both(same(row.id, given.id), same(row.state, "pending")),
    model=lambda row, given: row.id == given.id and job(row).state is State.PENDING,
)

AHEAD = Condition(
    table=INSTANTS,
    text="typeof(at) = 'integer' and not exists (…)",
    rules=("CLM-14", "CLM-15"),
    twin=lambda row, given: both(same(typeof(row.at), "integer"), negated(given.found)),
    model=claim_is_ahead,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "claim_lapsed": (LAPSED_REASON, LAPSED),
    "claim_lapsed_endless": (ENDLESS_REASON, ENDLESS),
    "claim_strays": (STRAYS,),
    "claim_priority": (BELOW, BELOW_LEVEL, WITHOUT_WORK, ON_LEVEL, ON_LEVEL),
    "claim_pick": (IN_LINE_REASON, IN_LINE),
    "claim_take": (TAKEN,),
    "next_claim_at": (WAITING, BELOW_LEVEL, LEVEL, ANY_ON_LEVEL, RUNNING, ENDLESS, STRAYS, AHEAD, PAUSED),
}
NO_DECISION: dict[str, tuple[str, str]] = {
    "claim_settle": ("id = :id", "it takes the row that the operation has found"),
}
