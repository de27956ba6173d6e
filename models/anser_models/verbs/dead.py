"""Dead jobs: how the expired get there, and how the dead are listed, put back and forgotten."""

from __future__ import annotations

from anser.errors import Conflict, NotFound, StorageError
from anser.ops import DeadList, DeadPrune, DeadRequeue, SweepExpired
from anser.types import Dead, EventKind, Job, Reason, State
from anser_models.draft import Draft
from anser_models.predicates import doom, stray
from anser_models.quirks import Quirk
from anser_models.verbs.moves import blocks, bury, key_holder, live
from anser_models.verbs.telling import tell

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "sweep_expired.pending": "DED-2",
    "sweep_expired.lapsed": "DED-2",
    "sweep_expired.nothing": "DED-2",
    "dead_requeue.pending": "DED-4",
    "dead_requeue.not_found": "DED-4",
    "dead_requeue.conflict": "DED-5",
    "dead_prune.forgot": "DED-6",
    "dead_prune.nothing": "DED-6",
}

LOOSE: dict[Quirk, set[str]] = {}


def sweep_expired(draft: Draft, op: SweepExpired) -> int:
    """Expired jobs that nobody holds, the longest expired first (DED-2)."""
    over = [job for job in live(draft, op.queue) if not stray(job) and doom(job, draft.now) is Reason.EXPIRED]
    if draft.has(Quirk.D02_ZOMBIE):
        over = [job for job in over if job.state is State.PENDING]
    if any(blocks(draft, job) for job in over):
        raise StorageError
    over.sort(key=lambda job: (job.expires_at or 0, job.id))
    for job in over[: op.limit]:
        draft.took("sweep_expired.pending" if job.state is State.PENDING else "sweep_expired.lapsed")
        bury(draft, job, Reason.EXPIRED)
    if not over:
        draft.took("sweep_expired.nothing")
    return len(over[: op.limit])


def dead_list(draft: Draft, op: DeadList) -> tuple[Dead, ...]:
    found = [job for id, job in sorted(draft.world.dead.items()) if job.queue == op.queue and id > op.after_id]
    return tuple(found[: op.limit])


def dead_requeue(draft: Draft, op: DeadRequeue) -> None:
    dead = draft.world.dead.get(op.id)
    if dead is None or dead.queue != op.queue:
        draft.took("dead_requeue.not_found")
        raise NotFound
    if op.id in draft.world.jobs or key_holder(draft, dead.queue, dead.unique_key) is not None:
        draft.took("dead_requeue.conflict")
        raise Conflict
    draft.took("dead_requeue.pending")
    del draft.world.dead[op.id]
    draft.world.jobs[op.id] = Job(
        id=dead.id,
        queue=dead.queue,
        payload=dead.payload,
        state=State.PENDING,
        priority=dead.priority,
        run_at=draft.now,
        attempts=0,
        max_attempts=max(dead.max_attempts, 1),
        lapses=0,
        max_lapses=dead.max_lapses,
        created_at=dead.created_at,
        expires_at=None,
        unique_key=dead.unique_key,
        last_error=dead.last_error,
        lease=None,
    )
    tell(draft, EventKind.REQUEUED, draft.world.jobs[op.id])


def dead_prune(draft: Draft, op: DeadPrune) -> int:
    over = [
        job for job in draft.world.dead.values() if job.queue == op.queue and job.died_at <= draft.now - op.older_than_s
    ]
    over.sort(key=lambda job: (job.died_at, job.id))
    for job in over[: op.limit]:
        del draft.world.dead[job.id]
    draft.took("dead_prune.forgot" if over else "dead_prune.nothing")
    return len(over[: op.limit])


VERBS = (
    sweep_expired,
    dead_list,
    dead_requeue,
    dead_prune,
)
