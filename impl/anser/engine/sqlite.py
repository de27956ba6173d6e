"""SQLite through the standard library's `sqlite3`: transactions, the write lock, errors. No semantics.

Why only `sqlite3`: two copies of SQLite in one process destroy each other's POSIX locks, so the queue must use the copy
that the application uses. For the same reason nothing here ever opens the database's files by path.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Literal, TypeVar

from anser.clock import Clock
from anser.core import READS, VERBS
from anser.core.tx import Row
from anser.errors import AnserError, Busy, FormatError, Invalid, StorageError
from anser.ops import Op
from anser.sql import EXTENSION, SCHEMA, STATEMENTS
from anser.types import INSTANT_MAX

__all__ = [
    "FORMAT",
    "Engine",
    "Statements",
    "Transaction",
    "Watch",
    "connect",
    "main_file",
    "mapped",
    "prepare",
    "read_format",
]

FORMAT = 2  # of the file; it grows when an older Anser could no longer write it rightly. 1: jobs and locks alone
SQLITE_MIN = (3, 35, 0)  # the first with `returning`
BUSY_TIMEOUT_MAX_S = 3_600
_STATEMENTS_CACHED = 256
_WAL_PAUSE_S = 0.01

Synchronous = Literal["normal", "full", "extra"]
Answer = TypeVar("Answer")


def connect(path: str, synchronous: Synchronous, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection of our own: WAL, autocommit until `begin`, waiting for the write lock up to `busy_timeout_s`."""
    if sqlite3.sqlite_version_info < SQLITE_MIN:
        needed = ".".join(map(str, SQLITE_MIN))
        raise StorageError(f"SQLite {sqlite3.sqlite_version} is too old: Anser needs {needed} or newer")
    with _errors(path):
        connection = sqlite3.connect(
            path,
            timeout=busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_STATEMENTS_CACHED,
        )
        try:
            read_format(connection)  # the journal mode is written into the file: a newer format is refused before it
            mode = _wal(connection, busy_timeout_s)
            if mode != "wal":
                raise StorageError(
                    f"{path}: SQLite keeps the journal mode {mode!r}, a queue needs WAL: use a local disk"
                )
            connection.execute(f"pragma synchronous = {synchronous}")
        except BaseException:
            connection.close()
            raise
    return connection


def _wal(connection: sqlite3.Connection, busy_timeout_s: float) -> str:
    """Ask for WAL mode; answers the mode that the file has then.

    SQLite may say that the file is busy without waiting, where several ask this of a new file at once. So it is asked
    again and again, for as long as it would have waited.
    """
    connection.execute("pragma busy_timeout = 0")
    tries = 1 + int(busy_timeout_s / _WAL_PAUSE_S)
    for left in reversed(range(tries)):
        try:
            ((mode,),) = connection.execute("pragma journal_mode = wal").fetchall()
            break
        except sqlite3.OperationalError as error:
            if not left or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_WAL_PAUSE_S)
    connection.execute(f"pragma busy_timeout = {int(busy_timeout_s * 1_000)}")
    return str(mode)


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, or extend those of an older file in place, all or nothing (STO-3, STO-5).

    Refuses a file of a newer format with `FormatError` and writes nothing. A prepared file is only read.
    """
    with _errors():
        if read_format(connection) == FORMAT:
            return
        with _transaction(connection, "begin immediate"):
            if read_format(connection) == FORMAT:
                return
            for statement in SCHEMA.values():
                connection.execute(statement)
            for name, statement in EXTENSION.items():
                table, _, column = name.partition("__")
                if not column or column not in _columns(connection, table):
                    connection.execute(statement)
            connection.execute(STATEMENTS["storage_stamp"], {"version": FORMAT})


def read_format(connection: sqlite3.Connection) -> int | None:
    """The format that the file is stamped with, None for one that was not prepared. Raises `FormatError`."""
    if connection.execute(STATEMENTS["storage_has_format"]).fetchone() == (0,):
        return None
    row = connection.execute(STATEMENTS["storage_format"]).fetchone()
    if row is None:
        return None
    if not isinstance(row[0], int):
        raise FormatError(f"the file has format {row[0]!r}, which is no number: another program has written it")
    if row[0] > FORMAT:
        raise FormatError(
            f"the file has format {row[0]}, this Anser writes format {FORMAT}: upgrade it. Nothing was written"
        )
    return row[0]


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {name for (name,) in connection.execute(STATEMENTS["storage_columns"], {"table": table})}


def main_file(connection: sqlite3.Connection) -> str:
    """The path of the connection's database, empty for one in memory."""
    return _guarded(connection, _main_file, connection)


def _main_file(connection: sqlite3.Connection) -> str:
    (file,) = (row[2] for row in _cursor(connection).execute(STATEMENTS["storage_file"]) if row[1] == "main")
    return os.fsdecode(file or "")


class Watch:
    """Whether others have committed to a file, asked on a connection that never writes. Not safe without a lock."""

    def __init__(self, path: str) -> None:
        with _errors():
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._version = self._ask()

    def moved(self) -> bool:
        """Whether another connection, in whatever process, has committed since this was asked last."""
        before, self._version = self._version, self._ask()
        return self._version != before

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _ask(self) -> int:
        with _errors():
            return int(self._connection.execute("pragma data_version").fetchone()[0])


class Transaction:
    """A transaction of the application: its own statements and the queue's commit or vanish together.

    `now` is the instant of every operation in it, in epoch seconds, read after the write lock was held (STO-7). `end`
    is how it ended, None while it has not. Threads may share it: `turn` lets their operations in one at a time.
    """

    def __init__(self, connection: sqlite3.Connection, now: int) -> None:
        self.connection = connection
        self.now = now
        self.end: Literal["committed", "rolled back"] | None = None
        self.turn = threading.Lock()

    def execute(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> sqlite3.Cursor:
        """The application's own statement, as `sqlite3.Connection.execute`. Raises `Invalid` once it has ended."""
        self.check_open()
        return self.connection.execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any] | dict[str, Any]]) -> sqlite3.Cursor:
        """The application's own statement once a row, as `sqlite3.Connection.executemany`."""
        self.check_open()
        return self.connection.executemany(sql, rows)

    def check_open(self) -> None:
        """Raise `Invalid` once it has ended: what follows would be committed alone, or join a later transaction."""
        if self.end is not None or not self.connection.in_transaction:
            raise Invalid("tx", self, "that transaction has ended, and its instant is over: begin another")


class Statements:
    """A transaction as a verb sees it (`anser.core.Tx`): statements by name on one connection, at one instant."""

    __slots__ = ("_cursor", "now")

    def __init__(self, cursor: sqlite3.Cursor, now: int) -> None:
        self._cursor = cursor
        self.now = now

    def run(self, name: str, **parameters: Any) -> list[Row]:
        """All rows of one statement."""
        return self._cursor.execute(STATEMENTS[name], parameters).fetchall()

    def insert(self, name: str, **parameters: Any) -> int:
        """The id of the one row that the statement makes; `returning` would cost a third of the statement more."""
        id = self._cursor.execute(STATEMENTS[name], parameters).lastrowid
        assert id is not None, f"{name} makes a row"
        return id


class Engine:
    """Operations on one connection: each in a transaction of its own, or in a savepoint of the caller's.

    Not safe to share between threads that run at the same time.
    """

    def __init__(self, connection: sqlite3.Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock

    def run(self, op: Op, now: int | None = None) -> Any:
        """Do one operation, all or nothing, and answer; raises `AnserError` with every row as it was (ERR-1).

        Where the caller has a transaction open it is neither committed nor rolled back (STO-6). With isolation levels
        that begin implicitly, one is begun as `sqlite3` would before a write, and left to the caller. `now` is for a
        caller that has read the clock under the lock already.
        """
        op.check()
        return _guarded(self._connection, self._run, op, now)

    def _run(self, op: Op, now: int | None) -> Any:
        """On one cursor, so that whatever is executed next ends an answer half read: it would keep a savepoint open."""
        cursor = _cursor(self._connection)
        if not self._connection.in_transaction:
            return self._run_alone(cursor, op, now)
        if op.name in READS:
            with closing(cursor):
                return self._verb(cursor, op, now)
        return self._run_inside(cursor, op, now)

    def _run_alone(self, cursor: sqlite3.Cursor, op: Op, now: int | None) -> Any:
        """In a transaction of its own; a write on a connection that begins implicitly leaves it open for the caller.

        Begin and commit are inside the try, as in `_transaction`.
        """
        try:
            cursor.execute("begin" if op.name in READS else "begin immediate")
            answer = self._verb(cursor, op, now)
            if op.name in READS or not _begins_implicitly(self._connection):
                cursor.execute("commit")
        except BaseException:
            _undo(cursor)
            raise
        return answer

    def _run_inside(self, cursor: sqlite3.Cursor, op: Op, now: int | None) -> Any:
        """In a savepoint of its own. A signal may be raised as it begins or is released: both are inside the try."""
        try:
            cursor.execute("savepoint _anser_operation")
            cursor.execute(STATEMENTS["storage_lock"])
            answer = self._verb(cursor, op, now)
            cursor.execute("release _anser_operation")
        except BaseException:
            if self._connection.in_transaction:
                _take_back(cursor)
            raise
        return answer

    def _verb(self, cursor: sqlite3.Cursor, op: Op, now: int | None) -> Any:
        return VERBS[op.name](Statements(cursor, self._now() if now is None else now), op)

    def _now(self) -> int:
        """The clock's word, if it is an instant: a fraction in a row would make the job a stray (CLM-17)."""
        now: object = self._clock()
        if isinstance(now, bool) or not isinstance(now, int) or not 0 <= now <= INSTANT_MAX:
            raise Invalid("clock", now, f"a clock gives whole epoch seconds, from 0 to {INSTANT_MAX}")
        return now

    @contextmanager
    def transaction(self) -> Iterator[int]:
        """`begin immediate` … `commit`, rolled back when the body raises; gives the instant (STO-7)."""
        if self._connection.in_transaction:
            raise Invalid("transaction", "open", "this connection is in a transaction already: use it, or a savepoint")
        with _errors():
            transaction = _transaction(self._connection, "begin immediate")
            transaction.__enter__()
        try:
            yield self._now()
        except BaseException as error:
            with _errors():
                transaction.__exit__(type(error), error, error.__traceback__)
            raise
        with _errors():
            transaction.__exit__(None, None, None)


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """The commit is inside the try: one that fails must not leave the transaction open.

    So is the begin: a signal that came during its wait for the lock is raised when the lock is had.
    """
    cursor = _cursor(connection)
    try:
        cursor.execute(begin)
        yield
        cursor.execute("commit")
    except BaseException:
        _undo(cursor)
        raise


def _take_back(cursor: sqlite3.Cursor) -> None:
    """Undo what was done since the savepoint, if it had begun and was not released."""
    try:
        cursor.execute("rollback to _anser_operation")
        cursor.execute("release _anser_operation")
    except sqlite3.OperationalError as error:
        if "no such savepoint" not in str(error):
            raise


def _undo(cursor: sqlite3.Cursor) -> None:
    if cursor.connection.in_transaction:  # SQLite may have rolled back already, and a second one would hide why
        cursor.execute("rollback")


def _begins_implicitly(connection: sqlite3.Connection) -> bool:
    """Whether `sqlite3` begins a transaction before a write; with `autocommit=True` no level does."""
    return connection.isolation_level is not None and getattr(connection, "autocommit", None) is not True


def _cursor(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Rows as tuples, whatever row factory the caller's connection has."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor


def _guarded(connection: sqlite3.Connection, do: Callable[..., Answer], *arguments: Any) -> Answer:
    """What `do` answers. The database's failures come as ours, never as "no such job" (ERR-3).

    Text that is not UTF-8 comes as bytes instead of failing the statement, for a moment (CLM-17).
    """
    try:
        factory = connection.text_factory
        connection.text_factory = _text
        try:
            return do(*arguments)
        finally:
            connection.text_factory = factory
    except sqlite3.Error as error:
        raise mapped(error) from error


def _text(raw: bytes) -> str | bytes:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


@contextmanager
def _errors(path: str = "") -> Iterator[None]:
    """The database's failures as ours; never one as "no such job" (ERR-3)."""
    try:
        yield
    except sqlite3.Error as error:
        raise mapped(error, path) from error


def mapped(error: sqlite3.Error, path: str = "") -> AnserError:
    """A failure of the database as one of ours; it names the file that was not to be opened, if `path` is given."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if code == sqlite3.SQLITE_BUSY_SNAPSHOT:
        return Busy("the caller's transaction read before another one wrote: roll back, and begin immediate next time")
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy(
            "another connection held the write lock too long: nothing was written, try again (your own? pass it as tx)"
        )
    if "no such table: _anser" in str(error) or "no such table: _honker" in str(error):
        return FormatError(f"{error}: open the file with anser.open once before its connections are used")
    return StorageError(f"{type(error).__name__}: {error}" + (f": {path}" if path else ""))
