"""What a file holds. A family that has a table adds its name here, and a statement `stats<name>`."""

from __future__ import annotations

from anser.core.tx import Tx
from anser.errors import Invalid
from anser.ops import QueueList, Stats, checks
from anser.types import TableStats

__all__ = ["TABLES", "queue_list", "stats"]

TABLES = (
    "_honker_live",
    "_honker_dead",
    "_anser_finished",
    "_honker_locks",
    "_anser_events",
    "_honker_notifications",
    "_honker_results",
    "_honker_rate_limits",
    "_anser_buckets",
    "_anser_slots",
    "_honker_stream",
    "_honker_stream_consumers",
    "_anser_stream_groups",
    "_anser_stream_pending",
    "_anser_stream_trimmed",
    "_anser_channels",
    "_anser_schedules",
    "_anser_fires",
    "_honker_scheduler_tasks",
    "_anser_ordered",
    "_anser_paused",
    "_anser_events_on",
    "_anser_fence",
    "_anser_format",
)


def queue_list(tx: Tx, op: QueueList) -> tuple[str, ...]:
    """RTN-1. Page by page, since a page may hold none that can be named. What is no text is no place to go on from."""
    named: list[str] = []
    after: str | None = op.after_queue
    while len(named) < op.limit and after is not None:
        page = [queue for (queue,) in tx.run("queue_list", after_queue=after, limit=op.limit)]
        texts = [queue for queue in page if isinstance(queue, str)]
        named += filter(_is_name, texts)
        after = texts[-1] if texts else None
    return tuple(named[: op.limit])


def _is_name(queue: object) -> bool:
    """Whether an operation can be about it; another binding takes any text for the name of a queue."""
    try:
        checks.name("queue", queue)
    except Invalid:
        return False
    return True


def stats(tx: Tx, op: Stats) -> tuple[TableStats, ...]:  # noqa: ARG001  # it has no arguments
    """RTN-2. Where a foreign hand wrote what is no instant, the oldest is not told."""
    found = [(table, *row) for table in TABLES for row in tx.run(f"stats{table}")]
    return tuple(TableStats(table, rows, at if isinstance(at, int) else None) for table, rows, at in found)


VERBS = (queue_list, stats)
