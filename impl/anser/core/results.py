"""Results: saved by who holds the job, seen when it is done, over at their end."""

from __future__ import annotations

from anser.core import jobs
from anser.core.tx import Tx
from anser.errors import LeaseLost
from anser.ops import Ack, GetJob, ResultGet, ResultPrune, ResultSave, ResultSweep, encoded
from anser.types import Dead, Finished, Job, Result, ResultState, State

__all__ = ["result_get", "result_prune", "result_save", "result_sweep", "save"]


def result_save(tx: Tx, op: ResultSave) -> int:
    """RES-1, RES-2, RES-8."""
    return save(tx, op, encoded("value", op.value), op.ttl_s)


def save(tx: Tx, op: ResultSave | Ack, value: str, ttl_s: int) -> int:
    """Save the text for the job whose lease the word names, or refuse (CLM-8). Answers its end."""
    rows = tx.run(
        "result_save",
        id=op.id,
        queue=op.queue,
        worker=op.worker,
        fence=op.fence,
        value=value,
        now=tx.now,
        expires_at=tx.now + ttl_s,
    )
    for (expires_at,) in rows:
        return int(expires_at)
    raise LeaseLost(f"job {op.id} of queue {op.queue!r} is not held by {op.worker!r} with fence {op.fence}")


def result_get(tx: Tx, op: ResultGet) -> Result:
    """RES-4, RES-5, RES-6, RES-7."""
    job = jobs.get_job(tx, GetJob(queue=op.queue, id=op.id))
    if isinstance(job, Job):
        return Result(ResultState.WAITING)
    if isinstance(job, Dead):
        return Result(ResultState.DEAD, error=job.last_error)
    if isinstance(job, Finished) and job.state is State.CANCELLED:
        return Result(ResultState.CANCELLED)
    for (value,) in tx.run("result_get", id=op.id, queue=op.queue, now=tx.now):
        return Result(ResultState.SAVED, value=value)
    return Result(ResultState.GONE if job is None else ResultState.DONE)


def result_sweep(tx: Tx, op: ResultSweep) -> int:
    """RES-9."""
    return len(tx.run("result_sweep", now=tx.now, limit=op.limit))


def result_prune(tx: Tx, op: ResultPrune) -> int:
    """RES-12."""
    return len(tx.run("result_prune", before=tx.now - op.older_than_s, limit=op.limit))


VERBS = (result_save, result_get, result_sweep, result_prune)
