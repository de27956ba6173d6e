"""The probes on Anser, by what its users hold."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress

import anser
from anser.ops import LockAcquire
from anser.retention import BOUNDED
from anser_spec.probes.others import LIVE_WITHOUT_EXPIRY, begin_in_another_process, holding_the_lock
from anser_spec.probes.program import main

NOW = 1_800_000_000
DAY_S = 86_400
LOOP_S = 10  # far longer than any loop here needs


def d05(path: str) -> str | None:
    """Rows of every kind, 400 days old, and the one upkeep that there is; what has names is bounded by them (RTN-6)."""
    clock = anser.ManualClock(NOW)
    with anser.open(path, clock=clock) as db:
        db.events.on()
        for number in range(3):
            _jobs(db, number)
            _others(db, number)
        never = [table.table for table in db.stats() if not table.rows]
        assert not never, f"nothing was made in {never}"
        for number in range(3):
            db.stream(f"t{number}").forget(group="g")  # with what it has pending, which would stay
        clock.at = NOW + 60
        db.maintain()
        clock.at += 400 * DAY_S
        db.maintain()
        kept = {table.table: table.rows for table in db.stats() if table.rows and table.table not in BOUNDED}
    return f"after 400 days and the upkeep there are left {kept}" if kept else None


def _jobs(db: anser.Database, number: int) -> None:
    """One that dies, one that is done and leaves a result, one that waits for its turn, one of a schedule."""
    queue = db.queue(f"q{number}", max_attempts=1, expires_s=60)
    queue.enqueue(number)
    job = queue.claim_one("w")
    assert job is not None, "it was just enqueued"
    job.fail("x")
    for _ in range(2):
        queue.enqueue(number, order_key="k")
    job = queue.claim_one("w")
    assert job is not None, "two were enqueued"
    job.limit("k", limit=9).acquire()
    job.ack(result=number, result_ttl_s=60)
    queue.pause()
    schedule = f"s{number}"
    db.schedules.register(schedule, queue=queue.name, cron="@daily", tz="UTC", payload=1, expires_s=60)
    db.schedules.run_now(schedule)


def _others(db: anser.Database, number: int) -> None:
    """What is told, published, locked and counted, with its readers, and what another binding leaves."""
    db.notify("c", number)
    db.notification_prune(channel="c", keep=1)
    db.run(LockAcquire(lock=f"l{number}", owner="w", ttl_s=60))
    db.rate_limit(f"r{number}", limit=1, per_s=60).try_acquire()
    db.token_bucket(f"b{number}", limit=1, per_s=60).try_acquire()
    stream = db.stream(f"t{number}")
    for _ in range(3):
        stream.publish(number)
    stream.trim(keep=2)
    stream.save_offset("c", 2)
    stream.group("g").claim("w", lease_s=60)
    with db.transaction() as tx:
        tx.execute("insert into _honker_results (job_id, value, created_at) values (?, '1', ?)", (900 + number, NOW))
        tx.execute(
            "insert into _honker_scheduler_tasks (name, queue, cron_expr, payload, next_fire_at) "
            "values (?, 'q', '0 0 * * *', '1', ?)",
            (f"h{number}", NOW),
        )


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


def e19(path: str) -> str | None:
    """A subscription that has seen all and waits, and one that stops after the last."""
    with anser.open(path) as db:
        stream = db.stream("t")
        last = [stream.publish(number) for number in range(3)][-1]
        saved = []
        with stream.subscribe("stops", save_every_s=60) as stops:
            for _ in range(3):
                stops.hear(timeout_s=0)
        saved.append(stream.get_offset("stops"))
        waits = stream.subscribe("waits", save_every_s=60)
        for _ in range(4):
            waits.hear(timeout_s=0)
        saved.append(stream.get_offset("waits"))
    return None if saved == [last, last] else f"after all 3 events the saved offsets are {saved}"


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


def e05(path: str) -> str | None:
    """A payload that is no JSON before a sound one, and one loop."""
    done: list[object] = []
    with anser.open(path) as db:
        outbox = db.outbox("o", lambda message: done.append(message.payload))
        outbox.send("odd")
        with db.transaction() as tx:
            tx.execute("update _honker_live set payload = 'not json'")
        outbox.send("canary")
        end = time.monotonic() + LOOP_S
        outbox.run("w", lambda: bool(done) or time.monotonic() > end)
    return None if done else "the loop came to nothing behind a payload that is no JSON"


def e06(path: str) -> str | None:
    """A handler that takes longer than its lease, and always ends well."""
    with anser.open(path) as db:
        queue = db.queue("q", lease_s=1, max_attempts=2)
        id = queue.enqueue(1).id
        job = queue.claim_one("w")
        assert job is not None, "it was just enqueued"
        with job, job.heartbeat_every(0.3):
            time.sleep(2.1)
        found = queue.get_job(id)
    done = isinstance(found, anser.Finished) and found.state is anser.State.DONE
    return None if done else f"after a success the job is {found}"


def e25(path: str) -> str | None:
    """A wait for the result of a job that is dead."""
    with anser.open(path) as db:
        queue = db.queue("q")
        id = queue.enqueue(1).id
        job = queue.claim_one("w")
        assert job is not None, "it was just enqueued"
        job.fail("x")
        try:
            queue.wait_result(id, timeout_s=LOOP_S)
        except anser.JobDead:
            return None
        except anser.AnserError as error:
            return f"the wait for a dead job's result ends otherwise: {error}"
    return "the wait for a dead job's result gives a value"


def e29(path: str) -> str | None:
    """Told to stop in the middle of a delivery."""
    stop: list[object] = []
    with anser.open(path) as db:
        outbox = db.outbox("o", stop.append)
        first = outbox.send(1)
        outbox.send(2)
        outbox.run("w", lambda: bool(stop))
        left = [(job.id, job.state.value) for job in outbox.queue().list_jobs()]
    return None if left == [(first + 1, "pending")] else f"the loop is over, and left {left}"


PROBES = {
    "D05": d05,
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
