"""What a transition of a job tells, in whatever verb it happens."""

from __future__ import annotations

from dataclasses import replace

from anser.types import Dead, Event, EventKind, Finished, Job, Reason
from anser_models.draft import Draft

__all__ = ["forget_events", "tell"]

OUT_FOR_ONE_IN = 2


def tell(
    draft: Draft,
    kind: EventKind,
    job: Job | Dead | Finished,
    *,
    worker: str | None = None,
    reason: Reason | None = None,
) -> None:
    """The job, as it is after the transition, is told of if the world tells events (EVT-1, EVT-3)."""
    if not draft.world.events_keep:
        return
    id = draft.world.last_event + 1
    draft.world = replace(draft.world, last_event=id)
    draft.world.events[id] = Event(id, kind, job.queue, job.id, job.attempts, worker, reason, draft.now)
    draft.took(f"events_on.tells_{kind}")
    forget_events(draft)


def forget_events(draft: Draft) -> None:
    """Two at most of those that are beyond the bound (EVT-4)."""
    events = draft.world.events
    for id in sorted(id for id in events if id <= draft.world.last_event - draft.world.events_keep)[:OUT_FOR_ONE_IN]:
        draft.took("events_on.forgets")
        del events[id]
