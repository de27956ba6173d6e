"""An operation that breaks off half way: the n-th statement fails, n = 1, 2, 3 … until nothing fails any more.

However it is run and wherever it breaks off, the rows are as before or as after, never between, and the connection goes
on. Some faults are raised by a connection's own cursor, some by SQLite, which takes back more than was asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any, Self

import pytest

import anser
from anser.ops import Op
from tests.behavior.support import WRITES, Rows, furnish, raw, rows, rows_in

STATEMENTS_MAX = 400  # an operation of these tests that takes more is one that never ends
STEP_MAX = 20_000


class Faulty(sqlite3.Connection):
    """A connection whose statement number `at` raises `error`: before it is run, or after."""

    at: float = inf
    when = "before"
    error: type[BaseException] = sqlite3.OperationalError
    fired = False

    def cursor(self, factory: Any = None) -> Any:
        return super().cursor(factory or FaultyCursor)

    def reached(self, when: str) -> None:
        if when == self.when:
            self.at -= 1
            if self.at == 0:
                self.fired = True
                raise self.error("disk I/O error")

    def arm(self, at: int, when: str, error: type[BaseException]) -> None:
        self.at, self.when, self.error, self.fired = at, when, error, False

    def disarm(self) -> None:
        self.at = inf


class FaultyCursor(sqlite3.Cursor):
    def execute(self, sql: str, parameters: Any = ()) -> Self:
        with self.watched():
            super().execute(sql, parameters)
        return self

    def executemany(self, sql: str, parameters: Any) -> Self:
        with self.watched():
            super().executemany(sql, parameters)
        return self

    @contextmanager
    def watched(self) -> Iterator[None]:
        connection = self.connection
        assert isinstance(connection, Faulty)
        connection.reached("before")
        yield
        connection.reached("after")


@pytest.fixture
def furnished(db: anser.Database, path: str) -> str:
    """The path of a file with a job in every place."""
    with raw(path) as connection:
        furnish(connection)
    return path


@pytest.fixture
def faulty(furnished: str) -> Iterator[Faulty]:
    with raw(furnished, factory=Faulty) as connection:
        assert isinstance(connection, Faulty)
        yield connection


def rows_after(path: str, db: anser.Database, op: Op) -> Rows:
    """The rows as the operation leaves them; they are left as they were."""
    with raw(path) as connection:
        connection.execute("begin immediate")
        db.run(op, connection)
        after = rows(connection)
        connection.execute("rollback")
    return after


def attempt(db: anser.Database, op: Op, connection: sqlite3.Connection) -> BaseException | None:
    try:
        db.run(op, connection)
    except (anser.AnserError, KeyboardInterrupt) as error:
        return error
    return None


FAULTS = [
    pytest.param("before", sqlite3.OperationalError, id="a statement that is not run"),
    pytest.param("after", sqlite3.OperationalError, id="an answer that is lost"),
    pytest.param("after", KeyboardInterrupt, id="a signal"),
]


@pytest.mark.parametrize(("when", "error"), FAULTS)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("ERR-1", "ERR-3")
def test_an_operation_that_breaks_off_alone_is_done_or_not_done(
    db: anser.Database, faulty: Faulty, furnished: str, name: str, when: str, error: type[BaseException]
) -> None:
    op = WRITES[name]
    before, after = rows_in(furnished), rows_after(furnished, db, op)

    for at in range(1, STATEMENTS_MAX):
        faulty.arm(at, when, error)
        raised = attempt(db, op, faulty)
        faulty.disarm()
        found = rows_in(furnished)

        assert not faulty.in_transaction, f"statement {at} left a transaction open"
        assert (raised is not None) is faulty.fired
        if found == after:
            assert when == "after" or raised is None, f"statement {at} was not run, and yet all is done"
            break  # the last statement was the commit, or nothing fails any more
        assert found == before, f"statement {at} left something between"
        assert isinstance(raised, anser.StorageError | KeyboardInterrupt)
    else:
        pytest.fail("the operation never ends")

    assert at > 2, "nothing failed: this test could not fail"


@pytest.mark.parametrize(("when", "error"), FAULTS)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("ERR-1", "STO-6")
def test_an_operation_that_breaks_off_in_a_transaction_is_done_or_not_done_when_the_caller_commits(
    db: anser.Database, faulty: Faulty, furnished: str, name: str, when: str, error: type[BaseException]
) -> None:
    op = WRITES[name]
    before, after = rows_in(furnished), rows_after(furnished, db, op)

    for at in range(1, STATEMENTS_MAX):
        faulty.execute("begin immediate")
        faulty.execute("insert into orders values (42)")
        faulty.arm(at, when, error)
        raised = attempt(db, op, faulty)
        faulty.disarm()
        assert faulty.in_transaction, f"statement {at} ended the caller's transaction"
        faulty.execute("delete from orders")
        faulty.execute("commit")
        found = rows_in(furnished)

        assert (raised is not None) is faulty.fired
        if found == after:
            assert when == "after" or raised is None, f"statement {at} was not run, and yet all is done"
            break
        assert found == before, f"statement {at} left something between"
    else:
        pytest.fail("the operation never ends")

    assert at > 3, "nothing failed: this test could not fail"


@pytest.mark.parametrize(("when", "error"), FAULTS)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("ERR-1", "STO-6")
def test_an_operation_that_breaks_off_first_on_a_connection_that_begins_by_itself_leaves_no_lock(
    db: anser.Database, furnished: str, name: str, when: str, error: type[BaseException]
) -> None:
    op = WRITES[name]
    before, after = rows_in(furnished), rows_after(furnished, db, op)

    with raw(furnished, factory=Faulty, isolation_level="") as faulty:
        assert isinstance(faulty, Faulty)
        for at in range(1, STATEMENTS_MAX):
            faulty.arm(at, when, error)
            raised = attempt(db, op, faulty)
            faulty.disarm()

            assert faulty.in_transaction is (raised is None), f"statement {at} left a transaction open"
            if raised is None:
                break
            assert rows(faulty) == before, f"statement {at} left something between"
        else:
            pytest.fail("the operation never ends")
        assert rows(faulty) == after

    assert rows_in(furnished) == before, "it was committed, and that was the caller's to do"
    assert at > 2, "nothing failed: this test could not fail"


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("ERR-1")
def test_a_database_that_fails_from_some_statement_on_leaves_nothing(
    db: anser.Database, furnished: str, name: str
) -> None:
    before, after = rows_in(furnished), rows_after(furnished, db, WRITES[name])

    for at in range(1, STATEMENTS_MAX):
        with raw(furnished, factory=Gone) as gone:
            assert isinstance(gone, Gone)
            gone.left = at
            raised = attempt(db, WRITES[name], gone)
        found = rows_in(furnished)

        if found == after:
            break
        assert found == before, f"statement {at} left something between"
        assert isinstance(raised, anser.StorageError)
    else:
        pytest.fail("the operation never ends")

    assert at > 2, "nothing failed: this test could not fail"


class Gone(sqlite3.Connection):
    """A connection that works for `left` statements, and then no more: the rollback fails too."""

    left: float = inf

    def cursor(self, factory: Any = None) -> Any:
        return super().cursor(factory or GoneCursor)


class GoneCursor(sqlite3.Cursor):
    def execute(self, sql: str, parameters: Any = ()) -> Self:
        connection = self.connection
        assert isinstance(connection, Gone)
        connection.left -= 1
        if connection.left < 0:
            raise sqlite3.OperationalError("disk I/O error")
        super().execute(sql, parameters)
        return self


# --- faults of SQLite's own


def interrupt_after(connection: sqlite3.Connection, steps: int) -> None:
    """Let SQLite break off after so many steps of its machine, once."""
    left = [steps]

    def count() -> int:
        left[0] -= 1
        return int(left[0] == 0)

    connection.set_progress_handler(count, 1)


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("ERR-1", "ERR-3")
def test_an_operation_that_sqlite_interrupts_alone_leaves_nothing(
    db: anser.Database, furnished: str, name: str
) -> None:
    op = WRITES[name]
    before, after = rows_in(furnished), rows_after(furnished, db, op)
    interrupted = 0

    with raw(furnished) as connection:
        for steps in range(1, STEP_MAX, 5):
            interrupt_after(connection, steps)
            raised = attempt(db, op, connection)
            connection.set_progress_handler(None, 0)

            assert not connection.in_transaction
            if rows(connection) == after:
                break  # the last step was the commit's, or nothing is interrupted any more
            interrupted += 1
            assert isinstance(raised, anser.StorageError)
            assert rows(connection) == before, f"step {steps} left something between"
        else:
            pytest.fail("the operation never ends")

    assert interrupted > 2, "nothing failed: this test could not fail"


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("ERR-1", "STO-6")
def test_an_operation_that_sqlite_interrupts_in_a_transaction_leaves_the_rest_or_takes_all_back(
    db: anser.Database, furnished: str, name: str
) -> None:
    op = WRITES[name]
    before, after = rows_in(furnished), rows_after(furnished, db, op)
    kept = taken_back = 0

    with raw(furnished) as connection:
        for steps in range(1, STEP_MAX, 5):
            connection.execute("begin immediate")
            connection.execute("insert into orders values (42)")
            interrupt_after(connection, steps)
            raised = attempt(db, op, connection)
            connection.set_progress_handler(None, 0)

            if connection.in_transaction:
                kept += 1
                connection.execute("delete from orders")  # which fails to find the row if the operation took it too
                assert connection.execute("select changes()").fetchone() == (1,)
                connection.execute("commit")
            else:
                taken_back += 1
            if rows(connection) == after:
                break
            assert isinstance(raised, anser.StorageError)
            assert rows(connection) == before, f"step {steps} left something between"
        else:
            pytest.fail("the operation never ends")

    assert kept + taken_back > 3, "nothing failed: this test could not fail"


@pytest.mark.rule("ERR-1")
def test_what_follows_a_transaction_that_sqlite_took_back_is_not_committed_alone(
    db: anser.Database, mail: anser.Queue, furnished: str
) -> None:
    def body() -> None:
        with db.transaction() as tx:
            mail.enqueue("first", tx=tx)
            with pytest.raises(sqlite3.IntegrityError):
                tx.execute("insert or rollback into orders values (1), (1)")
            mail.enqueue("second", tx=tx)

    before = rows_in(furnished)

    with pytest.raises(anser.Invalid, match="that transaction has ended"):
        body()

    assert rows_in(furnished) == before


@pytest.mark.rule("ERR-3")
def test_a_full_disk_is_told_as_such_and_leaves_nothing(mail: anser.Queue, path: str) -> None:
    before = rows_in(path)

    with raw(path) as connection:
        connection.execute("pragma max_page_count = 1")  # SQLite takes the number of pages that there are
        with pytest.raises(anser.StorageError, match="database or disk is full"):
            mail.enqueue("x" * 100_000, tx=connection)
        assert not connection.in_transaction

    assert rows_in(path) == before
    assert mail.enqueue("hello").created
