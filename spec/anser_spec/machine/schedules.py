"""Schedules by two names: registered anew, changed, paused, led by a lock, and ticked at the edges of what is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from anser.ops import (
    LockAcquire,
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
)
from anser.types import DELAY_MAX_S, INSTANT_MAX, JITTER_MAX_S, LIST_MAX, SCHEDULER_LOCK, Lock, Misfire, Overlap
from anser_spec.machine.base import Family, Machine, rule_of
from anser_spec.machine.values import LEASES, LIMITS, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.schedules import CROWDS, FALL_BACK_AT, SEEDS, SPRING_FORWARD_AT

__all__ = ["FAMILY", "Schedules"]

NAME = "schedules"
NAMES = ("a", "b", *QUEUES[2:])
CRONS = ("@every 1s", "@every 20s", "@every 1m", "* * * * *", "*/30 1 * * *", "30 2 * * *", "0,30 * * * * *", "@hourly")
ZONES = ("UTC", "America/New_York", "Australia/Lord_Howe")
OUTLIVED_S = 8_000
PLAIN: dict[str, Any] = {"schedule": "a", "queue": "a", "cron": "* * * * *", "tz": "UTC", "payload": 1}

INVALID: tuple[Op, ...] = (
    ScheduleRegister(**PLAIN | {"schedule": ""}),
    ScheduleRegister(**PLAIN | {"queue": "q\n"}),
    ScheduleRegister(**PLAIN | {"cron": "* * * *"}),
    ScheduleRegister(**PLAIN | {"cron": "0 0 30 2 *"}),
    ScheduleRegister(**PLAIN | {"tz": "Mars/Base"}),
    ScheduleRegister(**PLAIN | {"payload": "\ud800"}),
    ScheduleRegister(**PLAIN | {"misfire": "never"}),
    ScheduleRegister(**PLAIN | {"overlap": "maybe"}),
    ScheduleRegister(**PLAIN | {"grace_s": -1}),
    ScheduleRegister(**PLAIN | {"jitter_s": JITTER_MAX_S + 1}),
    ScheduleRegister(**PLAIN | {"start_at": 5, "end_at": 4}),
    ScheduleRegister(**PLAIN | {"end_at": INSTANT_MAX + 1}),
    ScheduleRegister(**PLAIN | {"max_fires": 0}),
    ScheduleUpdate(schedule="a", changes={"schedule": "b"}),
    ScheduleUpdate(schedule="a", changes={"cron": None}),
    ScheduleUnregister(schedule=""),
    ScheduleTick(owner="w1"),
    ScheduleTick(fence=1),
    ScheduleTick(limit=LIST_MAX + 1),
    ScheduleAdopt(schedule="a", tz=""),
)


class Schedules(Machine):
    """Two names that are registered again and again, and time that meets their boundaries."""

    def begun(self, first: int) -> None:
        """What only a seed has is looked at before anything else: rows of honker's, and rows that are wrong."""
        super().begun(first)
        for theirs in sorted(self.world.honker_schedules):
            self.schedule_adopt(theirs, first)
        if self.world.schedules and first % 4 != 3:
            self.do(ScheduleTick(limit=one_of(LIMITS[1:], first)))

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (row.next_fire_at for row in self.world.schedules.values() if row.next_fire_at is not None)

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def schedule(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them, each some steps long: each rule more makes the others rarer."""
        name = one_of(NAMES if how % 16 == 15 else NAMES[:2], which)
        if self.world.honker_schedules and kind % 2:
            for theirs in sorted(self.world.honker_schedules):
                self.schedule_adopt(theirs, how)
        if kind % 8 < 2 or not self.world.schedules:
            self.schedule_register(name, kind // 8, how)
        elif kind % 8 < 4:
            self.schedule_tick(which, kind // 8, how)
        elif kind % 8 < 6:
            self.schedule_update(name, kind // 8, how)
        elif kind % 8 == 6:
            self.schedule_word(name, kind // 8, how)
        else:
            self.schedule_looks(name, how)

    def schedule_register(self, name: str, which: int, how: int) -> None:
        """Mostly a plain one; now and then with all that can be said, or near a change of the clocks."""
        op = ScheduleRegister(
            schedule=name,
            queue=one_of(QUEUES, which),
            cron=one_of(CRONS, how),
            tz=one_of(ZONES, how // 8),
            payload=how % 2,
            misfire=one_of(tuple(Misfire), which),
            grace_s=one_of((60, 0, 1, DELAY_MAX_S), how // 16),
            overlap=one_of(tuple(Overlap), how // 2),
            expires_s=one_of((None, 1, None, 60), which // 3),
            jitter_s=one_of((0, 5, 0, JITTER_MAX_S), which // 2),
            start_at=one_of((None, None, None, self.now + 2), which // 8),
            end_at=one_of((None, None, None, self.now + 3_600), which // 16),
            max_fires=one_of((None, None, 1, 2), which // 32),
        )
        if how % 32 == 31:
            self.go_to(one_of((FALL_BACK_AT, SPRING_FORWARD_AT), which) - one_of((1, 60, 3_600), which // 2))
        self.do(op)
        if how % 4 == 3:
            self.do(op)
            self.do(replace(op, payload=None, priority=which % 3))

    def schedule_tick(self, which: int, kind: int, how: int) -> None:
        """At a boundary, beside it, or long after it; by a leader, by one that was, or by whoever it is."""
        self.schedule_outlived()
        ahead = [row.next_fire_at for row in self.world.schedules.values() if row.next_fire_at is not None]
        if ahead and how % 4:
            self.go_to(one_of(ahead, which) + one_of((0, 2, 1, -1, 0, 61, 70, 3_700), how // 4))
        limit = one_of((100, 1), kind // 16)
        self.do(ScheduleTick(limit=limit))
        if kind % 4 > 1:
            return
        lock = self.do(LockAcquire(lock=SCHEDULER_LOCK, owner=one_of(WORKERS[:2], which), ttl_s=one_of(LEASES, how)))
        there = lock if isinstance(lock, Lock) else self.world.locks.get(SCHEDULER_LOCK)
        if there is not None:
            owner, fence = one_of(((there.owner, 0), (there.owner, 1), (there.owner, 0), ("w3", 0)), kind // 4)
            self.do(ScheduleTick(owner=owner, fence=there.fence + fence, limit=limit))

    def schedule_outlived(self) -> None:
        """What is due since long ago is forgotten: the model would walk every boundary of it."""
        for name, row in sorted(self.world.schedules.items()):
            due = row.next_fire_at is not None and row.next_fire_at < self.now - OUTLIVED_S
            if due and not row.cron.startswith("@every"):
                self.do(ScheduleUnregister(schedule=name))

    def schedule_update(self, name: str, which: int, how: int) -> None:
        """What moves the next boundary, and what does not; mostly of one that there is."""
        every: tuple[dict[str, Any], ...] = (
            {"cron": one_of(CRONS, how), "tz": one_of(ZONES, how // 8)},
            {"start_at": one_of((None, self.now, self.now + 60), how)},
            {"end_at": one_of((None, self.now, self.now + 60), how)},
            {"max_fires": one_of((None, 1, 2), how), "overlap": one_of(tuple(Overlap), how)},
        )
        for there in (name, one_of(sorted(self.world.schedules), how)):
            self.do(ScheduleUpdate(schedule=there, changes=one_of(every, which)))
            self.do(ScheduleUpdate(schedule=there, changes={"payload": how % 4, "queue": one_of(QUEUES, how)}))

    def schedule_word(self, name: str, which: int, how: int) -> None:
        """A pause and its end, now and then with boundaries between; a job at once; and the end of a schedule."""
        there = one_of(sorted(self.world.schedules), how)
        if which % 4 < 2:
            for one in (name, there):
                self.do(SchedulePause(schedule=one))
            self.go_to(self.now + one_of((0, 1, 60, 3_600), how))
            self.schedule_outlived()
            if which % 8:
                self.do(ScheduleResume(schedule=name))
                self.do(ScheduleResume(schedule=there))
        elif which % 4 == 2:
            for one in (name, there, there):
                self.do(ScheduleRunNow(schedule=one))
        else:
            self.do(ScheduleUnregister(schedule=name))
            self.do(ScheduleUnregister(schedule=name))

    def schedule_looks(self, name: str, how: int) -> None:
        self.do(ScheduleGet(schedule=name))
        self.do(ScheduleSoonest())
        self.do(ScheduleList(after_name=one_of(("", *NAMES), how), limit=one_of(LIMITS, how)))
        self.schedule_adopt(name, how)

    def schedule_adopt(self, name: str, how: int) -> None:
        """As it is, or with another expression, of which the next fire may be no boundary."""
        cron = one_of((None, None, None, "30 * * * *"), how // 4)
        self.do(
            ScheduleAdopt(schedule=name, tz=one_of(ZONES, how // 16), cron=cron, misfire=one_of(tuple(Misfire), how))
        )


FAMILY = Family(NAME, Schedules, INVALID, (*SEEDS.values(), *CROWDS.values()), Schedules.schedule)
