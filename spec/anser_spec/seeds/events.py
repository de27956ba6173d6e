"""Files that tell what happens to their jobs; and how an event is made."""

from __future__ import annotations

from typing import Any

from anser.types import Event, EventKind, Finished, Reason, State
from anser_models import World
from anser_spec.seeds.base import SEED_NOW, world
from anser_spec.seeds.dead import dead
from anser_spec.seeds.jobs import pending, processing

__all__ = ["SEEDS", "event"]

_EVENT: dict[str, Any] = {
    "kind": EventKind.ENQUEUED,
    "queue": "a",
    "job_id": 1,
    "attempts": 0,
    "worker": None,
    "reason": None,
    "at": SEED_NOW,
}


def event(id: int, **given: Any) -> Event:
    """A job was enqueued just now, but for what is given."""
    return Event(id=id, **(_EVENT | given))


SEEDS: dict[str, World] = {
    "told_pending": world(pending(1), event(1), last_event=1, events_keep=2),
    "told_held": world(
        processing(1),
        event(1, at=SEED_NOW - 1),
        event(2, kind=EventKind.CLAIMED, attempts=1, worker="w1"),
        last_event=2,
        events_keep=2,
    ),
    "told_last_attempt": world(processing(1, attempts=2), events_keep=1),
    "told_lapsed": world(processing(1, ends_at=SEED_NOW - 1), last_event=3, events_keep=2),
    "told_past_saving": world(processing(1, ends_at=SEED_NOW - 1, lapses=1), events_keep=2),
    "told_of_the_dead": world(
        dead(1), event(4, kind=EventKind.DEAD, attempts=2, reason=Reason.EXHAUSTED), last_event=4, events_keep=1
    ),
    "told_by_honker": world(
        pending(1, attempts=1), event(1, kind=EventKind.RETRIED, attempts=1, at=None), last_event=1, events_keep=2
    ),
    "told_once": world(Finished(1, "a", State.DONE, 1, SEED_NOW), event(7, kind=EventKind.ACKED), last_event=7),
    "told_and_forgotten": world(pending(1, expires_at=SEED_NOW + 1), last_event=9, events_keep=1),
    "told_together": world(processing(1), processing(2), pending(3, priority=1), last_event=2, events_keep=2),
}
