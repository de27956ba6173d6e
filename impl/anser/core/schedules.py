"""Schedules: definitions, and the tick that makes jobs of their boundaries. The calendar is `anser.cron`."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from anser.core.rows import schedule_of
from anser.core.tx import Tx
from anser.cron import Every, parse
from anser.errors import Conflict, Invalid, LeaseLost, NotFound
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
    definition_of,
    encode,
)
from anser.types import (
    FIRES_MAX,
    SCHEDULER_LOCK,
    WALK_MAX,
    Bad,
    Change,
    Fired,
    HonkerSchedule,
    Misfire,
    Miss,
    Missed,
    Overlap,
    Registered,
    Schedule,
    Ticked,
)

__all__ = [
    "schedule_adopt",
    "schedule_get",
    "schedule_list",
    "schedule_pause",
    "schedule_register",
    "schedule_resume",
    "schedule_run_now",
    "schedule_soonest",
    "schedule_tick",
    "schedule_unregister",
    "schedule_update",
]

_DEFINITION = tuple(field.name for field in fields(ScheduleRegister) if field.name != "schedule")
_STANDING = ("paused", "next_fire_at", "last_fire_at", "fires", "missed", "error")
_ENUMS: dict[str, type[Misfire] | type[Overlap]] = {"misfire": Misfire, "overlap": Overlap}
_STEP = re.compile(r"(?:^|[\s,])\d+/")  # a step behind a single number, as in 5/15

# --- definitions


def schedule_register(tx: Tx, op: ScheduleRegister) -> Registered:
    """SCH-1, SCH-2, SCH-3."""
    given = {name: getattr(op, name) for name in _DEFINITION} | {"payload": encode(op.payload)}
    there = _find(tx, op.schedule)
    if there is not None:
        return _changed(tx, there, given)
    return _created(tx, _new(tx, op.schedule, given))


def schedule_update(tx: Tx, op: ScheduleUpdate) -> Registered:
    """SCH-2, SCH-3."""
    given = dict(op.changes)
    if "payload" in given:
        given["payload"] = encode(given["payload"])
    return _changed(tx, _named(tx, op.schedule), given)


def _new(tx: Tx, name: str, given: Mapping[str, Any]) -> Schedule:
    """A schedule that begins now, of the fields that a definition has."""
    return Schedule(
        name=name,
        paused=False,
        anchor_at=tx.now,
        next_fire_at=None,
        last_fire_at=None,
        fires=0,
        missed=0,
        error=None,
        created_at=tx.now,
        **_as_kept(given),
    )


def _created(tx: Tx, row: Schedule) -> Registered:
    return _written(tx, replace(row, next_fire_at=_next_anew(row, tx.now)), Change.CREATED)


def _as_kept(given: Mapping[str, Any]) -> dict[str, Any]:
    """A word that is given as text is one of the enum."""
    return {name: _ENUMS[name](value) if name in _ENUMS else value for name, value in given.items()}


def _changed(tx: Tx, there: Schedule, given: Mapping[str, Any]) -> Registered:
    """The row with these fields, if one of them is another; it is checked whole before it is written (SCH-2, SCH-3)."""
    changed = {name for name, value in given.items() if getattr(there, name) != value}
    if not changed and there.error is None:
        return Registered(Change.UNCHANGED, there.next_fire_at)
    row = replace(there, error=None, **_as_kept(given))
    if there.error is not None or "cron" in changed or "tz" in changed:
        row = replace(row, anchor_at=tx.now)
    definition_of(row)
    begins = there.error is not None or changed & {"cron", "tz", "start_at"}
    if begins or (there.next_fire_at is None and changed & {"end_at", "max_fires"}):
        row = replace(row, next_fire_at=_next_anew(row, tx.now))
    elif there.next_fire_at is not None and _ends_before(row, there.next_fire_at):
        row = replace(row, next_fire_at=None)
    return _written(tx, row, Change.UPDATED)


def _written(tx: Tx, row: Schedule, change: Change) -> Registered:
    columns = {field.name: getattr(row, field.name) for field in fields(row)}
    tx.run("schedule_write", schedule=columns.pop("name"), **columns)
    return Registered(change, row.next_fire_at)


def _move(tx: Tx, row: Schedule) -> None:
    """Write where the schedule stands, and leave its definition as it is, readable or not."""
    tx.run("schedule_move", schedule=row.name, **{name: getattr(row, name) for name in _STANDING})


def _find(tx: Tx, name: str) -> Schedule | None:
    for row in tx.run("schedule_get", schedule=name):
        return schedule_of(row)
    return None


def _named(tx: Tx, name: str) -> Schedule:
    row = _find(tx, name)
    if row is None:
        raise NotFound(f"there is no schedule {name!r}: see schedules.list")
    return row


def schedule_unregister(tx: Tx, op: ScheduleUnregister) -> bool:
    """SCH-9."""
    tx.run("schedule_unregister_fires", schedule=op.schedule)
    return bool(tx.run("schedule_unregister", schedule=op.schedule))


def schedule_pause(tx: Tx, op: SchedulePause) -> bool:
    """SCH-4."""
    return bool(tx.run("schedule_pause", schedule=op.schedule))


def schedule_resume(tx: Tx, op: ScheduleResume) -> bool:
    """SCH-4. One that cannot be read is left to the tick, which says so."""
    row = _find(tx, op.schedule)
    if row is None or not row.paused:
        return False
    row = replace(row, paused=False)
    if row.next_fire_at is not None and row.next_fire_at <= tx.now and _fault(row) is None:
        at: int | None = row.next_fire_at
        passed = 0
        while at is not None and at <= tx.now and passed < WALK_MAX:
            passed += 1
            at = _next(row, at)
        row = replace(row, missed=row.missed + passed, next_fire_at=_next_anew(row, tx.now))
    _move(tx, row)
    return True


# --- when it fires


def _next(row: Schedule, at: int) -> int | None:
    """The first boundary of the schedule later than `at` (SCH-1)."""
    if row.max_fires is not None and row.fires >= row.max_fires:
        return None
    timetable = parse(row.cron, row.tz, anchor_at=row.anchor_at)
    found = timetable.next_after(at if row.start_at is None else max(at, row.start_at - 1, 0))
    return None if found is None or _ends_before(row, found) else found


def _next_anew(row: Schedule, now: int) -> int | None:
    """The first boundary from now on, and never one that was fired already (SCH-3)."""
    return _next(row, now if row.last_fire_at is None else max(now, row.last_fire_at))


def _ends_before(row: Schedule, at: int) -> bool:
    """The schedule has made all its jobs, or is over at that instant."""
    made = row.max_fires is not None and row.fires >= row.max_fires
    return made or (row.end_at is not None and at > row.end_at)


def _jitter_s(row: Schedule, at: int) -> int:
    """The first eight bytes of a SHA-256 of name and boundary, so that who ticks does not matter (SCH-5)."""
    digest = hashlib.sha256(f"{row.name}\n{at}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (row.jitter_s + 1)


def _fault(row: Schedule) -> str | None:
    """What is wrong with a row that only a foreign hand can have written, or None (SCH-10)."""
    try:
        definition_of(row)
    except Invalid as refusal:
        return str(refusal)
    return None


# --- looking


def schedule_get(tx: Tx, op: ScheduleGet) -> Schedule | None:
    """SCH-9."""
    return _find(tx, op.schedule)


def schedule_list(tx: Tx, op: ScheduleList) -> tuple[Schedule, ...]:
    """SCH-9."""
    return tuple(map(schedule_of, tx.run("schedule_list", after_name=op.after_name, limit=op.limit)))


def schedule_soonest(tx: Tx, op: ScheduleSoonest) -> int | None:  # noqa: ARG001 - it has no arguments
    """SCH-9."""
    ((soonest,),) = tx.run("schedule_soonest")
    return None if soonest is None else max(int(soonest), tx.now)


# --- firing


@dataclass(slots=True)
class _Turn:
    """One schedule's part of a tick."""

    row: Schedule
    fired: list[Fired] = field(default_factory=list)
    missed: Counter[Miss] = field(default_factory=Counter)
    error: str | None = None


def schedule_tick(tx: Tx, op: ScheduleTick) -> Ticked:
    """SCH-5, SCH-6, SCH-10, SCH-11."""
    if op.owner is not None:
        asked = {"lock": SCHEDULER_LOCK, "owner": op.owner, "fence": op.fence, "now": tx.now}
        if not tx.run("schedule_leads", **asked):
            raise LeaseLost(f"the lock {SCHEDULER_LOCK!r} is not held by {op.owner!r} with fence {op.fence}")
    turns = [_turn(tx, schedule_of(row)) for row in tx.run("schedule_due", now=tx.now, limit=op.limit)]
    return Ticked(
        tuple(fired for turn in turns for fired in turn.fired),
        tuple(
            Missed(turn.row.name, reason, turn.missed[reason])
            for turn in turns
            for reason in Miss
            if turn.missed[reason]
        ),
        tuple(Bad(turn.row.name, turn.error) for turn in turns if turn.error is not None),
        bool(tx.run("schedule_due", now=tx.now, limit=1)),
    )


def _turn(tx: Tx, row: Schedule) -> _Turn:
    """Boundary by boundary, each from the one before and never from now, as far as a tick goes (SCH-6)."""
    turn = _Turn(row, error=_fault(row))
    if turn.error is not None:
        _move(tx, replace(row, next_fire_at=None, error=turn.error))
        return turn
    _forget(tx, row)
    at = row.next_fire_at
    for _ in range(WALK_MAX):
        if at is None or at > tx.now or len(turn.fired) == FIRES_MAX:
            break
        following = _next(turn.row, at)
        _pass(tx, turn, at, is_last=following is None or following > tx.now)
        at = None if following is None or _ends_before(turn.row, following) else following
    _move(tx, replace(turn.row, next_fire_at=at))
    return turn


def _pass(tx: Tx, turn: _Turn, at: int, *, is_last: bool) -> None:
    """One boundary: it becomes a job, or is counted for the first reason that there is."""
    row = turn.row
    if tx.run("schedule_fired", schedule=row.name, fire_at=at):
        return
    run_at = max(at + _jitter_s(row, at), tx.now)
    expires_at = None if row.expires_s is None else at + row.expires_s
    reason = _missed(tx, row, at, is_last=is_last)
    if reason is None and expires_at is not None and expires_at <= run_at:
        reason = Miss.EXPIRED
    if reason is None and row.overlap is Overlap.SKIP and _is_running(tx, row):
        reason = Miss.OVERLAP
    if reason is not None:
        turn.missed[reason] += 1
        turn.row = replace(row, missed=row.missed + 1)
        return
    turn.fired.append(Fired(row.name, at, _make(tx, row, at, run_at, expires_at)))
    turn.row = replace(row, fires=row.fires + 1, last_fire_at=at)


def _missed(tx: Tx, row: Schedule, at: int, *, is_last: bool) -> Miss | None:
    """Why the boundary came due too long ago, if it did (SCH-6)."""
    if row.misfire is Misfire.SKIP and tx.now - at > row.grace_s:
        return Miss.LATE
    return Miss.SUPERSEDED if row.misfire is Misfire.LATEST and not is_last else None


def _is_running(tx: Tx, row: Schedule) -> bool:
    """SCH-7."""
    return any(reason is None for _, reason in tx.run("schedule_running", **_window(row), now=tx.now))


def _forget(tx: Tx, row: Schedule) -> None:
    """What the schedule knows of jobs that are live no more: it needs none of it (SCH-7)."""
    tx.run("schedule_forget", **_window(row))


def _window(row: Schedule) -> dict[str, Any]:
    return {"schedule": row.name, "limit": WALK_MAX}


def _make(tx: Tx, row: Schedule, fire_at: int | None, run_at: int, expires_at: int | None) -> int:
    id = tx.insert(
        "enqueue",
        queue=row.queue,
        payload=row.payload,
        priority=row.priority,
        run_at=run_at,
        max_attempts=row.max_attempts,
        max_lapses=row.max_lapses,
        now=tx.now,
        expires_at=expires_at,
        unique_key=None,
    )
    tx.run("schedule_fire", job_id=id, schedule=row.name, fire_at=fire_at)
    return id


def schedule_run_now(tx: Tx, op: ScheduleRunNow) -> int | None:
    """SCH-7, SCH-9."""
    row = _named(tx, op.schedule)
    definition_of(row)
    _forget(tx, row)
    if row.overlap is Overlap.SKIP and _is_running(tx, row):
        return None
    return _make(tx, row, None, tx.now, None if row.expires_s is None else tx.now + row.expires_s)


# --- taking over


def schedule_adopt(tx: Tx, op: ScheduleAdopt) -> Registered:
    """SCH-12."""
    found = tx.run("schedule_adoptable", schedule=op.schedule)
    if not found:
        raise NotFound(f"honker has no schedule {op.schedule!r} in this file")
    if _find(tx, op.schedule) is not None:
        raise Conflict(f"there is a schedule {op.schedule!r} already: unregister it first")
    theirs = HonkerSchedule(*found[0])
    row = _adopted(tx, op, theirs)
    definition_of(row)
    if op.cron is None and _reads_otherwise(row.cron):
        raise Invalid("cron", row.cron, "honker reads it otherwise: pass the cron that is meant, by the rules CRN")
    timetable = parse(row.cron, row.tz, anchor_at=tx.now)
    if isinstance(timetable, Every):
        row = replace(row, anchor_at=theirs.next_fire_at % timetable.every_s)
    tx.run("schedule_adopted", schedule=op.schedule)
    if theirs.next_fire_at > 0 and _next(row, theirs.next_fire_at - 1) == theirs.next_fire_at:
        return _written(tx, row, Change.CREATED)
    return _created(tx, row)


def _adopted(tx: Tx, op: ScheduleAdopt, theirs: HonkerSchedule) -> Schedule:
    """Honker's row as a definition of ours, with what it has no column for."""
    given = {
        "queue": theirs.queue,
        "cron": theirs.cron_expr if op.cron is None else op.cron,
        "tz": op.tz,
        "payload": theirs.payload,
        "priority": theirs.priority,
        "max_attempts": theirs.max_attempts,
        "max_lapses": 5,
        "expires_s": theirs.expires_s,
        "misfire": op.misfire,
        "grace_s": op.grace_s,
        "overlap": op.overlap,
        "jitter_s": 0,
        "start_at": None,
        "end_at": None,
        "max_fires": None,
    }
    row = _new(tx, op.schedule, given)
    return replace(row, paused=theirs.enabled != 1, next_fire_at=theirs.next_fire_at)


def _reads_otherwise(cron: str) -> bool:
    """A step behind a number is that number alone in honker, and of two day fields it wants both (E17)."""
    if cron.lstrip().startswith("@"):
        return False
    texts = cron.split()
    return bool(_STEP.search(cron)) or (texts[-3] != "*" and texts[-1] != "*")


VERBS = (
    schedule_register,
    schedule_update,
    schedule_unregister,
    schedule_pause,
    schedule_resume,
    schedule_run_now,
    schedule_get,
    schedule_list,
    schedule_soonest,
    schedule_tick,
    schedule_adopt,
)
