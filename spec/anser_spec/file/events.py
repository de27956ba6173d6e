"""What was told of jobs, the last that was told, and whether it is told."""

from __future__ import annotations

from anser.core.events import TRIGGERS
from anser.sql import STATEMENTS
from anser.types import Event, EventKind, Reason
from anser_spec.file.table import Counter, Table

__all__ = ["COUNTERS", "TABLES"]

EVENTS = Table(
    name="_anser_events",
    part="events",
    key=("id",),
    columns=("id", "kind", "queue", "job_id", "attempts", "worker", "reason", "at"),
    enums={"kind": EventKind, "reason": Reason},
    value=Event,
)
LAST_EVENT = Counter(
    part="last_event",
    table="_anser_events",
    read="select coalesce(max(seq), 0) from sqlite_sequence where name = '_anser_events'",
    write=(
        "delete from sqlite_sequence where name = '_anser_events'",
        "insert into sqlite_sequence (name, seq) select '_anser_events', :number where :number > 0",
    ),
    moved_by="events",
)
KEEP = Counter(
    part="events_keep",
    table="_anser_events_on",
    read="select coalesce(max(keep), 0) from _anser_events_on",
    write=(
        "delete from _anser_events_on",
        "insert into _anser_events_on (one, keep) select 1, :number where :number > 0",
    ),
    moved_by="events",
    silenced_by=tuple(STATEMENTS[f"{trigger}_drop"] for trigger in TRIGGERS),
    sounded_by=tuple(STATEMENTS[trigger] for trigger in TRIGGERS),
)

TABLES = (EVENTS,)
COUNTERS = (LAST_EVENT, KEEP)
