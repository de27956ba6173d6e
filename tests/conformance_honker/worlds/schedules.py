"""Schedules: what only honker meets of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from anser.ops import (
    Op,
    ScheduleList,
    SchedulePause,
    ScheduleRegister,
    ScheduleResume,
    ScheduleSoonest,
    ScheduleTick,
    ScheduleUnregister,
    ScheduleUpdate,
)
from anser.types import Misfire
from anser_models import PROCESS_TZ, Quirk, World
from anser_spec.seeds import world
from anser_spec.seeds.schedules import FALL_BACK_AT, SPRING_FORWARD_AT, schedule
from tests.conformance_honker.worlds.base import NOW, Family, Showing

CRONS = (
    "* * * * *",
    "*/15 * * * *",
    "30 * * * *",
    "30 2 * * *",
    "0,30 1 * * *",
    "59 59 * * * *",
    "@every 90s",
    "@every 1d",
)
SHORT = ("@every 1s", "@every 3s", "@every 7s", "* * * * * *", "*/5 * * * * *")  # as long as leases
TAKEN = ("5/15 * * * *", "0 0 13 * 5", "+5 * * * *", "*/100 * * * *", "@every1s", " * * * * * ")
REFUSED = ("", "@daily", "0 0 * * 7", "0 0 * * mon", "0 0 30 2 *", "@every 0s", "nonsense")
BLOB = b"1"
NO_TEXT = b"\xff"
NO_JSON = "{not json"


def register(cron: str = "* * * * *", **given: Any) -> ScheduleRegister:
    plain: dict[str, Any] = {"schedule": "a", "queue": "a", "tz": PROCESS_TZ, "payload": 1}
    return ScheduleRegister(cron=cron, **(plain | {"misfire": Misfire.ALL, "max_attempts": 3} | given))


LATE_BY_FAR = world(schedule("a", cron="@every 2s", next_fire_at=NOW - 151))
LATE = world(schedule("a", next_fire_at=NOW - 2))
PAUSED = world(schedule("a", next_fire_at=NOW - 2, paused=True))
ONE_BAD = world(schedule("a", cron="nonsense"), schedule("b"))

SHOWINGS: dict[Quirk, Showing] = {
    Quirk.D03_DROPPED_BOUNDARIES: Showing(LATE_BY_FAR, ScheduleTick(), "SCH-6"),
    Quirk.D04_ZONE_OF_PROCESS: Showing(world(), register("0 3 * * *", tz="Asia/Kolkata"), "SCH-1"),
    Quirk.E11_REGISTER_RECOUNTS: Showing(LATE, register("@every 1s", max_attempts=2), "SCH-2"),
    Quirk.E12_EXPIRES_FROM_TICK: Showing(
        world(schedule("a", next_fire_at=NOW - 2, expires_s=2)), ScheduleTick(), "SCH-8"
    ),
    Quirk.E13_RESUME_REPLAYS: Showing(PAUSED, ScheduleResume(schedule="a"), "SCH-4"),
    Quirk.E14_BAD_STOPS_ALL: Showing(ONE_BAD, ScheduleTick(), "SCH-10"),
    Quirk.E15_FIRST_PASS_SILENT: Showing(world(), register("*/15 * * * *"), "SCH-1", FALL_BACK_AT - 3_601),
    Quirk.E16_GAPS_FIRE: Showing(world(), register("59 * * * *"), "SCH-1", SPRING_FORWARD_AT - 1),
    Quirk.E17_OTHER_DIALECT: Showing(world(), register("0 0 13 * 5"), "SCH-1"),
    Quirk.E32_INTERVALS_DRIFT: Showing(LATE_BY_FAR, ScheduleTick(), "SCH-6"),
}


def odd_worlds() -> Iterator[World]:
    """Rows that another hand wrote, and what only honker takes: due, ahead, and paused."""
    for odd in (
        *(schedule("a", cron=cron) for cron in (TAKEN[0], REFUSED[1], REFUSED[4])),
        *(schedule("a", payload=payload) for payload in (NO_JSON, NO_TEXT, BLOB)),
        schedule("a", expires_s=-1, max_attempts=0),
    ):
        for row in (odd, replace(odd, next_fire_at=NOW + 1), replace(odd, paused=True)):
            yield world(row, schedule("b", next_fire_at=NOW - 1))
    yield world(schedule("a", next_fire_at=-1))


def loose_operations() -> Iterator[Op]:
    yield from (register(cron) for cron in (*CRONS, *TAKEN, *REFUSED))
    yield from (register(max_attempts=tries) for tries in (1, 0, -1))
    yield from (register(expires_s=expires_s) for expires_s in (1, 0, -1))
    yield from (register(tz=tz) for tz in ("UTC", "Mars/Base"))
    every: tuple[dict[str, Any], ...] = (
        *({"cron": cron} for cron in ("* * * * *", TAKEN[0], REFUSED[1])),
        *({"expires_s": expires_s} for expires_s in (None, 1, -1)),
        *({"max_attempts": tries} for tries in (1, 0)),
        {"payload": None, "priority": 1},
    )
    yield from (ScheduleUpdate(schedule="a", changes=changes) for changes in every)
    for kind in (ScheduleUnregister, SchedulePause, ScheduleResume):
        yield kind(schedule="a")
    yield from (ScheduleTick(), ScheduleSoonest(), ScheduleList())


# --- sequences


def deadlines(world: World) -> Iterator[int]:
    return (row.next_fire_at for row in world.schedules.values() if row.next_fire_at is not None)


def drawn(draw: random.Random, world: World, now: int) -> list[Op]:
    return words(draw, SHORT, draw.choice(("UTC", PROCESS_TZ)))


def drawn_by_the_clock(draw: random.Random, tz: str) -> list[Op]:
    """As `drawn`, of schedules to which a change of the clocks means something."""
    return words(draw, (*CRONS, *TAKEN), tz)


def words(draw: random.Random, crons: tuple[str, ...], tz: str) -> list[Op]:
    name = draw.choice("ab")
    changes: list[dict[str, Any]] = [
        {"cron": draw.choice(crons)},
        {"payload": draw.randint(0, 9), "priority": draw.randint(-1, 1)},
        {"expires_s": draw.choice((None, draw.randint(-1, 99))), "max_attempts": draw.randint(0, 3)},
    ]
    return [
        register(
            draw.choice(crons),
            schedule=name,
            queue=draw.choice("ab"),
            expires_s=draw.choice((None, None, draw.randint(-1, 99))),
            max_attempts=draw.randint(0, 3),
            tz=tz,
        ),
        ScheduleUpdate(schedule=name, changes=draw.choice(changes)),
        SchedulePause(schedule=name),
        ScheduleResume(schedule=name),
        draw.choice((ScheduleUnregister(schedule=name), ScheduleSoonest(), ScheduleList())),
        *[ScheduleTick()] * 2,
    ]


FAMILY = Family(
    showings=SHOWINGS,
    loose_operations=loose_operations,
    odd_worlds=odd_worlds,
    drawn=drawn,
    deadlines=deadlines,
    seen=frozenset(
        {
            *("schedule_register.created", "schedule_register.recomputed", "schedule_update.kept"),
            *("schedule_tick.fired", "schedule_tick.nothing", "schedule_pause.paused", "schedule_resume.resumed"),
            "schedule_soonest.later",
        }
    ),
)
