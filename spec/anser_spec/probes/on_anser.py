"""The probes on Anser, by what its users hold."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress

import anser
from anser_spec.probes.others import LIVE_WITHOUT_EXPIRY, begin_in_another_process, holding_the_lock
from anser_spec.probes.program import main

NOW = 1_800_000_000


def e01(path: str) -> str | None:
    """The application's own SQLite beside ours, in one process: it is the same."""
    with anser.open(path) as db, db.transaction() as tx:
        tx.execute("create table t (n)")
        tx.execute("insert into t values (1)")
        with closing(sqlite3.connect(path)) as beside:
            beside.execute("select count(*) from sqlite_master").fetchall()
        taken = begin_in_another_process(path)
    return "another process got the write lock within a transaction" if taken else None


def e03(path: str) -> str | None:
    """A fail that fails half way, caught by a caller who then commits."""
    with anser.open(path) as db:
        queue = db.queue("q")
        queue.enqueue(1)
        job = queue.claim_one("w")
        assert job is not None, "it was just enqueued"
        with db.transaction() as tx:
            tx.execute("create trigger no before delete on _honker_live begin select raise(abort, 'no'); end")
        with db.transaction() as tx, suppress(anser.AnserError):
            job.fail("x", tx=tx)
        whole = queue.count_jobs().processing == 1 and not queue.dead_list()
    return None if whole else "a fail that raised has left its half"


def e26(path: str) -> str | None:
    """A look while another process writes for long."""
    with anser.open(path, busy_timeout_s=0) as db:
        queue = db.queue("q")
        id = queue.enqueue(1).id
        with holding_the_lock(path):
            try:
                queue.get_job(id)
            except anser.Busy as error:
                return f"get_job failed: {error}"
    return None


def e27(path: str) -> str | None:
    """A transaction that somebody begins on a connection of his own, and leaves: nobody else is in it."""
    with anser.open(path, busy_timeout_s=0) as db, closing(sqlite3.connect(path, isolation_level=None)) as own:
        own.execute("begin immediate")
        db.queue("q").enqueue(1, tx=own)
        own.rollback()
        try:
            db.queue("q").enqueue(2)
        except anser.AnserError as error:
            return f"after another's transaction an enqueue fails: {error}"
    return None


def e28(path: str) -> str | None:
    """A live table without a column that the operations need."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(LIVE_WITHOUT_EXPIRY)
    try:
        db = anser.open(path)
    except anser.AnserError:
        return None
    with db:
        try:
            db.queue("q").enqueue(1)
        except anser.AnserError as error:
            return f"the file opened, and enqueue fails: {error}"
    return None


PROBES = {"E01": e01, "E03": e03, "E26": e26, "E27": e27, "E28": e28}

if __name__ == "__main__":
    main(PROBES)
