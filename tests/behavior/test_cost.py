"""What an operation costs, counted in steps of SQLite's machine: no clock, so the same on every computer.

A crowd of jobs that a claim has nothing to do with must not make it dearer, whatever statistics the file has.
"""

from __future__ import annotations

import re
import sqlite3
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import (
    Ack,
    AckBatch,
    Cancel,
    Claim,
    Enqueue,
    EnqueueMany,
    EventPrune,
    EventRead,
    Fail,
    Heartbeat,
    LimitAcquire,
    LimitGet,
    LimitRelease,
    LockAcquire,
    LockRelease,
    LockRenew,
    NextClaimAt,
    NotificationLast,
    NotificationPrune,
    NotificationRead,
    Notify,
    Op,
    RateLimitTry,
    Release,
    ResultGet,
    ResultPrune,
    ResultSave,
    Retry,
    ScheduleGet,
    ScheduleRunNow,
    ScheduleSoonest,
    ScheduleTick,
    StreamAck,
    StreamClaim,
    StreamForget,
    StreamLag,
    StreamPublish,
    StreamReadSince,
    StreamSaveOffset,
    StreamTrim,
    TokenBucketTry,
)
from anser.sql import STATEMENTS, sections
from anser.types import Held
from tests.behavior.support import NOW, lay_schedule, raw

DELAYED, IN_FLIGHT, PAST_SAVING, LOCKS, RESULTS = 20_000, 5_000, 5_000, 1_000, 1_000
OTHERS, SCHEDULES = 2_000, 300  # of each other kind
AT_MOST = 2  # times the cost on a shallow queue


def add(connection: sqlite3.Connection, size: int, **columns: object) -> None:
    """So many rows of one kind."""
    columns = {"queue": "mail", "payload": "1", "run_at": NOW, "created_at": NOW, **columns}
    values = ", ".join(f":{name}" for name in columns)
    connection.execute(
        f"insert into _honker_live ({', '.join(columns)}) "
        f"with recursive n (i) as (select 1 union all select i + 1 from n where i < {size}) select {values} from n",
        columns,
    )


def add_line(connection: sqlite3.Connection) -> None:
    """What the operations of these tests are for: jobs that are due, a schedule, and what was told by a few names."""
    add(connection, 300, priority=5)
    lay_schedule(connection, "tick")
    for number in range(40):
        lay_schedule(connection, f"early {number}", next_fire_at=NOW + 60)
    for table, columns in TOLD.items():
        add_told(connection, table, columns, 20, "'news'")
        add_told(connection, table, columns, 400, "'early ' || (i % 50)")


TOLD = {  # what is told to somebody by name, and nothing else
    "_honker_stream": "topic, payload, created_at",
    "_honker_notifications": "channel, payload, created_at",
    "_anser_events": "queue, kind, at, job_id, attempts",
}


def add_told(connection: sqlite3.Connection, table: str, columns: str, size: int, name: str) -> None:
    """So many rows, told just now under a name, which is an expression of the row's number."""
    more = ", 1, 0" if table == "_anser_events" else ""
    connection.execute(
        f"insert into {table} ({columns}) "
        f"with recursive n (i) as (select 1 union all select i + 1 from n where i < {size}) "
        f"select {name}, 'enqueued', :now{more} from n",
        {"now": NOW},
    )


def add_others(connection: sqlite3.Connection) -> None:
    """What was told to others, what they hold, and schedules that are not due with the jobs that they made."""
    for table, columns in TOLD.items():
        add_told(connection, table, columns, OTHERS, "'sport'")
    for rows in (
        "_honker_stream_consumers (name, topic) select 'c' || i, 'news'",
        "_anser_stream_groups (topic, group_name, offset) select 'news', 'g' || i, 20",
        "_anser_stream_pending select 'sport', 'g' || (i % 200), 420 + i, 'x', 1, :now + i - 900, 1",
        "_anser_stream_trimmed select 't' || i, 1",
        "_anser_channels select 'c' || i, 1",
        "_honker_results (job_id, value, created_at) select 2000000 + i, '1', :now",
        "_honker_rate_limits select 'k' || i, :now, 1",
        "_anser_buckets select 'k' || i, 1, 60, 0, :now",
        "_anser_slots select 'k' || (i % 200), i, 1",
        "_anser_fires select i, 's' || (i % 200), :now - i",
        "_anser_finished select 1000000 + i, 'mail', 'done', 1, :now",
    ):
        connection.execute(
            f"with recursive n (i) as (select 1 union all select i + 1 from n where i < {OTHERS}) "
            f"insert into {rows} from n",
            {"now": NOW} if ":now" in rows else {},
        )
    for number in range(SCHEDULES):
        lay_schedule(connection, f"s{number}", next_fire_at=NOW + 60)


def add_crowd(connection: sqlite3.Connection) -> None:
    """Jobs of a higher priority that are not due, jobs in flight, and jobs past saving that stand further back."""
    add(connection, DELAYED // 2, priority=9, run_at=NOW + 1_000)
    add(connection, DELAYED // 2, priority=7, run_at=NOW + 2_000)
    add(connection, IN_FLIGHT, priority=9, state="processing", worker_id="x", fence=1, claim_expires_at=NOW + 60)
    add(connection, PAST_SAVING, priority=1, expires_at=NOW)
    add(connection, PAST_SAVING, priority=1, attempts=3)
    add(connection, DELAYED // 4, queue="post", priority=9)
    connection.execute(
        "insert into _honker_locks (name, owner, fence, expires_at) "
        f"with recursive n (i) as (select 1 union all select i + 1 from n where i < {LOCKS}) "
        "select 'lock ' || i, 'x', 1, :now + i - 500 from n",
        {"now": NOW},
    )
    connection.execute(
        "insert into _honker_results (job_id, queue, value, created_at, expires_at) "
        f"with recursive n (i) as (select 1 union all select i + 1 from n where i < {RESULTS}) "
        "select 1000000 + i, 'mail', '1', :now, :now + i - 500 from n",
        {"now": NOW},
    )
    add_others(connection)


ANALYZED = ["never", "when it was full", "when it was empty"]  # which statistics the planner goes by


@pytest.fixture(scope="module", params=ANALYZED)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A shallow file and a crowded one."""
    folder = tmp_path_factory.mktemp("cost")
    for name in ("shallow", "crowded"):
        anser.open(folder / name).close()
        with raw(str(folder / name)) as connection:
            connection.execute("pragma synchronous = off")
            if request.param == "when it was empty":
                connection.execute("analyze")
            connection.execute("begin")
            add_line(connection)
            if name == "crowded":
                add_crowd(connection)
            connection.execute("commit")
            if request.param == "when it was full":
                connection.execute("analyze")
    return folder / "shallow", folder / "crowded"


def steps(path: Path, *operations: Op, first: tuple[Op, ...] = ()) -> int:
    """What the operations take together, after others that are not counted. All is rolled back."""
    counted = [0]

    def count() -> int:
        counted[0] += 1
        return 0

    with anser.open(path, clock=lambda: NOW) as db, raw(str(path)) as connection:
        connection.execute("begin immediate")
        for op in first:
            db.run(op, connection)
        connection.set_progress_handler(count, 1)
        for op in operations:
            db.run(op, connection)
        connection.set_progress_handler(None, 0)
        connection.execute("rollback")
    return counted[0]


def claim(n: int) -> Claim:
    return Claim(queues=("mail",), worker="w", n=n, lease_s=60)


def ids(path: Path, n: int) -> list[int]:
    """Whom a claim would take."""
    with anser.open(path, clock=lambda: NOW) as db, raw(str(path)) as connection:
        connection.execute("begin immediate")
        jobs = db.run(claim(n), connection)
        fence = jobs[0].lease.fence
        connection.execute("rollback")
    assert fence == 1
    return [job.id for job in jobs]


LOCKED = LockAcquire(lock="report", owner="w", ttl_s=9)
SHARED = StreamClaim(topic="news", group="g", worker="w", n=9, lease_s=60)
WORD: dict[str, Any] = {"queue": "mail", "id": 1, "worker": "w", "fence": 1}
SLOT = LimitAcquire(key="k", limit=9, **WORD)
OPERATIONS: dict[str, tuple[tuple[Op, ...], tuple[Op, ...]]] = {  # what is counted, and what comes before
    "claim one": ((claim(1),), ()),
    "claim a hundred": ((claim(100),), ()),
    "claim and ack": ((claim(1), Ack(queue="mail", id=1, worker="w", fence=1)), ()),
    "claim and ack a hundred": (
        (claim(100), AckBatch(queue="mail", worker="w", held=tuple(Held(id, 1) for id in range(1, 101)))),
        (),
    ),
    "claim from two queues": ((Claim(queues=("mail", "none"), worker="w", n=1, lease_s=60),), ()),
    "claim from nothing": ((Claim(queues=("none",), worker="w", n=1, lease_s=60),), ()),
    "heartbeat": ((Heartbeat(queue="mail", id=1, worker="w", fence=1, lease_s=9),), (claim(1),)),
    "release": ((Release(queue="mail", id=1, worker="w", fence=1),), (claim(1),)),
    "retry": ((Retry(queue="mail", id=1, worker="w", fence=1, delay_s=9),), (claim(1),)),
    "fail": ((Fail(queue="mail", id=1, worker="w", fence=1, error="no"),), (claim(1),)),
    "enqueue": ((Enqueue(queue="mail", payload=1),), ()),
    "enqueue with a key": ((Enqueue(queue="mail", payload=1, unique_key="ann"),), ()),
    "next_claim_at": ((NextClaimAt(queues=("mail",)),), ()),
    "lock_acquire": ((LockAcquire(lock="report", owner="w", ttl_s=9),), ()),
    "lock_renew": ((LockRenew(lock="report", owner="w", fence=1, ttl_s=9),), (LOCKED,)),
    "lock_release": ((LockRelease(lock="report", owner="w", fence=1),), (LOCKED,)),
    "next_claim_at of nothing": ((NextClaimAt(queues=("none",)),), ()),
    "notify and read": ((Notify(channel="news", payload=1), NotificationRead(channel="news", after_id=0, limit=9)), ()),
    "notification_last": ((NotificationLast(channel="news"),), ()),
    "notification_prune": ((NotificationPrune(channel="news", keep=9, older_than_s=60),), ()),
    "stream_publish and read": ((StreamPublish(topic="news", payload=1), StreamReadSince(topic="news", limit=9)), ()),
    "stream_save_offset and lag": (
        (StreamSaveOffset(topic="news", consumer="c", offset=9), StreamLag(topic="news", consumer="c")),
        (),
    ),
    "stream_claim": ((SHARED, StreamLag(topic="news", group="g")), ()),
    "stream_ack": ((StreamAck(topic="news", group="g", worker="w", held=(Held(1, 1), Held(2, 1))),), (SHARED,)),
    "stream_forget": ((StreamForget(topic="news", group="g"),), (SHARED,)),
    "stream_trim": ((StreamTrim(topic="news", keep=9, older_than_s=60, limit=9),), (SHARED,)),
    "stream_trim of each topic": ((StreamTrim(older_than_s=60, limit=9),), (SHARED,)),
    "event_read": ((EventRead(limit=9),), ()),
    "event_prune": ((EventPrune(older_than_s=60, limit=9),), ()),
    "result_save": ((ResultSave(queue="mail", id=1, worker="w", fence=1, value=1, ttl_s=9),), (claim(1),)),
    "result_get": ((ResultGet(queue="mail", id=999_999),), ()),
    "result_prune": ((ResultPrune(older_than_s=60),), ()),
    "rate_limit_try": ((RateLimitTry(key="k", limit=9, per_s=60),), ()),
    "token_bucket_try": ((TokenBucketTry(key="k", limit=9, per_s=60),), ()),
    "limit_acquire": ((SLOT, LimitGet(key="k"), LimitRelease(key="k", **WORD)), (claim(1),)),
    "schedule_tick": ((ScheduleTick(),), ()),
    "schedule_get and soonest": ((ScheduleGet(schedule="tick"), ScheduleSoonest()), ()),
    "schedule_run_now": ((ScheduleRunNow(schedule="tick"),), ()),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.rule("CLM-16")
def test_a_crowd_that_an_operation_has_nothing_to_do_with_makes_it_no_dearer(
    pair: tuple[Path, Path], name: str
) -> None:
    counted, first = OPERATIONS[name]

    shallow, crowded = (steps(path, *counted, first=first) for path in pair)

    assert shallow > 10, "nothing was counted: this test could not fail"
    assert crowded <= AT_MOST * shallow


def test_both_files_give_the_same_jobs(pair: tuple[Path, Path]) -> None:
    shallow, crowded = pair

    assert ids(shallow, 100) == ids(crowded, 100) == list(range(1, 101))


@pytest.mark.parametrize("kind", ["expired", "exhausted", "lapsed", "lapsed for good", "without a lease", "strays"])
@pytest.mark.rule("CLM-6", "CLM-16")
def test_what_a_claim_clears_away_costs_the_same_however_much_of_it_there_is(tmp_path: Path, kind: str) -> None:
    crowds: dict[str, dict[str, object]] = {
        "expired": {"expires_at": NOW},
        "exhausted": {"attempts": 3},
        "lapsed": {"state": "processing", "claim_expires_at": NOW - 1, "attempts": 1},
        "lapsed for good": {"state": "processing", "claim_expires_at": NOW - 1, "lapses": 5},
        "without a lease": {"state": "processing", "attempts": 1},
        "strays": {"state": "claimed"},
    }
    for size in (300, 5_000):
        anser.open(tmp_path / str(size)).close()
        with raw(str(tmp_path / str(size))) as connection:
            add(connection, size, priority=9, **crowds[kind])

    few, many = steps(tmp_path / "300", claim(1)), steps(tmp_path / "5000", claim(1))

    assert many <= 1.1 * few


@pytest.mark.rule("ORD-1", "ORD-2")
def test_a_line_of_one_order_key_costs_the_same_however_long_it_is(tmp_path: Path) -> None:
    ordered = Enqueue(queue="mail", payload=1, order_key="ann")
    for size in (300, 5_000):
        with anser.open(tmp_path / str(size), clock=lambda: NOW, synchronous="normal") as db:
            db.run(EnqueueMany(jobs=(ordered,) * size))
    counted = (claim(9), Ack(queue="mail", id=1, worker="w", fence=1), ordered, Cancel(queue="mail", id=200), claim(9))

    few, many = steps(tmp_path / "300", *counted), steps(tmp_path / "5000", *counted)

    assert many <= 1.1 * few


# --- plans


def statements_of(*names: str) -> dict[str, str]:
    return {
        name: STATEMENTS[name]
        for file in names
        for name in sections(files("anser.sql").joinpath(f"{file}.sql").read_text("utf-8"))
    }


def plannable(statement: str) -> bool:
    """What makes or takes away a trigger has no plan."""
    return not statement.startswith(("create", "drop"))


def plan(connection: sqlite3.Connection, statement: str) -> list[str]:
    parameters = dict.fromkeys(re.findall(r":(\w+)", statement))
    return [row[3] for row in connection.execute(f"explain query plan {statement}", parameters)]


@pytest.mark.parametrize("name", statements_of("claims", "leases"))
@pytest.mark.rule("CLM-16")
def test_a_statement_of_claims_and_leases_seeks_and_sorts_nothing(pair: tuple[Path, Path], name: str) -> None:
    for path in pair:
        with raw(str(path)) as connection:
            details = plan(connection, STATEMENTS[name])

        assert [detail for detail in details if re.match(r"SCAN _honker_|USE TEMP B-TREE", detail)] == []


@pytest.mark.parametrize("name", statements_of("notifications"))
@pytest.mark.rule("NTF-8")
def test_a_statement_of_notifications_seeks_and_sorts_nothing(pair: tuple[Path, Path], name: str) -> None:
    for path in pair:
        with raw(str(path)) as connection:
            details = plan(connection, STATEMENTS[name])

        assert [detail for detail in details if re.match(r"SCAN _honker_|USE TEMP B-TREE", detail)] == []


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in statements_of("jobs", "dead", "locks", "orders", "results")
        if name not in ("count_jobs", "sweep_expired_lapsed")
    ],
)
def test_a_statement_of_jobs_the_dead_locks_and_results_seeks_and_sorts_nothing(
    pair: tuple[Path, Path], name: str
) -> None:
    for path in pair:
        with raw(str(path)) as connection:
            details = plan(connection, STATEMENTS[name])

        assert [
            detail for detail in details if re.match(r"SCAN _(honker_|anser_ordered)|USE TEMP B-TREE", detail)
        ] == []


# What walks a table in its own order, and why that is no more than what is asked for or what there is.
WALKS = {
    "rate_limit_sweep": "upkeep of all windows, which are forgotten by it",
    "token_bucket_sweep": "upkeep of all buckets, one a key",
    "limit_sweep": "upkeep of all slots, no more than leases that were",
    "stream_trim_each": "the first `limit` of the file",
    "event_prune_end": "the first `limit` of the file",
    "event_lost": "the first of the file",
    "event_at": "a table of one row",
    "events_off": "a table of one row",
}


@pytest.mark.parametrize(
    "name",
    [name for name, text in statements_of("limits", "schedules", "streams", "events").items() if plannable(text)],
)
def test_a_statement_of_another_family_seeks_and_sorts_nothing(pair: tuple[Path, Path], name: str) -> None:
    for path in pair:
        with raw(str(path)) as connection:
            details = plan(connection, STATEMENTS[name])

        walks = [detail for detail in details if re.match(r"SCAN (_honker_|_anser_|entry|held|slot)", detail)]
        assert bool(walks) == (name in WALKS)
        assert [detail for detail in details if detail.startswith("USE TEMP B-TREE")] == []
