"""The probes on honker's Python binding. Nothing here imports `anser`."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import suppress
from importlib import import_module
from typing import Any

from anser_spec.probes.others import LIVE_WITHOUT_EXPIRY, begin_in_another_process, holding_the_lock
from anser_spec.probes.program import main

honker: Any = import_module("honker")  # found in the path that the process was given

YEAR_S = 365 * 86_400
AGO_S = 400 * 86_400


def d05(path: str) -> str | None:
    """Rows of every kind, 400 days old, and every sweep that there is."""
    db = honker.open(path)
    queue, stream = db.queue("q", max_attempts=1), db.stream("t")
    for number in range(3):
        queue.enqueue(number)
        job = queue.claim_one("w")
        job.fail("x")
        stream.publish(number)
        queue.save_result(job.id, number)
        db.try_rate_limit("r", 10, 60)
    with db.transaction() as tx:
        for table, column in (
            ("_honker_dead", "died_at"),
            ("_honker_stream", "created_at"),
            ("_honker_results", "created_at"),
        ):
            tx.execute(f"update {table} set {column} = {column} - {AGO_S}")
    queue.sweep_expired()
    queue.sweep_results()
    db.sweep_rate_limits(older_than_s=0)
    left = {
        table: db.query(f"select count(*) as n from {table}")[0]["n"]
        for table in ("_honker_dead", "_honker_stream", "_honker_results")
    }
    kept = {table: rows for table, rows in left.items() if rows}
    return f"after 400 days and every sweep there are left {kept}" if kept else None


def d07(path: str) -> str | None:  # noqa: ARG001  # it needs no file
    """The wait of the outbox, base 5 doubling, and the worker's own."""
    compute_delay = import_module("honker._worker")._compute_delay
    try:
        compute_delay(60, 2.0, 1_100)
    except OverflowError:
        return "the wait after 1100 failures overflows"
    wait_s = compute_delay(5, 2.0, 30)
    return f"the wait after 30 failures is {wait_s} s" if wait_s > YEAR_S else None


def e01(path: str) -> str | None:
    """The application's own SQLite beside honker's, in one process."""
    db = honker.open(path)
    with db.transaction() as tx:
        tx.execute("create table t (n)")
        tx.execute("insert into t values (1)")
        beside = sqlite3.connect(path)
        beside.execute("select count(*) from sqlite_master").fetchall()
        beside.close()
        taken = begin_in_another_process(path)
    return "another process got the write lock within a transaction" if taken else None


def e03(path: str) -> str | None:
    """A fail that fails half way, caught by a caller who then commits."""
    db = honker.open(path)
    queue = db.queue("q")
    id = queue.enqueue(1)
    with db.transaction() as tx:
        tx.execute(
            "insert into _honker_dead (id, queue, payload, priority, run_at, attempts, max_attempts, created_at)"
            f" values ({id}, 'q', '0', 0, 0, 0, 3, 0)"
        )
    queue.claim_one("w")
    with db.transaction() as tx, suppress(Exception):  # whatever honker raises, its caller goes on
        tx.query("select honker_fail(?, 'w', 'x')", [id])
    left = db.query("select count(*) as n from _honker_live")[0]["n"]
    return None if left else "a fail that raised has removed the job, and filed it nowhere"


def e05(path: str) -> str | None:
    """A payload that is no JSON before a sound job, and one loop."""
    db = honker.open(path)
    done: list[str] = []

    work = db.task(queue="q", name="work")(done.append)
    with db.transaction() as tx:
        tx.query("select honker_enqueue('q', 'not json', null, null, 9, 3, null)")
    work("canary")
    asyncio.run(_run_for(db, 2.0))
    return None if done else "the loop ended at a payload that is no JSON, and the sound job behind it was never run"


async def _run_for(db: Any, seconds: float) -> None:
    stop = asyncio.Event()
    loop = asyncio.create_task(db.run_workers(queue="q", concurrency=1, stop_event=stop))
    await asyncio.sleep(seconds)
    stop.set()
    await loop


def e06(path: str) -> str | None:
    """A handler that takes longer than its lease, and always ends well."""
    db = honker.open(path)
    queue = db.queue("q", visibility_timeout_s=1, max_attempts=2)
    queue.enqueue(1)
    successes = 0
    for _ in range(3):
        job = queue.claim_one("w")
        if job is None:
            break
        time.sleep(2.1)
        job.ack()
        successes += 1
    dead = db.query("select last_error from _honker_dead")
    return f"after {successes} successes the job is dead: {dead[0]['last_error']}" if dead else None


def e19(path: str) -> str | None:
    """A consumer that has read all there is, and stops."""
    db = honker.open(path)
    stream = db.stream("t")
    for number in range(3):
        stream.publish(number)

    async def read() -> None:
        events = stream.subscribe(consumer="c", save_every_n=1, save_every_s=0.1)
        for _ in range(3):
            await anext(events)
        await asyncio.sleep(0.5)

    asyncio.run(read())
    saved = stream.get_offset("c")
    return f"three events were read and {saved} is saved" if saved < 3 else None


def e25(path: str) -> str | None:
    """A wait for the result of a job that is dead."""
    queue = honker.open(path).queue("q")
    id = queue.enqueue(1)
    queue.claim_one("w").fail("x")
    began = time.monotonic()
    try:
        asyncio.run(queue.wait_result(id, timeout=1.0))
    except Exception:  # of whatever kind, it came by the timeout or before
        if time.monotonic() - began < 0.9:
            return None
    return "the wait for a dead job's result ends by its timeout alone"


def e26(path: str) -> str | None:
    """A look while another process writes for long."""
    queue = honker.open(path).queue("q")
    id = queue.enqueue(1)
    with holding_the_lock(path):
        try:
            queue.get_job(id)
        except Exception as error:  # whatever it is, the look failed
            return f"get_job failed: {error}"
    return None


def e27(path: str) -> str | None:
    """A transaction begun by a query."""
    db = honker.open(path)
    queue = db.queue("q")
    try:
        db.query("begin immediate")
    except Exception:  # refused, in whatever way
        return None
    try:
        queue.enqueue(1)
    except Exception as error:  # whatever it is, nothing can be written any more
        return f"after query('begin immediate') an enqueue fails: {error}"
    return None


def e28(path: str) -> str | None:
    """A live table without a column that the operations need."""
    with sqlite3.connect(path) as connection:
        connection.execute(LIVE_WITHOUT_EXPIRY)
    connection.close()
    queue = honker.open(path).queue("q")
    try:
        queue.enqueue(1)
    except Exception as error:  # opened well, and then nothing works
        return f"the file opened, and enqueue fails: {error}"
    return None


def e29(path: str) -> str | None:
    """The stop event in the middle of a handler, which runs in a thread of its own."""
    db = honker.open(path)

    slow = db.task(queue="q", name="slow", timeout_s=30)(time.sleep)
    slow(1.0)
    asyncio.run(_run_for(db, 0.5))
    left = db.query("select state from _honker_live")
    return f"the loop is over, and its job is {left[0]['state']}" if left else None


PROBES = {
    "D05": d05,
    "D07": d07,
    "E01": e01,
    "E03": e03,
    "E05": e05,
    "E06": e06,
    "E19": e19,
    "E25": e25,
    "E26": e26,
    "E27": e27,
    "E28": e28,
    "E29": e29,
}

if __name__ == "__main__":
    main(PROBES)
