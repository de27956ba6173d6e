"""Connections that the application already has: any `sqlite3` connection to the file can be joined, as it is."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import anser
from tests.behavior.support import NOW, READS, REFUSED, WRITES, claimed, furnish, raw, rows, rows_in

ALONE = [  # connections on which a statement is its own transaction unless one was begun
    pytest.param({"isolation_level": None}, id="isolation None"),
]
IMPLICIT = [  # connections that begin a transaction by themselves, and leave it to the application to end it
    pytest.param({"isolation_level": ""}, id="isolation ''"),
    pytest.param({"isolation_level": "DEFERRED"}, id="deferred"),
    pytest.param({"isolation_level": "IMMEDIATE"}, id="immediate"),
    pytest.param({"isolation_level": "EXCLUSIVE"}, id="exclusive"),
]
if sys.version_info >= (3, 12):
    ALONE.append(pytest.param({"autocommit": True}, id="autocommit"))
    IMPLICIT.append(pytest.param({"autocommit": False}, id="no autocommit"))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sqlite3.connect(autocommit=…) came with Python 3.12")
def test_connections_that_say_autocommit_are_among_those_of_these_tests() -> None:
    assert [kind.id for kind in ALONE + IMPLICIT if "autocommit" in str(kind.values)] == ["autocommit", "no autocommit"]


@pytest.fixture
def furnished(db: anser.Database, path: str) -> str:
    """The path of a file with a job in every place."""
    with raw(path) as connection:
        furnish(connection)
    return path


@pytest.fixture
def connection(furnished: str, options: dict[str, Any]) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(furnished, timeout=0, **options)) as connection:
        yield connection


def began(connection: sqlite3.Connection) -> bool:
    """Begin a transaction where the connection has not; with `autocommit=False` it always has."""
    if not connection.in_transaction:
        connection.execute("begin")
    return connection.in_transaction


def ended(connection: sqlite3.Connection, how: str) -> None:
    """End the transaction as the connection's kind has it; `commit()` does nothing with `autocommit=True`."""
    if getattr(connection, "autocommit", None) is True:
        connection.execute(how)
    else:
        getattr(connection, how)()


# --- neither committed nor rolled back


@pytest.mark.parametrize("options", ALONE)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("STO-6")
def test_an_operation_on_a_connection_that_begins_nothing_is_a_transaction_of_its_own(
    db: anser.Database, connection: sqlite3.Connection, furnished: str, name: str
) -> None:
    before = rows_in(furnished)

    db.run(WRITES[name], connection)

    assert not connection.in_transaction
    assert rows_in(furnished) != before


@pytest.mark.parametrize("options", IMPLICIT)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("end", ["commit", "rollback"])
@pytest.mark.rule("STO-6")
def test_an_operation_on_a_connection_that_begins_by_itself_is_left_to_be_ended(
    db: anser.Database, connection: sqlite3.Connection, furnished: str, name: str, end: str
) -> None:
    before = rows_in(furnished)

    db.run(WRITES[name], connection)
    while_open = rows_in(furnished)
    assert connection.in_transaction
    ended(connection, end)

    assert while_open == before
    assert (rows_in(furnished) == before) is (end == "rollback")


@pytest.mark.parametrize("options", ALONE + IMPLICIT)
@pytest.mark.parametrize("end", ["commit", "rollback"])
@pytest.mark.rule("STO-6")
def test_a_transaction_that_is_open_holds_the_operation_and_the_applications_rows(
    db: anser.Database, mail: anser.Queue, connection: sqlite3.Connection, furnished: str, end: str
) -> None:
    before = rows_in(furnished)

    assert began(connection)
    connection.execute("insert into orders values (1)")
    enqueued = mail.enqueue("hello", tx=connection)
    assert connection.in_transaction
    connection.execute("insert into orders values (2)")
    while_open = rows_in(furnished)
    ended(connection, end)

    assert while_open == before
    if end == "rollback":
        assert rows_in(furnished) == before
    else:
        assert len(rows_in(furnished)["orders"]) == 2
        assert mail.get_job(enqueued.id) is not None


@pytest.mark.parametrize("options", ALONE + IMPLICIT)
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.rule("ERR-1", "STO-6")
def test_a_refusal_takes_back_its_own_and_leaves_the_transaction_open(
    db: anser.Database, connection: sqlite3.Connection, furnished: str, name: str
) -> None:
    op, refusal = REFUSED[name]
    before = rows_in(furnished)

    assert began(connection)
    connection.execute("insert into orders values (1)")
    with pytest.raises(refusal):
        db.run(op, connection)
    assert connection.in_transaction
    ended(connection, "commit")

    after = rows_in(furnished)
    assert [row[0] for row in after.pop("orders")] == [1]
    assert after == {table: rows for table, rows in before.items() if table != "orders"}


@pytest.mark.parametrize("options", ALONE + IMPLICIT)
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.rule("ERR-1")
def test_a_refusal_where_nothing_was_open_leaves_no_lock_and_no_row(
    db: anser.Database, connection: sqlite3.Connection, furnished: str, name: str
) -> None:
    op, refusal = REFUSED[name]
    before = rows_in(furnished)
    was_open = connection.in_transaction

    with pytest.raises(refusal):
        db.run(op, connection)

    assert connection.in_transaction is was_open
    assert rows(connection) == before
    if not was_open:
        assert db.run(WRITES["queue_pause"]) is True


@pytest.mark.parametrize("options", ALONE + IMPLICIT)
@pytest.mark.parametrize("name", READS)
def test_a_look_neither_begins_nor_ends_anything(
    db: anser.Database, connection: sqlite3.Connection, furnished: str, name: str
) -> None:
    was_open = connection.in_transaction

    alone = db.run(READS[name], connection)
    assert connection.in_transaction is was_open
    assert began(connection)
    inside = db.run(READS[name], connection)

    assert connection.in_transaction
    assert alone == inside == db.run(READS[name])


@pytest.mark.parametrize("options", IMPLICIT)
def test_the_connections_own_with_block_commits_the_job(
    mail: anser.Queue, connection: sqlite3.Connection, furnished: str
) -> None:
    with connection:
        connection.execute("insert into orders values (1)")
        enqueued = mail.enqueue("hello", tx=connection)

    assert len(rows_in(furnished)["orders"]) == 1
    assert mail.get_job(enqueued.id) is not None


@pytest.mark.parametrize("options", [{"isolation_level": None}])
@pytest.mark.parametrize("name", ["mine", "anser"])
def test_a_savepoint_of_the_application_takes_the_operation_back(
    db: anser.Database, mail: anser.Queue, connection: sqlite3.Connection, furnished: str, name: str
) -> None:
    connection.execute("begin")
    connection.execute("insert into orders values (1)")
    connection.execute(f"savepoint {name}")
    mail.enqueue("hello", tx=connection)
    with pytest.raises(anser.LeaseLost):
        db.run(REFUSED["fail"][0], connection)
    connection.execute(f"rollback to {name}")
    connection.execute(f"release {name}")
    connection.execute("commit")

    assert len(rows_in(furnished)["orders"]) == 1
    assert mail.count_jobs().pending == 6


@pytest.mark.parametrize("options", ALONE + IMPLICIT)
def test_an_application_enqueues_while_it_reads_its_own_rows(
    mail: anser.Queue, connection: sqlite3.Connection, furnished: str
) -> None:
    with raw(furnished) as other:
        other.executemany("insert into orders values (?)", [(id,) for id in range(1, 31)])

    for (id,) in connection.execute("select id from orders order by id"):
        mail.enqueue(id, tx=connection)
    if connection.in_transaction:
        ended(connection, "commit")

    assert [job.payload for job in mail.list_jobs(after_id=15, limit=100)] == [str(id) for id in range(1, 31)]


# --- rows and texts of another make


class Odd(sqlite3.Connection):
    """A connection whose users see dictionaries and bytes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.row_factory = as_dictionary
        self.text_factory = bytes


def as_dictionary(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


@pytest.mark.parametrize("name", [*WRITES, *READS])
def test_factories_of_the_connection_change_no_answer_and_no_row(
    furnished: str, tmp_path: Path, clock: anser.ManualClock, name: str
) -> None:
    op = WRITES.get(name) or READS[name]
    with raw(furnished) as connection:
        connection.execute("vacuum into ?", (str(tmp_path / "other.db"),))

    with anser.open(furnished, clock=clock) as db:
        plain = db.run(op)
    with anser.open(tmp_path / "other.db", clock=clock) as db, raw(db.path, factory=Odd) as odd:
        answer = db.run(op, odd)

    assert answer == plain
    assert rows_in(str(tmp_path / "other.db")) == rows_in(furnished)


@pytest.mark.parametrize("text_factory", [bytes, lambda text: f"<{text!r}>"])
def test_the_connections_factories_are_as_they_were_after_an_answer_and_after_a_refusal(
    db: anser.Database, furnished: str, text_factory: Any
) -> None:
    with raw(furnished) as connection:
        connection.row_factory, connection.text_factory = sqlite3.Row, text_factory

        db.run(WRITES["claim"], connection)
        with pytest.raises(anser.LeaseLost):
            db.run(REFUSED["ack"][0], connection)

        assert (connection.row_factory, connection.text_factory) == (sqlite3.Row, text_factory)
        row = connection.execute("select queue as of from _honker_live").fetchone()
        assert (type(row), row["of"]) == (sqlite3.Row, text_factory(b"mail"))


# --- the connections that are refused


def test_a_connection_to_another_file_is_refused_and_neither_file_is_written(
    mail: anser.Queue, path: str, tmp_path: Path
) -> None:
    other = str(tmp_path / "other.db")
    anser.open(other).close()
    before = rows_in(path), rows_in(other)

    with raw(other) as connection, pytest.raises(anser.FormatError, match=r"is to .*other\.db, the queue is in .*app"):
        mail.enqueue("hello", tx=connection)

    assert (rows_in(path), rows_in(other)) == before


@pytest.mark.parametrize("place", [":memory:", ""])
def test_a_connection_to_no_file_is_refused(mail: anser.Queue, place: str) -> None:
    with raw(place) as connection, pytest.raises(anser.FormatError, match="the connection is to a database in memory"):
        mail.enqueue("hello", tx=connection)


def test_a_connection_that_only_attached_the_file_is_refused(mail: anser.Queue, path: str, tmp_path: Path) -> None:
    with raw(str(tmp_path / "other.db")) as connection:
        connection.execute("attach ? as jobs", (path,))
        connection.execute("create table orders (id integer)")

        with pytest.raises(anser.FormatError):
            mail.enqueue("hello", tx=connection)

    assert mail.count_jobs().pending == 0


def test_a_closed_connection_is_told_as_a_failure_of_the_database(mail: anser.Queue, path: str) -> None:
    connection = sqlite3.connect(path)
    connection.close()

    with pytest.raises(anser.StorageError, match="Cannot operate on a closed database"):
        mail.enqueue("hello", tx=connection)


@pytest.mark.parametrize("tx", ["app.db", 5, object(), (), 0, False, ""])
def test_what_is_no_connection_is_refused(mail: anser.Queue, tx: Any) -> None:
    with pytest.raises(anser.Invalid, match=r"^tx = .*pass a sqlite3.Connection"):
        mail.enqueue("hello", tx=tx)

    assert mail.count_jobs().pending == 0


def test_a_connection_that_may_not_write_is_told_as_a_failure_of_the_database(mail: anser.Queue, path: str) -> None:
    mail.enqueue("hello")

    with raw(f"file:{path}?mode=ro", uri=True) as connection:
        assert mail.get_job(1, tx=connection) is not None
        with pytest.raises(anser.StorageError, match="attempt to write a readonly database"):
            mail.enqueue("hello", tx=connection)

    assert mail.count_jobs().pending == 1


@pytest.mark.rule("ERR-3")
def test_a_connection_that_is_denied_a_table_half_way_leaves_nothing_of_the_operation(
    mail: anser.Queue, path: str
) -> None:
    def deny(action: int, table: str | None, *_: object) -> int:
        inserting = action == sqlite3.SQLITE_INSERT and table == "_anser_finished"
        return sqlite3.SQLITE_DENY if inserting else sqlite3.SQLITE_OK

    mail.enqueue("hello")
    job = claimed(mail)
    before = rows_in(path)

    with raw(path) as connection:
        connection.set_authorizer(deny)
        connection.execute("begin")
        with pytest.raises(anser.StorageError, match="not authorized"):
            job.ack(tx=connection)
        connection.execute("commit")

    assert rows_in(path) == before


# --- the same file by another name


@pytest.mark.parametrize("opened", ["link.db", "real.db"])
def test_a_file_and_a_link_to_it_are_one_file(tmp_path: Path, opened: str) -> None:
    (joined,) = {"link.db", "real.db"} - {opened}
    (tmp_path / "link.db").symlink_to("real.db")

    with anser.open(tmp_path / opened) as db, raw(str(tmp_path / joined)) as connection:
        db.queue("mail").enqueue("hello", tx=connection)

        assert db.queue("mail").count_jobs().pending == 1


def test_a_relative_name_is_the_file_that_it_named_when_it_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)

    with anser.open("app.db") as db, raw("app.db") as connection:
        monkeypatch.chdir(tmp_path / "folder")
        db.queue("mail").enqueue("hello", tx=connection)

        assert db.path == str(tmp_path / "app.db")
        assert db.queue("mail").count_jobs().pending == 1
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["a b.db", "100%20.db", "what?mode=ro.db", "a#b.db", "é😀.db", "'quoted'.db", "caf\udce9"]
)
def test_a_file_of_any_name_is_joined(tmp_path: Path, name: str) -> None:
    place = os.path.join(tmp_path, name)
    try:
        Path(place).touch()
    except OSError:
        pytest.skip("this file system has no such names")

    with anser.open(place) as db, raw(place) as connection:
        db.queue("mail").enqueue("hello", tx=connection)

        assert db.queue("mail").count_jobs().pending == 1


def test_a_file_that_was_moved_away_is_told_as_a_failure_of_the_database(
    mail: anser.Queue, path: str, tmp_path: Path
) -> None:
    with raw(path) as connection:
        os.rename(path, tmp_path / "moved.db")
        with pytest.raises(anser.StorageError):
            mail.enqueue("hello", tx=connection)
        os.rename(tmp_path / "moved.db", path)

    assert mail.count_jobs().pending == 0


# --- snapshots


@pytest.mark.rule("ERR-3")
def test_a_transaction_that_has_read_what_is_stale_is_busy_and_told_what_to_do(mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        connection.execute("begin deferred")
        connection.execute("select count(*) from _honker_live").fetchone()
        mail.enqueue("from elsewhere")

        with pytest.raises(anser.Busy, match="read before another one wrote: roll back, and begin immediate next time"):
            mail.enqueue("hello", tx=connection)
        assert connection.in_transaction
        connection.execute("rollback")
        connection.execute("begin immediate")
        mail.enqueue("hello", tx=connection)
        connection.execute("commit")

    assert [job.payload for job in mail.list_jobs()] == ['"from elsewhere"', '"hello"']


def test_a_look_in_an_old_snapshot_sees_what_the_snapshot_holds(mail: anser.Queue, path: str) -> None:
    mail.enqueue("before")

    with raw(path) as connection:
        connection.execute("begin deferred")
        connection.execute("select count(*) from _honker_live").fetchone()
        mail.enqueue("after")

        assert mail.get_job(1, tx=connection) is not None
        assert mail.get_job(2, tx=connection) is None
        assert mail.get_job(2) is not None


@pytest.mark.parametrize("options", ALONE + IMPLICIT)
@pytest.mark.rule("ERR-3")
def test_an_operation_that_cannot_have_the_lock_is_busy_and_leaves_the_connection_as_it_was(
    mail: anser.Queue, connection: sqlite3.Connection, furnished: str
) -> None:
    before = rows_in(furnished)
    was_open = connection.in_transaction

    with raw(furnished) as other:
        other.execute("begin immediate")
        with pytest.raises(anser.Busy, match="nothing was written, try again"):
            mail.enqueue("hello", tx=connection)
        assert connection.in_transaction is was_open

    mail.enqueue("hello", tx=connection)
    if connection.in_transaction:
        ended(connection, "commit")
    assert len(rows_in(furnished)["_honker_live"]) == len(before["_honker_live"]) + 1


def test_a_claim_on_a_joined_connection_is_a_claim_like_others(
    mail: anser.Queue, db: anser.Database, path: str
) -> None:
    mail.enqueue("hello")

    with raw(path) as connection:
        connection.execute("begin")
        (job,) = db.run(anser.ops.Claim(queues=("mail",), worker="w", n=1, lease_s=9), connection)
        connection.execute("commit")

    assert job.lease == anser.Lease("w", 1, NOW, NOW + 9)
    assert mail.get_job(1) == job
