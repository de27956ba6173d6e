"""A durable job queue inside one SQLite file.

    import anser

    db = anser.open("app.db")
    emails = db.queue("emails")
    with db.transaction() as tx:
        tx.execute("insert into orders (id) values (?)", (42,))
        emails.enqueue({"to": "ann@example.com", "order": 42}, tx=tx)

What each operation promises is written in the rules of `anser_spec`, which docstrings cite by id (CLM-2).
"""

from anser.backoff import Backoff
from anser.clock import ManualClock
from anser.database import Database
from anser.database import open_database as open
from anser.engine.sqlite import Transaction
from anser.errors import AnserError, Busy, Conflict, FormatError, Invalid, LeaseLost, NotFound, StorageError
from anser.locks import NamedLock
from anser.ops import decode
from anser.outbox import Delivered, Message, Outbox
from anser.queue import ClaimedJob, Queue
from anser.types import Counts, Dead, Enqueued, Finished, Job, Lease, Lock, Reason, Settled, State

__all__ = [
    "AnserError",
    "Backoff",
    "Busy",
    "ClaimedJob",
    "Conflict",
    "Counts",
    "Database",
    "Dead",
    "Delivered",
    "Enqueued",
    "Finished",
    "FormatError",
    "Invalid",
    "Job",
    "Lease",
    "LeaseLost",
    "Lock",
    "ManualClock",
    "Message",
    "NamedLock",
    "NotFound",
    "Outbox",
    "Queue",
    "Reason",
    "Settled",
    "State",
    "StorageError",
    "Transaction",
    "decode",
    "open",
]
