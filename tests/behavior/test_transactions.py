"""Transactions of the application through `db.transaction()`: what commits, what vanishes, what is refused inside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import OPS
from tests.behavior.support import NEVER_REFUSED, NOW, READS, REFUSED, WRITES, claimed, furnish, raw, rows_in

KINDS = {**WRITES, **READS}


@pytest.fixture
def furnished(db: anser.Database, path: str) -> str:
    """The path of a file with a job in every place."""
    with raw(path) as connection:
        furnish(connection)
    return path


class WatchedClock:
    """A clock that also notes whether the write lock was held when it was read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.locked: list[bool] = []

    def __call__(self) -> int:
        with raw(self.path) as other:
            try:
                other.execute("begin immediate")
            except sqlite3.OperationalError:
                self.locked.append(True)
            else:
                self.locked.append(False)
        return NOW


@pytest.fixture
def watched(furnished: str) -> Iterator[tuple[anser.Database, WatchedClock]]:
    clock = WatchedClock(furnished)
    with anser.open(furnished, clock=clock, busy_timeout_s=0) as db:
        yield db, clock


def test_the_tables_of_these_tests_leave_no_operation_out() -> None:
    assert {op.name for op in KINDS.values()} == set(OPS)
    assert {op.name for op, _ in REFUSED.values()} == set(OPS) - NEVER_REFUSED


# --- commit and rollback


@pytest.mark.rule("STO-6")
def test_a_transaction_commits_the_jobs_and_the_rows_of_its_body(
    db: anser.Database, mail: anser.Queue, furnished: str
) -> None:
    with db.transaction() as tx:
        tx.execute("insert into orders values (?)", (42,))
        tx.executemany("insert into orders values (:id)", [{"id": 43}, {"id": 44}])
        enqueued = mail.enqueue("hello", tx=tx)
        assert mail.get_job(enqueued.id, tx=tx) is not None
        assert rows_in(furnished)["orders"] == []

    assert len(rows_in(furnished)["orders"]) == 3
    assert mail.get_job(enqueued.id) is not None


@pytest.mark.rule("STO-6")
def test_a_transaction_whose_body_raises_leaves_nothing(db: anser.Database, mail: anser.Queue, furnished: str) -> None:
    def body() -> None:
        with db.transaction() as tx:
            tx.execute("insert into orders values (42)")
            mail.enqueue("hello", tx=tx)
            raise ValueError("no")

    before = rows_in(furnished)

    with pytest.raises(ValueError, match="no"):
        body()

    assert rows_in(furnished) == before
    assert mail.enqueue("hello").created


@pytest.mark.parametrize("error", [KeyboardInterrupt, StopIteration, GeneratorExit])
def test_any_end_of_the_body_but_the_normal_one_rolls_back(
    db: anser.Database, mail: anser.Queue, path: str, error: type[BaseException]
) -> None:
    before = rows_in(path)

    with pytest.raises(error), db.transaction() as tx:
        raise error(mail.enqueue("hello", tx=tx))

    assert rows_in(path) == before
    assert mail.enqueue("hello").created


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("STO-6")
def test_an_operation_does_in_a_transaction_what_it_does_alone(
    furnished: str, tmp_path: Path, clock: anser.ManualClock, name: str
) -> None:
    with raw(furnished) as connection:
        connection.execute("vacuum into ?", (str(tmp_path / "other.db"),))

    with anser.open(furnished, clock=clock) as db:
        alone = db.run(WRITES[name])
    with anser.open(tmp_path / "other.db", clock=clock) as other, other.transaction() as tx:
        joined = other.run(WRITES[name], tx)

    assert joined == alone
    assert rows_in(str(tmp_path / "other.db")) == rows_in(furnished)


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("STO-6")
def test_an_operation_vanishes_with_its_transaction(db: anser.Database, furnished: str, name: str) -> None:
    def body() -> None:
        with db.transaction() as tx:
            db.run(WRITES[name], tx)
            raise ValueError("no")

    before = rows_in(furnished)

    with pytest.raises(ValueError, match="no"):
        body()
    after_rollback = rows_in(furnished)
    db.run(WRITES[name])

    assert after_rollback == before
    assert rows_in(furnished) != before, "the operation writes nothing: this test could not fail"


# --- refusals inside


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.rule("ERR-1", "STO-6")
def test_an_operation_that_is_refused_and_caught_leaves_nothing_and_the_rest_commits(
    db: anser.Database, furnished: str, name: str
) -> None:
    op, refusal = REFUSED[name]
    before = rows_in(furnished)

    with db.transaction() as tx:
        tx.execute("insert into orders values (1)")
        with pytest.raises(refusal):
            db.run(op, tx)
        tx.execute("insert into orders values (2)")

    after = rows_in(furnished)
    assert [row[0] for row in after.pop("orders")] == [1, 2]
    assert after == {table: rows for table, rows in before.items() if table != "orders"}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.rule("ERR-1")
def test_an_operation_that_is_refused_alone_leaves_nothing(db: anser.Database, furnished: str, name: str) -> None:
    op, refusal = REFUSED[name]
    before = rows_in(furnished)

    with pytest.raises(refusal):
        db.run(op)

    assert rows_in(furnished) == before
    assert db.run(WRITES["queue_pause"]) is True


@pytest.mark.parametrize("name", KINDS)
def test_an_operation_without_tx_is_refused_inside_a_transaction_of_its_thread(
    db: anser.Database, furnished: str, name: str
) -> None:
    before = rows_in(furnished)

    with db.transaction(), pytest.raises(anser.Invalid) as refusal:
        db.run(KINDS[name])

    assert (refusal.value.argument, refusal.value.remedy.partition(":")[0]) == (
        "tx",
        "a transaction is open in this thread",
    )
    assert rows_in(furnished) == before


def test_transactions_do_not_nest_and_the_outer_one_goes_on(
    db: anser.Database, mail: anser.Queue, furnished: str
) -> None:
    with db.transaction() as tx:
        tx.execute("insert into orders values (1)")
        with pytest.raises(anser.Invalid, match=r"^transaction = 'open'"):
            db.transaction().__enter__()
        mail.enqueue("hello", tx=tx)

    assert len(rows_in(furnished)["orders"]) == 1
    assert mail.count_jobs().pending == 7


# --- transactions that are over, or somebody else's


def test_a_transaction_that_was_committed_is_refused(db: anser.Database, mail: anser.Queue, path: str) -> None:
    with db.transaction() as tx:
        pass
    before = rows_in(path)

    with pytest.raises(anser.Invalid, match="that transaction has ended"):
        mail.enqueue("hello", tx=tx)

    assert rows_in(path) == before


@pytest.mark.parametrize("end", ["", "commit", "rollback"])
def test_a_statement_of_a_transaction_that_has_ended_is_refused(db: anser.Database, path: str, end: str) -> None:
    with suppress(anser.StorageError), db.transaction() as tx:
        tx.execute("create table orders (id integer)")
        if end:
            tx.execute(end)
            with pytest.raises(anser.Invalid, match="that transaction has ended"):
                tx.execute("create table later (id integer)")

    with db.transaction(), pytest.raises(anser.Invalid, match="that transaction has ended"):
        tx.execute("create table later (id integer)")
    with pytest.raises(anser.Invalid, match="that transaction has ended"):
        tx.executemany("insert into orders values (?)", [(1,)])

    with raw(path) as connection:
        assert connection.execute("select 1 from sqlite_schema where name = 'later'").fetchall() == []


def test_what_follows_an_end_by_hand_is_not_committed_alone(
    db: anser.Database, mail: anser.Queue, furnished: str
) -> None:
    def body() -> None:
        with db.transaction() as tx:
            tx.execute("rollback")
            mail.enqueue("hello", tx=tx)

    before = rows_in(furnished)

    with pytest.raises(anser.Invalid, match="that transaction has ended"):
        body()

    assert rows_in(furnished) == before


def test_a_transaction_that_the_body_committed_by_hand_is_told_at_the_end(db: anser.Database) -> None:
    with pytest.raises(anser.StorageError, match="no transaction is active"), db.transaction() as tx:
        tx.execute("commit")

    with db.transaction():
        pass


def test_a_transaction_of_another_file_is_refused(mail: anser.Queue, tmp_path: Path, path: str) -> None:
    before = rows_in(path)

    with (
        anser.open(tmp_path / "other.db") as other,
        other.transaction() as tx,
        pytest.raises(anser.FormatError, match=r"other\.db, the queue is in .*app\.db"),
    ):
        mail.enqueue("hello", tx=tx)

    assert rows_in(path) == before
    assert rows_in(str(tmp_path / "other.db"))["_honker_live"] == []


def test_a_transaction_of_another_handle_on_the_same_file_is_joined(mail: anser.Queue, path: str) -> None:
    with anser.open(path) as other, other.transaction() as tx:
        mail.enqueue("hello", tx=tx)
        assert mail.count_jobs().pending == 0

    assert mail.count_jobs().pending == 1


def test_a_transaction_made_by_hand_has_the_instant_that_it_was_given(mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        connection.execute("begin immediate")
        mail.enqueue("hello", tx=anser.Transaction(connection, NOW + 77))
        connection.execute("commit")

    assert mail.list_jobs()[0].created_at == NOW + 77


# --- what fails at the end


def test_a_commit_that_fails_leaves_nothing_and_no_transaction(
    db: anser.Database, mail: anser.Queue, furnished: str
) -> None:
    def body() -> None:
        with db.transaction() as tx:
            mail.enqueue("hello", tx=tx)
            tx.execute("insert into lines values (1)")

    with db.transaction() as tx:
        connection = tx.connection
    connection.execute("pragma foreign_keys = on")
    connection.execute("create table lines (of integer references orders (id) deferrable initially deferred)")
    before = rows_in(furnished)

    with pytest.raises(anser.StorageError, match="FOREIGN KEY constraint failed"):
        body()

    assert rows_in(furnished) == before
    assert mail.enqueue("hello").created


def test_an_error_of_the_bodys_own_statement_stays_its_own(db: anser.Database, mail: anser.Queue) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table: nowhere"), db.transaction() as tx:
        tx.execute("insert into nowhere values (1)")

    assert mail.enqueue("hello").created


# --- the instant


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("STO-7")
def test_the_clock_is_read_once_while_the_write_lock_is_held(
    watched: tuple[anser.Database, WatchedClock], name: str
) -> None:
    db, clock = watched

    db.run(WRITES[name])

    assert clock.locked == [True]


@pytest.mark.rule("STO-7")
def test_all_that_a_transaction_does_is_of_one_instant(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock
) -> None:
    with db.transaction() as tx:
        mail.enqueue("first", tx=tx)
        clock.advance(60)
        mail.enqueue("second", tx=tx)

    assert tx.now == NOW
    assert [(job.run_at, job.created_at) for job in mail.list_jobs()] == [(NOW, NOW), (NOW, NOW)]


@pytest.mark.rule("STO-7")
def test_a_transaction_reads_the_clock_once_while_its_lock_is_held(
    watched: tuple[anser.Database, WatchedClock],
) -> None:
    db, clock = watched

    with db.transaction() as tx:
        for op in KINDS.values():
            with suppress(anser.LeaseLost):  # two may speak of one lease
                db.run(op, tx)

    assert clock.locked == [True]


@pytest.mark.rule("STO-7")
def test_an_operation_in_a_foreign_transaction_reads_the_clock_while_the_lock_is_held(
    watched: tuple[anser.Database, WatchedClock],
) -> None:
    db, clock = watched

    with raw(db.path) as connection:
        connection.execute("begin deferred")
        db.run(WRITES["enqueue"], connection)
        connection.execute("rollback")

    assert clock.locked == [True]


@pytest.mark.parametrize("now", [1.5, float(NOW), True, None, "now", -1, 2**63])
@pytest.mark.rule("STO-7")
def test_a_clock_that_gives_no_whole_seconds_is_refused_before_a_row_has_its_word(path: str, now: object) -> None:
    with anser.open(path, clock=lambda: now) as db:  # type: ignore[arg-type, return-value]  # the mistake itself
        before = rows_in(path)
        with pytest.raises(anser.Invalid, match=r"^clock = "):
            db.queue("mail").enqueue("hello")
        with pytest.raises(anser.Invalid, match=r"^clock = "):
            db.transaction().__enter__()

        assert rows_in(path) == before
        assert claimed_nothing(db)


def claimed_nothing(db: anser.Database) -> bool:
    """Whether the write lock can be had again, through another handle with a clock that works."""
    with anser.open(db.path, busy_timeout_s=0) as other:
        return other.queue("mail").claim_one("w") is None


def test_an_answer_inside_a_transaction_sees_what_the_transaction_has_done(
    db: anser.Database, mail: anser.Queue
) -> None:
    mail.enqueue("hello")
    job = claimed(mail)

    with db.transaction() as tx:
        job.ack(tx=tx)
        inside = mail.get_job(job.id, tx=tx)

    assert inside == anser.Finished(job.id, "mail", anser.State.DONE, 1, NOW)


def test_threads_that_share_a_transaction_take_turns(db: anser.Database, mail: anser.Queue) -> None:
    def add(place: int) -> int | None:
        try:
            return mail.enqueue(place, delay_s=9, expires_s=9 if place % 3 == 0 else 60, tx=tx).id
        except anser.Invalid:
            return None

    with db.transaction() as tx, ThreadPoolExecutor(4) as pool:
        ids = [id for id in pool.map(add, range(120)) if id is not None]

    assert len(set(ids)) == len(ids) == 80
    assert {job.id for job in mail.list_jobs(limit=1_000)} == set(ids)


def test_a_transaction_that_ended_is_refused_inside_a_later_one(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock
) -> None:
    with db.transaction() as ended:
        pass
    clock.advance(100)

    with db.transaction(), pytest.raises(anser.Invalid, match="that transaction has ended"):
        mail.enqueue(1, tx=ended)

    assert ended.end == "committed"
    assert mail.count_jobs().pending == 0


@pytest.mark.rule("STO-6")
@pytest.mark.parametrize("when", ["savepoint _anser_operation", "release _anser_operation"])
def test_a_signal_at_the_edge_of_an_operation_takes_back_nothing_of_the_callers(
    mail: anser.Queue, path: str, when: str
) -> None:
    class Signalled(sqlite3.Cursor):
        armed = False

        def execute(self, sql: str, parameters: Any = (), /) -> Any:
            answer = super().execute(sql, parameters)
            if Signalled.armed and sql == when:
                Signalled.armed = False
                raise KeyboardInterrupt
            return answer

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Signalled) -> Any:
            return super().cursor(factory)

    with closing(sqlite3.connect(path, factory=Connection, isolation_level=None)) as caller:
        caller.execute("begin immediate")
        caller.execute("create table theirs (it)")
        caller.execute("savepoint anser")
        caller.execute("insert into theirs values (1)")
        Signalled.armed = True
        with pytest.raises(KeyboardInterrupt):
            mail.enqueue("first", tx=caller)
        mail.enqueue("second", tx=caller)
        caller.execute("commit")

    with raw(path) as connection:
        assert connection.execute("select it from theirs").fetchall() == [(1,)]
    assert [job.payload for job in mail.list_jobs()][-1] == '"second"'
