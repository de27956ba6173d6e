"""Jobs: enqueued, cancelled, looked up, and their queues paused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from anser.errors import Invalid
from anser.ops import Cancel, CountJobs, Enqueue, EnqueueMany, GetJob, ListJobs, QueuePause, QueueResume, encode
from anser.types import Counts, Dead, Enqueued, EventKind, Finished, Job, State
from anser_models.draft import Draft
from anser_models.predicates import due, stray
from anser_models.quirks import Quirk
from anser_models.verbs import orders
from anser_models.verbs.moves import blocks, find, finish, forget, give_id, key_holder, live
from anser_models.verbs.telling import tell

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "enqueue.created": "JOB-2",
    "enqueue.past_means_now": "JOB-3",
    "enqueue.born_expired": "JOB-4",
    "enqueue.key_held": "JOB-6",
    "enqueue.key_freed": "JOB-7",
    "enqueue_many.whole": "JOB-8",
    "cancel.pending": "JOB-9",
    "cancel.processing": "JOB-9",
    "cancel.nothing": "JOB-9",
    "get_job.live": "JOB-10",
    "get_job.dead": "JOB-10",
    "get_job.finished": "JOB-11",
    "get_job.nothing": "JOB-10",
    "queue_pause.changed": "CLM-14",
    "queue_resume.changed": "CLM-14",
}

LOOSE = {
    Quirk.E08_NO_ATTEMPTS: {"max_attempts"},
    Quirk.E21_PAST_RUN_AT: {"delay_s", "run_at"},
    Quirk.E30_BORN_EXPIRED: {"expires_s"},
}


def enqueue(draft: Draft, op: Enqueue) -> Enqueued:
    payload = _loosely_encoded(op) if draft.has(Quirk.E33_UNCHECKED) else encode(op.payload)
    run_at = op.run_at if op.run_at is not None else draft.now + (op.delay_s or 0)
    if run_at < draft.now and not draft.has(Quirk.E21_PAST_RUN_AT):
        draft.took("enqueue.past_means_now")
        run_at = draft.now
    expires_at = None if op.expires_s is None else draft.now + op.expires_s
    if expires_at is not None and expires_at <= run_at and not draft.has(Quirk.E30_BORN_EXPIRED):
        draft.took("enqueue.born_expired")
        raise Invalid("expires_s", op.expires_s, "the job would expire before it is due")
    holder = key_holder(draft, op.queue, op.unique_key)
    if holder is not None:
        draft.took("enqueue.key_held")
        return Enqueued(holder.id, created=False)
    id = give_id(draft)
    job = Job(
        id=id,
        queue=op.queue,
        payload=payload,
        state=State.PENDING,
        priority=op.priority,
        run_at=run_at,
        attempts=0,
        max_attempts=op.max_attempts,
        lapses=0,
        max_lapses=op.max_lapses,
        created_at=draft.now,
        expires_at=expires_at,
        unique_key=op.unique_key,
        last_error=None,
        lease=None,
    )
    draft.world.jobs[id] = orders.join(draft, job, op.order_key)
    draft.took("enqueue.created")
    tell(draft, EventKind.ENQUEUED, draft.world.jobs[id])
    return Enqueued(id, created=True)


def _loosely_encoded(op: Enqueue) -> str:
    text = json.dumps(op.payload, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # a lone surrogate is escaped, not refused


def enqueue_many(draft: Draft, op: EnqueueMany) -> tuple[Enqueued, ...]:
    answers = []
    for place, job in enumerate(op.jobs):
        try:
            answers.append(enqueue(draft, job))
        except Invalid as refusal:
            raise Invalid(f"jobs[{place}].{refusal.argument}", refusal.value, refusal.remedy) from None
    draft.took("enqueue_many.whole")
    return tuple(answers)


def cancel(draft: Draft, op: Cancel) -> bool:
    job = find(draft, op.queue, op.id)
    odd = job is not None and stray(job)
    if job is None or (odd and draft.has(Quirk.E33_UNCHECKED)):
        draft.took("cancel.nothing")
        return False
    draft.took("cancel.pending" if job.state is State.PENDING else "cancel.processing")
    finish(draft, job, State.CANCELLED)
    forget(draft, [job.id])
    return True


def get_job(draft: Draft, op: GetJob) -> Job | Dead | Finished | None:
    places: dict[str, dict[int, Any]] = {
        "live": draft.world.jobs,
        "dead": draft.world.dead,
        "finished": draft.world.finished,
    }
    if draft.has(Quirk.D10_BLIND_GET_JOB):
        places = {"live": draft.world.jobs}
    for place, jobs in places.items():
        job: Job | Dead | Finished | None = jobs.get(op.id)
        if isinstance(job, Job) and blocks(draft, job):
            continue
        if job is not None and (job.queue == op.queue or draft.has(Quirk.E22_GLOBAL_IDS)):
            draft.took(f"get_job.{place}")
            return job
    draft.took("get_job.nothing")
    return None


def list_jobs(draft: Draft, op: ListJobs) -> tuple[Job, ...]:
    found = [job for job in live(draft, op.queue) if job.id > op.after_id and op.state in (None, job.state)]
    return tuple(found[: op.limit])


def count_jobs(draft: Draft, op: CountJobs) -> Counts:
    jobs = list(live(draft, op.queue))
    pending = [job for job in jobs if job.state is State.PENDING]
    return Counts(
        pending=len(pending),
        due=sum(due(job.run_at, draft.now) for job in pending),
        processing=sum(job.state is State.PROCESSING for job in jobs),
        dead=sum(job.queue == op.queue for job in draft.world.dead.values()),
    )


def queue_pause(draft: Draft, op: QueuePause) -> bool:
    changed = op.queue not in draft.world.paused
    draft.world = replace(draft.world, paused=draft.world.paused | {op.queue})
    if changed:
        draft.took("queue_pause.changed")
    return changed


def queue_resume(draft: Draft, op: QueueResume) -> bool:
    changed = op.queue in draft.world.paused
    draft.world = replace(draft.world, paused=draft.world.paused - {op.queue})
    if changed:
        draft.took("queue_resume.changed")
    return changed


VERBS = (
    enqueue,
    enqueue_many,
    cancel,
    get_job,
    list_jobs,
    count_jobs,
    queue_pause,
    queue_resume,
)
