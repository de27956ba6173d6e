"""A durable job queue inside one SQLite file.

    import anser

    db = anser.open("app.db")
    emails = db.queue("emails")
    with db.transaction() as tx:
        tx.execute("insert into orders (id) values (?)", (42,))
        emails.enqueue({"to": "ann@example.com", "order": 42}, tx=tx)

A `Database` gives everything else: `queue`, `lock`, `rate_limit`, `token_bucket`, `schedules`, `outbox`, `notify` and
`listen`, `stream`, `events`, `maintain`. Only `Scheduler` stands beside it, since it is a loop.

Durations end in `_s` and are seconds, instants end in `_at` and are whole epoch seconds, options are given by keyword,
and `tx` makes a call part of the caller's transaction. A refusal is an `AnserError`, and leaves every row as it was.
What each operation promises is written in the rules of `anser_spec`, which docstrings cite by id (CLM-2).
"""

from anser.backoff import Backoff
from anser.clock import ManualClock
from anser.database import Database
from anser.database import open_database as open
from anser.engine.sqlite import Transaction
from anser.errors import (
    AnserError,
    Busy,
    Conflict,
    FormatError,
    Invalid,
    JobCancelled,
    JobDead,
    LeaseLost,
    NotFound,
    ResultError,
    ResultMissing,
    ResultTimeout,
    StorageError,
)
from anser.events import EventLog
from anser.limits import JobLimit, RateLimit, TokenBucket
from anser.locks import NamedLock
from anser.notifications import Listener, Lost, Message
from anser.ops import decode
from anser.outbox import Delivered, Outbox, OutboxMessage
from anser.queue import ClaimedJob, Queue
from anser.retention import Maintained, Retention
from anser.scheduler import Scheduler
from anser.schedules import Schedules
from anser.streams import ClaimedEntry, Entry, Group, Stream, Subscription, TrimmedUnseen
from anser.types import (
    Allowance,
    Bad,
    Change,
    Counts,
    Dead,
    Enqueued,
    Event,
    EventKind,
    EventPage,
    Finished,
    Fired,
    Heard,
    Job,
    Lease,
    Lock,
    Misfire,
    Miss,
    Missed,
    Notification,
    Overlap,
    Reason,
    Registered,
    Result,
    ResultState,
    Schedule,
    Settled,
    State,
    StreamEntry,
    StreamPage,
    TableStats,
    Ticked,
)

__all__ = [
    "Allowance",
    "AnserError",
    "Backoff",
    "Bad",
    "Busy",
    "Change",
    "ClaimedEntry",
    "ClaimedJob",
    "Conflict",
    "Counts",
    "Database",
    "Dead",
    "Delivered",
    "Enqueued",
    "Entry",
    "Event",
    "EventKind",
    "EventLog",
    "EventPage",
    "Finished",
    "Fired",
    "FormatError",
    "Group",
    "Heard",
    "Invalid",
    "Job",
    "JobCancelled",
    "JobDead",
    "JobLimit",
    "Lease",
    "LeaseLost",
    "Listener",
    "Lock",
    "Lost",
    "Maintained",
    "ManualClock",
    "Message",
    "Misfire",
    "Miss",
    "Missed",
    "NamedLock",
    "NotFound",
    "Notification",
    "Outbox",
    "OutboxMessage",
    "Overlap",
    "Queue",
    "RateLimit",
    "Reason",
    "Registered",
    "Result",
    "ResultError",
    "ResultMissing",
    "ResultState",
    "ResultTimeout",
    "Retention",
    "Schedule",
    "Scheduler",
    "Schedules",
    "Settled",
    "State",
    "StorageError",
    "Stream",
    "StreamEntry",
    "StreamPage",
    "Subscription",
    "TableStats",
    "Ticked",
    "TokenBucket",
    "Transaction",
    "TrimmedUnseen",
    "decode",
    "open",
]
