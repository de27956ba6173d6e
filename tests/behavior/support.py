"""What the behaviour tests share: a file with a job in every place, an operation for each, and the rows as they are.

The rows are laid down by hand, so that what is wrong with an operation does not hide in how its file was made.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anser
from anser.ops import (
    Ack,
    AckBatch,
    Cancel,
    Claim,
    CountJobs,
    DeadList,
    DeadPrune,
    DeadRequeue,
    Enqueue,
    EnqueueMany,
    EventPrune,
    EventRead,
    EventsOff,
    EventsOn,
    Fail,
    GetJob,
    Heartbeat,
    LimitAcquire,
    LimitGet,
    LimitRelease,
    LimitSweep,
    ListJobs,
    LockAcquire,
    LockGet,
    LockList,
    LockRelease,
    LockRenew,
    LockSweep,
    NextClaimAt,
    NotificationLast,
    NotificationPrune,
    NotificationRead,
    Notify,
    Op,
    QueueList,
    QueuePause,
    QueueResume,
    RateLimitSweep,
    RateLimitTry,
    Release,
    ResultGet,
    ResultPrune,
    ResultSave,
    ResultSweep,
    Retry,
    ScheduleAdopt,
    ScheduleGet,
    ScheduleList,
    SchedulePause,
    ScheduleRegister,
    ScheduleResume,
    ScheduleRunNow,
    ScheduleSoonest,
    ScheduleTick,
    ScheduleUnregister,
    ScheduleUpdate,
    Stats,
    StreamAck,
    StreamClaim,
    StreamForget,
    StreamGetOffset,
    StreamLag,
    StreamPublish,
    StreamReadSince,
    StreamSaveOffset,
    StreamTrim,
    SweepExpired,
    TokenBucketTry,
)
from anser.types import Held

NOW = 1_800_000_000

Rows = dict[str, list[tuple[Any, ...]]]


@contextmanager
def raw(path: str, **options: Any) -> Iterator[sqlite3.Connection]:
    """The application's own connection, closed at the end. It begins nothing by itself unless `options` say so."""
    connection = sqlite3.connect(path, **{"isolation_level": None, "timeout": 0, **options})
    try:
        yield connection
    finally:
        connection.close()


def rows(connection: sqlite3.Connection) -> Rows:
    """Every row of every table as the connection sees it, text as bytes, so that nothing is too odd to be compared."""
    factories = connection.text_factory, connection.row_factory
    connection.text_factory, connection.row_factory = bytes, None
    try:
        tables = connection.execute("select name from sqlite_master where type = 'table' order by name").fetchall()
        return {
            table.decode(): connection.execute(f"select rowid, * from {table.decode()} order by rowid").fetchall()
            for (table,) in tables
        }
    finally:
        connection.text_factory, connection.row_factory = factories


def rows_in(path: str) -> Rows:
    """The rows that are committed."""
    with raw(path) as connection:
        return rows(connection)


def claimed(queue: anser.Queue, worker: str = "w", **options: Any) -> anser.ClaimedJob:
    """The first job in line, which there is."""
    job = queue.claim_one(worker, **options)
    assert job is not None, "a job is due"
    return job


def lay(connection: sqlite3.Connection, table: str, **columns: Any) -> None:
    """One row; what is not said has the table's default, or is ordinary."""
    columns = {"queue": "mail", "payload": "1", "created_at": NOW, "run_at": NOW, **columns}
    places = ", ".join("?" * len(columns))
    connection.execute(f"insert into {table} ({', '.join(columns)}) values ({places})", list(columns.values()))


def lay_live(connection: sqlite3.Connection, **columns: Any) -> None:
    lay(connection, "_honker_live", **columns)


def lay_held(connection: sqlite3.Connection, fence: int, **columns: Any) -> None:
    """A job in work: held by `w` for another minute, if nothing else is said."""
    lease = {"state": "processing", "worker_id": "w", "fence": fence, "claim_expires_at": NOW + 60, "claimed_at": NOW}
    lay(connection, "_honker_live", **{**lease, "attempts": 1, **columns})


def lay_dead(connection: sqlite3.Connection, **columns: Any) -> None:
    lay(connection, "_honker_dead", **{"reason": "failed", "last_error": "no", "died_at": NOW - 5, **columns})


def lay_lock(connection: sqlite3.Connection, name: str, **columns: Any) -> None:
    """A lock: held by `w` for another minute, if nothing else is said."""
    columns = {"name": name, "owner": "w", "acquired_at": NOW, "expires_at": NOW + 60, **columns}
    places = ", ".join("?" * len(columns))
    connection.execute(f"insert into _honker_locks ({', '.join(columns)}) values ({places})", list(columns.values()))


def lay_result(connection: sqlite3.Connection, job_id: int, **columns: Any) -> None:
    """A result that is kept for another minute, if nothing else is said."""
    columns = {"job_id": job_id, "queue": "mail", "value": "1", "created_at": NOW, "expires_at": NOW + 60, **columns}
    places = ", ".join("?" * len(columns))
    connection.execute(f"insert into _honker_results ({', '.join(columns)}) values ({places})", list(columns.values()))


def lay_limits(connection: sqlite3.Connection) -> None:
    """A window and a bucket in use, those of long ago, and a slot of a lease that holds and of one that is over."""
    windows, buckets = "_honker_rate_limits (name, window_start, count)", "_anser_buckets"
    connection.executemany(f"insert into {windows} values (?, ?, ?)", [("open", NOW, 1), ("passed", NOW - 60, 2)])
    connection.executemany(
        f"insert into {buckets} (key, capacity, per_s, level, at) values (?, ?, ?, ?, ?)",
        [("open", 2, 10, 15, NOW), ("empty", 2, 10, 5, NOW), ("full", 2, 10, 0, NOW - 60)],
    )
    connection.executemany("insert into _anser_slots (key, job_id, fence) values (?, ?, ?)", [("a", 3, 1), ("a", 7, 5)])


def lay_schedule(connection: sqlite3.Connection, name: str, **columns: Any) -> None:
    """A schedule: each minute since ten minutes ago, due a minute ago, if nothing else is said."""
    plain = {"queue": "mail", "cron": "@every 1m", "tz": "UTC", "payload": "1", "misfire": "all", "overlap": "allow"}
    numbers = {"priority": 0, "max_attempts": 3, "max_lapses": 5, "grace_s": 60, "jitter_s": 0, "paused": 0}
    stands = {"anchor_at": NOW - 600, "next_fire_at": NOW - 60, "fires": 0, "missed": 0, "created_at": NOW - 600}
    columns = {"name": name, **plain, **numbers, **stands, **columns}
    places = ", ".join("?" * len(columns))
    connection.execute(f"insert into _anser_schedules ({', '.join(columns)}) values ({places})", list(columns.values()))


def lay_stream(connection: sqlite3.Connection) -> None:
    """Three entries, a consumer who has seen two, and a group that has one in hand and one that lapsed."""
    for offset in (1, 2, 3):
        connection.execute(
            "insert into _honker_stream (offset, topic, payload, created_at) values (?, 'news', '1', ?)",
            (offset, NOW - 9),
        )
    for offset in (4, 5):
        connection.execute(
            "insert into _honker_stream (offset, topic, payload, created_at) values (?, 'sport', '1', ?)",
            (offset, NOW - 99),
        )
    connection.execute("insert into _honker_stream_consumers (name, topic, offset) values ('c', 'news', 2)")
    connection.execute("insert into _anser_stream_groups (topic, group_name, offset) values ('news', 'g', 2)")
    for offset, expires_at in ((1, NOW), (2, NOW - 1)):
        connection.execute(
            "insert into _anser_stream_pending (topic, group_name, offset, worker, fence, expires_at, deliveries) "
            "values ('news', 'g', ?, 'w', 9, ?, 1)",
            (offset, expires_at),
        )


def furnish(connection: sqlite3.Connection) -> None:
    """A job in every place, each with an id that tells which, a lock and a schedule of every kind, and results."""
    connection.execute("begin immediate")
    lay_live(connection, id=1, unique_key="ann", expires_at=NOW)  # expired, and so frees its key
    lay_live(connection, id=2)
    lay_held(connection, id=3, fence=1)
    lay_held(connection, id=4, fence=2)
    lay_held(connection, id=5, fence=3, attempts=3)  # in its last attempt
    lay_held(connection, id=6, fence=4)  # a dead job has its id
    lay_held(connection, id=7, fence=5, claim_expires_at=NOW - 1)
    lay_held(connection, id=8, fence=6, claim_expires_at=NOW - 1, lapses=5)
    lay_live(connection, id=9, payload=b"\xff")
    lay_live(connection, id=10, run_at="soon")
    lay_dead(connection, id=6, queue="post")
    lay_dead(connection, id=11)
    lay_dead(connection, id=12, unique_key="ben")
    lay_live(connection, id=13, unique_key="ben", expires_at=NOW)
    lay_dead(connection, id=14, unique_key="cid")
    lay_live(connection, id=15, unique_key="cid")
    lay_lock(connection, "report", fence=7)
    lay_lock(connection, "twice", fence=8, depth=2)
    lay_lock(connection, "over", fence=9, expires_at=NOW)
    connection.execute("insert into _anser_events_on (one, keep) values (1, 9)")  # its triggers come when it is changed
    connection.execute(
        "insert into _anser_events (kind, queue, job_id, attempts, at) values ('enqueued', 'mail', 1, 0, ?)", (NOW - 5,)
    )
    lay_result(connection, 4)
    lay_result(connection, 11, expires_at=NOW)
    lay_result(connection, 91, queue=None, created_at=NOW - 9, expires_at=None)
    lay_lock(connection, "scheduler", fence=10)
    lay_schedule(connection, "tick")
    lay_schedule(connection, "closed", paused=1)
    lay_schedule(connection, "ahead", next_fire_at=NOW + 60, overlap="skip")
    lay_schedule(connection, "unreadable", tz="Mars/Base")
    connection.execute("insert into _anser_fires (job_id, schedule, fire_at) values (2, 'ahead', ?)", (NOW - 60,))
    connection.execute("insert into _anser_fires (job_id, schedule, fire_at) values (90, 'tick', ?)", (NOW - 120,))
    for name, cron in (("hourly", "0 * * * *"), ("both", "0 0 13 * 5"), ("tick", "0 * * * *")):
        connection.execute(
            "insert into _honker_scheduler_tasks (name, queue, cron_expr, payload, next_fire_at)"
            " values (?, 'mail', ?, '1', ?)",
            (name, cron, NOW),
        )
    connection.execute("update _anser_fence set fence = 10")
    lay_limits(connection)
    lay_stream(connection)
    connection.execute("update _anser_fence set fence = 9")
    connection.execute("insert into _anser_paused (queue, paused_at) values ('closed', ?)", (NOW,))
    tell = "insert into _honker_notifications (id, channel, payload, created_at) values (?, ?, '1', ?)"
    connection.executemany(tell, [(1, "orders", NOW - 9), (2, "orders", NOW), (3, "users", NOW)])
    connection.execute("delete from _honker_notifications where id = 1")
    connection.execute("create table if not exists orders (id integer primary key)")
    connection.execute("commit")


def word(id: int, fence: int, worker: str = "w") -> dict[str, Any]:
    return {"queue": "mail", "id": id, "worker": worker, "fence": fence}


def lock_word(lock: str, fence: int, owner: str = "w") -> dict[str, Any]:
    return {"lock": lock, "owner": owner, "fence": fence}


# Operations that change rows of a furnished file, each kind at least once.
WRITES: dict[str, Op] = {
    "enqueue": Enqueue(queue="mail", payload={"n": 1}),
    "enqueue, burying the holder of its key": Enqueue(queue="mail", payload={"n": 1}, unique_key="ann"),
    "enqueue_many": EnqueueMany(jobs=(Enqueue(queue="mail", payload=1), Enqueue(queue="post", payload=2))),
    "cancel": Cancel(queue="mail", id=2),
    "queue_pause": QueuePause(queue="mail"),
    "queue_resume": QueueResume(queue="closed"),
    "claim": Claim(queues=("mail", "closed"), worker="w", n=5, lease_s=60),
    "ack": Ack(**word(3, 1)),
    "ack_batch": AckBatch(queue="mail", worker="w", held=(Held(3, 1), Held(4, 9), Held(4, 2))),
    "heartbeat": Heartbeat(**word(3, 1), lease_s=300),
    "release": Release(**word(3, 1), delay_s=5),
    "retry": Retry(**word(3, 1), delay_s=5, error="no"),
    "retry, of the last attempt": Retry(**word(5, 3), delay_s=5, error="no"),
    "fail": Fail(**word(3, 1), error="no"),
    "fail, where a dead job makes way": Fail(**word(6, 4), error="no"),
    "sweep_expired": SweepExpired(queue="mail"),
    "dead_requeue": DeadRequeue(queue="mail", id=11),
    "dead_requeue, burying the holder of its key": DeadRequeue(queue="mail", id=12),
    "dead_prune": DeadPrune(queue="mail", older_than_s=5, limit=2),
    "lock_acquire": LockAcquire(lock="free", owner="w", ttl_s=60),
    "lock_acquire, of one that is over": LockAcquire(lock="over", owner="v", ttl_s=60),
    "lock_acquire, once more": LockAcquire(lock="report", owner="w", ttl_s=90),
    "lock_renew": LockRenew(**lock_word("report", 7), ttl_s=90),
    "lock_release": LockRelease(**lock_word("report", 7)),
    "lock_release, of an inner acquire": LockRelease(**lock_word("twice", 8)),
    "lock_sweep": LockSweep(),
    "notify": Notify(channel="orders", payload={"n": 1}),
    "notification_prune": NotificationPrune(channel="orders", keep=0, older_than_s=5),
    "notification_prune, of each channel": NotificationPrune(keep=0, older_than_s=0),
    "events_on": EventsOn(keep=5),
    "events_off": EventsOff(),
    "event_prune": EventPrune(older_than_s=5),
    "ack, with a result": Ack(**word(3, 1), result=[1], result_ttl_s=60),
    "result_save": ResultSave(**word(3, 1), value={"n": 1}, ttl_s=60),
    "result_save, once more": ResultSave(**word(4, 2), value=2, ttl_s=90),
    "result_sweep": ResultSweep(),
    "result_prune": ResultPrune(older_than_s=5),
    "rate_limit_try": RateLimitTry(key="open", limit=2, per_s=60),
    "rate_limit_try, the first of a window": RateLimitTry(key="passed", limit=2, per_s=60),
    "token_bucket_try": TokenBucketTry(key="open", limit=2, per_s=10),
    "token_bucket_try, the first of a key": TokenBucketTry(key="new", limit=2, per_s=10, n=2),
    "rate_limit_sweep": RateLimitSweep(older_than_s=30),
    "limit_acquire": LimitAcquire(**word(4, 2), key="a", limit=2),
    "limit_release": LimitRelease(**word(3, 1), key="a"),
    "limit_sweep": LimitSweep(),
    "schedule_register": ScheduleRegister(schedule="new", queue="mail", cron="0 3 * * *", tz="Europe/Paris", payload=1),
    "schedule_register, of another definition": ScheduleRegister(
        schedule="tick", queue="post", cron="@every 1m", tz="UTC", payload=[2]
    ),
    "schedule_update": ScheduleUpdate(schedule="tick", changes={"cron": "* * * * *", "end_at": NOW + 60}),
    "schedule_unregister": ScheduleUnregister(schedule="ahead"),
    "schedule_pause": SchedulePause(schedule="tick"),
    "schedule_resume": ScheduleResume(schedule="closed"),
    "schedule_run_now": ScheduleRunNow(schedule="tick"),
    "schedule_tick": ScheduleTick(owner="w", fence=10),
    "schedule_tick, by nobody": ScheduleTick(),
    "schedule_adopt": ScheduleAdopt(schedule="hourly", tz="UTC"),
    "stream_publish": StreamPublish(topic="news", payload={"n": 1}, key="k"),
    "stream_save_offset": StreamSaveOffset(topic="news", consumer="c", offset=3),
    "stream_forget": StreamForget(topic="news", consumer="c"),
    "stream_forget, of a group": StreamForget(topic="news", group="g"),
    "stream_trim": StreamTrim(topic="news", keep=0, older_than_s=60),
    "stream_trim, of each topic": StreamTrim(older_than_s=9),
    "stream_claim": StreamClaim(topic="news", group="g", worker="v", n=5, lease_s=60),
    "stream_ack": StreamAck(topic="news", group="g", worker="w", held=(Held(1, 9), Held(2, 9))),
}

READS: dict[str, Op] = {
    "get_job": GetJob(queue="mail", id=1),
    "list_jobs": ListJobs(queue="mail"),
    "count_jobs": CountJobs(queue="mail"),
    "next_claim_at": NextClaimAt(queues=("mail",)),
    "dead_list": DeadList(queue="mail"),
    "lock_get": LockGet(lock="report"),
    "lock_list": LockList(),
    "notification_read": NotificationRead(channel="orders", after_id=0),
    "notification_last": NotificationLast(channel="orders"),
    "event_read": EventRead(),
    "queue_list": QueueList(),
    "stats": Stats(),
    "result_get": ResultGet(queue="mail", id=11),
    "limit_get": LimitGet(key="a"),
    "schedule_get": ScheduleGet(schedule="tick"),
    "schedule_list": ScheduleList(),
    "schedule_soonest": ScheduleSoonest(),
    "stream_read_since": StreamReadSince(topic="news", offset=1),
    "stream_get_offset": StreamGetOffset(topic="news", consumer="c"),
    "stream_lag": StreamLag(topic="news", group="g"),
}

# Operations that a furnished file refuses, each kind at least once, the later the better: some have written by then.
REFUSED: dict[str, tuple[Op, type[anser.AnserError]]] = {
    "enqueue": (Enqueue(queue="mail", payload=1, delay_s=5, expires_s=5), anser.Invalid),
    "enqueue, of no JSON": (Enqueue(queue="mail", payload={1, 2}), anser.Invalid),
    "enqueue_many": (
        EnqueueMany(
            jobs=(
                Enqueue(queue="mail", payload=1),
                Enqueue(queue="mail", payload=2, unique_key="ann"),
                Enqueue(queue="mail", payload=3, delay_s=5, expires_s=5),
            )
        ),
        anser.Invalid,
    ),
    "cancel": (Cancel(queue="mail", id=0), anser.Invalid),
    "queue_pause": (QueuePause(queue=""), anser.Invalid),
    "queue_resume": (QueueResume(queue=""), anser.Invalid),
    "claim": (Claim(queues=("mail",), worker="w", n=0, lease_s=60), anser.Invalid),
    "ack": (Ack(**word(3, 2)), anser.LeaseLost),
    "ack_batch": (AckBatch(queue="mail", worker="w", held=(Held(3, 1), Held(4, 0))), anser.Invalid),
    "heartbeat": (Heartbeat(**word(7, 5), lease_s=60), anser.LeaseLost),
    "release": (Release(**word(3, 1, "another")), anser.LeaseLost),
    "retry": (Retry(**word(6, 3), delay_s=5), anser.LeaseLost),  # by then the dead job has made way
    "fail": (Fail(**word(6, 3), error="no"), anser.LeaseLost),  # so here
    "sweep_expired": (SweepExpired(queue="mail", limit=0), anser.Invalid),
    "dead_requeue": (DeadRequeue(queue="mail", id=99), anser.NotFound),
    "dead_requeue, while its key is held": (DeadRequeue(queue="mail", id=14), anser.Conflict),
    "dead_requeue, while its id is taken": (DeadRequeue(queue="post", id=6), anser.Conflict),
    "dead_prune": (DeadPrune(queue="mail", older_than_s=-1), anser.Invalid),
    "get_job": (GetJob(queue="mail", id=0), anser.Invalid),
    "list_jobs": (ListJobs(queue="mail", limit=0), anser.Invalid),
    "count_jobs": (CountJobs(queue=""), anser.Invalid),
    "next_claim_at": (NextClaimAt(queues=()), anser.Invalid),
    "dead_list": (DeadList(queue="mail", limit=0), anser.Invalid),
    "lock_acquire": (LockAcquire(lock="free", owner="w", ttl_s=0), anser.Invalid),
    "lock_renew": (LockRenew(**lock_word("over", 9), ttl_s=60), anser.LeaseLost),
    "lock_release": (LockRelease(**lock_word("report", 8)), anser.LeaseLost),
    "lock_get": (LockGet(lock=""), anser.Invalid),
    "lock_list": (LockList(limit=0), anser.Invalid),
    "lock_sweep": (LockSweep(limit=0), anser.Invalid),
    "notify": (Notify(channel="orders", payload={1, 2}), anser.Invalid),
    "notification_read": (NotificationRead(channel="", after_id=0), anser.Invalid),
    "notification_last": (NotificationLast(channel=""), anser.Invalid),
    "notification_prune": (NotificationPrune(keep=1, limit=0), anser.Invalid),
    "events_on": (EventsOn(keep=0), anser.Invalid),
    "event_read": (EventRead(limit=0), anser.Invalid),
    "event_prune": (EventPrune(older_than_s=-1), anser.Invalid),
    "queue_list": (QueueList(limit=0), anser.Invalid),
    "ack, with a result": (Ack(**word(7, 5), result=1, result_ttl_s=60), anser.LeaseLost),
    "ack, with a result that is no JSON": (Ack(**word(3, 1), result={1}, result_ttl_s=60), anser.Invalid),
    "result_save": (ResultSave(**word(4, 3), value=1, ttl_s=60), anser.LeaseLost),
    "result_save, of no JSON": (ResultSave(**word(4, 2), value={1}, ttl_s=60), anser.Invalid),
    "result_get": (ResultGet(queue="mail", id=0), anser.Invalid),
    "result_sweep": (ResultSweep(limit=0), anser.Invalid),
    "result_prune": (ResultPrune(older_than_s=-1), anser.Invalid),
    "rate_limit_try": (RateLimitTry(key="open", limit=0, per_s=60), anser.Invalid),
    "token_bucket_try": (TokenBucketTry(key="open", limit=2, per_s=10, n=3), anser.Invalid),
    "rate_limit_sweep": (RateLimitSweep(older_than_s=-1), anser.Invalid),
    "limit_acquire": (LimitAcquire(**word(7, 5), key="a", limit=9), anser.LeaseLost),
    "limit_release": (LimitRelease(**word(7, 5), key="a"), anser.LeaseLost),
    "limit_get": (LimitGet(key=""), anser.Invalid),
    "limit_sweep": (LimitSweep(limit=0), anser.Invalid),
    "schedule_register": (
        ScheduleRegister(schedule="new", queue="mail", cron="0 3 * * *", tz="UTC", payload={1}),
        anser.Invalid,
    ),
    "schedule_update": (ScheduleUpdate(schedule="unreadable", changes={"priority": 1}), anser.Invalid),
    "schedule_update, of none": (ScheduleUpdate(schedule="none", changes={}), anser.NotFound),
    "schedule_unregister": (ScheduleUnregister(schedule=""), anser.Invalid),
    "schedule_pause": (SchedulePause(schedule=""), anser.Invalid),
    "schedule_resume": (ScheduleResume(schedule=""), anser.Invalid),
    "schedule_run_now": (ScheduleRunNow(schedule="none"), anser.NotFound),
    "schedule_get": (ScheduleGet(schedule=""), anser.Invalid),
    "schedule_list": (ScheduleList(limit=0), anser.Invalid),
    "schedule_tick": (ScheduleTick(owner="w", fence=9), anser.LeaseLost),
    "schedule_adopt": (ScheduleAdopt(schedule="both", tz="UTC"), anser.Invalid),
    "schedule_adopt, of a name that is taken": (ScheduleAdopt(schedule="tick", tz="UTC"), anser.Conflict),
    "schedule_adopt, of none": (ScheduleAdopt(schedule="none", tz="UTC"), anser.NotFound),
    "stream_publish": (StreamPublish(topic="news", payload={1, 2}), anser.Invalid),
    "stream_save_offset": (StreamSaveOffset(topic="news", consumer="c", offset=-1), anser.Invalid),
    "stream_forget": (StreamForget(topic="news"), anser.Invalid),
    "stream_trim": (StreamTrim(topic="news"), anser.Invalid),
    "stream_claim": (StreamClaim(topic="news", group="g", worker="v", n=0, lease_s=60), anser.Invalid),
    "stream_ack": (StreamAck(topic="news", group="g", worker="w", held=(Held(1, 9), Held(2, 0))), anser.Invalid),
    "stream_read_since": (StreamReadSince(topic="news", limit=0), anser.Invalid),
    "stream_get_offset": (StreamGetOffset(topic="news", consumer=""), anser.Invalid),
    "stream_lag": (StreamLag(topic="news"), anser.Invalid),
}
NEVER_REFUSED = {"events_off", "schedule_soonest", "stats"}  # they have no arguments, and nothing to meet
