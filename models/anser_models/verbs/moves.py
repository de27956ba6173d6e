"""How a job is found and how it leaves: what the verbs of several families do with one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from anser.errors import StorageError
from anser.types import HISTORY_IDS, Dead, EventKind, Finished, Job, Reason, State, StoredResult
from anser_models.draft import Draft
from anser_models.predicates import doom
from anser_models.quirks import Quirk
from anser_models.verbs import orders
from anser_models.verbs.telling import tell

__all__ = ["blocks", "bury", "find", "finish", "forget", "give_id", "keep_result", "key_holder", "live"]


def live(draft: Draft, queue: str) -> Iterator[Job]:
    return (job for _, job in sorted(draft.world.jobs.items()) if job.queue == queue)


def find(draft: Draft, queue: str, id: int) -> Job | None:
    job = draft.world.jobs.get(id)
    if job is None or (job.queue != queue and not draft.has(Quirk.E22_GLOBAL_IDS)):
        return None
    return job


def give_id(draft: Draft) -> int:
    draft.world = replace(draft.world, last_id=draft.world.last_id + 1)
    return draft.world.last_id


def finish(draft: Draft, job: Job, state: State) -> None:
    """The job leaves as done or cancelled, and history keeps that (JOB-11). Who finishes jobs then lets it `forget`."""
    del draft.world.jobs[job.id]
    tell(draft, EventKind.ACKED if state is State.DONE else EventKind.CANCELLED, job)
    orders.leave(draft, job.id)
    if not draft.has(Quirk.D10_BLIND_GET_JOB):
        draft.world.finished[job.id] = Finished(job.id, job.queue, state, job.attempts, draft.now)


def forget(draft: Draft, ended: Collection[int]) -> None:
    """For each job that ended history forgets two at most of those far behind the newest of them (JOB-11)."""
    if draft.has(Quirk.D10_BLIND_GET_JOB):
        return
    finished = draft.world.finished
    oldest = max(ended, default=0) - HISTORY_IDS
    behind = sorted(id for id in finished if id < oldest)
    for id in behind[: 2 * len(ended)]:
        del finished[id]


def keep_result(draft: Draft, job: Job, value: str, ttl_s: int) -> int:
    """The result of a job takes the place of the one before (RES-2). Answers its end."""
    expires_at = draft.now + ttl_s
    draft.world.results[job.id] = StoredResult(job.id, job.queue, value, draft.now, expires_at)
    return expires_at


def blocks(draft: Draft, job: Job) -> bool:
    """Only what is no text at all blocks; text that is no JSON is handed out as it is."""
    return draft.has(Quirk.E02_UNREADABLE_BLOCKS) and isinstance(job.payload, bytes)


def bury(draft: Draft, job: Job, reason: Reason, error: str | None = None) -> None:
    """Move to the dead in one step (DED-1); a dead job that has the id already makes way (DED-7)."""
    jobs, dead = draft.world.jobs, draft.world.dead
    del jobs[job.id]
    orders.leave(draft, job.id)
    if isinstance(job.payload, bytes) and draft.has(Quirk.D11_STRANDED_MOVE):
        return
    if job.id in dead:
        if draft.has(Quirk.D11_STRANDED_MOVE):
            raise StorageError
        other = replace(dead.pop(job.id), id=give_id(draft))
        dead[other.id] = other
    kept = None if draft.has(Quirk.E23_ERRORS_DISCARDED) else job.last_error
    dead[job.id] = Dead(
        id=job.id,
        queue=job.queue,
        payload=job.payload,
        priority=job.priority,
        run_at=job.run_at,
        attempts=job.attempts,
        max_attempts=job.max_attempts,
        lapses=job.lapses,
        max_lapses=job.max_lapses,
        created_at=job.created_at,
        unique_key=job.unique_key,
        reason=reason,
        last_error=next((text for text in (error, kept) if text is not None), reason.value),
        died_at=draft.now,
    )
    tell(draft, EventKind.DEAD, job, reason=reason)


def key_holder(draft: Draft, queue: str, key: str | None) -> Job | None:
    """The live job that holds the key; one past saving is buried and holds nothing (JOB-7)."""
    holder = next((job for job in live(draft, queue) if key is not None and job.unique_key == key), None)
    if holder is None:
        return None
    reason = doom(holder, draft.now)
    if reason is None:
        return holder
    draft.took("enqueue.key_freed")
    bury(draft, holder, reason)
    return None
