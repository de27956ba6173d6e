"""Words about a lease: ack, heartbeat, release, retry, fail. Each is refused in the `where` of its own statement."""

from __future__ import annotations

import json
from itertools import groupby
from operator import attrgetter
from typing import Any

from anser.core import dead, events, jobs, results
from anser.core.tx import Row, Tx
from anser.errors import LeaseLost
from anser.ops import Ack, AckBatch, Fail, Heartbeat, Release, Retry, encoded
from anser.types import Reason, Settled, State

__all__ = ["ack", "ack_batch", "fail", "heartbeat", "release", "retry"]


def ack(tx: Tx, op: Ack) -> None:
    """CLM-9, RES-3."""
    if op.result_ttl_s is not None:
        results.save(tx, op, encoded("result", op.result), op.result_ttl_s)
    (attempts,) = _held(tx, op)
    jobs.finish(tx, op.queue, op.id, State.DONE, attempts)


def ack_batch(tx: Tx, op: AckBatch) -> tuple[int, ...]:
    """CLM-10."""
    done: list[int] = []
    for fence, piece in groupby(op.held, key=attrgetter("fence")):
        ids = list(dict.fromkeys(held.id for held in piece))
        rows = tx.run("ack_batch", ids=json.dumps(ids), queue=op.queue, worker=op.worker, fence=fence, now=tx.now)
        gone = {id for (id,) in rows}
        ended = [id for id in ids if id in gone]
        if ended:
            tx.run("ack_batch_remove", ids=json.dumps(ended))
        done += ended
    if done:
        jobs.forget(tx, done)
    return tuple(done)


def heartbeat(tx: Tx, op: Heartbeat) -> int:
    """CLM-11."""
    (expires_at,) = _held(tx, op, expires_at=tx.now + op.lease_s)
    return int(expires_at)


def release(tx: Tx, op: Release) -> int:
    """CLM-12."""
    (run_at,) = _held(tx, op, run_at=None if op.delay_s is None else tx.now + op.delay_s)
    events.date_put_back(tx)
    return int(run_at)


def retry(tx: Tx, op: Retry) -> Settled:
    """RET-1, RET-2, RET-3."""
    run_at = tx.now + op.delay_s
    if _run(tx, op, run_at=run_at, error=op.error):
        events.date_put_back(tx)
        return Settled(State.PENDING, run_at)
    dead.bury_held(tx, op, Reason.EXHAUSTED)
    return Settled(State.DEAD, None)


def fail(tx: Tx, op: Fail) -> None:
    """RET-4."""
    dead.bury_held(tx, op, Reason.FAILED)


def _held(tx: Tx, op: Ack | Heartbeat | Release, **parameters: Any) -> Row:
    """The row that the word changed, or the refusal (CLM-8)."""
    for row in _run(tx, op, **parameters):
        return row
    raise LeaseLost(f"job {op.id} of queue {op.queue!r} is not held by {op.worker!r} with fence {op.fence}")


def _run(tx: Tx, op: Ack | Heartbeat | Release | Retry, **parameters: Any) -> list[Row]:
    """The statement that has the operation's name, on the lease that the word names."""
    return tx.run(op.name, id=op.id, queue=op.queue, worker=op.worker, fence=op.fence, now=tx.now, **parameters)


VERBS = (ack, ack_batch, heartbeat, release, retry, fail)
