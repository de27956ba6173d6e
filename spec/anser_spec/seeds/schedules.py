"""Schedules that are due, late, paused, over and broken, with jobs of theirs; and how one is made.

Those of `SEEDS` count by `@every`, so that they are the same at any instant; those of `CHANGES` begin one second before
the clocks of a zone change.
"""

from __future__ import annotations

from typing import Any

from anser.types import Fire, HonkerSchedule, Misfire, Overlap, Schedule
from anser_models import World
from anser_spec.seeds.base import NOT_JSON, SEED_NOW, UNREADABLE, world
from anser_spec.seeds.jobs import pending
from anser_spec.seeds.locks import lock

__all__ = ["CHANGES", "CROWDS", "SEEDS", "honker_schedule", "schedule"]

NEW_YORK = "America/New_York"
FALL_BACK_AT = 1_793_512_800  # 2026-11-01 06:00 UTC: it is 01:00 again
SPRING_FORWARD_AT = 1_772_953_200  # 2026-03-08 07:00 UTC: 02:00 to 02:59 are skipped

_SCHEDULE: dict[str, Any] = {
    "queue": "a",
    "cron": "@every 1s",
    "tz": "UTC",
    "payload": "1",
    "priority": 0,
    "max_attempts": 2,
    "max_lapses": 1,
    "expires_s": None,
    "misfire": Misfire.ALL,
    "grace_s": 1,
    "overlap": Overlap.ALLOW,
    "jitter_s": 0,
    "start_at": None,
    "end_at": None,
    "max_fires": None,
    "paused": False,
    "anchor_at": SEED_NOW - 10,
    "next_fire_at": SEED_NOW,
    "last_fire_at": None,
    "fires": 0,
    "missed": 0,
    "error": None,
    "created_at": SEED_NOW - 10,
}


def schedule(name: str, **given: Any) -> Schedule:
    """A schedule that is due now and each second from then on, but for what is given."""
    return Schedule(name, **(_SCHEDULE | given))


def honker_schedule(name: str, **given: Any) -> HonkerSchedule:
    """A schedule of honker's, due each hour, but for what is given."""
    sound: dict[str, Any] = {
        "queue": "a",
        "cron_expr": "0 * * * *",
        "payload": "1",
        "priority": 0,
        "expires_s": None,
        "next_fire_at": 3_600,
        "enabled": 1,
        "max_attempts": 2,
    }
    return HonkerSchedule(name, **(sound | given))


def _fired(*rows: Any) -> World:
    """A job of a boundary that is live still, with what is given."""
    return world(*rows, pending(1), Fire(1, "a", SEED_NOW - 1))


THEIRS = (honker_schedule("y"), honker_schedule("z", next_fire_at=SEED_NOW))  # the next fire of one is a boundary

SEEDS: dict[str, World] = {
    "scheduled": world(schedule("a"), *THEIRS),
    "scheduled_ahead": world(schedule("a", next_fire_at=SEED_NOW + 1), *THEIRS),
    "scheduled_late": world(schedule("a", next_fire_at=SEED_NOW - 2), pending(1), Fire(1, "a", SEED_NOW - 2), *THEIRS),
    "scheduled_late_latest": world(schedule("a", next_fire_at=SEED_NOW - 2, misfire=Misfire.LATEST)),
    "scheduled_late_skip": world(
        schedule("a", next_fire_at=SEED_NOW - 2, misfire=Misfire.SKIP),
        schedule("b", next_fire_at=SEED_NOW - 1),
        pending(1, payload="2"),
        Fire(1, "b", SEED_NOW - 1),
    ),
    "scheduled_late_expires": world(schedule("a", next_fire_at=SEED_NOW - 2, expires_s=2)),
    "scheduled_jitter": world(schedule("a", next_fire_at=SEED_NOW - 2, expires_s=2, jitter_s=2)),
    "scheduled_to_end": world(schedule("a", next_fire_at=SEED_NOW - 1, end_at=SEED_NOW)),
    "scheduled_twice_more": world(schedule("a", next_fire_at=SEED_NOW - 1, max_fires=3, fires=1)),
    "scheduled_paused": world(
        schedule("a", next_fire_at=SEED_NOW - 1, paused=True),
        honker_schedule("b", cron_expr="@every 2s", next_fire_at=SEED_NOW + 1),
    ),
    "schedule_over": world(
        honker_schedule("b", cron_expr="*/5 * * * *", next_fire_at=SEED_NOW + 1),
        schedule("a", next_fire_at=None, max_fires=1, fires=1, last_fire_at=SEED_NOW - 1),
    ),
    "schedule_running": _fired(schedule("a", next_fire_at=SEED_NOW - 1, overlap=Overlap.SKIP)),
    "schedule_ran": world(schedule("a", overlap=Overlap.SKIP), Fire(1, "a", None), *THEIRS, last_id=1),
    "schedule_doomed": world(
        schedule("a", overlap=Overlap.SKIP), pending(1, expires_at=SEED_NOW), Fire(1, "a", SEED_NOW - 1)
    ),
    "schedule_fired_before": _fired(schedule("a", next_fire_at=SEED_NOW - 1)),
    "two_schedules": world(
        schedule("a"),
        schedule("b", next_fire_at=SEED_NOW - 1, cron="@every 2s", payload="2"),
        pending(1),
        Fire(1, "b", SEED_NOW - 1),
    ),
    "schedule_bad_cron": world(schedule("a", cron="@every never"), schedule("b", payload="2"), *THEIRS),
    "schedule_bad_zone": world(schedule("a", tz="Mars/Base"), schedule("b", payload="2")),
    "schedule_no_json": world(schedule("a", payload=NOT_JSON), schedule("b", payload=UNREADABLE)),
    "schedule_bad_numbers": world(schedule("a", grace_s=-1), schedule("b", next_fire_at=-1)),
    "schedule_told": world(schedule("a"), *THEIRS, events_keep=2),
    "schedule_led": world(schedule("a"), lock("scheduler", fence=2), *THEIRS),
    "schedule_late_by_far": world(schedule("a", cron="@every 2s", next_fire_at=SEED_NOW - 151)),
    "schedule_of_honker": world(
        honker_schedule("a", cron_expr="@every 2s", next_fire_at=SEED_NOW + 1, enabled=0),
        honker_schedule("b", payload="2"),
    ),
    "schedule_of_honker_moved": world(
        honker_schedule("a", next_fire_at=SEED_NOW), honker_schedule("b", cron_expr="0 0 13 * 5")
    ),
    "schedule_of_honker_wrong": world(
        honker_schedule("a", payload=NOT_JSON), honker_schedule("b", cron_expr="5/15 * * * *"), schedule("a")
    ),
}
CROWDS: dict[str, World] = {
    "very_late": world(
        schedule("a", next_fire_at=1, anchor_at=0, misfire=Misfire.LATEST),
        schedule("b", next_fire_at=SEED_NOW - 70, payload="2"),
    ),
    "very_long_paused": world(schedule("a", next_fire_at=1, anchor_at=0, paused=True, misfire=Misfire.SKIP)),
}


def _wall(cron: str, **given: Any) -> Schedule:
    return schedule("a", cron=cron, tz=NEW_YORK, **given)


# Each world with the instant at which it begins: every second is tried, also that in which the clocks change.
CHANGES: tuple[tuple[World, int], ...] = (
    (world(_wall("58-59,0-2 59,0 * * * *", next_fire_at=FALL_BACK_AT - 1)), FALL_BACK_AT - 1),
    (world(_wall("57-59,0-2 59,0 1 * * *", next_fire_at=FALL_BACK_AT - 2)), FALL_BACK_AT - 1),
    (world(_wall("59,0,1 59,0 1,2,3 * * *", next_fire_at=SPRING_FORWARD_AT - 1)), SPRING_FORWARD_AT - 1),
    (world(_wall("0-59/20 */30 2 * * *", next_fire_at=SPRING_FORWARD_AT)), SPRING_FORWARD_AT - 1),
    (world(_wall("58-59 59 * * * *", next_fire_at=SPRING_FORWARD_AT - 1)), SPRING_FORWARD_AT - 1),
    (world(_wall("0 0 13 * 5", next_fire_at=FALL_BACK_AT)), FALL_BACK_AT),
    (world(schedule("a", cron="58-59,0-2 59,0 * * * *", next_fire_at=FALL_BACK_AT - 2)), FALL_BACK_AT - 1),
)
