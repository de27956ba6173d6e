"""Events: the triggers that tell them are made and taken away here; what they tell is read.

Only a put back has to say when it was: its row does not.
"""

from __future__ import annotations

from anser.core.rows import event_of
from anser.core.tx import Tx
from anser.ops import EventPrune, EventRead, EventsOff, EventsOn
from anser.types import INTEGER_MAX, EventPage

__all__ = ["TRIGGERS", "date_put_back", "event_prune", "event_read", "events_off", "events_on"]

TRIGGERS = ("event_enters", "event_claimed", "event_put_back", "event_dead", "event_ends", "event_bound")


def events_on(tx: Tx, op: EventsOn) -> bool:
    """EVT-3, EVT-4."""
    if not tx.run("events_on", keep=op.keep):
        return False
    for trigger in TRIGGERS:
        tx.run(trigger)
    return True


def events_off(tx: Tx, op: EventsOff) -> bool:  # noqa: ARG001  # it has no arguments
    """EVT-3."""
    if not tx.run("events_off"):
        return False
    for trigger in TRIGGERS:
        tx.run(f"{trigger}_drop")
    return True


def date_put_back(tx: Tx) -> None:
    """Let the event of a job that was put back just now say when that was (EVT-1)."""
    tx.run("event_at", now=tx.now)


def event_read(tx: Tx, op: EventRead) -> EventPage:
    """EVT-5."""
    events = tuple(map(event_of, tx.run("event_read", after_id=op.after_id, limit=op.limit)))
    ((lost_id,),) = tx.run("event_lost")
    return EventPage(events, lost_id if lost_id is not None and lost_id > op.after_id else None)


def event_prune(tx: Tx, op: EventPrune) -> int:
    """EVT-6."""
    ((end_id,),) = tx.run("event_prune_end", before=tx.now - op.older_than_s, limit=op.limit)
    return len(tx.run("event_prune", end_id=INTEGER_MAX if end_id is None else end_id, limit=op.limit))


VERBS = (events_on, events_off, event_read, event_prune)
