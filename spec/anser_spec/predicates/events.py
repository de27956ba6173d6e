"""What decides about events: which are read, and which are old. What tells one is a trigger: see `NO_DECISION`."""

from __future__ import annotations

from dataclasses import dataclass, field

from anser.ops import EventPrune, EventRead
from anser.types import Event, EventKind
from anser_models import VERBS, World
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.logic import below

__all__ = ["NO_DECISION", "TABLE", "EventGiven", "EventRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """The columns that conditions name."""

    id: int = field(default=5, metadata=tried(4, 5, 6))
    at: int | None = field(default=10, metadata=tried(None, 8, 9, 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGiven(Given):
    """The place in a list, and up to when a pruning goes."""

    after_id: int = 5
    before: int = 9


EVENTS = Table("_anser_events", EventRow, EventGiven)


def told(row: EventRow, given: EventGiven) -> Draft:
    """The world in which only the row was told of."""
    event = Event(row.id, EventKind.ENQUEUED, "q", 1, 0, None, None, row.at)
    return Draft(World(events={row.id: event}, last_event=row.id), given.now, frozenset())


def read(row: EventRow, given: EventGiven) -> bool:
    """`event_read` answers the row."""
    return bool(VERBS["event_read"](told(row, given), EventRead(after_id=given.after_id)).events)


def young(row: EventRow, given: EventGiven) -> bool:
    """`event_prune` leaves the row; it takes an age where the statement takes an instant."""
    return bool(VERBS["event_prune"](told(row, given), EventPrune(older_than_s=given.now - given.before)) == 0)


READ = Condition(
    table=EVENTS,
    text="id > :after_id",
    rules=("EVT-5",),
    twin=lambda row, given: below(given.after_id, row.id),
    model=read,
)
YOUNG = Condition(
    table=EVENTS,
    text="at > :before",
    rules=("EVT-6",),
    twin=lambda row, given: below(given.before, row.at),
    model=young,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {"event_read": (READ,), "event_prune_end": (YOUNG,)}

_TRIGGER = "a trigger sees the row as it was and as it is: the transitions of all other operations try it"
NO_DECISION: dict[str, tuple[str, str]] = {
    "events_on": ("keep <> excluded.keep", "it asks whether anything would change"),
    "event_enters": ("id = new.id and queue = new.queue and created_at = new.created_at", _TRIGGER),
    "event_put_back": (
        "case when new.lapses > old.lapses then 'lapsed' when new.attempts < old.attempts then 'released' "
        "else 'retried' end",
        _TRIGGER,
    ),
    "event_bound": ("id <= new.id - (…)", _TRIGGER),
    "event_at": ("at is null and id = (…) and exists (…)", "it takes the event that was told just now"),
    "event_lost": ("name = '_anser_events' and not exists (…)", "it is the sequence of that table"),
    "event_prune": ("id < :end_id", "it takes those before the first that `event_prune_end` has found"),
}
