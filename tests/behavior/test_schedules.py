"""Schedules as their users hold them, schedulers that lead and stand by, and the command."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest
from click.testing import CliRunner, Result

import anser
from anser.cli import main
from anser.types import SCHEDULER_LOCK
from tests.behavior.support import NOW, lay_schedule, raw, rows_in


def register(db: anser.Database, name: str = "report", **options: Any) -> anser.Registered:
    """A schedule that is due each minute, if nothing else is said."""
    plain: dict[str, Any] = {"queue": "mail", "cron": "@every 1m", "tz": "UTC", "payload": {"n": 1}}
    return db.schedules.register(name, **plain | options)


def payloads(queue: anser.Queue) -> list[Any]:
    return [anser.decode(job.payload) for job in queue.list_jobs()]


# --- definitions and boundaries


@pytest.mark.rule("SCH-1", "SCH-5")
def test_a_job_is_made_at_each_boundary_and_claimed_like_any_other(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock
) -> None:
    assert register(db) == anser.Registered(anser.Change.CREATED, NOW + 60)

    clock.advance(60)
    ticked = db.schedules.tick()
    with mail.claim_batch("w", 1)[0] as job:
        assert job.payload == {"n": 1}

    assert ticked == anser.Ticked((anser.Fired("report", NOW + 60, 1),), (), (), more=False)
    assert db.schedules.tick().fired == ()


@pytest.mark.rule("SCH-2")
def test_a_program_that_registers_whenever_it_starts_misses_no_boundary(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    register(db, cron="@every 1h")
    fired = 0

    for _ in range(24):
        clock.advance(3_000)
        assert register(db, cron="@every 1h").change is anser.Change.UNCHANGED
        fired += len(db.schedules.tick().fired)

    assert fired == 20


@pytest.mark.rule("SCH-3")
def test_an_update_changes_what_it_names(db: anser.Database) -> None:
    register(db, priority=5)

    updated = db.schedules.update("report", payload=[2], misfire=anser.Misfire.ALL)

    there = db.schedules.get("report")
    assert updated == anser.Registered(anser.Change.UPDATED, NOW + 60)
    assert there is not None
    assert (there.payload, there.misfire, there.priority) == ("[2]", "all", 5)
    with pytest.raises(anser.NotFound, match=r"no schedule 'other': see schedules\.list$"):
        db.schedules.update("other", payload=1)


@pytest.mark.rule("SCH-6")
def test_nothing_that_is_missed_is_missed_in_silence(db: anser.Database, clock: anser.ManualClock) -> None:
    register(db, "latest")
    register(db, "all", misfire=anser.Misfire.ALL)
    clock.advance(86_400)
    fired, missed, turns = 0, 0, 0

    more = True
    while more:
        ticked = db.schedules.tick()
        more = ticked.more
        fired += len(ticked.fired)
        missed += sum(one.count for one in ticked.missed)
        turns += 1

    there = {schedule.name: (schedule.fires, schedule.missed) for schedule in db.schedules.list()}
    assert there == {"all": (1_440, 0), "latest": (1, 1_439)}
    assert (fired, missed) == (1_441, 1_439)
    assert turns == 23


@pytest.mark.rule("SCH-5", "STO-6")
def test_a_tick_that_is_rolled_back_is_done_again(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock, path: str
) -> None:
    register(db)
    clock.advance(60)
    before = rows_in(path)

    def body() -> None:
        with db.transaction() as tx:
            assert len(db.schedules.tick(tx=tx).fired) == 1
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        body()

    assert rows_in(path) == before
    assert len(db.schedules.tick().fired) == 1
    assert payloads(mail) == [{"n": 1}]


@pytest.mark.rule("SCH-5")
def test_the_table_holds_no_two_jobs_of_one_boundary(db: anser.Database, path: str) -> None:
    insert = "insert into _anser_fires (job_id, schedule, fire_at) values (?, 'report', ?)"

    with raw(path) as connection:
        connection.execute(insert, (1, NOW))
        connection.execute(insert, (2, None))
        connection.execute(insert, (3, None))
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(insert, (4, NOW))


@pytest.mark.rule("SCH-7")
def test_what_is_known_of_jobs_that_have_ended_is_forgotten(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock, path: str
) -> None:
    register(db)

    for _ in range(10):
        clock.advance(60)
        db.schedules.tick()
        mail.claim_batch("w", 1)[0].ack()

    assert len(rows_in(path)["_anser_fires"]) == 1


@pytest.mark.rule("SCH-10")
@pytest.mark.parametrize(
    "wrong",
    [
        {"cron": "* * * *"},
        {"tz": "Mars/Base"},
        {"payload": "{"},
        {"grace_s": -1},
        {"jitter_s": 86_401},
        {"max_attempts": 0},
        {"queue": ""},
        {"next_fire_at": -1},
        {"anchor_at": -1},
        {"end_at": 2**62},
    ],
    ids=str,
)
def test_a_schedule_that_cannot_be_read_stops_no_other(db: anser.Database, path: str, wrong: dict[str, Any]) -> None:
    with raw(path) as connection:
        lay_schedule(connection, "bad", **wrong)
        lay_schedule(connection, "good")

    ticked = db.schedules.tick()

    ((argument, _),) = wrong.items()
    assert [bad.schedule for bad in ticked.bad] == ["bad"]
    assert ticked.bad[0].error.startswith(f"{argument} = ")
    assert {fired.schedule for fired in ticked.fired} == {"good"}
    assert db.schedules.tick().bad == ()


@pytest.mark.rule("SCH-10")
def test_a_column_of_another_type_is_refused_by_the_table(db: anser.Database, path: str) -> None:
    with raw(path) as connection:
        for wrong in ({"next_fire_at": "soon"}, {"misfire": "never"}, {"paused": 2}, {"payload": b"1"}):
            with pytest.raises(sqlite3.IntegrityError):
                lay_schedule(connection, "bad", **wrong)


def test_an_option_that_there_is_not_is_refused_by_name(db: anser.Database) -> None:
    with pytest.raises(anser.Invalid, match="graces_s = 1"):
        register(db, graces_s=1)


# --- who leads


@pytest.mark.rule("SCH-11")
def test_one_scheduler_leads_and_another_stands_by_until_it_resigns(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    register(db)
    first, second = anser.Scheduler(db, owner="first"), anser.Scheduler(db, owner="second")

    assert first.tick() is not None
    clock.advance(60)
    assert second.tick() is not None, "the first led for 30 seconds, and is over"
    assert first.tick() is None
    assert (first.leads, second.leads) == (False, True)
    second.resign()
    assert first.tick() is not None

    there = db.schedules.get("report")
    assert there is not None
    assert there.fires == 1


@pytest.mark.rule("SCH-11")
def test_a_leader_that_was_frozen_fires_nothing_after_another_took_over(
    db: anser.Database, clock: anser.ManualClock, path: str
) -> None:
    register(db)
    first, second = anser.Scheduler(db, owner="first"), anser.Scheduler(db, owner="second")
    first.tick()
    lock = db.lock_get(SCHEDULER_LOCK)
    assert lock is not None
    clock.advance(60)
    second.tick()
    clock.advance(60)
    before = rows_in(path)

    with pytest.raises(anser.LeaseLost, match="'scheduler' is not held by 'first'"):
        db.schedules.tick(owner="first", fence=lock.fence)

    assert rows_in(path) == before


@pytest.mark.rule("SCH-11")
def test_a_leader_goes_on_leading_while_it_ticks(db: anser.Database, clock: anser.ManualClock) -> None:
    scheduler = anser.Scheduler(db, ttl_s=10)
    fences = set()

    for _ in range(20):
        assert scheduler.tick() is not None
        lock = db.lock_get(SCHEDULER_LOCK)
        assert lock is not None
        fences.add(lock.fence)
        clock.advance(4)

    assert len(fences) == 1


@pytest.mark.rule("SCH-11")
def test_a_scheduler_leads_no_more_when_its_body_ends(db: anser.Database) -> None:
    with anser.Scheduler(db) as scheduler:
        assert scheduler.tick() is not None
        assert db.lock_get(SCHEDULER_LOCK) is not None

    assert (scheduler.leads, db.lock_get(SCHEDULER_LOCK)) == (False, None)


@pytest.mark.rule("SCH-11")
def test_a_scheduler_that_comes_back_under_its_name_leads_and_leaves_nothing(db: anser.Database) -> None:
    anser.Scheduler(db, owner="host").tick()
    again = anser.Scheduler(db, owner="host")

    assert again.tick() is not None
    again.resign()
    again.resign()

    assert db.lock_get(SCHEDULER_LOCK) is None


def test_a_scheduler_tells_its_owner_and_file_and_refuses_a_wrong_one(db: anser.Database) -> None:
    assert repr(anser.Scheduler(db, owner="host")) == f"<Scheduler 'host' of {db.path!r}>"
    assert repr(db.schedules) == f"<Schedules of {db.path!r}>"
    with pytest.raises(anser.Invalid, match="ttl_s = 0"):
        anser.Scheduler(db, ttl_s=0)


# --- the command


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["schedules", *arguments])


@pytest.fixture
def due(db: anser.Database, path: str) -> str:
    """A file with a schedule that is due by any clock, one that is paused, one that is over and one that is bad."""
    with raw(path) as connection:
        lay_schedule(connection, "due", anchor_at=0, next_fire_at=1_700_000_040, end_at=1_700_000_100, misfire="latest")
        lay_schedule(connection, "later", paused=1, next_fire_at=1_900_000_020)
        lay_schedule(connection, "over", next_fire_at=None)
        lay_schedule(connection, "wrong", anchor_at=0, next_fire_at=1_700_000_040, tz="Mars/Base")
    db.close()
    return path


def test_the_command_lists_how_each_schedule_stands(due: str) -> None:
    command("tick", due)
    said = command("list", due)

    assert said.exit_code == 0
    assert said.output.splitlines() == [
        "due  @every 1m (UTC) to mail  over  fired 1, missed 1",
        "later  @every 1m (UTC) to mail  next 2030-03-17T17:47:00+00:00 (paused)  fired 0, missed 0",
        "over  @every 1m (UTC) to mail  over  fired 0, missed 0",
        "wrong  @every 1m (Mars/Base) to mail  bad: tz = 'Mars/Base': pass the name of an IANA time zone,"
        " as Europe/Paris or UTC  fired 0, missed 0",
    ]
    found = json.loads(command("list", due, "--json", "--after", "later", "--limit", "1").output)
    assert [schedule["name"] for schedule in found] == ["over"]


def test_the_command_ticks_once_and_says_what_it_did(due: str) -> None:
    said = command("tick", due)

    assert said.exit_code == 0
    assert said.output.splitlines()[:2] == [
        "fired   due  2023-11-14T22:15:00+00:00  job 1",
        "missed  due  1  superseded",
    ]
    assert said.output.splitlines()[2].startswith("bad     wrong  tz = 'Mars/Base'")
    assert json.loads(command("tick", due, "--json").output) == {"fired": [], "missed": [], "bad": [], "more": False}


def test_the_command_ticks_nothing_while_another_leads(due: str) -> None:
    with anser.open(due) as db:
        anser.Scheduler(db).tick()
        said = command("tick", due)

    assert (said.exit_code, said.output) == (1, "anser: another scheduler leads: see the lock 'scheduler'\n")


@pytest.mark.rule("SCH-12")
def test_the_command_takes_a_schedule_over_from_honker(due: str) -> None:
    with raw(due) as connection:
        connection.execute(
            "insert into _honker_scheduler_tasks (name, queue, cron_expr, payload, next_fire_at)"
            " values ('theirs', 'mail', '0 * * * *', '1', 1900000800)"
        )

    without = command("adopt", due, "theirs", "--tz", "Mars/Base")
    said = command("adopt", due, "theirs", "--tz", "Europe/Paris", "--misfire", "all")
    again = command("adopt", due, "theirs", "--tz", "UTC", "--json")

    assert (without.exit_code, without.output[:27]) == (2, "anser: tz = 'Mars/Base': pa")
    assert (said.exit_code, said.output) == (0, "theirs: created, fires next 2030-03-17T18:00:00+00:00\n")
    assert (again.exit_code, again.output) == (1, "anser: honker has no schedule 'theirs' in this file\n")
    assert command("list", "no such file").exit_code == 2
