"""Schedules: registered, paused, ticked, and taken over from honker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from anser.cron import parse
from anser.errors import Invalid
from anser.ops import checks
from anser.ops.base import Op
from anser.ops.payload import decode
from anser.types import (
    DELAY_MAX_S,
    INSTANT_MAX,
    INTEGER_MAX,
    JITTER_MAX_S,
    LIST_MAX,
    NAME_MAX_BYTES,
    PRIORITY_MAX,
    TRIES_MAX,
    Misfire,
    Overlap,
    Schedule,
)

__all__ = [
    "ScheduleAdopt",
    "ScheduleGet",
    "ScheduleList",
    "SchedulePause",
    "ScheduleRegister",
    "ScheduleResume",
    "ScheduleRunNow",
    "ScheduleSoonest",
    "ScheduleTick",
    "ScheduleUnregister",
    "ScheduleUpdate",
    "definition_of",
]


def _misfire(value: Any) -> Any:
    """A word that is none stays, so that the check can refuse it by name."""
    return Misfire(value) if value in list(Misfire) else value


def _overlap(value: Any) -> Any:
    """A word that is none stays, so that the check can refuse it by name."""
    return Overlap(value) if value in list(Overlap) else value


def _check_misfire(misfire: object, grace_s: object, overlap: object) -> None:
    if misfire not in list(Misfire):
        raise Invalid("misfire", misfire, f"pass one of {', '.join(Misfire)}")
    checks.whole("grace_s", grace_s, 0, DELAY_MAX_S)
    if overlap not in list(Overlap):
        raise Invalid("overlap", overlap, f"pass one of {', '.join(Overlap)}")


def _check_cron(cron: str, tz: str) -> None:
    try:
        parse(cron, tz, anchor_at=0)
    except Invalid as refusal:
        argument = "cron" if refusal.argument == "expr" else refusal.argument
        raise Invalid(argument, refusal.value, refusal.remedy) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRegister(Op):
    """Let jobs be made at the boundaries of `cron` by the clocks of `tz`. Answers `Registered`.

    The definition that is there already changes nothing. `expires_s` counts from the boundary, `grace_s` is how late
    one may be with misfire `skip`, `jitter_s` is up to how much later than its boundary a job is due. Rules: SCH-1,
    SCH-2, SCH-3, SCH-5, SCH-7, SCH-8.
    """

    name: ClassVar[str] = "schedule_register"
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"misfire": _misfire, "overlap": _overlap}
    schedule: str
    queue: str
    cron: str
    tz: str
    payload: Any
    priority: int = 0
    max_attempts: int = 3
    max_lapses: int = 5
    expires_s: int | None = None
    misfire: Misfire = Misfire.LATEST
    grace_s: int = 60
    overlap: Overlap = Overlap.ALLOW
    jitter_s: int = 0
    start_at: int | None = None
    end_at: int | None = None
    max_fires: int | None = None

    def check(self) -> None:
        checks.name("schedule", self.schedule)
        checks.name("queue", self.queue)
        _check_cron(self.cron, self.tz)
        checks.whole("priority", self.priority, -PRIORITY_MAX, PRIORITY_MAX)
        checks.whole("max_attempts", self.max_attempts, 1, TRIES_MAX)
        checks.whole("max_lapses", self.max_lapses, 0, TRIES_MAX)
        if self.expires_s is not None:
            checks.whole("expires_s", self.expires_s, 1, DELAY_MAX_S)
        _check_misfire(self.misfire, self.grace_s, self.overlap)
        checks.whole("jitter_s", self.jitter_s, 0, JITTER_MAX_S)
        if self.start_at is not None:
            checks.whole("start_at", self.start_at, 0, INSTANT_MAX)
        if self.end_at is not None:
            checks.whole("end_at", self.end_at, 0, INSTANT_MAX)
            if self.start_at is not None and self.end_at < self.start_at:
                raise Invalid("end_at", self.end_at, f"it ends before it starts, at {self.start_at}")
        if self.max_fires is not None:
            checks.whole("max_fires", self.max_fires, 1, INTEGER_MAX)


_CHANGEABLE = tuple(field.name for field in fields(ScheduleRegister) if field.name != "schedule")


def definition_of(row: Schedule) -> ScheduleRegister:
    """The definition that a row holds. Raises `Invalid` for what only a foreign hand can have written (SCH-10)."""
    try:
        given = {name: getattr(row, name) for name in _CHANGEABLE if name != "payload"}
        definition = ScheduleRegister(schedule=row.name, payload=decode(row.payload), **given)
    except ValueError as error:
        raise Invalid("payload", row.payload, str(error)) from None
    definition.check()
    for argument in ("anchor_at", "next_fire_at", "last_fire_at"):
        if (at := getattr(row, argument)) is not None:
            checks.whole(argument, at, 0, INSTANT_MAX)
    return definition


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named(Op):
    """What is done to one schedule by its name."""

    schedule: str

    def check(self) -> None:
        checks.name("schedule", self.schedule)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleUpdate(_Named):
    """Change these fields of a definition, by name, and no others. Answers `Registered`; refused with `NotFound`.

    Rules: SCH-2, SCH-3.
    """

    name: ClassVar[str] = "schedule_update"
    changes: dict[str, Any]

    def check(self) -> None:
        _Named.check(self)
        if not isinstance(self.changes, dict):
            raise Invalid("changes", self.changes, "pass a dict of fields and their new values")
        for field in self.changes:
            if field not in _CHANGEABLE:
                raise Invalid("changes", field, f"pass fields of a schedule: {', '.join(_CHANGEABLE)}")
        plain: dict[str, Any] = {"queue": "plain", "cron": "* * * * *", "tz": "UTC", "payload": None}
        ScheduleRegister(schedule=self.schedule, **(plain | self.changes)).check()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleUnregister(_Named):
    """Forget the schedule; its jobs stay. Answers whether there was one. Rules: SCH-9."""

    name: ClassVar[str] = "schedule_unregister"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePause(_Named):
    """Let the schedule fire nothing until it is resumed. Answers whether that changed anything. Rules: SCH-4."""

    name: ClassVar[str] = "schedule_pause"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleResume(_Named):
    """Let it fire again, from its next boundary on. Answers whether that changed anything. Rules: SCH-4."""

    name: ClassVar[str] = "schedule_resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRunNow(_Named):
    """Make a job of the schedule now, outside of its boundaries. Answers the job's id, or None where one is live.

    Refused with `NotFound`. Rules: SCH-7, SCH-9.
    """

    name: ClassVar[str] = "schedule_run_now"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleGet(_Named):
    """Look a schedule up. Answers `Schedule`, or None. Writes nothing. Rules: SCH-9."""

    name: ClassVar[str] = "schedule_get"
    writes: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleList(Op):
    """The schedules by name, after `after_name`. Answers a tuple of `Schedule`. Writes nothing. Rules: SCH-9."""

    name: ClassVar[str] = "schedule_list"
    writes: ClassVar[bool] = False
    after_name: str = ""
    limit: int = 100

    def check(self) -> None:
        checks.text("after_name", self.after_name, NAME_MAX_BYTES)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSoonest(Op):
    """The instant, now at the earliest, from which on a tick has something to do; None for never.

    Writes nothing. Rules: SCH-9.
    """

    name: ClassVar[str] = "schedule_soonest"
    writes: ClassVar[bool] = False

    def check(self) -> None:
        """It has no arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleTick(Op):
    """Fire what has come due, of up to `limit` schedules. Answers `Ticked`.

    With `owner` and `fence` it is refused with `LeaseLost` unless they hold the lock `scheduler` at this instant. The
    jobs, the counts and the next boundaries are one step. Rules: SCH-5, SCH-6, SCH-7, SCH-8, SCH-10, SCH-11.
    """

    name: ClassVar[str] = "schedule_tick"
    owner: str | None = None
    fence: int | None = None
    limit: int = 100

    def check(self) -> None:
        if self.owner is not None or self.fence is not None:
            checks.name("owner", self.owner)
            checks.whole("fence", self.fence, 1, INTEGER_MAX)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleAdopt(_Named):
    """Take a schedule over from honker into the zone `tz`. Answers `Registered`.

    `cron` stands in for an expression that honker reads otherwise. Refused with `NotFound`, with `Conflict` while a
    schedule has the name, with `Invalid` for a row that cannot be one here. Rules: SCH-12.
    """

    name: ClassVar[str] = "schedule_adopt"
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"misfire": _misfire, "overlap": _overlap}
    cron: str | None = None
    tz: str
    misfire: Misfire = Misfire.LATEST
    grace_s: int = 60
    overlap: Overlap = Overlap.ALLOW

    def check(self) -> None:
        _Named.check(self)
        _check_cron("* * * * *" if self.cron is None else self.cron, self.tz)
        _check_misfire(self.misfire, self.grace_s, self.overlap)


OPS: tuple[type[Op], ...] = (
    ScheduleRegister,
    ScheduleUpdate,
    ScheduleUnregister,
    SchedulePause,
    ScheduleResume,
    ScheduleRunNow,
    ScheduleGet,
    ScheduleList,
    ScheduleSoonest,
    ScheduleTick,
    ScheduleAdopt,
)
