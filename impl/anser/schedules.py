"""Schedules as their users hold them: `db.schedules`. What fires them is `anser.scheduler`."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from anser.errors import Invalid
from anser.home import Home, Tx
from anser.ops import (
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
from anser.types import Misfire, Overlap, Registered, Schedule, Ticked

__all__ = ["ScheduleChanges", "ScheduleOptions", "Schedules"]


class ScheduleOptions(TypedDict, total=False):
    """What a registration may say beside queue, expression, zone and payload; see `anser.ops.ScheduleRegister`."""

    priority: int
    max_attempts: int
    max_lapses: int
    expires_s: int | None
    misfire: Misfire
    grace_s: int
    overlap: Overlap
    jitter_s: int
    start_at: int | None
    end_at: int | None
    max_fires: int | None


_OPTIONS = ScheduleOptions.__annotations__.keys()


class ScheduleChanges(ScheduleOptions, total=False):
    """What an update may change."""

    queue: str
    cron: str
    tz: str
    payload: Any


class Schedules:
    """The schedules of a file. Methods are the operations of `anser.ops`, each atomic, with `tx` part of the caller's.

    Durations are whole seconds, instants whole epoch seconds. Nothing here waits or fires by itself.
    """

    def __init__(self, database: Home) -> None:
        self.database = database

    def __repr__(self) -> str:
        return f"<Schedules of {self.database.path!r}>"

    def register(
        self,
        name: str,
        *,
        queue: str,
        cron: str,
        tz: str,
        payload: Any,
        tx: Tx = None,
        **options: Unpack[ScheduleOptions],
    ) -> Registered:
        """Let jobs be made at the boundaries of `cron` by the clocks of `tz`; what is there stays (SCH-1, SCH-2).

        Raises `Invalid` for an expression or a zone that there is not, and for any other wrong argument.
        """
        if not options.keys() <= _OPTIONS:
            unknown = min(options.keys() - _OPTIONS)
            raise Invalid(unknown, dict(options)[unknown], f"pass one of {', '.join(ScheduleOptions.__annotations__)}")
        op = ScheduleRegister(schedule=name, queue=queue, cron=cron, tz=tz, payload=payload, **options)
        registered: Registered = self.database.run(op, tx)
        return registered

    def update(self, name: str, *, tx: Tx = None, **changes: Unpack[ScheduleChanges]) -> Registered:
        """Change the fields that are given, and no others (SCH-3). Raises `NotFound`."""
        registered: Registered = self.database.run(ScheduleUpdate(schedule=name, changes=dict(changes)), tx)
        return registered

    def unregister(self, name: str, *, tx: Tx = None) -> bool:
        """Forget it, and leave its jobs; answers whether there was one (SCH-9)."""
        forgot: bool = self.database.run(ScheduleUnregister(schedule=name), tx)
        return forgot

    def pause(self, name: str, *, tx: Tx = None) -> bool:
        """Let it fire nothing until it is resumed; answers whether that changed anything (SCH-4)."""
        paused: bool = self.database.run(SchedulePause(schedule=name), tx)
        return paused

    def resume(self, name: str, *, tx: Tx = None) -> bool:
        """Let it fire from its next boundary on; answers whether that changed anything (SCH-4)."""
        resumed: bool = self.database.run(ScheduleResume(schedule=name), tx)
        return resumed

    def run_now(self, name: str, *, tx: Tx = None) -> int | None:
        """Make a job of it now; answers its id, or None where a job of it is live and they may not overlap (SCH-7).

        Raises `NotFound`.
        """
        id: int | None = self.database.run(ScheduleRunNow(schedule=name), tx)
        return id

    def get(self, name: str, *, tx: Tx = None) -> Schedule | None:
        """The schedule as it stands, or None (SCH-9)."""
        schedule: Schedule | None = self.database.run(ScheduleGet(schedule=name), tx)
        return schedule

    def list(self, *, after_name: str = "", limit: int = 100, tx: Tx = None) -> tuple[Schedule, ...]:
        """A page of the schedules, by name (SCH-9)."""
        schedules: tuple[Schedule, ...] = self.database.run(ScheduleList(after_name=after_name, limit=limit), tx)
        return schedules

    def soonest(self, *, tx: Tx = None) -> int | None:
        """When a tick has something to do, now at the earliest; None for never (SCH-9)."""
        soonest: int | None = self.database.run(ScheduleSoonest(), tx)
        return soonest

    def tick(self, *, owner: str | None = None, fence: int | None = None, limit: int = 100, tx: Tx = None) -> Ticked:
        """Fire what has come due (SCH-5, SCH-6). Whoever runs several schedulers ticks by `anser.Scheduler`.

        With `owner` and `fence` it raises `LeaseLost` unless they hold the lock `scheduler` (SCH-11).
        """
        ticked: Ticked = self.database.run(ScheduleTick(owner=owner, fence=fence, limit=limit), tx)
        return ticked

    def adopt(
        self,
        name: str,
        *,
        tz: str,
        cron: str | None = None,
        misfire: Misfire = Misfire.LATEST,
        grace_s: int = 60,
        overlap: Overlap = Overlap.ALLOW,
        tx: Tx = None,
    ) -> Registered:
        """Take honker's schedule of that name over into the zone (SCH-12).

        `cron` says what is meant where honker reads the expression otherwise. Raises `NotFound`, `Conflict`, `Invalid`.
        """
        op = ScheduleAdopt(schedule=name, tz=tz, cron=cron, misfire=misfire, grace_s=grace_s, overlap=overlap)
        registered: Registered = self.database.run(op, tx)
        return registered
