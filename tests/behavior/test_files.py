"""Files: made, opened again, extended from older ones, refused; and handles that are closed."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import OPS
from tests.behavior.support import NOW, READS, WRITES, claimed, furnish, lay_held, raw, rows_in

# The tables as honker makes them: 0.5, and an older one that lacks what came later.
HONKER_0_5 = """
create table _honker_live (
    id integer primary key autoincrement, queue text not null, payload text not null,
    state text not null default 'pending', priority integer not null default 0,
    run_at integer not null default (unixepoch()), worker_id text, claim_expires_at integer,
    attempts integer not null default 0, max_attempts integer not null default 3,
    created_at integer not null default (unixepoch()), expires_at integer
);
create index _honker_live_claim on _honker_live (queue, priority desc, run_at, id)
    where state in ('pending', 'processing');
create table _honker_dead (
    id integer primary key, queue text not null, payload text not null, priority integer not null default 0,
    run_at integer not null default 0, attempts integer not null default 0, max_attempts integer not null default 0,
    last_error text, created_at integer not null default (unixepoch()), died_at integer not null default (unixepoch())
);
create table _honker_locks (name text primary key, owner text not null, expires_at integer not null);
create table _honker_notifications (
    id integer primary key autoincrement, channel text not null, payload text not null,
    created_at integer not null default (unixepoch())
);
create index _honker_notifications_recent on _honker_notifications (channel, id);
"""
HONKER_0_2 = """
create table _honker_live (
    id integer primary key autoincrement, queue text not null, payload text not null,
    state text not null default 'pending', priority integer not null default 0,
    run_at integer not null default (unixepoch()), worker_id text, claim_expires_at integer,
    attempts integer not null default 0, max_attempts integer not null default 3,
    created_at integer not null default (unixepoch())
);
create table _honker_dead (
    id integer primary key, queue text not null, payload text not null, attempts integer not null default 0,
    last_error text, created_at integer not null default (unixepoch()), died_at integer not null default (unixepoch())
);
"""
LIVE = "id queue payload state priority run_at worker_id claim_expires_at attempts max_attempts created_at expires_at"
DEAD = "id queue payload priority run_at attempts max_attempts last_error created_at died_at"

HONKER_ENQUEUE = "insert into _honker_live (queue, payload, run_at, created_at) values ('mail', ?, ?, ?)"
HONKER_CLAIM = """
update _honker_live set state = 'processing', worker_id = ?, claim_expires_at = ?, attempts = attempts + 1
where id = ?
"""
HONKER_ACK = "delete from _honker_live where id = ? and worker_id = ? and claim_expires_at >= ?"


def make_older(path: str, schema: str) -> None:
    """A file of honker's with a job waiting, one in work, one whose lease is over, and a dead one."""
    with raw(path) as connection:
        connection.executescript(schema)
        for payload in ("waiting", "in work", "lapsed"):
            connection.execute(HONKER_ENQUEUE, (f'"{payload}"', NOW - 9, NOW - 9))
        connection.execute(HONKER_CLAIM, ("x", NOW + 60, 2))
        connection.execute(HONKER_CLAIM, ("x", NOW - 1, 3))
        connection.execute("insert into _honker_dead (id, queue, payload, died_at) values (9, 'mail', '1', ?)", (NOW,))


def columns(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    connection.row_factory = sqlite3.Row
    return [dict(row) for row in connection.execute(f"pragma table_info({table})")]


def one(path: str, statement: str) -> Any:
    with raw(path) as connection:
        return connection.execute(statement).fetchone()[0]


# --- a file is made, and opened again


@pytest.mark.rule("STO-1")
def test_the_tables_have_honkers_columns_and_then_columns_with_defaults(db: anser.Database, path: str) -> None:
    tables = ("_honker_live", "_honker_dead", "_honker_locks", "_honker_notifications")
    with raw(path) as connection:
        ours = [columns(connection, table) for table in tables]
    with raw(":memory:") as connection:
        connection.executescript(HONKER_0_5)
        honkers = [columns(connection, table) for table in tables]

    assert [mine[: len(its)] for mine, its in zip(ours, honkers, strict=True)] == honkers
    added = [column for mine, its in zip(ours, honkers, strict=True) for column in mine[len(its) :]]
    assert added
    assert [column["name"] for column in added if column["notnull"] and column["dflt_value"] is None] == []


@pytest.mark.rule("STO-3")
def test_a_new_file_says_its_format(db: anser.Database, path: str) -> None:
    assert one(path, "select version from _anser_format") == 2


@pytest.mark.parametrize("synchronous", ["normal", "full", "extra"])
def test_a_file_is_opened_with_the_durability_that_was_asked_for(path: str, synchronous: Any) -> None:
    with anser.open(path, synchronous=synchronous, busy_timeout_s=1.5) as db, db.transaction() as tx:
        pragmas = [
            tx.execute(f"pragma {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "busy_timeout")
        ]

    assert pragmas == ["wal", {"normal": 1, "full": 2, "extra": 3}[synchronous], 1_500]


def test_a_file_is_opened_with_full_durability_and_five_seconds_if_nothing_is_said(path: str) -> None:
    with anser.open(path) as db, db.transaction() as tx:
        pragmas = [tx.execute(f"pragma {name}").fetchone()[0] for name in ("synchronous", "busy_timeout")]

    assert pragmas == [2, 5_000]


def test_to_open_a_file_again_changes_no_byte_of_it(path: str) -> None:
    with anser.open(path) as db:
        db.queue("mail").enqueue("hello")
    before = Path(path).read_bytes()

    with anser.open(path) as db, anser.open(path) as other:
        assert db.queue("mail").count_jobs() == other.queue("mail").count_jobs()

    assert Path(path).read_bytes() == before
    assert [place.name for place in Path(path).parent.iterdir()] == [Path(path).name]


def test_a_file_of_the_application_gets_tables_beside_its_own(path: str) -> None:
    with raw(path) as connection:
        connection.execute("create table orders (id integer primary key)")
        connection.execute("insert into orders values (42)")

    with anser.open(path) as db:
        db.queue("mail").enqueue("hello")

    assert one(path, "select id from orders") == 42
    assert one(path, "pragma journal_mode") == "wal"


def test_a_file_can_be_opened_while_another_process_would_write(path: str) -> None:
    anser.open(path).close()

    with raw(path) as writer:
        writer.execute("begin immediate")
        writer.execute("update _anser_fence set fence = fence")

        with anser.open(path, busy_timeout_s=0) as db:
            assert db.queue("mail").count_jobs().pending == 0


# --- older files


@pytest.mark.parametrize("schema", [HONKER_0_5, HONKER_0_2], ids=["0.5", "0.2"])
@pytest.mark.rule("STO-5")
def test_an_older_file_is_extended_with_its_jobs_in_flight(path: str, schema: str) -> None:
    make_older(path, schema)

    with anser.open(path, clock=lambda: NOW) as db:
        queue = db.queue("mail")
        jobs = queue.list_jobs()
        counts = queue.count_jobs()
        dead = queue.dead_list()

    assert [(job.id, job.payload, job.state, job.run_at) for job in jobs] == [
        (1, '"waiting"', anser.State.PENDING, NOW - 9),
        (2, '"in work"', anser.State.PROCESSING, NOW - 9),
        (3, '"lapsed"', anser.State.PROCESSING, NOW - 9),
    ]
    assert jobs[1].lease == anser.Lease("x", 0, None, NOW + 60)
    assert {(job.lapses, job.max_lapses, job.unique_key, job.last_error) for job in jobs} == {(0, 5, None, None)}
    assert counts == anser.Counts(pending=1, due=1, processing=2, dead=1)
    assert [(job.id, job.reason, job.died_at) for job in dead] == [(9, None, NOW)]


@pytest.mark.parametrize("schema", [HONKER_0_5, HONKER_0_2], ids=["0.5", "0.2"])
@pytest.mark.rule("STO-5")
def test_holders_from_before_the_extension_may_speak(path: str, schema: str) -> None:
    make_older(path, schema)

    with anser.open(path, clock=lambda: NOW) as db:
        queue = db.queue("mail")
        jobs = queue.claim_batch("w", 5)
        with raw(path) as honker:
            spoken = [honker.execute(HONKER_ACK, (id, "x", NOW)).rowcount for id in (2, 3)]

        assert [(job.id, job.row.lapses) for job in jobs] == [(1, 0), (3, 1)]
        assert spoken == [1, 0]
        for job in jobs:
            job.ack()
        assert queue.count_jobs() == anser.Counts(pending=0, due=0, processing=0, dead=1)


@pytest.mark.parametrize("schema", [HONKER_0_5, HONKER_0_2], ids=["0.5", "0.2"])
@pytest.mark.parametrize("name", [*WRITES, *READS])
@pytest.mark.rule("STO-5")
def test_every_operation_works_on_a_file_that_was_extended(path: str, schema: str, name: str) -> None:
    with raw(path) as connection:
        connection.executescript(schema)

    with anser.open(path, clock=lambda: NOW) as db:
        with raw(path) as connection:
            furnish(connection)
        before = rows_in(path)
        db.run(WRITES.get(name) or READS[name])

        assert (rows_in(path) == before) is (name in READS)
        assert set(OPS) >= {name.partition(",")[0]}


@pytest.mark.rule("STO-5")
def test_an_older_file_is_extended_once(path: str) -> None:
    make_older(path, HONKER_0_2)
    anser.open(path).close()
    before = Path(path).read_bytes()

    anser.open(path).close()

    assert Path(path).read_bytes() == before


@pytest.mark.rule("STO-2")
def test_what_honker_enqueues_on_our_file_is_a_job_like_others(db: anser.Database, path: str) -> None:
    with raw(path) as honker:
        honker.execute(HONKER_ENQUEUE, ('"from honker"', NOW, NOW))

    job = claimed(db.queue("mail"))

    assert (job.payload, job.row.max_attempts, job.row.max_lapses) == ("from honker", 3, 5)
    job.ack()


@pytest.mark.rule("STO-4")
def test_a_claim_of_honkers_moves_the_fence_under_the_old_holder(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock, path: str
) -> None:
    mail.enqueue("hello")
    job = claimed(mail, "w", lease_s=10)
    clock.advance(11)

    with raw(path) as honker:
        honker.execute(HONKER_CLAIM, ("w", clock() + 60, job.id))

    with pytest.raises(anser.LeaseLost):
        job.ack()
    found = mail.get_job(job.id)
    assert isinstance(found, anser.Job)
    assert found.lease == anser.Lease("w", job.lease.fence + 1, None, clock() + 60)
    mail.enqueue("another")
    assert claimed(mail).lease.fence == job.lease.fence + 2


@pytest.mark.rule("STO-4")
def test_a_claim_of_our_own_moves_the_fence_by_one(mail: anser.Queue) -> None:
    mail.enqueue_many(range(3))

    fences = [claimed(mail).lease.fence for _ in range(3)]

    assert fences == [1, 2, 3]


def test_other_words_of_honkers_leave_the_fence(mail: anser.Queue, path: str) -> None:
    with raw(path) as honker:
        lay_held(honker, id=1, fence=0)
        honker.execute("update _honker_live set claim_expires_at = claim_expires_at + 60 where id = 1")
        honker.execute("update _honker_live set state = 'pending', worker_id = null, claim_expires_at = null")

    assert one(path, "select fence from _anser_fence") == 0
    assert claimed(mail).lease.fence == 1


# --- files that are refused


@pytest.mark.parametrize("journal_mode", ["wal", "delete", "truncate"])
@pytest.mark.rule("STO-3")
def test_a_file_of_a_newer_format_is_refused_and_no_byte_of_it_changes(path: str, journal_mode: str) -> None:
    with anser.open(path) as db:
        db.queue("mail").enqueue("hello")
    with raw(path) as connection:
        connection.execute("update _anser_format set version = 3")
        connection.execute(f"pragma journal_mode = {journal_mode}")
    before, places = Path(path).read_bytes(), sorted(Path(path).parent.iterdir())

    with pytest.raises(anser.FormatError, match="the file has format 3, this Anser writes format 2: upgrade it"):
        anser.open(path)

    assert Path(path).read_bytes() == before
    assert sorted(Path(path).parent.iterdir()) == places


@pytest.mark.parametrize(
    "spoil",
    [
        "update _anser_format set version = 3",
        "drop table _anser_format; drop table _honker_live; create table _honker_live (id integer)",
    ],
    ids=["newer", "not the queue's"],
)
@pytest.mark.rule("STO-3")
def test_an_open_that_was_refused_holds_the_file_no_longer(path: str, spoil: str) -> None:
    anser.open(path).close()
    with raw(path) as connection:
        connection.executescript(spoil)

    with pytest.raises(anser.AnserError) as refusal:
        anser.open(path)

    assert refusal.value.__traceback__ is not None  # which holds all that the refused call had in its hands
    assert one(path, "pragma journal_mode = delete") == "delete"  # which only the last connection may ask for


@pytest.mark.parametrize("version", ["two", 2.5, b"\x02"])
@pytest.mark.rule("STO-3")
def test_a_file_whose_format_is_no_number_is_refused(path: str, version: object) -> None:
    anser.open(path).close()
    with raw(path) as connection:
        connection.execute("update _anser_format set version = ?", (version,))
    before = Path(path).read_bytes()

    with pytest.raises(anser.FormatError, match="which is no number"):
        anser.open(path)

    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("stamp", ["delete from _anser_format", "update _anser_format set version = 0"])
@pytest.mark.rule("STO-3", "STO-5")
def test_a_file_whose_stamp_is_older_or_lost_is_prepared_again_and_keeps_its_jobs(path: str, stamp: str) -> None:
    with anser.open(path) as db:
        db.queue("mail").enqueue("hello")
    with raw(path) as connection:
        connection.execute(stamp)

    with anser.open(path) as db:
        assert db.queue("mail").count_jobs().pending == 1

    assert one(path, "select version from _anser_format") == 2


@pytest.mark.rule("STO-5")
def test_tables_that_are_not_the_queues_are_left_as_they_were(path: str) -> None:
    with raw(path) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table _honker_live (id integer primary key autoincrement, colour text)")
        before = connection.execute("select * from sqlite_master").fetchall()

    with pytest.raises(anser.AnserError, match="no such column: queue"):
        anser.open(path)

    with raw(path) as connection:
        assert connection.execute("select * from sqlite_master").fetchall() == before


def test_what_is_no_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database " * 1_000)

    with pytest.raises(anser.StorageError, match=r"file is not a database: .*notes\.txt$"):
        anser.open(text)
    with pytest.raises(anser.StorageError, match="unable to open database file"):
        anser.open(tmp_path)
    with pytest.raises(anser.StorageError, match=r"unable to open database file: .*app\.db$"):
        anser.open(tmp_path / "no such folder" / "app.db")

    assert text.read_text() == "not a database " * 1_000
    assert [place.name for place in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.rule("ERR-3")
def test_a_file_that_broke_is_told_as_a_failure_of_the_database(path: str) -> None:
    with anser.open(path) as db:
        db.queue("mail").enqueue_many(["x" * 2_000] * 50)
    with raw(path) as connection:
        ((size,),) = connection.execute("pragma page_size")
        roots = connection.execute("select rootpage from sqlite_master where tbl_name = '_honker_live'").fetchall()
    content = bytearray(Path(path).read_bytes())
    for (root,) in roots:
        content[(root - 1) * size : root * size] = b"\xa5" * size
    Path(path).write_bytes(content)

    with anser.open(path) as db:
        mail = db.queue("mail")
        for look in (lambda: mail.claim_one("w"), lambda: mail.get_job(1), lambda: mail.cancel(1), mail.count_jobs):
            with pytest.raises(anser.StorageError, match="malformed"):
                look()


def test_tables_that_went_missing_are_told_with_a_remedy(db: anser.Database, mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        connection.execute("drop table _anser_paused")

    with pytest.raises(anser.FormatError, match=r"no such table: _anser_paused: open the file with anser\.open"):
        mail.claim_one("w")


# --- handles that are closed


@pytest.mark.parametrize("name", [*WRITES, *READS])
def test_a_closed_handle_refuses_every_operation(db: anser.Database, path: str, name: str) -> None:
    db.close()
    db.close()

    with pytest.raises(anser.StorageError, match=r"the database is closed: open it again with anser\.open"):
        db.run(WRITES.get(name) or READS[name])
    with raw(path) as connection, pytest.raises(anser.StorageError, match="the database is closed"):
        db.run(WRITES.get(name) or READS[name], connection)


def test_a_closed_handle_begins_no_transaction(db: anser.Database) -> None:
    db.close()

    with pytest.raises(anser.StorageError, match="the database is closed"):
        db.transaction().__enter__()


def test_a_with_block_closes_its_handle_and_the_file_is_whole(path: str) -> None:
    with anser.open(path) as db:
        db.queue("mail").enqueue("hello")

    with pytest.raises(anser.StorageError, match="the database is closed"):
        db.queue("mail").count_jobs()
    assert [place.name for place in Path(path).parent.iterdir()] == [Path(path).name]
    assert one(path, "select count(*) from _honker_live") == 1


def test_a_handle_that_is_closed_inside_a_transaction_is_closed_at_its_end(
    db: anser.Database, mail: anser.Queue, path: str
) -> None:
    with db.transaction() as tx:
        mail.enqueue("hello", tx=tx)
        db.close()
        with pytest.raises(anser.StorageError, match="the database is closed"):
            mail.enqueue("again", tx=tx)

    assert one(path, "select count(*) from _honker_live") == 1
    assert one(path, "pragma journal_mode = delete") == "delete"  # which only the last connection may ask for


def test_a_job_whose_handle_was_closed_is_put_back_by_its_lease(
    db: anser.Database, mail: anser.Queue, path: str
) -> None:
    def body() -> None:
        with job:
            db.close()
            raise ValueError("the cause")

    mail.enqueue("hello")
    job = claimed(mail)

    with pytest.raises(ValueError, match="the cause") as raised:
        body()

    assert "was not put back: the database is closed" in raised.value.__notes__[0]
    with anser.open(path, clock=lambda: NOW + 301) as again:
        assert claimed(again.queue("mail")).row.lapses == 1
