"""What decides about results: who saves one, who sees it, and which are swept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from anser.errors import LeaseLost
from anser.ops import ResultGet, ResultPrune, ResultSave, ResultSweep
from anser.types import ResultState, StoredResult
from anser_models import VERBS, World
from anser_models.predicates import result_shown
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.jobs import JobRow, live
from anser_spec.predicates.leases import WORD, LeaseGiven
from anser_spec.predicates.logic import Truth, at_most, below, both, either, same

__all__ = ["NO_DECISION", "TABLE", "ResultGiven", "ResultRow"]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """The columns that conditions name."""

    job_id: int = field(default=7, metadata=tried(6, 7, 8))
    queue: str | None = field(default="a", metadata=tried("a", "b", None))
    value: str | None = field(default="1", metadata=tried("1", None))
    expires_at: int | None = field(default=None, metadata=tried(9, 10, 11, None))
    created_at: int = field(default=0, metadata=tried(9, 10, 11))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultGiven(Given):
    """Who asks for which job's result, and how old one may be."""

    id: int = 7
    queue: str = "a"
    before: int = 10


RESULTS = Table("_honker_results", ResultRow, ResultGiven)

# --- the model's side


def _result(row: ResultRow) -> StoredResult:
    return StoredResult(row.job_id, row.queue, row.value, row.created_at, row.expires_at)


def result_row(row: ResultRow, given: ResultGiven) -> Draft:
    """The world whose only result is the row, about to be changed."""
    return Draft(World(results={row.job_id: _result(row)}), given.now, frozenset())


def seen(row: ResultRow, given: ResultGiven) -> bool:
    """`result_get` answers the row. `result_shown` says the same of the result it finds."""
    answer = VERBS["result_get"](result_row(row, given), ResultGet(queue=given.queue, id=given.id))
    is_seen = bool(answer.state is ResultState.SAVED)
    predicate = row.job_id == given.id and result_shown(_result(row), given.queue, given.now)
    assert is_seen == predicate, "the model writes one meaning twice, and differently"
    return is_seen


def saves(row: JobRow, given: LeaseGiven) -> bool:
    """A save is not refused."""
    word = ResultSave(queue=given.queue, id=given.id, worker=given.worker, fence=given.fence, value=1, ttl_s=1)
    try:
        return bool(VERBS["result_save"](live(row, given), word) == given.now + 1)
    except LeaseLost:
        return False


# --- the twins


def _seen(row: ResultRow, given: ResultGiven) -> Truth:
    return both(
        same(row.job_id, given.id),
        either(same(row.queue, given.queue), row.queue is None),
        either(below(given.now, row.expires_at), row.expires_at is None),
        row.value is not None,
    )


# --- the table


SAVED = replace(WORD, rules=("RES-1",), model=saves)
SEEN = Condition(
    table=RESULTS,
    text="job_id = :id and (queue = :queue or queue is null) and (expires_at > :now or expires_at is null) "
    "and value is not null",
    rules=("RES-5", "RES-7"),
    twin=_seen,
    model=seen,
)
SWEPT = Condition(
    table=RESULTS,
    text="expires_at <= :now",
    rules=("RES-9",),
    twin=lambda row, given: at_most(row.expires_at, given.now),
    model=lambda row, given: bool(VERBS["result_sweep"](result_row(row, given), ResultSweep()) == 1),
)
PRUNED = Condition(
    table=RESULTS,
    text="expires_at is null and created_at <= :before",
    rules=("RES-12",),
    twin=lambda row, given: both(row.expires_at is None, at_most(row.created_at, given.before)),
    model=lambda row, given: bool(
        VERBS["result_prune"](result_row(row, given), ResultPrune(older_than_s=given.now - given.before))
    ),
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "result_save": (SAVED,),
    "result_get": (SEEN,),
    "result_sweep": (SWEPT,),
    "result_prune": (PRUNED,),
}
NO_DECISION: dict[str, tuple[str, str]] = {}
