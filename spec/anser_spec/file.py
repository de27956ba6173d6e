"""The refinement map: which world a file holds, and how to make a file hold a world (STO-1).

It reads columns and knows nothing of what they mean to an operation. It reads honker's own files too: what they have no
column for takes the value that a column added by Anser has by default.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from anser.types import Dead, Finished, Job, Lease, Lock, Reason, State
from anser_models import EMPTY, World

__all__ = ["File", "abstract", "fill"]

# A payload is read as bytes, beside the class it is stored in: the driver cannot fetch text that is not UTF-8.
READ_LIVE = """
select id, queue, typeof(payload), cast(payload as blob), state, priority, run_at, attempts, max_attempts,
    created_at, expires_at, worker_id, claim_expires_at, {added}
from _honker_live
order by id
"""
LIVE_ADDED = "lapses, max_lapses, unique_key, last_error, fence, claimed_at"
LIVE_ABSENT = "0, 5, null, null, 0, null"

READ_DEAD = """
select id, queue, typeof(payload), cast(payload as blob), priority, run_at, attempts, max_attempts,
    created_at, last_error, died_at, {added}
from _honker_dead
order by id
"""
DEAD_ADDED = "lapses, max_lapses, unique_key, reason"
DEAD_ABSENT = "0, 5, null, null"

READ_FINISHED = "select id, queue, state, attempts, ended_at from _anser_finished order by id"
READ_LOCKS = "select name, owner, {added}, expires_at from _honker_locks order by name"
LOCK_ADDED = "fence, depth, acquired_at"
LOCK_ABSENT = "0, 1, null"
READ_PAUSED = "select queue from _anser_paused"
READ_COUNTERS = """
select (select coalesce(max(seq), 0) from sqlite_sequence where name = '_honker_live'), {added}
"""
COUNTERS_ADDED = "(select coalesce(max(fence), 0) from _anser_fence)"
COUNTERS_ABSENT = "0"
HAS_LOCKS = "select count(*) from pragma_table_info('_honker_locks')"
HAS_COLUMN = "select count(*) from pragma_table_info('_honker_live') where name = 'fence'"

WRITE_LIVE = """
insert into _honker_live (id, queue, payload, state, priority, run_at, attempts, max_attempts, created_at, expires_at,
    worker_id, claim_expires_at{added})
values (?1, ?2, iif(?4, cast(?3 as text), ?3), ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13{values})
"""
WRITE_DEAD = """
insert into _honker_dead (id, queue, payload, priority, run_at, attempts, max_attempts, created_at, last_error,
    died_at{added})
values (?1, ?2, iif(?4, cast(?3 as text), ?3), ?5, ?6, ?7, ?8, ?9, ?10, ?11{values})
"""
WRITE_FINISHED = "insert into _anser_finished (id, queue, state, attempts, ended_at) values (?, ?, ?, ?, ?)"
WRITE_LOCK = "insert into _honker_locks (name, owner, expires_at{added}) values (?1, ?2, ?3{values})"
WRITE_PAUSED = "insert into _anser_paused (queue, paused_at) values (?, 0)"
WRITE_LAST_ID = "insert into sqlite_sequence (name, seq) values ('_honker_live', ?)"
WRITE_LAST_FENCE = "insert or replace into _anser_fence (one, fence) values (1, ?)"

FORGET_LIVE = "delete from _honker_live where id = ?"
FORGET_DEAD = "delete from _honker_dead where id = ?"
FORGET_FINISHED = "delete from _anser_finished where id = ?"
FORGET_LOCK = "delete from _honker_locks where name = ?"
FORGET_PAUSED = "delete from _anser_paused where queue = ?"
FORGET_ENDED_LEASES = """
update _honker_live set worker_id = null, fence = 0, claimed_at = null where claim_expires_at is null
"""
FORGET_LAST_ID = "delete from sqlite_sequence where name = '_honker_live'"
FORGET_ALL = ("delete from _honker_live", "delete from _honker_dead")
FORGET_ALL_LOCKS = ("delete from _honker_locks",)
FORGET_ALL_ADDED = ("delete from _anser_finished", "delete from _anser_paused")

NO_LEASE = (None, 0, None)


def abstract(connection: sqlite3.Connection) -> World:
    """The world that the file holds. Within a transaction it is one snapshot; it begins none."""
    return File(connection).abstract()


def fill(connection: sqlite3.Connection, world: World) -> None:
    """Make the file hold exactly that world, in a transaction of its own, or within the caller's."""
    File(connection).fill(world)


class File:
    """A connection, and which of the two formats its file has: honker's, or honker's with Anser's additions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._stale = False  # whether some row holds more than its world shows: what an ended lease left behind
        self._extended = bool(connection.execute(HAS_COLUMN).fetchone()[0])
        self._locked = bool(connection.execute(HAS_LOCKS).fetchone()[0])
        self._read_live = READ_LIVE.format(added=LIVE_ADDED if self._extended else LIVE_ABSENT)
        self._read_dead = READ_DEAD.format(added=DEAD_ADDED if self._extended else DEAD_ABSENT)
        self._read_locks = READ_LOCKS.format(added=LOCK_ADDED if self._extended else LOCK_ABSENT)
        self._read_counters = READ_COUNTERS.format(added=COUNTERS_ADDED if self._extended else COUNTERS_ABSENT)
        self._write_live = _written(WRITE_LIVE, LIVE_ADDED if self._extended else "", 13)
        self._write_dead = _written(WRITE_DEAD, DEAD_ADDED if self._extended else "", 11)
        self._write_lock = _written(WRITE_LOCK, LOCK_ADDED if self._extended else "", 3)

    def abstract(self) -> World:
        """The world that the file holds."""
        text_factory = self._connection.text_factory
        self._connection.text_factory = str
        try:
            live = self._rows(self._read_live)
            self._stale = self._extended and any(row[12] is None and _lease_columns(row) != NO_LEASE for row in live)
            last_id, last_fence = self._rows(self._read_counters)[0]
            return World(
                {row[0]: _job(row) for row in live},
                {row[0]: _dead(row) for row in self._rows(self._read_dead)},
                {row[0]: _finished(row) for row in self._rows(READ_FINISHED)} if self._extended else {},
                frozenset(row[0] for row in self._rows(READ_PAUSED)) if self._extended else frozenset(),
                last_id,
                last_fence,
                {row[0]: _lock(row) for row in self._rows(self._read_locks)} if self._locked else {},
            )
        finally:
            self._connection.text_factory = text_factory

    def fill(self, world: World) -> None:
        """Make the file hold exactly that world; what it has no column for is left out."""
        clearing = FORGET_ALL + (FORGET_ALL_LOCKS if self._locked else ())
        self._write(clearing + (FORGET_ALL_ADDED if self._extended else ()), None, world)

    def rewrite(self, before: World, after: World) -> None:
        """Make a file that was last read as `before` hold `after` and nothing else, by the rows that need it."""
        if before != after or self._stale:
            self._write((), before, after)

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        cursor = self._connection.cursor()
        cursor.row_factory = None
        return cursor.execute(statement).fetchall()

    def _write(self, clearing: tuple[str, ...], before: World | None, after: World) -> None:
        alone = not self._connection.in_transaction
        if alone:
            self._connection.execute("begin immediate")
        try:
            for statement in (*clearing, *((FORGET_ENDED_LEASES,) if self._stale else ())):
                self._connection.execute(statement)
            self._write_differences(before or EMPTY, after)
            self._write_counters(before, after)
            if alone:
                self._connection.execute("commit")
        except BaseException:
            if alone and self._connection.in_transaction:
                self._connection.execute("rollback")
            raise

    def _write_differences(self, before: World, after: World) -> None:
        """All that leaves goes before anything comes, so that no key is held twice on the way."""
        self._forget(FORGET_LIVE, before.jobs, after.jobs)
        self._forget(FORGET_DEAD, before.dead, after.dead)
        width = None if self._extended else -6
        self._add(self._write_live, [_job_row(job)[:width] for job in _new(before.jobs, after.jobs)])
        width = None if self._extended else -4
        self._add(self._write_dead, [_dead_row(job)[:width] for job in _new(before.dead, after.dead)])
        if self._locked:
            self._forget(FORGET_LOCK, before.locks, after.locks)
            width = None if self._extended else -3
            self._add(self._write_lock, [_lock_row(lock)[:width] for lock in _new(before.locks, after.locks)])
        if self._extended:
            self._forget(FORGET_FINISHED, before.finished, after.finished)
            self._add(WRITE_FINISHED, [_finished_row(job) for job in _new(before.finished, after.finished)])
            self._add(FORGET_PAUSED, [(queue,) for queue in before.paused - after.paused])
            self._add(WRITE_PAUSED, [(queue,) for queue in after.paused - before.paused])

    def _write_counters(self, before: World | None, after: World) -> None:
        """The counters go last: the rows written before may have moved them."""
        if before is None or before.last_id != after.last_id or before.jobs != after.jobs:
            self._connection.execute(FORGET_LAST_ID)
            self._connection.execute(WRITE_LAST_ID, (after.last_id,))
        if self._extended and (before is None or before.last_fence != after.last_fence or before.jobs != after.jobs):
            self._connection.execute(WRITE_LAST_FENCE, (after.last_fence,))

    def _forget(self, statement: str, before: dict[Any, Any], after: dict[Any, Any]) -> None:
        self._add(statement, [(id,) for id, row in before.items() if after.get(id) != row])

    def _add(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        for row in rows:
            self._connection.execute(statement, row)


def _new(before: dict[Any, Any], after: dict[Any, Any]) -> list[Any]:
    return [row for id, row in after.items() if before.get(id) != row]


def _written(statement: str, added: str, first: int) -> str:
    """The statement with the added columns, its first `first` places taken already."""
    names = [name for name in added.split(", ") if name]
    places = range(first + 1, first + 1 + len(names))
    return statement.format(
        added="".join(f", {name}" for name in names), values="".join(f", ?{place}" for place in places)
    )


def _payload(stored_as: str, raw: bytes) -> str | bytes:
    if stored_as != "text":
        return raw
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _stored(payload: str | bytes) -> tuple[str | bytes, bool]:
    """The payload, and whether its bytes are laid down as text: those that are no UTF-8 are, as the harder case."""
    if isinstance(payload, str):
        return payload, False
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError:
        return payload, True
    return payload, False


def _lease_columns(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The columns of a lease but its end."""
    return row[11], row[17], row[18]


def _job(row: tuple[Any, ...]) -> Job:
    (id, queue, stored_as, raw, state, priority, run_at, attempts, max_attempts, created_at, expires_at) = row[:11]
    (worker, claim_expires_at, lapses, max_lapses, unique_key, last_error, fence, claimed_at) = row[11:]
    lease = None if claim_expires_at is None else Lease(worker or "", fence, claimed_at, claim_expires_at)
    return Job(
        id=id,
        queue=queue,
        payload=_payload(stored_as, raw),
        state=State(state),
        priority=priority,
        run_at=run_at,
        attempts=attempts,
        max_attempts=max_attempts,
        lapses=lapses,
        max_lapses=max_lapses,
        created_at=created_at,
        expires_at=expires_at,
        unique_key=unique_key,
        last_error=last_error,
        lease=lease,
    )


def _job_row(job: Job) -> tuple[Any, ...]:
    payload, as_text = _stored(job.payload)
    worker, fence, claimed_at, claim_expires_at = None, 0, None, None
    if job.lease is not None:
        worker, fence = job.lease.worker, job.lease.fence
        claimed_at, claim_expires_at = job.lease.claimed_at, job.lease.expires_at
    return (
        job.id,
        job.queue,
        payload,
        as_text,
        job.state.value,
        job.priority,
        job.run_at,
        job.attempts,
        job.max_attempts,
        job.created_at,
        job.expires_at,
        worker,
        claim_expires_at,
        job.lapses,
        job.max_lapses,
        job.unique_key,
        job.last_error,
        fence,
        claimed_at,
    )


def _dead(row: tuple[Any, ...]) -> Dead:
    (id, queue, stored_as, raw, priority, run_at, attempts, max_attempts, created_at, last_error, died_at) = row[:11]
    lapses, max_lapses, unique_key, reason = row[11:]
    return Dead(
        id=id,
        queue=queue,
        payload=_payload(stored_as, raw),
        priority=priority,
        run_at=run_at,
        attempts=attempts,
        max_attempts=max_attempts,
        lapses=lapses,
        max_lapses=max_lapses,
        created_at=created_at,
        unique_key=unique_key,
        reason=None if reason is None else Reason(reason),
        last_error=last_error,
        died_at=died_at,
    )


def _dead_row(job: Dead) -> tuple[Any, ...]:
    payload, as_text = _stored(job.payload)
    return (
        job.id,
        job.queue,
        payload,
        as_text,
        job.priority,
        job.run_at,
        job.attempts,
        job.max_attempts,
        job.created_at,
        job.last_error,
        job.died_at,
        job.lapses,
        job.max_lapses,
        job.unique_key,
        None if job.reason is None else job.reason.value,
    )


def _finished(row: tuple[Any, ...]) -> Finished:
    id, queue, state, attempts, ended_at = row
    return Finished(id, queue, State(state), attempts, ended_at)


def _finished_row(job: Finished) -> tuple[Any, ...]:
    return job.id, job.queue, job.state.value, job.attempts, job.ended_at


def _lock(row: tuple[Any, ...]) -> Lock:
    name, owner, fence, depth, acquired_at, expires_at = row
    return Lock(name, owner, fence, acquired_at, expires_at, depth)


def _lock_row(lock: Lock) -> tuple[Any, ...]:
    return lock.name, lock.owner, lock.expires_at, lock.fence, lock.depth, lock.acquired_at
