"""Jobs: enqueue, cancel, look up, pause."""

from __future__ import annotations

from collections.abc import Sequence

from anser.core import dead
from anser.core.rows import dead_of, finished_of, job_of
from anser.core.tx import Tx
from anser.errors import Invalid
from anser.ops import Cancel, CountJobs, Enqueue, EnqueueMany, GetJob, ListJobs, QueuePause, QueueResume, encode
from anser.types import HISTORY_IDS, TURN_AT, Counts, Dead, Enqueued, Finished, Job, State

__all__ = [
    "cancel",
    "count_jobs",
    "enqueue",
    "enqueue_many",
    "finish",
    "forget",
    "get_job",
    "list_jobs",
    "queue_pause",
    "queue_resume",
]


def enqueue(tx: Tx, op: Enqueue) -> Enqueued:
    """JOB-2, JOB-3, JOB-4, JOB-6, JOB-7, ORD-1."""
    payload = encode(op.payload)
    run_at = tx.now + (op.delay_s or 0) if op.run_at is None else max(op.run_at, tx.now)
    expires_at = None if op.expires_s is None else tx.now + op.expires_s
    if expires_at is not None and expires_at <= run_at:
        raise Invalid("expires_s", op.expires_s, f"the job is due in {run_at - tx.now} s and must live longer")
    if op.unique_key is not None:
        holder = dead.key_holder(tx, op.queue, op.unique_key)
        if holder is not None:
            return Enqueued(holder, created=False)
    waits = op.order_key is not None and bool(tx.run("order_waits", queue=op.queue, order_key=op.order_key))
    id = tx.insert(
        "enqueue",
        queue=op.queue,
        payload=payload,
        priority=op.priority,
        run_at=TURN_AT if waits else run_at,
        max_attempts=op.max_attempts,
        max_lapses=op.max_lapses,
        now=tx.now,
        expires_at=expires_at,
        unique_key=op.unique_key,
    )
    if op.order_key is not None:
        tx.run("order_join", id=id, queue=op.queue, order_key=op.order_key, run_at=run_at)
    return Enqueued(id, created=True)


def enqueue_many(tx: Tx, op: EnqueueMany) -> tuple[Enqueued, ...]:
    """JOB-8. A job of the batch may hold the key of a later one."""
    answers = []
    for place, job in enumerate(op.jobs):
        try:
            answers.append(enqueue(tx, job))
        except Invalid as refusal:
            raise Invalid(f"jobs[{place}].{refusal.argument}", refusal.value, refusal.remedy) from None
    return tuple(answers)


def cancel(tx: Tx, op: Cancel) -> bool:
    """JOB-9."""
    for (attempts,) in tx.run("cancel", id=op.id, queue=op.queue):
        finish(tx, op.queue, op.id, State.CANCELLED, attempts)
        return True
    return False


def finish(tx: Tx, queue: str, id: int, state: State, attempts: int) -> None:
    """File the end of a job that has left the live table (JOB-11)."""
    tx.run("finish", id=id, queue=queue, state=state.value, attempts=attempts, now=tx.now)
    forget(tx, [id])


def forget(tx: Tx, ids: Sequence[int]) -> None:
    """What history no longer keeps now that these jobs have ended (JOB-11)."""
    newest = max(ids)
    if newest > HISTORY_IDS:
        tx.run("finish_forget", id=newest, history_ids=HISTORY_IDS, limit=2 * len(ids))


def get_job(tx: Tx, op: GetJob) -> Job | Dead | Finished | None:
    """JOB-10."""
    for row in tx.run("get_job", id=op.id, queue=op.queue):
        return job_of(row)
    for row in tx.run("get_job_dead", id=op.id, queue=op.queue):
        return dead_of(row)
    for row in tx.run("get_job_finished", id=op.id, queue=op.queue):
        return finished_of(row)
    return None


def list_jobs(tx: Tx, op: ListJobs) -> tuple[Job, ...]:
    """JOB-12."""
    rows = tx.run("list_jobs", queue=op.queue, state=op.state, after_id=op.after_id, limit=op.limit)
    return tuple(map(job_of, rows))


def count_jobs(tx: Tx, op: CountJobs) -> Counts:
    """JOB-13."""
    (row,) = tx.run("count_jobs", queue=op.queue, now=tx.now)
    return Counts(*row)


def queue_pause(tx: Tx, op: QueuePause) -> bool:
    """CLM-14."""
    return bool(tx.run("queue_pause", queue=op.queue, now=tx.now))


def queue_resume(tx: Tx, op: QueueResume) -> bool:
    """CLM-14."""
    return bool(tx.run("queue_resume", queue=op.queue))


VERBS = (enqueue, enqueue_many, cancel, get_job, list_jobs, count_jobs, queue_pause, queue_resume)
