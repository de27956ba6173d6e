"""What decides about the words of a holder: whether the lease that they name still holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anser.errors import LeaseLost
from anser.ops import Ack, Retry
from anser.types import State
from anser_models import VERBS
from anser_models.predicates import held_by
from anser_models.verbs import moves
from anser_spec.predicates.condition import AnyCondition, Condition, Table
from anser_spec.predicates.jobs import JobGiven, JobRow, live
from anser_spec.predicates.logic import Truth, at_most, below, both, same

__all__ = ["NO_DECISION", "TABLE", "WORD", "WORD_WITH_ATTEMPTS_LEFT", "LeaseGiven"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseGiven(JobGiven):
    """The lease that a word names."""

    worker: str = "w"
    fence: int = 5


HELD = Table("_honker_live", JobRow, LeaseGiven)


def word_holds(row: JobRow, given: LeaseGiven) -> bool:
    """The lookup with which every word about a lease begins. `held_by` says the same of the job it finds."""
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


def retries(row: JobRow, given: LeaseGiven) -> bool:
    """A retry after which the job is pending."""
    word = Retry(queue=given.queue, id=given.id, worker=given.worker, fence=given.fence, delay_s=0)
    try:
        return bool(VERBS["retry"](live(row, given), word).state is State.PENDING)
    except LeaseLost:
        return False


def _word(row: JobRow, given: LeaseGiven) -> Truth:
    return both(
        same(row.id, given.id),
        same(row.queue, given.queue),
        same(row.state, "processing"),
        same(row.worker_id, given.worker),
        same(row.fence, given.fence),
        at_most(given.now, row.claim_expires_at),
    )


WORD = Condition(
    table=HELD,
    text="id = :id and queue = :queue and state = 'processing' and worker_id = :worker and fence = :fence "
    "and claim_expires_at >= :now",
    rules=("CLM-2", "CLM-7", "CLM-8"),
    twin=_word,
    model=word_holds,
)
WORD_OF_MANY = replace(WORD, text=WORD.text.replace("id = :id", "id = wanted.value"))
WORD_WITH_ATTEMPTS_LEFT = Condition(
    table=HELD,
    text=f"{WORD.text} and attempts < max_attempts",
    rules=("CLM-8", "RET-1", "RET-2"),
    twin=lambda row, given: both(_word(row, given), below(row.attempts, row.max_attempts)),
    model=retries,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "ack": (WORD,),
    "ack_batch": (WORD_OF_MANY,),
    "heartbeat": (WORD,),
    "release": (WORD,),
    "retry": (WORD_WITH_ATTEMPTS_LEFT,),
    "bury_held": (WORD,),
}
NO_DECISION: dict[str, tuple[str, str]] = {}
