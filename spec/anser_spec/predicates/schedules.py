"""What decides about schedules: which is meant, which is due, what was fired, and what is known of jobs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from anser.errors import LeaseLost, NotFound
from anser.ops import (
    ScheduleAdopt,
    ScheduleGet,
    ScheduleList,
    SchedulePause,
    ScheduleSoonest,
    ScheduleTick,
    ScheduleUnregister,
)
from anser.types import SCHEDULER_LOCK, Fire, HonkerSchedule, Misfire, Overlap, Schedule
from anser_models import VERBS, World
from anser_models.predicates import ripe
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.jobs import KEY_REASON, JobRow, job
from anser_spec.predicates.locks import LOCK_WORD, LockGiven, LockRow, locked_row
from anser_spec.predicates.logic import at_most, both, negated, same

__all__ = ["NO_DECISION", "TABLE", "FireRow", "ScheduleGiven", "ScheduleRow"]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRow:
    """The columns that conditions name, of our schedules and of honker's."""

    name: str = field(default="k", metadata=tried("j", "k", "l"))
    paused: int = field(default=0, metadata=tried(0, 1))
    next_fire_at: int | None = field(default=10, metadata=tried(9, 10, 11, None))


@dataclass(frozen=True, slots=True, kw_only=True)
class FireRow:
    """A job that a schedule made, and beside it the id of one that is live."""

    job_id: int = field(default=7, metadata=tried(6, 7, 8))
    schedule: str = field(default="k", metadata=tried("j", "k"))
    fire_at: int | None = field(default=10, metadata=tried(9, 10, 11, None))
    id: int = field(default=7, metadata=tried(6, 7, 8))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleGiven(Given):
    """The schedule that is meant, the place in a list, and a boundary."""

    schedule: str = "k"
    after_name: str = "k"
    fire_at: int = 10


SCHEDULES = Table("_anser_schedules", ScheduleRow, ScheduleGiven)
HONKER = Table("_honker_scheduler_tasks", ScheduleRow, ScheduleGiven)
FIRES = Table("_anser_fires", FireRow, ScheduleGiven)
FIRES_BESIDE_LIVE = Table("_honker_live", FireRow, ScheduleGiven)

# --- the model's side


def schedule(row: ScheduleRow) -> Schedule:
    """The row as the model sees it: due each second, and all of it is fired."""
    return Schedule(
        name=row.name,
        queue="a",
        cron="@every 1s",
        tz="UTC",
        payload="1",
        priority=0,
        max_attempts=1,
        max_lapses=0,
        expires_s=None,
        misfire=Misfire.ALL,
        grace_s=0,
        overlap=Overlap.ALLOW,
        jitter_s=0,
        start_at=None,
        end_at=None,
        max_fires=None,
        paused=bool(row.paused),
        anchor_at=0,
        next_fire_at=row.next_fire_at,
        last_fire_at=None,
        fires=0,
        missed=0,
        error=None,
        created_at=0,
    )


def scheduled(row: ScheduleRow, given: ScheduleGiven) -> Draft:
    """The world whose only schedule is the row, about to be changed."""
    return Draft(World(schedules={row.name: schedule(row)}), given.now, frozenset())


def fired(row: FireRow, given: ScheduleGiven, *, live: bool) -> Draft:
    """The world in which the schedule that is meant is due at the boundary, and the row is all that was fired."""
    due = schedule(ScheduleRow(name=given.schedule, next_fire_at=given.fire_at))
    jobs = {row.job_id: job(JobRow(id=row.job_id))} if live else {}
    fires = {row.job_id: Fire(row.job_id, row.schedule, row.fire_at)}
    return Draft(World(jobs=jobs, fires=fires, schedules={due.name: due}, last_id=20), given.now, frozenset())


def ticked(row: ScheduleRow, given: ScheduleGiven) -> bool:
    """A tick fires the schedule. `ripe` says the same of the boundary."""
    fires = bool(VERBS["schedule_tick"](scheduled(row, given), ScheduleTick()).fired)
    assert fires == (row.paused == 0 and row.next_fire_at is not None and ripe(row.next_fire_at, given.now))
    return fires


def passed_over(row: FireRow, given: ScheduleGiven) -> bool:
    """The boundary has its job already."""
    return not VERBS["schedule_tick"](fired(row, given, live=True), ScheduleTick()).fired


def known_until_unregistered(row: FireRow, given: ScheduleGiven) -> bool:
    """The end of the schedule forgets the row."""
    draft = fired(row, given, live=True)
    VERBS["schedule_unregister"](draft, ScheduleUnregister(schedule=given.schedule))
    return row.job_id not in draft.world.fires


def known_while_live(draft: Draft, row: FireRow) -> bool:
    """A tick forgets the row."""
    VERBS["schedule_tick"](draft, ScheduleTick())
    return row.job_id not in draft.world.fires


def in_the_way(row: FireRow, given: ScheduleGiven) -> bool:
    """The live job of the row keeps the schedule from firing."""
    draft = fired(row, given, live=True)
    due = draft.world.schedules[given.schedule]
    draft.world.schedules[given.schedule] = replace(due, overlap=Overlap.SKIP, next_fire_at=given.fire_at - 1)
    return not VERBS["schedule_tick"](draft, ScheduleTick()).fired


def leads(row: LockRow, given: LockGiven) -> bool:
    """The tick of who names the lock is not refused, were it the scheduler's."""
    draft = locked_row(replace(row, name=SCHEDULER_LOCK if row.name == given.lock else row.name), given)
    try:
        VERBS["schedule_tick"](draft, ScheduleTick(owner=given.owner, fence=given.fence))
    except LeaseLost:
        return False
    return True


def adoptable(row: ScheduleRow, given: ScheduleGiven) -> bool:
    """Honker's row is found, and leaves."""
    theirs = HonkerSchedule(row.name, "a", "* * * * *", "1", 0, None, 60, 1, 3)
    draft = Draft(World(honker_schedules={row.name: theirs}), given.now, frozenset())
    try:
        VERBS["schedule_adopt"](draft, ScheduleAdopt(schedule=given.schedule, tz="UTC"))
    except NotFound:
        return False
    return not draft.world.honker_schedules


# --- the table


NAMED = Condition(
    table=SCHEDULES,
    text="name = :schedule",
    rules=("SCH-9",),
    twin=lambda row, given: same(row.name, given.schedule),
    model=lambda row, given: (
        VERBS["schedule_get"](scheduled(row, given), ScheduleGet(schedule=given.schedule)) is not None
    ),
)
FORGOTTEN = replace(
    NAMED,
    model=lambda row, given: VERBS["schedule_unregister"](
        scheduled(row, given), ScheduleUnregister(schedule=given.schedule)
    ),
)
ADOPTED = replace(NAMED, table=HONKER, rules=("SCH-12",), model=adoptable)
LISTED = Condition(
    table=SCHEDULES,
    text="name > :after_name",
    rules=("SCH-9",),
    twin=lambda row, given: row.name > given.after_name,
    model=lambda row, given: bool(
        VERBS["schedule_list"](scheduled(row, given), ScheduleList(after_name=given.after_name))
    ),
)
DUE = Condition(
    table=SCHEDULES,
    text="paused = 0 and next_fire_at <= :now",
    rules=("SCH-4", "SCH-5"),
    twin=lambda row, given: both(same(row.paused, 0), at_most(row.next_fire_at, given.now)),
    model=ticked,
)
ASKED = Condition(
    table=SCHEDULES,
    text="paused = 0",
    rules=("SCH-9",),
    twin=lambda row, _: same(row.paused, 0),
    model=lambda row, given: VERBS["schedule_soonest"](scheduled(row, given), ScheduleSoonest()) is not None,
)
PAUSED = Condition(
    table=SCHEDULES,
    text="name = :schedule and paused = 0",
    rules=("SCH-4",),
    twin=lambda row, given: both(same(row.name, given.schedule), same(row.paused, 0)),
    model=lambda row, given: VERBS["schedule_pause"](scheduled(row, given), SchedulePause(schedule=given.schedule)),
)
FIRED = Condition(
    table=FIRES,
    text="schedule = :schedule and fire_at = :fire_at",
    rules=("SCH-5",),
    twin=lambda row, given: both(same(row.schedule, given.schedule), same(row.fire_at, given.fire_at)),
    model=passed_over,
)
UNREGISTERED = Condition(
    table=FIRES,
    text="schedule = :schedule",
    rules=("SCH-9",),
    twin=lambda row, given: same(row.schedule, given.schedule),
    model=known_until_unregistered,
)
RUNNING = replace(UNREGISTERED, rules=("SCH-7",), model=in_the_way)
ENDED = replace(
    UNREGISTERED,
    rules=("SCH-7",),
    model=lambda row, given: known_while_live(fired(row, given, live=False), row),
)
NOT_LIVE = Condition(
    table=FIRES,
    text="not exists (…)",
    rules=("SCH-7",),
    twin=lambda _, given: negated(given.found),
    model=lambda row, given: known_while_live(fired(row, given, live=given.found), row),
)
LIVE_ID = Condition(
    table=FIRES_BESIDE_LIVE,
    text="id = job_id",
    rules=("SCH-7",),
    twin=lambda row, _: same(row.id, row.job_id),
    model=lambda row, given: not known_while_live(fired(row, given, live=row.id == row.job_id), row),
)
REASON = replace(KEY_REASON, rules=("SCH-7",), within=None)
LEADS = replace(LOCK_WORD, rules=("SCH-11",), model=leads)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "schedule_move": (NAMED,),
    "schedule_get": (NAMED,),
    "schedule_list": (LISTED,),
    "schedule_due": (DUE,),
    "schedule_soonest": (ASKED,),
    "schedule_unregister": (FORGOTTEN,),
    "schedule_unregister_fires": (UNREGISTERED,),
    "schedule_pause": (PAUSED,),
    "schedule_leads": (LEADS,),
    "schedule_fired": (FIRED,),
    "schedule_running": (REASON, RUNNING),
    "schedule_forget": (ENDED, NOT_LIVE, LIVE_ID),
    "schedule_adoptable": (ADOPTED,),
    "schedule_adopted": (ADOPTED,),
}
NO_DECISION: dict[str, tuple[str, str]] = {}
