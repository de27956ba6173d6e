"""Files that older honkers made: Anser opens them as they stand, with jobs in flight, and extends them in place.

Each file is made in two ways: from the tables that a version was seen to make, recorded in `older/`, with rows of ours;
and by the version itself, in a process of its own, where its wheel can be laid.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.clock import system_clock
from anser.ops import Ack, Claim, Enqueue, Fail, Heartbeat
from anser_models import World
from anser_spec.file import abstract
from anser_spec.targets.honker.lay import CannotLay, lay
from anser_spec.targets.honker.process import HonkerProcess
from tests.interop.conftest import Clock

RECORDED = {path.stem: path for path in sorted(Path(__file__).with_name("older").glob("*.sql"))}
WHEELS = ("0.2.5", "0.2.7", "0.4.0", "0.5.0")
FIRST_NEWER_FORMAT = 99
LONG_S = 3_600

IN_FLIGHT, FAILED, PENDING, DELAYED = 1, 2, 3, 4  # the ids of the jobs in each file
HELD: dict[str, Any] = {"queue": "mail", "id": IN_FLIGHT, "worker": "old", "fence": 1}


def record(tables: Path, path: Path) -> None:
    """A file with the recorded tables and the four jobs."""
    now = system_clock()
    live = "insert into _honker_live (id, queue, payload, state, run_at, worker_id, claim_expires_at, attempts)"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.executescript(tables.read_text(encoding="utf-8"))
        connection.executemany(
            f"{live} values (?, 'mail', ?, ?, ?, ?, ?, ?)",
            [
                (IN_FLIGHT, "1", "processing", now, "old", now + LONG_S, 1),
                (PENDING, "3", "pending", now, None, None, 0),
                (DELAYED, "4", "pending", now + LONG_S, None, None, 0),
            ],
        )
        connection.execute(
            "insert into _honker_dead (id, queue, payload, run_at, attempts, max_attempts, last_error)"
            " values (?, 'mail', '2', ?, 1, 3, 'broken')",
            (FAILED, now),
        )
        connection.commit()


def make(process: HonkerProcess) -> None:
    """The same four jobs, as the version itself makes them."""
    claim = Claim(queues=("mail",), worker="old", n=1, lease_s=LONG_S)
    process.do(Enqueue(queue="mail", payload=1))
    process.do(claim)
    process.do(Enqueue(queue="mail", payload=2))
    process.do(claim)
    process.do(Fail(queue="mail", id=FAILED, worker="old", fence=1, error="broken"))
    process.do(Enqueue(queue="mail", payload=3))
    process.do(Enqueue(queue="mail", payload=4, delay_s=LONG_S))


@pytest.fixture(scope="session")
def older(directory: Path) -> Callable[[str], Path]:
    """Where the wheel of that version is laid; laid now if it is not yet, and kept beside the main one."""

    def laid(version: str) -> Path:
        folder = directory / "older" / version
        with alone(directory / "older.lock"):
            try:
                lay(folder, version)
            except CannotLay as reason:
                pytest.skip(str(reason))
        return folder

    return laid


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """While the processes of one test run wait for each other."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(params=WHEELS)
def running(request: pytest.FixtureRequest, path: Path, older: Callable[[str], Path]) -> Iterator[HonkerProcess]:
    """An older honker that has made the file at `path`: a job in flight, one dead, one pending and one delayed."""
    process = HonkerProcess(older(request.param), path)
    make(process)
    yield process
    process.close()


@pytest.fixture(params=[*RECORDED, *WHEELS])
def old(request: pytest.FixtureRequest, path: Path) -> Path:
    """A file of an older honker that has left: a job in flight, one dead, one pending and one delayed."""
    if request.param in RECORDED:
        record(RECORDED[request.param], path)
    else:
        process = HonkerProcess(request.getfixturevalue("older")(request.param), path)
        make(process)
        process.close()
    return path


def held_in(path: Path) -> World:
    with closing(sqlite3.connect(path)) as connection:
        return abstract(connection)


def text_of(path: Path) -> list[str]:
    """Every definition and every row of the file."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.rule("STO-5", "STO-1")
def test_an_older_file_keeps_its_jobs_leases_and_places(old: Path) -> None:
    before = held_in(old)

    anser.open(old).close()

    after = held_in(old)
    assert (after.jobs, after.dead, after.last_id) == (before.jobs, before.dead, before.last_id)
    assert sorted(before.jobs) == [IN_FLIGHT, PENDING, DELAYED]
    assert sorted(before.dead) == [FAILED]


@pytest.mark.rule("STO-5", "CLM-2")
def test_a_job_in_flight_stays_its_holders_until_its_lease_ends(old: Path, clock: Clock) -> None:
    with anser.open(old, clock=clock) as db:
        mail = db.queue("mail", lease_s=LONG_S)

        during = [job.id for job in mail.claim_batch("new", 9)]
        clock.ahead_s = LONG_S + 2
        after = {job.id: job.row.lapses for job in mail.claim_batch("new", 9)}

    assert during == [PENDING]
    assert after == {IN_FLIGHT: 1, PENDING: 1, DELAYED: 0}


@pytest.mark.rule("STO-5", "STO-2")
def test_the_holder_may_speak_on_the_extended_file(running: HonkerProcess, path: Path) -> None:
    with anser.open(path) as db:
        beat = running.do(Heartbeat(**HELD, lease_s=2 * LONG_S))
        acked = running.do(Ack(**HELD))
        enqueued = running.do(Enqueue(queue="mail", payload=5))
        claimed = [job.id for job in db.queue("mail").claim_batch("new", 9)]

    assert (beat, acked) == (None, None)
    assert claimed == [PENDING, enqueued]


@pytest.mark.rule("STO-5", "STO-4")
def test_an_older_honker_that_takes_over_moves_the_fence(running: HonkerProcess, path: Path, clock: Clock) -> None:
    clock.ahead_s = -60
    with anser.open(path, clock=clock) as db:
        db.queue("mail").enqueue("first", priority=9)
        older = db.queue("mail").claim_one("same", lease_s=30)
        assert older is not None

        taken = running.do(Claim(queues=("mail",), worker="same", n=1, lease_s=LONG_S))
        clock.ahead_s = 0

        assert [job["id"] for job in taken] == [older.id]
        with pytest.raises(anser.LeaseLost):
            older.ack()


@pytest.mark.rule("STO-5", "DED-4")
def test_a_job_that_died_there_can_be_requeued(old: Path) -> None:
    with anser.open(old) as db:
        mail = db.queue("mail")
        (dead,) = mail.dead_list()

        mail.dead_requeue(FAILED)
        claimed = [job.id for job in mail.claim_batch("new", 9)]

    assert (dead.id, dead.last_error, dead.reason) == (FAILED, "broken", None)
    assert sorted(claimed) == [FAILED, PENDING]


@pytest.mark.rule("STO-5")
def test_to_open_a_second_time_changes_nothing(old: Path) -> None:
    anser.open(old).close()
    first = text_of(old)

    anser.open(old).close()

    assert text_of(old) == first


@pytest.mark.rule("STO-3", "ERR-1")
def test_a_newer_format_is_refused_and_nothing_is_written(old: Path) -> None:
    anser.open(old).close()
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("update _anser_format set version = ?", (FIRST_NEWER_FORMAT,))
        connection.execute("alter table _honker_live add column of_the_future")
        connection.commit()
        connection.execute("pragma journal_mode = delete")
    before = old.read_bytes()

    with pytest.raises(anser.FormatError, match=str(FIRST_NEWER_FORMAT)):
        anser.open(old)

    assert old.read_bytes() == before
    assert [file.name for file in old.parent.iterdir()] == [old.name]


def test_the_recorded_tables_are_those_that_the_wheels_make(running: HonkerProcess, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        made = definitions(connection)
    recorded = []
    for tables in RECORDED.values():
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(tables.read_text(encoding="utf-8"))
            recorded.append(definitions(connection))

    assert made in recorded


def definitions(connection: sqlite3.Connection) -> set[str]:
    """Every table, index and view, in one spacing."""
    found = connection.execute("select sql from sqlite_master where sql is not null").fetchall()
    return {" ".join(sql.split()) for (sql,) in found}
