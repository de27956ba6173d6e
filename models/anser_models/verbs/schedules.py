"""Schedules: jobs that are due again and again, at the boundaries of a timetable."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from anser.errors import Conflict, Invalid, LeaseLost, NotFound, StorageError
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
    EventKind,
    Fire,
    Fired,
    Job,
    Misfire,
    Miss,
    Missed,
    Overlap,
    Registered,
    Schedule,
    State,
    Ticked,
)
from anser_models import calendar
from anser_models.draft import Draft
from anser_models.predicates import doom, locked_by, ripe
from anser_models.quirks import PROCESS_TZ, Quirk
from anser_models.verbs import schedules_honker
from anser_models.verbs.moves import give_id
from anser_models.verbs.telling import tell

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "schedule_register.created": "SCH-1",
    "schedule_register.unchanged": "SCH-2",
    "schedule_register.kept": "SCH-3",
    "schedule_register.recomputed": "SCH-3",
    "schedule_update.unchanged": "SCH-2",
    "schedule_update.kept": "SCH-3",
    "schedule_update.recomputed": "SCH-3",
    "schedule_unregister.forgot": "SCH-9",
    "schedule_unregister.nothing": "SCH-9",
    "schedule_pause.paused": "SCH-4",
    "schedule_pause.nothing": "SCH-4",
    "schedule_resume.resumed": "SCH-4",
    "schedule_resume.missed": "SCH-4",
    "schedule_resume.nothing": "SCH-4",
    "schedule_run_now.ran": "SCH-9",
    "schedule_run_now.overlap": "SCH-7",
    "schedule_get.found": "SCH-9",
    "schedule_get.nothing": "SCH-9",
    "schedule_soonest.now": "SCH-9",
    "schedule_soonest.later": "SCH-9",
    "schedule_soonest.never": "SCH-9",
    "schedule_tick.fired": "SCH-5",
    "schedule_tick.nothing": "SCH-5",
    "schedule_tick.ended": "SCH-1",
    "schedule_tick.fired_before": "SCH-5",
    "schedule_tick.late": "SCH-6",
    "schedule_tick.superseded": "SCH-6",
    "schedule_tick.expired": "SCH-8",
    "schedule_tick.overlap": "SCH-7",
    "schedule_tick.bad": "SCH-10",
    "schedule_tick.more": "SCH-6",
    "schedule_tick.led": "SCH-11",
    "schedule_tick.lost": "SCH-11",
    "schedule_adopt.kept": "SCH-12",
    "schedule_adopt.recomputed": "SCH-12",
}

LOOSE = {
    Quirk.D04_ZONE_OF_PROCESS: {"tz"},
    Quirk.E08_NO_ATTEMPTS: {"max_attempts"},
    Quirk.E17_OTHER_DIALECT: {"cron"},
    Quirk.E21_PAST_RUN_AT: {"expires_s"},
}

TIMETABLE = ("cron", "tz", "start_at")  # a change of one of these is another timetable
BOUNDS = ("end_at", "max_fires")


# --- when it fires


def boundary_after(draft: Draft, row: Schedule, at: int) -> int | None:
    """The first boundary of the schedule later than `at`, if it still has one (SCH-1)."""
    if row.max_fires is not None and row.fires >= row.max_fires:
        return None
    if row.start_at is not None:
        at = max(at, row.start_at - 1)
    found = schedules_honker.next_after(draft.quirks, row, at)
    return None if found is None or (row.end_at is not None and found > row.end_at) else found


def anew(draft: Draft, row: Schedule) -> int | None:
    """The next boundary from now on, and never one that was fired already (SCH-3)."""
    return boundary_after(draft, row, max(draft.now, -1 if row.last_fire_at is None else row.last_fire_at))


def jitter_s(row: Schedule, boundary: int) -> int:
    """How much later than its boundary a job is due, the same whoever reckons (SCH-5)."""
    digest = hashlib.sha256(f"{row.name}\n{boundary}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (row.jitter_s + 1)


# --- definitions


def schedule_register(draft: Draft, op: ScheduleRegister) -> Registered:
    payload = encode(op.payload)
    wanted = {field.name: getattr(op, field.name) for field in fields(op) if field.name != "schedule"}
    wanted = _as_kept(draft, wanted | {"payload": payload})
    there = draft.world.schedules.get(op.schedule)
    if there is not None:
        return _change(draft, op, there, wanted)
    row = Schedule(
        name=op.schedule,
        paused=False,
        anchor_at=draft.now,
        next_fire_at=None,
        last_fire_at=None,
        fires=0,
        missed=0,
        error=None,
        created_at=draft.now,
        **wanted,
    )
    _check(draft, row, wanted)
    draft.took("schedule_register.created")
    return _keep(draft, replace(row, next_fire_at=anew(draft, row)), Change.CREATED)


def schedule_update(draft: Draft, op: ScheduleUpdate) -> Registered:
    wanted = dict(op.changes)
    if "payload" in wanted:
        wanted["payload"] = encode(wanted["payload"])
    row = _named(draft, op.schedule)
    return _change(draft, op, row, _as_kept(draft, wanted))


def _as_kept(draft: Draft, wanted: dict[str, Any]) -> dict[str, Any]:
    """Words of an argument are the enums that a row holds."""
    kept: dict[str, Callable[[Any], Any]] = {"misfire": Misfire, "overlap": Overlap}
    if draft.has(Quirk.E08_NO_ATTEMPTS):
        kept["max_attempts"] = partial(max, 1)
    return {name: kept[name](value) if name in kept else value for name, value in wanted.items()}


def _change(draft: Draft, op: ScheduleRegister | ScheduleUpdate, there: Schedule, wanted: dict[str, Any]) -> Registered:
    """What is equal stays; another timetable begins from now on, anything else keeps the boundary (SCH-2, SCH-3)."""
    changed = {name for name, value in wanted.items() if getattr(there, name) != value}
    recounts = draft.has(Quirk.E11_REGISTER_RECOUNTS) and "cron" in wanted
    if not changed and there.error is None and not recounts:
        draft.took(f"{op.name}.unchanged")
        return Registered(Change.UNCHANGED, there.next_fire_at)
    row = replace(there, error=None, **wanted)
    if changed & {"cron", "tz"} or there.error is not None or recounts:
        row = replace(row, anchor_at=draft.now)
    _check(draft, row, wanted)
    begins = changed & set(TIMETABLE) or there.error is not None or recounts
    continues = changed & set(BOUNDS) and there.next_fire_at is None
    if begins or continues:
        draft.took(f"{op.name}.recomputed")
        row = replace(row, next_fire_at=anew(draft, row))
    else:
        draft.took(f"{op.name}.kept")
        if _is_beyond(row):
            row = replace(row, next_fire_at=None)
    return _keep(draft, row, Change.UPDATED)


def _check(draft: Draft, row: Schedule, wanted: Collection[str]) -> None:
    """Refuse fields that do not fit each other. honker asks only for a boundary of an expression that it is given."""
    if not draft.has(Quirk.E17_OTHER_DIALECT):
        definition_of(_in_zone(draft, row))
    elif "cron" in wanted and schedules_honker.next_after(draft.quirks, row, draft.now) is None:
        raise Invalid("cron", row.cron, "pass one that honker takes, and that fires")


def _in_zone(draft: Draft, row: Schedule) -> Schedule:
    return replace(row, tz=PROCESS_TZ) if draft.has(Quirk.D04_ZONE_OF_PROCESS) else row


def _is_beyond(row: Schedule) -> bool:
    """The boundary that the schedule waits for is none of its own any more."""
    if row.max_fires is not None and row.fires >= row.max_fires:
        return True
    return row.end_at is not None and row.next_fire_at is not None and row.next_fire_at > row.end_at


def _keep(draft: Draft, row: Schedule, change: Change) -> Registered:
    draft.world.schedules[row.name] = row
    return Registered(change, row.next_fire_at)


def _named(draft: Draft, name: str) -> Schedule:
    row = draft.world.schedules.get(name)
    if row is None:
        raise NotFound
    return row


def schedule_unregister(draft: Draft, op: ScheduleUnregister) -> bool:
    """The schedule and what it knows of its jobs; the jobs themselves stay (SCH-9)."""
    there = draft.world.schedules.pop(op.schedule, None)
    for id in [id for id, fire in draft.world.fires.items() if fire.schedule == op.schedule]:
        del draft.world.fires[id]
    draft.took("schedule_unregister.forgot" if there else "schedule_unregister.nothing")
    return there is not None


def schedule_pause(draft: Draft, op: SchedulePause) -> bool:
    row = draft.world.schedules.get(op.schedule)
    if row is None or row.paused:
        draft.took("schedule_pause.nothing")
        return False
    draft.took("schedule_pause.paused")
    draft.world.schedules[row.name] = replace(row, paused=True)
    return True


def schedule_resume(draft: Draft, op: ScheduleResume) -> bool:
    """The boundaries that have come due by now are not fired; up to WALK_MAX of them are counted (SCH-4)."""
    row = draft.world.schedules.get(op.schedule)
    if row is None or not row.paused:
        draft.took("schedule_resume.nothing")
        return False
    draft.took("schedule_resume.resumed")
    row = replace(row, paused=False)
    kept = draft.has(Quirk.E13_RESUME_REPLAYS) or _sound(draft, row) is not None
    if row.next_fire_at is not None and ripe(row.next_fire_at, draft.now) and not kept:
        draft.took("schedule_resume.missed")
        passed = 0
        at: int | None = row.next_fire_at
        while at is not None and at <= draft.now and passed < WALK_MAX:
            passed += 1
            at = boundary_after(draft, row, at)
        row = replace(row, missed=row.missed + passed, next_fire_at=anew(draft, row))
    draft.world.schedules[row.name] = row
    return True


def _sound(draft: Draft, row: Schedule) -> str | None:
    """What is wrong with a row, or None (SCH-10)."""
    if draft.has(Quirk.E17_OTHER_DIALECT):
        return schedules_honker.trouble(draft.quirks, row)
    try:
        definition_of(_in_zone(draft, row))
    except Invalid as refusal:
        return str(refusal)
    return None


# --- looking


def schedule_get(draft: Draft, op: ScheduleGet) -> Schedule | None:
    row = draft.world.schedules.get(op.schedule)
    draft.took("schedule_get.found" if row else "schedule_get.nothing")
    return row


def schedule_list(draft: Draft, op: ScheduleList) -> tuple[Schedule, ...]:
    found = [row for name, row in sorted(draft.world.schedules.items()) if name > op.after_name]
    if draft.has(Quirk.E14_BAD_STOPS_ALL) and any(isinstance(row.payload, bytes) for row in found):
        raise StorageError
    return tuple(found[: op.limit])


def schedule_soonest(draft: Draft, op: ScheduleSoonest) -> int | None:  # noqa: ARG001 - it has no arguments
    instants = [row.next_fire_at for row in draft.world.schedules.values() if not row.paused]
    soonest = min((at for at in instants if at is not None), default=None)
    if soonest is None:
        draft.took("schedule_soonest.never")
        return None
    draft.took("schedule_soonest.now" if soonest <= draft.now else "schedule_soonest.later")
    return max(soonest, draft.now)


# --- firing


def schedule_run_now(draft: Draft, op: ScheduleRunNow) -> int | None:
    row = _named(draft, op.schedule)
    definition_of(row)
    _forget(draft, row)
    if row.overlap is Overlap.SKIP and _running(draft, row):
        draft.took("schedule_run_now.overlap")
        return None
    draft.took("schedule_run_now.ran")
    expires_at = None if row.expires_s is None else draft.now + row.expires_s
    return _made(draft, row, None, draft.now, expires_at)


def schedule_tick(draft: Draft, op: ScheduleTick) -> Ticked:
    """All schedules that are due, the longest due first (SCH-5, SCH-6)."""
    if op.owner is not None and op.fence is not None:
        lock = draft.world.locks.get(SCHEDULER_LOCK)
        if lock is None or not locked_by(lock, op.owner, op.fence, draft.now):
            draft.took("schedule_tick.lost")
            raise LeaseLost
        draft.took("schedule_tick.led")
    turns = [_turn(draft, row) for row in _due(draft)[: op.limit]]
    if not turns:
        draft.took("schedule_tick.nothing")
    more = bool(_due(draft))
    if more:
        draft.took("schedule_tick.more")
    return Ticked(
        tuple(fired for turn in turns for fired in turn.fired),
        tuple(Missed(turn.name, reason, count) for turn in turns for reason in Miss if (count := turn.count(reason))),
        tuple(Bad(turn.name, turn.error) for turn in turns if turn.error is not None),
        more,
    )


def _due(draft: Draft) -> list[Schedule]:
    due = [
        (row.next_fire_at, row.name, row)
        for row in draft.world.schedules.values()
        if row.next_fire_at is not None and not row.paused and ripe(row.next_fire_at, draft.now)
    ]
    by_name = draft.has(Quirk.D03_DROPPED_BOUNDARIES)
    return [row for _, _, row in sorted(due, key=lambda each: each[1 if by_name else 0 : 2])]


@dataclass(slots=True)
class _Turn:
    """What a tick does with one schedule."""

    name: str
    fired: list[Fired]
    missed: list[Miss]
    error: str | None = None

    def count(self, reason: Miss) -> int:
        return self.missed.count(reason)


def _turn(draft: Draft, row: Schedule) -> _Turn:
    """The boundaries that are due one after another, as far as a tick goes (SCH-6)."""
    turn = _Turn(row.name, [], [], _sound(draft, row))
    if turn.error is not None:
        draft.took("schedule_tick.bad")
        if draft.has(Quirk.E14_BAD_STOPS_ALL):
            raise StorageError
        draft.world.schedules[row.name] = replace(row, next_fire_at=None, error=turn.error)
        return turn
    _forget(draft, row)
    at = row.next_fire_at
    for _ in range(WALK_MAX):
        if at is None or at > draft.now or len(turn.fired) == FIRES_MAX:
            break
        following = boundary_after(draft, row, at)
        row = _pass(draft, row, at, is_last=following is None or following > draft.now, turn=turn)
        at = boundary_after(draft, row, at)
    if at is not None and at <= draft.now and draft.has(Quirk.D03_DROPPED_BOUNDARIES):
        at = boundary_after(draft, row, draft.now)
    if at is None:
        draft.took("schedule_tick.ended")
    draft.world.schedules[row.name] = replace(row, next_fire_at=at)
    return turn


def _pass(draft: Draft, row: Schedule, at: int, *, is_last: bool, turn: _Turn) -> Schedule:
    """One boundary: fired, or missed for the first reason that there is."""
    if any(fire.schedule == row.name and fire.fire_at == at for fire in draft.world.fires.values()):
        draft.took("schedule_tick.fired_before")
        return row
    run_at = max(at + jitter_s(row, at), draft.now)
    from_tick = draft.has(Quirk.E12_EXPIRES_FROM_TICK)
    expires_at = None if row.expires_s is None else (draft.now if from_tick else at) + row.expires_s
    reason = None
    if row.misfire is Misfire.SKIP and draft.now - at > row.grace_s:
        reason = Miss.LATE
    elif row.misfire is Misfire.LATEST and not is_last:
        reason = Miss.SUPERSEDED
    elif expires_at is not None and expires_at <= run_at and not from_tick:
        reason = Miss.EXPIRED
    elif row.overlap is Overlap.SKIP and _running(draft, row):
        reason = Miss.OVERLAP
    if reason is not None:
        draft.took(f"schedule_tick.{reason.value}")
        turn.missed.append(reason)
        return replace(row, missed=row.missed + 1)
    draft.took("schedule_tick.fired")
    turn.fired.append(Fired(row.name, at, _made(draft, row, at, run_at, expires_at)))
    return replace(row, fires=row.fires + 1, last_fire_at=at)


def _running(draft: Draft, row: Schedule) -> bool:
    """A job of the schedule is live, and not past saving: of the last WALK_MAX that it made (SCH-7)."""
    ids = sorted(id for id, fire in draft.world.fires.items() if fire.schedule == row.name)[-WALK_MAX:]
    return any(id in draft.world.jobs and doom(draft.world.jobs[id], draft.now) is None for id in ids)


def _forget(draft: Draft, row: Schedule) -> None:
    """Of the first WALK_MAX jobs that the schedule knows, those that are live no more (SCH-7)."""
    ids = sorted(id for id, fire in draft.world.fires.items() if fire.schedule == row.name)[:WALK_MAX]
    for id in ids:
        if id not in draft.world.jobs:
            del draft.world.fires[id]


def _made(draft: Draft, row: Schedule, fire_at: int | None, run_at: int, expires_at: int | None) -> int:
    id = give_id(draft)
    draft.world.jobs[id] = Job(
        id=id,
        queue=row.queue,
        payload=row.payload,
        state=State.PENDING,
        priority=row.priority,
        run_at=run_at,
        attempts=0,
        max_attempts=row.max_attempts,
        lapses=0,
        max_lapses=row.max_lapses,
        created_at=draft.now,
        expires_at=expires_at,
        unique_key=None,
        last_error=None,
        lease=None,
    )
    draft.world.fires[id] = Fire(id, row.name, fire_at)
    tell(draft, EventKind.ENQUEUED, draft.world.jobs[id])
    return id


# --- taking over


def schedule_adopt(draft: Draft, op: ScheduleAdopt) -> Registered:
    """Honker's row leaves as ours comes; its next fire stays if it is a boundary here (SCH-12)."""
    theirs = draft.world.honker_schedules.get(op.schedule)
    if theirs is None:
        raise NotFound
    if op.schedule in draft.world.schedules:
        raise Conflict
    row = Schedule(
        name=op.schedule,
        queue=theirs.queue,
        cron=theirs.cron_expr if op.cron is None else op.cron,
        tz=op.tz,
        payload=theirs.payload,
        priority=theirs.priority,
        max_attempts=theirs.max_attempts,
        max_lapses=5,
        expires_s=theirs.expires_s,
        misfire=op.misfire,
        grace_s=op.grace_s,
        overlap=op.overlap,
        jitter_s=0,
        start_at=None,
        end_at=None,
        max_fires=None,
        paused=theirs.enabled != 1,
        anchor_at=draft.now,
        next_fire_at=theirs.next_fire_at,
        last_fire_at=None,
        fires=0,
        missed=0,
        error=None,
        created_at=draft.now,
    )
    definition_of(row)
    if op.cron is None and _reads_otherwise(row.cron):
        raise Invalid("cron", row.cron, "honker reads it otherwise")
    row = _with_phase(row)
    if theirs.next_fire_at > 0 and boundary_after(draft, row, theirs.next_fire_at - 1) == theirs.next_fire_at:
        draft.took("schedule_adopt.kept")
    else:
        draft.took("schedule_adopt.recomputed")
        row = replace(row, next_fire_at=anew(draft, row))
    del draft.world.honker_schedules[op.schedule]
    return _keep(draft, row, Change.CREATED)


def _with_phase(row: Schedule) -> Schedule:
    """`@every` goes on from where it was: its anchor is a whole number of periods before the next fire."""
    words = row.cron.lower().split()
    if words[0] != "@every" or row.next_fire_at is None:
        return row
    return replace(row, anchor_at=row.next_fire_at % (int(words[1][:-1]) * calendar.UNIT_S[words[1][-1]]))


def _reads_otherwise(cron: str) -> bool:
    """`5/15` is 5 alone in honker, and of two day fields that restrict it wants both (E17)."""
    words = cron.split()
    if any(re.search(r"(^|,)\d+/", word) for word in words):
        return True
    return len(words) in (5, 6) and words[-3] != "*" and words[-1] != "*"


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
