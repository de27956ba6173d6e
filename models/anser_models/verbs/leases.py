"""Words about a lease: each names it whole, or is refused (CLM-8)."""

from __future__ import annotations

from dataclasses import replace

from anser.errors import LeaseLost
from anser.ops import Ack, AckBatch, Fail, Heartbeat, Release, ResultSave, Retry, encoded
from anser.types import EventKind, Job, Reason, Settled, State
from anser_models.draft import Draft, Refused
from anser_models.predicates import held_by
from anser_models.quirks import Quirk
from anser_models.verbs.moves import blocks, bury, find, finish, forget, keep_result
from anser_models.verbs.telling import tell

__all__ = ["LOOSE", "TRANSITIONS", "VERBS", "named"]

TRANSITIONS = {
    "ack.held": "CLM-9",
    "ack.result": "RES-3",
    "ack_batch.held": "CLM-10",
    "ack_batch.lost": "CLM-10",
    "heartbeat.held": "CLM-11",
    "release.held": "CLM-12",
    "release.delayed": "CLM-12",
    "lease.lost": "CLM-8",
    "retry.pending": "RET-1",
    "retry.exhausted": "RET-2",
    "fail.held": "RET-4",
}

LOOSE = {Quirk.E21_PAST_RUN_AT: {"delay_s", "lease_s"}}


def ack(draft: Draft, op: Ack) -> None:
    value = None if op.result_ttl_s is None else encoded("result", op.result)
    job = named(draft, op)
    draft.took("ack.held")
    if value is not None and op.result_ttl_s is not None:
        draft.took("ack.result")
        keep_result(draft, job, value, op.result_ttl_s)
    finish(draft, job, State.DONE)
    forget(draft, [job.id])


def ack_batch(draft: Draft, op: AckBatch) -> tuple[int, ...]:
    """Each lease is judged alone: one that is lost keeps none of the others (CLM-10)."""
    done = []
    for named in op.held:
        job = find(draft, op.queue, named.id)
        if job is None or not _names_lease(draft, job, op.worker, named.fence, implicit_state=True):
            draft.took("ack_batch.lost")
            continue
        draft.took("ack_batch.held")
        finish(draft, job, State.DONE)
        done.append(named.id)
    forget(draft, done)
    return tuple(done)


def heartbeat(draft: Draft, op: Heartbeat) -> int:
    job = named(draft, op)
    assert job.lease is not None, "a held job has a lease"
    expires_at = draft.now + op.lease_s
    draft.world.jobs[job.id] = replace(job, lease=replace(job.lease, expires_at=expires_at))
    draft.took("heartbeat.held")
    return expires_at


def release(draft: Draft, op: Release) -> int:
    job = named(draft, op)
    draft.took("release.held" if op.delay_s is None else "release.delayed")
    run_at = job.run_at if op.delay_s is None else draft.now + op.delay_s
    draft.world.jobs[job.id] = replace(
        job, state=State.PENDING, run_at=run_at, attempts=max(job.attempts - 1, 0), lease=None
    )
    tell(draft, EventKind.RELEASED, draft.world.jobs[job.id])
    return run_at


def retry(draft: Draft, op: Retry) -> Settled:
    job = named(draft, op)
    if blocks(draft, job):
        raise LeaseLost
    if job.attempts >= job.max_attempts:
        draft.took("retry.exhausted")
        bury(draft, job, Reason.EXHAUSTED, op.error)
        return Settled(State.DEAD, None)
    draft.took("retry.pending")
    run_at = draft.now + op.delay_s
    error = job.last_error if op.error is None or draft.has(Quirk.E23_ERRORS_DISCARDED) else op.error
    draft.world.jobs[job.id] = replace(job, state=State.PENDING, run_at=run_at, last_error=error, lease=None)
    tell(draft, EventKind.RETRIED, draft.world.jobs[job.id])
    return Settled(State.PENDING, run_at)


def fail(draft: Draft, op: Fail) -> Refused | None:
    job = named(draft, op)
    draft.took("fail.held")
    bury(draft, job, Reason.FAILED, op.error)
    return None if job.id in draft.world.dead else Refused(LeaseLost.code)  # only D11 files nothing


def named(draft: Draft, op: Ack | Heartbeat | Release | Retry | Fail | ResultSave) -> Job:
    """The job whose lease the word names, or the refusal (CLM-8)."""
    job = find(draft, op.queue, op.id)
    if job is None or not _names_lease(draft, job, op.worker, op.fence, implicit_state=op.name in ("ack", "fail")):
        draft.took("lease.lost")
        raise LeaseLost
    return job


def _names_lease(draft: Draft, job: Job, worker: str, fence: int, *, implicit_state: bool) -> bool:
    if implicit_state and draft.has(Quirk.D12_IMPLICIT_STATE):
        job = replace(job, state=State.PROCESSING)
    if job.lease is not None and draft.has(Quirk.E04_NO_FENCE):
        fence = job.lease.fence
    return held_by(job, worker, fence, draft.now)


VERBS = (
    ack,
    ack_batch,
    heartbeat,
    release,
    retry,
    fail,
)
