"""The dead: the one move there, and the ways out."""

from __future__ import annotations

from heapq import merge
from itertools import islice
from operator import itemgetter

from anser.core.rows import dead_of
from anser.core.tx import Tx
from anser.errors import Conflict, LeaseLost, NotFound
from anser.ops import DeadList, DeadPrune, DeadRequeue, Fail, Retry, SweepExpired
from anser.types import Dead, Reason

__all__ = ["bury", "bury_held", "dead_list", "dead_prune", "dead_requeue", "key_holder", "sweep_expired"]


def bury(tx: Tx, id: int, reason: str) -> None:
    """Move a live job that nobody holds to the dead (DED-1)."""
    _make_way(tx, id)
    tx.run("bury", id=id, reason=reason, error=None, now=tx.now)
    tx.run("bury_remove", id=id)


def bury_held(tx: Tx, op: Retry | Fail, reason: Reason) -> None:
    """Move the job whose lease the word names to the dead, or refuse (CLM-8, DED-1)."""
    _make_way(tx, op.id)
    moved = tx.run(
        "bury_held",
        id=op.id,
        queue=op.queue,
        worker=op.worker,
        fence=op.fence,
        reason=reason.value,
        error=op.error,
        now=tx.now,
    )
    if not moved:
        raise LeaseLost(f"job {op.id} of queue {op.queue!r} is not held by {op.worker!r} with fence {op.fence}")
    tx.run("bury_remove", id=op.id)


def _make_way(tx: Tx, id: int) -> None:
    """A dead job that has the id, which only a foreign hand can bring about, is filed under a new one (DED-7)."""
    if tx.run("bury_taken", id=id):
        ((fresh_id,),) = tx.run("bury_fresh_id")
        tx.run("bury_give_id", fresh_id=fresh_id)
        tx.run("bury_make_way", id=id, fresh_id=fresh_id)


def key_holder(tx: Tx, queue: str, unique_key: str) -> int | None:
    """The live job that holds the key; one past saving is buried and holds nothing (JOB-6, JOB-7)."""
    for id, reason in tx.run("enqueue_key_holder", queue=queue, unique_key=unique_key, now=tx.now):
        if reason is None:
            return int(id)
        bury(tx, id, reason)
    return None


def sweep_expired(tx: Tx, op: SweepExpired) -> int:
    """DED-2."""
    pending = tx.run("sweep_expired", queue=op.queue, now=tx.now, limit=op.limit)
    lapsed = tx.run("sweep_expired_lapsed", queue=op.queue, now=tx.now, limit=op.limit)
    over = list(islice(merge(pending, lapsed, key=itemgetter(1, 0)), op.limit))
    for id, _ in over:
        bury(tx, id, Reason.EXPIRED.value)
    return len(over)


def dead_list(tx: Tx, op: DeadList) -> tuple[Dead, ...]:
    """DED-3."""
    return tuple(map(dead_of, tx.run("dead_list", queue=op.queue, after_id=op.after_id, limit=op.limit)))


def dead_requeue(tx: Tx, op: DeadRequeue) -> None:
    """DED-4, DED-5."""
    found = tx.run("dead_requeue_find", id=op.id, queue=op.queue)
    if not found:
        raise NotFound(f"queue {op.queue!r} has no dead job {op.id}: see dead_list")
    ((unique_key,),) = found
    if tx.run("dead_requeue_clash", id=op.id):
        raise Conflict(f"a live job has the id {op.id} already")
    if unique_key is not None:
        holder = key_holder(tx, op.queue, unique_key)
        if holder is not None:
            raise Conflict(f"job {holder} holds the unique key {unique_key!r}: cancel it first, or let it end")
    tx.run("dead_requeue", id=op.id, now=tx.now)
    tx.run("dead_requeue_remove", id=op.id)


def dead_prune(tx: Tx, op: DeadPrune) -> int:
    """DED-6."""
    return len(tx.run("dead_prune", queue=op.queue, before=tx.now - op.older_than_s, limit=op.limit))


VERBS = (sweep_expired, dead_list, dead_requeue, dead_prune)
