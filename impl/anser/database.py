"""A file with queues in it: connections, transactions, and every operation by value."""

from __future__ import annotations

import os
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from types import TracebackType
from typing import Any, Self

from anser.backoff import Backoff
from anser.clock import Clock, system_clock
from anser.engine.sqlite import BUSY_TIMEOUT_MAX_S, Engine, Synchronous, Transaction, Watch, connect, main_file, prepare
from anser.errors import FormatError, Invalid, StorageError
from anser.events import EventLog
from anser.limits import RateLimit, TokenBucket
from anser.locks import NamedLock
from anser.notifications import Listener
from anser.ops import (
    LimitGet,
    LimitSweep,
    LockGet,
    LockList,
    LockSweep,
    NotificationLast,
    NotificationPrune,
    NotificationRead,
    Notify,
    Op,
    RateLimitSweep,
    ResultPrune,
    ResultSweep,
    Stats,
)
from anser.outbox import Deliver, Outbox
from anser.queue import Queue
from anser.retention import Maintained, Retention, maintain
from anser.schedules import Schedules
from anser.streams import Stream
from anser.types import Heard, Lock, TableStats
from anser.wake import Wake

__all__ = ["Database", "open_database"]

_CLOSE_WAIT_S = 10


class _Own:
    """A thread's own connection, closed only under `using`: a process dies of closing one while it runs a statement."""

    __slots__ = ("connection", "engine", "using")

    def __init__(self, connection: sqlite3.Connection, clock: Clock) -> None:
        self.connection = connection
        self.engine = Engine(connection, clock)
        self.using = threading.Lock()


class Database:
    """One SQLite file, prepared. Safe to share between threads: each has a connection of its own.

    Connections are in WAL mode with the `synchronous` that was asked for; SQLite's own checkpoint, each 1000 pages, is
    left as it is. Not usable in a process that was forked after opening: open again there. As a context manager, it is
    closed when the body ends.
    """

    def __init__(self, path: str, synchronous: Synchronous, busy_timeout_s: float, clock: Clock) -> None:
        self.path = path
        self.clock = clock
        self.wake = Wake(lambda: Watch(path))
        self._synchronous = synchronous
        self._busy_timeout_s = busy_timeout_s
        self._pid = os.getpid()
        self._local = threading.local()
        self._owns: dict[threading.Thread, _Own] = {}
        self._connecting = threading.Lock()
        self._closed = False
        try:
            prepare(self._own().connection)
        except BaseException:
            self.close()
            raise

    def queue(
        self,
        name: str,
        *,
        lease_s: int = 300,
        max_attempts: int = 3,
        max_lapses: int = 5,
        priority: int = 0,
        expires_s: int | None = None,
        backoff: Backoff | None = None,
    ) -> Queue:
        """A queue of this file and the defaults of its jobs; nothing is written. Raises `Invalid` for a wrong default.

        `lease_s` is how long a claim holds without a heartbeat. `backoff` is how long a job waits that is put back
        because its handler raised: 5 to 10 s, then 10 to 20, and so on to an hour at most, if None.
        """
        return Queue(
            self,
            name,
            lease_s=lease_s,
            max_attempts=max_attempts,
            max_lapses=max_lapses,
            priority=priority,
            expires_s=expires_s,
            backoff=Backoff() if backoff is None else backoff,
        )

    def lock(self, name: str, *, ttl_s: int, owner: str | None = None, renew_s: float | None = None) -> NamedLock:
        """A lock of this file to be held by `with`, for `ttl_s` seconds at most; nothing is written before (LCK-1).

        `owner` says who holds it: the same owner may enter it within itself, wherever that is. If None, it is one that
        nobody else has, and no other lock of that name can be had meanwhile. With `renew_s`, less than `ttl_s`, it is
        renewed every so many seconds while the body runs; if None, never. Raises `Invalid` for a wrong argument.
        """
        return NamedLock(self, name, owner=uuid.uuid4().hex if owner is None else owner, ttl_s=ttl_s, renew_s=renew_s)

    def outbox(
        self,
        name: str,
        deliver: Deliver | Mapping[str, Deliver],
        *,
        lease_s: int = 60,
        max_attempts: int = 20,
        backoff: Backoff | None = None,
    ) -> Outbox:
        """Messages to the world outside, sent with a transaction and delivered at least once; nothing is written.

        `deliver` is a function of a message, or one for each destination. It is kept by heartbeats for as long as it
        takes, and tried `max_attempts` times, with waits by `backoff`: if None, 5 to 10 s first and half an hour to an
        hour at last, half a day in all (OUT-3). Raises `Invalid` for a wrong argument.
        """
        return Outbox(
            self,
            name,
            deliver,
            lease_s=lease_s,
            max_attempts=max_attempts,
            backoff=Backoff() if backoff is None else backoff,
        )

    @property
    def schedules(self) -> Schedules:
        """The schedules of this file; `anser.Scheduler` fires them (SCH-1)."""
        return Schedules(self)

    def stream(self, topic: str) -> Stream:
        """A topic of this file, to publish to, to read, and to share between workers; nothing is written (STR-1)."""
        return Stream(self, topic)

    def lock_get(self, name: str, *, tx: Transaction | sqlite3.Connection | None = None) -> Lock | None:
        """The lock while somebody holds it, or None (LCK-8)."""
        lock: Lock | None = self.run(LockGet(lock=name), tx)
        return lock

    def lock_list(
        self, *, after_name: str = "", limit: int = 100, tx: Transaction | sqlite3.Connection | None = None
    ) -> tuple[Lock, ...]:
        """A page of the locks that somebody holds, by name (LCK-8)."""
        locks: tuple[Lock, ...] = self.run(LockList(after_name=after_name, limit=limit), tx)
        return locks

    def lock_sweep(self, *, limit: int = 1_000, tx: Transaction | sqlite3.Connection | None = None) -> int:
        """Forget locks that are over; answers how many (LCK-9)."""
        swept: int = self.run(LockSweep(limit=limit), tx)
        return swept

    def rate_limit(self, key: str, *, limit: int, per_s: int) -> RateLimit:
        """At most `limit` in each window of `per_s` seconds; nothing is written before it is tried (LIM-1, LIM-2).

        Raises `Invalid` for a wrong argument.
        """
        return RateLimit(self, key, limit=limit, per_s=per_s)

    def token_bucket(self, key: str, *, limit: int, per_s: int) -> TokenBucket:
        """At most `limit` and `limit / per_s` more a second, in any stretch of time; nothing is written before (LIM-4).

        Raises `Invalid` for a wrong argument.
        """
        return TokenBucket(self, key, limit=limit, per_s=per_s)

    def rate_limit_sweep(
        self, *, older_than_s: int, limit: int = 1_000, tx: Transaction | sqlite3.Connection | None = None
    ) -> int:
        """Forget windows and full buckets that old; answers how many (LIM-8).

        Let `older_than_s` be longer than the longest window in use.
        """
        swept: int = self.run(RateLimitSweep(older_than_s=older_than_s, limit=limit), tx)
        return swept

    def limit_get(self, key: str, *, tx: Transaction | sqlite3.Connection | None = None) -> int:
        """How many jobs have a slot of the key (LIM-12); `job.limit` is how one has it."""
        count: int = self.run(LimitGet(key=key), tx)
        return count

    def limit_sweep(self, *, limit: int = 1_000, tx: Transaction | sqlite3.Connection | None = None) -> int:
        """Forget slots whose lease is over; answers how many (LIM-12)."""
        swept: int = self.run(LimitSweep(limit=limit), tx)
        return swept

    def notify(self, channel: str, payload: Any, *, tx: Transaction | sqlite3.Connection | None = None) -> int:
        """Tell any JSON value to whoever listens to the channel, on commit and never on rollback; answers its id.

        Raises `Invalid` for what is no JSON (NTF-1, NTF-3).
        """
        id: int = self.run(Notify(channel=channel, payload=payload), tx)
        return id

    def listen(self, channel: str, *, after_id: int | None = None, timeout_s: float | None = None) -> Listener:
        """Hear what is told on the channel from now on, or after an id; by `for`, or by `async for` (NTF-2, NTF-4).

        What was told after that id already comes first. The loop ends when `timeout_s` seconds go by without anything
        to hear, and never if None. Raises `Invalid` for a wrong argument.
        """
        return Listener(self, channel, after_id=after_id, timeout_s=timeout_s)

    def notification_read(
        self, channel: str, *, after_id: int, limit: int = 100, tx: Transaction | sqlite3.Connection | None = None
    ) -> Heard:
        """A page of what was told on the channel after an id, and whether some of it is gone (NTF-2, NTF-4)."""
        heard: Heard = self.run(NotificationRead(channel=channel, after_id=after_id, limit=limit), tx)
        return heard

    def notification_last(self, channel: str, *, tx: Transaction | sqlite3.Connection | None = None) -> int:
        """The id of what was told last on the channel, 0 if nothing was (NTF-5)."""
        id: int = self.run(NotificationLast(channel=channel), tx)
        return id

    def notification_prune(
        self,
        *,
        channel: str | None = None,
        keep: int | None = None,
        older_than_s: int | None = None,
        limit: int = 1_000,
        tx: Transaction | sqlite3.Connection | None = None,
    ) -> int:
        """Forget what is not among the newest `keep` of its channel, or is that old; answers how many (NTF-6, NTF-7).

        Of one channel, or of each if None. One of `keep` and `older_than_s` must be given; either is enough.
        """
        op = NotificationPrune(channel=channel, keep=keep, older_than_s=older_than_s, limit=limit)
        pruned: int = self.run(op, tx)
        return pruned

    @property
    def events(self) -> EventLog:
        """What this file tells of its jobs, if it was asked to (EVT-3)."""
        return EventLog(self)

    def stats(self, *, tx: Transaction | sqlite3.Connection | None = None) -> tuple[TableStats, ...]:
        """How many rows each table has, and the oldest instant in it; visits every row (RTN-2)."""
        found: tuple[TableStats, ...] = self.run(Stats(), tx)
        return found

    def maintain(self, retention: Retention | None = None, *, limit: int = 1_000, batches: int = 1_000) -> Maintained:
        """Hold the file to a policy, the default one if None: call it now and then (RTN-3).

        Works in batches of `limit` rows, each a short transaction of its own, so that others come between (RTN-4).
        After `batches` of them it stops and answers that there is `more`. What was done stays done when a later batch
        is refused. Raises `Invalid` for a wrong policy, before anything is done.
        """
        return maintain(self, Retention() if retention is None else retention, limit=limit, batches=batches)

    def result_sweep(self, *, limit: int = 1_000, tx: Transaction | sqlite3.Connection | None = None) -> int:
        """Forget results of all queues that are over; answers how many (RES-9)."""
        swept: int = self.run(ResultSweep(limit=limit), tx)
        return swept

    def result_prune(
        self, *, older_than_s: int, limit: int = 1_000, tx: Transaction | sqlite3.Connection | None = None
    ) -> int:
        """Forget results without an end, which another binding saved so long ago; answers how many (RES-12)."""
        pruned: int = self.run(ResultPrune(older_than_s=older_than_s, limit=limit), tx)
        return pruned

    def run(self, op: Op, tx: Transaction | sqlite3.Connection | None = None) -> Any:
        """Do one operation and answer; raises `AnserError` with every row as it was (ERR-1).

        Alone it is a transaction of its own. With `tx` it is part of the caller's: a `Transaction`, or any `sqlite3`
        connection to the same file, which is neither committed nor rolled back (STO-6).
        """
        self._usable()
        if isinstance(tx, Transaction):
            connection = self._joined(tx.connection)
            with tx.turn:
                tx.check_open()
                return Engine(connection, self.clock).run(op, now=tx.now)
        if tx is not None:
            return Engine(self._joined(tx), self.clock).run(op)
        own = self._own()
        free = own.using.acquire(blocking=False)
        try:
            if not free or own.connection.in_transaction:
                self._usable()
                raise Invalid(
                    "tx", None, "a transaction is open in this thread: pass it where the call takes tx, or end it first"
                )
            return own.engine.run(op)
        finally:
            if free:
                self._let_go(own)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """The write lock, then the body, then a commit; rolled back when the body raises (STO-6, STO-7).

        Raises `Busy` when the lock is not had within the busy timeout. Transactions do not nest.
        """
        own = self._own()
        if not own.using.acquire(blocking=False):
            self._usable()
            raise Invalid("transaction", "open", "a transaction is open in this thread: use it, or a savepoint")
        transaction: Transaction | None = None
        try:
            with own.engine.transaction() as now:
                transaction = Transaction(own.connection, now)
                yield transaction
                self._usable_here()
            transaction.end = "committed"
        except BaseException:
            if transaction is not None:
                transaction.end = "rolled back"
            raise
        finally:
            self._let_go(own)

    def close(self) -> None:
        """Close the connections of all threads, those in use when their operation or transaction is over.

        For that it waits a while, and then leaves it to their threads. Closing again is fine.
        """
        with self._connecting:
            self._closed = True
            owns, self._owns = self._owns, {}
        self.wake.close()
        for thread, own in owns.items():
            elsewhere = thread.is_alive() and thread is not threading.current_thread()
            if own.using.acquire(timeout=_CLOSE_WAIT_S if elsewhere else 0):
                own.connection.close()  # and keep it from being used

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _usable(self) -> None:
        if self._closed:
            raise StorageError("the database is closed: open it again with anser.open")
        self._usable_here()

    def _usable_here(self) -> None:
        if self._pid != os.getpid():
            raise StorageError("the database was opened before a fork: call anser.open in the child")

    def _own(self) -> _Own:
        self._usable()
        own: _Own | None = getattr(self._local, "own", None)
        if own is None:
            own = self._local.own = self._connect()
        return own

    def _let_go(self, own: _Own) -> None:
        if self._closed:  # whoever closes may wait for this connection, or have waited in vain
            own.connection.close()
        own.using.release()

    def _connect(self) -> _Own:
        """A connection for this thread; those of threads that have ended are closed."""
        own = _Own(connect(self.path, self._synchronous, self._busy_timeout_s), self.clock)
        with self._connecting:
            for thread in [thread for thread in self._owns if not thread.is_alive()]:
                self._owns.pop(thread).connection.close()
            if self._closed:
                own.connection.close()
                self._usable()
            self._owns[threading.current_thread()] = own
        return own

    def _joined(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """The caller's connection, if it is one and is to this file."""
        own: _Own | None = getattr(self._local, "own", None)
        if own is not None and connection is own.connection:
            return connection
        if not isinstance(connection, sqlite3.Connection):
            raise Invalid("tx", connection, "pass a sqlite3.Connection, or what db.transaction() gives")
        file = main_file(connection)
        try:
            same = bool(file) and os.path.samefile(file, self.path)
        except OSError as error:
            raise StorageError(f"the file of the queue or of the connection is not where it was: {error}") from error
        if not same:
            raise FormatError(f"the connection is to {file or 'a database in memory'}, the queue is in {self.path}")
        return connection


def open_database(
    path: str | PathLike[str],
    *,
    synchronous: Synchronous = "full",
    busy_timeout_s: float = 5.0,
    clock: Clock = system_clock,
) -> Database:
    """Open a file, make it if it is not there, and make or extend the queue's tables in it (STO-3, STO-5).

    The file is put into WAL mode, and stays so: readers and the writer do not block each other.

    `synchronous="full"` keeps every acknowledged commit through a power loss; "normal" may lose the last of them then,
    never through a crash of the process, and commits faster. `busy_timeout_s` is how long a write waits for the lock.
    `clock` gives whole epoch seconds. Raises `FormatError` for a file of a newer version, `Invalid` for a path that
    names no file, `StorageError` for one that SQLite cannot open.
    """
    name = fspath(path) if isinstance(path, (str, PathLike)) else None
    if not isinstance(name, str) or not name or "\0" in name or name.startswith((":memory:", "file:")):
        raise Invalid("path", path, "pass the path of a file: a durable queue has no other place")
    if synchronous not in ("normal", "full", "extra"):
        raise Invalid("synchronous", synchronous, "pass 'normal', 'full' or 'extra'")
    number = isinstance(busy_timeout_s, (int, float)) and not isinstance(busy_timeout_s, bool)
    if not number or not 0 <= busy_timeout_s <= BUSY_TIMEOUT_MAX_S:
        raise Invalid("busy_timeout_s", busy_timeout_s, f"pass seconds from 0 to {BUSY_TIMEOUT_MAX_S}")
    if not callable(clock):
        raise Invalid("clock", clock, "pass a function that gives whole epoch seconds")
    return Database(os.path.abspath(name), synchronous, busy_timeout_s, clock)
