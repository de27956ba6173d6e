"""What each operation means: `verb(tx, op) -> answer`, one function an operation, a module a family.

A verb runs inside a transaction that somebody else begins and ends. It reads no clock, knows no driver, and leaves
undoing to whoever runs it: a verb that raises may have written, and its savepoint is rolled back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anser.core import claims, dead, jobs, leases, locks
from anser.core.tx import Tx

__all__ = ["READS", "VERBS", "Tx"]

VERBS: dict[str, Callable[[Tx, Any], Any]] = {
    verb.__name__: verb
    for verb in (
        jobs.enqueue,
        jobs.enqueue_many,
        jobs.cancel,
        jobs.get_job,
        jobs.list_jobs,
        jobs.count_jobs,
        jobs.queue_pause,
        jobs.queue_resume,
        claims.claim,
        claims.next_claim_at,
        leases.ack,
        leases.ack_batch,
        leases.heartbeat,
        leases.release,
        leases.retry,
        leases.fail,
        dead.sweep_expired,
        dead.dead_list,
        dead.dead_requeue,
        dead.dead_prune,
        locks.lock_acquire,
        locks.lock_renew,
        locks.lock_release,
        locks.lock_get,
        locks.lock_list,
        locks.lock_sweep,
    )
}

# They take no write lock.
READS = frozenset({"get_job", "list_jobs", "count_jobs", "next_claim_at", "dead_list", "lock_get", "lock_list"})
