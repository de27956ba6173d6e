"""Schedules are registered, changed, paused, looked at, ticked by leaders and others, run at once and taken over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import (
    Op,
    ScheduleAdopt,
    ScheduleGet,
    ScheduleList,
    SchedulePause,
    ScheduleRegister,
    ScheduleResume,
    ScheduleRunNow,
    ScheduleSoonest,
    ScheduleTick,
    ScheduleUnregister,
    ScheduleUpdate,
    decode,
)
from anser.types import SCHEDULER_LOCK, Misfire, Overlap
from anser_models import World
from anser_spec.alphabets.base import NAMES, Alphabet, Scope
from anser_spec.seeds.schedules import CHANGES

__all__ = ["ALPHABET"]

MISSED_MAX = 4  # a world in which a schedule fired or missed more than that is not gone on from


def operations(world: World, now: int, size: int) -> Iterator[Op]:
    for name in NAMES[:size]:
        yield from _registers(world, name)
        yield from _updates(name, now)
        yield ScheduleUnregister(schedule=name)
        yield SchedulePause(schedule=name)
        yield ScheduleResume(schedule=name)
        yield ScheduleRunNow(schedule=name)
        yield ScheduleGet(schedule=name)
        yield ScheduleAdopt(schedule=name, tz="UTC", misfire=Misfire.ALL)
        yield ScheduleAdopt(schedule=name, tz="America/New_York", cron="0 * * * *")
    yield ScheduleList()
    yield ScheduleList(after_name="a", limit=1)
    yield ScheduleSoonest()
    yield ScheduleTick()
    yield ScheduleTick(limit=1)
    yield from _leading(world)


def crowd(world: World) -> Iterator[Op]:  # noqa: ARG001 - the same in every world
    yield ScheduleTick()
    yield ScheduleResume(schedule="a")


def _registers(world: World, name: str) -> Iterator[Op]:
    plain: dict[str, Any] = {"schedule": name, "queue": "a", "cron": "@every 1s", "tz": "UTC", "payload": 1}
    yield ScheduleRegister(**plain)
    yield ScheduleRegister(**plain, misfire=Misfire.SKIP, grace_s=0, overlap=Overlap.SKIP)
    row = world.schedules.get(name)
    if row is None or isinstance(row.payload, bytes) or row.payload != "1" or row.error is not None:
        return
    same = {field: getattr(row, field) for field in ScheduleRegister.__slots__ if field not in ("schedule", "payload")}
    yield ScheduleRegister(schedule=name, payload=decode(row.payload), **same)


def _updates(name: str, now: int) -> Iterator[Op]:
    every: tuple[dict[str, Any], ...] = (
        {},
        {"queue": "b", "payload": 1},
        {"cron": "@every 2s"},
        {"tz": "America/New_York"},
        {"start_at": now + 1},
        {"end_at": now},
        {"end_at": None},
        {"max_fires": 1},
        {"max_fires": 3, "misfire": "latest"},
    )
    for changes in every:
        yield ScheduleUpdate(schedule=name, changes=changes)


def _leading(world: World) -> Iterator[Op]:
    """By the holder of the lock, by another, with an older fence; and by nobody, where nobody leads."""
    lock = world.locks.get(SCHEDULER_LOCK)
    if lock is None:
        yield ScheduleTick(owner="w1", fence=1)
        return
    yield ScheduleTick(owner=lock.owner, fence=lock.fence)
    yield ScheduleTick(owner="w2", fence=lock.fence)
    yield ScheduleTick(owner=lock.owner, fence=lock.fence + 1)


def fits(world: World, size: int) -> bool:
    rows = world.schedules.values()
    small = all(row.fires + row.missed <= MISSED_MAX for row in rows)
    few = len(rows) <= size and len(world.fires) <= 2 * size and len(world.honker_schedules) <= 2 * size
    return small and few


def starts() -> Iterator[tuple[World, int]]:
    yield from CHANGES


ALPHABET = Alphabet(
    kind="schedules",
    operations=operations,
    crowd=crowd,
    fits=fits,
    starts=starts,
    scopes=(
        Scope(schedules=2, depth=2),
        Scope(schedules=1, depth=3),
        Scope(schedules=1, jobs=1, locks=1, events=2, depth=1, crowds=True),
    ),
)
