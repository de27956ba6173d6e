"""What decides about a list of queues; to count rows decides nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from anser.ops import QueueList
from anser_models import VERBS
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Table, tried
from anser_spec.predicates.jobs import JobGiven, JobRow, dead, live

__all__ = ["NO_DECISION", "TABLE", "QueuesGiven"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuesGiven(JobGiven):
    """The place in the list of queues."""

    after_queue: str = field(default="", metadata=tried("", "a", "b"))


LIVE_QUEUES = Table("_honker_live", JobRow, QueuesGiven)
DEAD_QUEUES = Table("_honker_dead", JobRow, QueuesGiven)


def listed(draft: Draft, given: QueuesGiven) -> bool:
    """`queue_list` answers the queue of the only row."""
    return bool(VERBS["queue_list"](draft, QueueList(after_queue=given.after_queue)))


LIVE_LISTED = Condition(
    table=LIVE_QUEUES,
    text="queue > :after_queue",
    rules=("RTN-1",),
    twin=lambda row, given: row.queue > given.after_queue,
    model=lambda row, given: listed(live(row, given), given),
)
DEAD_LISTED = replace(LIVE_LISTED, table=DEAD_QUEUES, model=lambda row, given: listed(dead(row, given), given))

TABLE: dict[str, tuple[AnyCondition, ...]] = {"queue_list": (LIVE_LISTED, DEAD_LISTED)}
NO_DECISION: dict[str, tuple[str, str]] = {
    "doctor_tables": (
        "type = 'table' and (name glob '_honker_*' or name glob '_anser_*')",
        "it asks which tables are there",
    ),
    "doctor_schedules": ("error is not null", "it shows what a tick has told"),
    "doctor_strays": (
        "state not in ('pending', 'processing') or typeof(run_at) <> 'integer' or typeof(priority) <> 'integer' "
        "or typeof(claim_expires_at) not in ('integer', 'null')",
        "`claim_strays` decides by it; here it is counted",
    ),
}
