"""What the world holds: its queues by name, its rows by table."""

from __future__ import annotations

from anser.ops import QueueList, Stats
from anser.types import TableStats
from anser_models.draft import Draft
from anser_models.quirks import Quirk

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS: dict[str, str] = {}

LOOSE: dict[Quirk, set[str]] = {}


def queue_list(draft: Draft, op: QueueList) -> tuple[str, ...]:
    named = {job.queue for jobs in (draft.world.jobs, draft.world.dead) for job in jobs.values()}
    return tuple(sorted(queue for queue in named if queue > op.after_queue)[: op.limit])


def stats(draft: Draft, op: Stats) -> tuple[TableStats, ...]:  # noqa: ARG001  # it has no arguments
    world = draft.world
    instants: dict[str, list[int | None]] = {
        "_honker_live": [job.created_at for job in world.jobs.values()],
        "_honker_dead": [job.died_at for job in world.dead.values()],
        "_anser_finished": [job.ended_at for job in world.finished.values()],
        "_honker_locks": [lock.expires_at for lock in world.locks.values()],
        "_anser_events": [event.at for event in world.events.values()],
    }
    return tuple(
        TableStats(table, len(found), min((at for at in found if at is not None), default=None))
        for table, found in instants.items()
    )


VERBS = (queue_list, stats)
