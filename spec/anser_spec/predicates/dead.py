"""What decides about the dead: who is buried by a sweep, who is listed, and who is forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from anser.ops import DeadList, DeadPrune, SweepExpired
from anser.types import State
from anser_models import VERBS
from anser_spec.predicates.condition import AnyCondition, Condition, Table
from anser_spec.predicates.jobs import (
    DEAD,
    DEAD_FOUND,
    LIVE,
    JobGiven,
    JobRow,
    dead,
    job,
    live,
    running,
    waiting,
)
from anser_spec.predicates.logic import at_most, below, both, either, same

__all__ = ["DEAD_LISTED", "EXPIRED", "EXPIRED_LAPSED", "NO_DECISION", "PRUNED", "TABLE", "DeadGiven"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadGiven(JobGiven):
    """Up to when a pruning goes."""

    before: int = 10


OLD = Table("_honker_dead", JobRow, DeadGiven)


def swept(row: JobRow, given: JobGiven) -> bool:
    """`sweep_expired` buries the row."""
    return bool(VERBS["sweep_expired"](live(row, given), SweepExpired(queue=given.queue)) == 1)


def pruned(row: JobRow, given: DeadGiven) -> bool:
    """`dead_prune` forgets the row; it takes an age where the statement takes an instant."""
    op = DeadPrune(queue=given.queue, older_than_s=given.now - given.before, limit=1)
    return bool(VERBS["dead_prune"](dead(row, given), op) == 1)


def dead_listed(row: JobRow, given: JobGiven) -> bool:
    """`dead_list` answers the row."""
    return bool(VERBS["dead_list"](dead(row, given), DeadList(queue=given.queue, after_id=given.after_id)))


EXPIRED = Condition(
    table=LIVE,
    text="queue = :queue and state = 'pending' and expires_at <= :now",
    rules=("CLM-5", "DED-2"),
    twin=lambda row, given: both(waiting(row, given), at_most(row.expires_at, given.now)),
    model=lambda row, given: swept(row, given) and job(row).state is State.PENDING,
)
EXPIRED_LAPSED = Condition(
    table=LIVE,
    text="queue = :queue and state = 'processing' and expires_at <= :now "
    "and (claim_expires_at < :now or claim_expires_at is null)",
    rules=("CLM-2", "DED-2"),
    twin=lambda row, given: both(
        running(row, given),
        at_most(row.expires_at, given.now),
        either(below(row.claim_expires_at, given.now), row.claim_expires_at is None),
    ),
    model=lambda row, given: swept(row, given) and job(row).state is not State.PENDING,
)

DEAD_LISTED = Condition(
    table=DEAD,
    text="queue = :queue and id > :after_id",
    rules=("DED-3",),
    twin=lambda row, given: both(same(row.queue, given.queue), below(given.after_id, row.id)),
    model=dead_listed,
)
PRUNED = Condition(
    table=OLD,
    text="queue = :queue and died_at <= :before",
    rules=("DED-6",),
    twin=lambda row, given: both(same(row.queue, given.queue), at_most(row.died_at, given.before)),
    model=pruned,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "sweep_expired": (EXPIRED,),
    "sweep_expired_lapsed": (EXPIRED_LAPSED,),
    "dead_list": (DEAD_LISTED,),
    "dead_requeue_find": (DEAD_FOUND,),
    "dead_prune": (PRUNED,),
}

_BY_ID = ("id = :id", "it takes the row that the operation named, or has found")
_SEQUENCE = ("name = '_honker_live'", "it is the sequence of that table")
NO_DECISION: dict[str, tuple[str, str]] = {
    "bury": _BY_ID,
    "bury_remove": _BY_ID,
    "bury_taken": _BY_ID,
    "bury_make_way": _BY_ID,
    "bury_fresh_id": _SEQUENCE,
    "bury_give_id": _SEQUENCE,
    "dead_requeue_clash": _BY_ID,
    "dead_requeue": _BY_ID,
    "dead_requeue_remove": _BY_ID,
}
