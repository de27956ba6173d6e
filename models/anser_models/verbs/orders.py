"""Jobs that run one after another: how one takes its place, and how it leaves. No operation is theirs alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anser.types import TURN_AT, Job, Ordered
from anser_models.draft import Draft
from anser_models.quirks import Quirk

__all__ = ["LOOSE", "TRANSITIONS", "VERBS", "join", "leave", "others"]

TRANSITIONS = {
    "order.first": "ORD-1",
    "order.waits": "ORD-1",
    "order.next": "ORD-2",
    "order.last": "ORD-2",
    "order.out_of_turn": "ORD-4",
}

LOOSE: dict[Quirk, set[str]] = {}


def join(draft: Draft, job: Job, order_key: str | None) -> Job:
    """The job at its place in the line of its order key, where it waits unless it is the first (ORD-1)."""
    if order_key is None:
        return job
    place = Ordered(job.id, job.queue, order_key, job.run_at)
    waits = bool(others(draft, place))
    draft.took("order.waits" if waits else "order.first")
    draft.world.ordered[job.id] = place
    return replace(job, run_at=TURN_AT) if waits else job


def leave(draft: Draft, id: int) -> None:
    """A job that is live no more leaves its line, and the first that is left has its turn (ORD-2)."""
    place = draft.world.ordered.pop(id, None)
    if place is None:
        return
    left = others(draft, place)
    if not left:
        draft.took("order.last")
        return
    first = draft.world.jobs.get(left[0].job_id)
    if first is None or first.run_at < TURN_AT:
        draft.took("order.out_of_turn")
        return
    draft.took("order.next")
    draft.world.jobs[first.id] = replace(first, run_at=left[0].run_at)


def others(draft: Draft, place: Ordered) -> list[Ordered]:
    """Those of the same queue and order key, in the order in which they were enqueued."""
    line = [other for _, other in sorted(draft.world.ordered.items()) if other.job_id != place.job_id]
    return [other for other in line if (other.queue, other.order_key) == (place.queue, place.order_key)]


VERBS: tuple[Callable[[Draft, Any], Any], ...] = ()
