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
        "_honker_notifications": [one.created_at for one in world.notifications.values()],
        "_honker_results": [result.created_at for result in world.results.values()],
        "_honker_rate_limits": [window.start for window in world.windows.values()],
        "_anser_buckets": [bucket.at for bucket in world.buckets.values()],
        "_anser_slots": [None for _ in world.slots],
        "_honker_stream": [entry.created_at for entry in world.stream.values()],
        "_honker_stream_consumers": [None for _ in world.stream_consumers],
        "_anser_stream_groups": [None for _ in world.stream_groups],
        "_anser_stream_pending": [held.expires_at for held in world.stream_pending.values()],
        "_anser_stream_trimmed": [None for _ in world.stream_trimmed],
        "_anser_channels": [None for _ in world.channels],
        "_anser_schedules": [schedule.created_at for schedule in world.schedules.values()],
        "_anser_fires": [fire.fire_at for fire in world.fires.values()],
        "_honker_scheduler_tasks": [None for _ in world.honker_schedules],
        "_anser_ordered": [None for _ in world.ordered],
        "_anser_paused": [None for _ in world.paused],
        "_anser_events_on": [None] if world.events_keep else [],
        "_anser_fence": [None],
        "_anser_format": [None],
    }
    return tuple(
        TableStats(table, len(found), min((at for at in found if at is not None), default=None))
        for table, found in instants.items()
    )


VERBS = (queue_list, stats)
