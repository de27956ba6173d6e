"""What a file holds. A family that has a table which can grow adds its name here, and a statement `stats<name>`."""

from __future__ import annotations

from anser.core.tx import Tx
from anser.ops import QueueList, Stats
from anser.types import TableStats

__all__ = ["TABLES", "queue_list", "stats"]

TABLES = (
    "_honker_live",
    "_honker_dead",
    "_anser_finished",
    "_honker_locks",
    "_anser_events",
)


def queue_list(tx: Tx, op: QueueList) -> tuple[str, ...]:
    """RTN-1."""
    return tuple(queue for (queue,) in tx.run("queue_list", after_queue=op.after_queue, limit=op.limit))


def stats(tx: Tx, op: Stats) -> tuple[TableStats, ...]:  # noqa: ARG001  # it has no arguments
    """RTN-2."""
    return tuple(TableStats(table, *row) for table in TABLES for row in tx.run(f"stats{table}"))


VERBS = (queue_list, stats)
