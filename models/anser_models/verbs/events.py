"""Events: whether they are told, and how those that were are read and forgotten. What tells one is in `telling`."""

from __future__ import annotations

from dataclasses import replace

from anser.ops import EventPrune, EventRead, EventsOff, EventsOn
from anser.types import EventKind, EventPage
from anser_models.draft import Draft
from anser_models.quirks import Quirk

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    **{f"events_on.tells_{kind}": "EVT-1" for kind in EventKind},
    "events_on.changed": "EVT-3",
    "events_off.changed": "EVT-3",
    "events_on.forgets": "EVT-4",
    "event_read.all": "EVT-5",
    "event_read.lost": "EVT-5",
    "event_prune.forgot": "EVT-6",
    "event_prune.nothing": "EVT-6",
}

LOOSE: dict[Quirk, set[str]] = {}


def events_on(draft: Draft, op: EventsOn) -> bool:
    changed = draft.world.events_keep != op.keep
    draft.world = replace(draft.world, events_keep=op.keep)
    if changed:
        draft.took("events_on.changed")
    return changed


def events_off(draft: Draft, op: EventsOff) -> bool:  # noqa: ARG001  # it has no arguments
    changed = draft.world.events_keep > 0
    draft.world = replace(draft.world, events_keep=0)
    if changed:
        draft.took("events_off.changed")
    return changed


def event_read(draft: Draft, op: EventRead) -> EventPage:
    """What was missed are the ids after the one asked for that are kept no more (EVT-5)."""
    events = draft.world.events
    found = [event for id, event in sorted(events.items()) if id > op.after_id]
    lost_id = min(events) - 1 if events else draft.world.last_event
    draft.took("event_read.lost" if lost_id > op.after_id else "event_read.all")
    return EventPage(tuple(found[: op.limit]), lost_id if lost_id > op.after_id else None)


def event_prune(draft: Draft, op: EventPrune) -> int:
    """From the oldest on, until one is too young (EVT-6)."""
    forgotten = 0
    for id, event in sorted(draft.world.events.items())[: op.limit]:
        if event.at is not None and event.at > draft.now - op.older_than_s:
            break
        del draft.world.events[id]
        forgotten += 1
    draft.took("event_prune.forgot" if forgotten else "event_prune.nothing")
    return forgotten


VERBS = (
    events_on,
    events_off,
    event_read,
    event_prune,
)
