"""Claims: who is next, who is past saving, and when to ask again."""

from __future__ import annotations

from dataclasses import replace

from anser.errors import StorageError
from anser.ops import Claim, NextClaimAt, decode
from anser.types import BURIED_MAX, INTEGER_MAX, SETTLED_MAX, EventKind, Job, Lease, Reason, State
from anser_models.draft import Draft
from anser_models.predicates import claim_order, doom, due, expired, held, lapsed, stray
from anser_models.quirks import Quirk
from anser_models.verbs.moves import blocks, bury, live
from anser_models.verbs.telling import tell

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "claim.taken": "CLM-1",
    "claim.nothing": "CLM-1",
    "claim.paused": "CLM-14",
    "claim.settled": "CLM-4",
    "claim.settled_expired": "CLM-5",
    "claim.settled_lapsed": "CLM-4",
    "claim.settled_unreadable": "CLM-17",
    "claim.buried_expired": "CLM-5",
    "claim.buried_exhausted": "CLM-5",
    "claim.buried_unreadable": "CLM-17",
    "next_claim_at.now": "CLM-15",
    "next_claim_at.later": "CLM-15",
    "next_claim_at.never": "CLM-15",
}

LOOSE = {Quirk.E21_PAST_RUN_AT: {"lease_s"}}


def claim(draft: Draft, op: Claim) -> tuple[Job, ...]:
    """Settle the lapsed leases, then walk the line: bury who is past saving, take who is not (CLM-1, CLM-5, CLM-6)."""
    open_queues = [queue for queue in op.queues if queue not in draft.world.paused]
    if len(open_queues) < len(op.queues):
        draft.took("claim.paused")
    for queue in open_queues:
        if not draft.has(Quirk.D08_LAPSE_SPENDS_ATTEMPT):
            _settle(draft, queue)
        if draft.has(Quirk.E07_CLAIM_SWEEPS_ALL):
            _sweep_exhausted(draft, queue)
    taken: list[Job] = []
    buried = 0
    for job in sorted(_waiting(draft, open_queues), key=claim_order):
        if len(taken) == op.n or buried == BURIED_MAX:
            break
        reason = doom(job, draft.now) if job.state is State.PENDING else None
        if draft.has(Quirk.D02_ZOMBIE) and expired(job.expires_at, draft.now):
            continue
        if reason is None and blocks(draft, job):
            raise StorageError
        if reason is None and not _readable(job) and not draft.has(Quirk.E33_UNCHECKED):
            reason = Reason.UNREADABLE
        if reason is None:
            taken.append(job)
        else:
            draft.took(f"claim.buried_{reason.name.lower()}")
            bury(draft, job, reason)
            buried += 1
    return _leased(draft, op, taken)


def _settle(draft: Draft, queue: str) -> None:
    """A lapse is counted and the job waits at its old place again, or is buried, the longest lapsed first (CLM-16)."""
    over = [job for job in live(draft, queue) if lapsed(job, draft.now)]
    over.sort(key=lambda job: (job.lease is not None, job.lease.expires_at if job.lease else 0, job.id))
    for job in over[:SETTLED_MAX]:
        reason = doom(job, draft.now)
        if reason is not None:
            draft.took(f"claim.settled_{reason.name.lower()}")
            bury(draft, job, reason)
            continue
        draft.took("claim.settled")
        draft.world.jobs[job.id] = replace(
            job, state=State.PENDING, lapses=job.lapses + 1, attempts=max(job.attempts - 1, 0), lease=None
        )
        tell(draft, EventKind.LAPSED, draft.world.jobs[job.id])
    strays = [job for job in live(draft, queue) if stray(job)]
    for job in strays[:BURIED_MAX]:
        draft.took("claim.settled_unreadable")
        bury(draft, job, Reason.UNREADABLE)


def _sweep_exhausted(draft: Draft, queue: str) -> None:
    for job in _waiting(draft, [queue]):
        if job.attempts >= job.max_attempts and not expired(job.expires_at, draft.now):
            if blocks(draft, job):
                raise StorageError
            bury(draft, job, Reason.EXHAUSTED)


def _waiting(draft: Draft, queues: list[str]) -> list[Job]:
    in_place = draft.has(Quirk.D08_LAPSE_SPENDS_ATTEMPT)
    return [
        job
        for queue in queues
        for job in live(draft, queue)
        if (job.state is State.PENDING and due(job.run_at, draft.now))
        or (in_place and job.lease is not None and lapsed(job, draft.now))
    ]


def _readable(job: Job) -> bool:
    try:
        decode(job.payload)
    except ValueError:
        return False
    return True


def _leased(draft: Draft, op: Claim, taken: list[Job]) -> tuple[Job, ...]:
    """One fence for the whole claim: it only has to grow (CLM-7)."""
    if not taken:
        draft.took("claim.nothing")
        return ()
    draft.took("claim.taken")
    fence, claimed_at = 0, None
    if not draft.has(Quirk.E04_NO_FENCE):
        fence, claimed_at = draft.give_fence(), draft.now
    for job in taken:
        draft.world.jobs[job.id] = replace(
            job,
            state=State.PROCESSING,
            attempts=job.attempts + 1,
            lease=Lease(op.worker, fence, claimed_at, draft.now + op.lease_s),
        )
    ids = [job.id for job in taken]
    for id in sorted(ids):
        tell(draft, EventKind.CLAIMED, draft.world.jobs[id], worker=op.worker)
    return tuple(draft.world.jobs[id] for id in (sorted(ids) if draft.has(Quirk.E20_ID_ORDER) else ids))


def next_claim_at(draft: Draft, op: NextClaimAt) -> int | None:
    """A pending job moves from its `run_at` on, a processing one from the second after its lease (CLM-15)."""
    if draft.has(Quirk.E35_DUE_IS_NEVER):
        return _next_future_deadline(draft, op)
    instants = [
        _moves_at(job, draft.now)
        for queue in op.queues
        if queue not in draft.world.paused
        for job in live(draft, queue)
    ]
    if not instants:
        draft.took("next_claim_at.never")
        return None
    at = max(min(instants), draft.now)
    draft.took("next_claim_at.now" if at == draft.now else "next_claim_at.later")
    return at


def _moves_at(job: Job, now: int) -> int:
    """When a claim would first move the job; a row that only waits to be settled or buried, now."""
    if job.state is State.PENDING:
        return job.run_at
    if job.state is State.PROCESSING and job.lease is not None:
        return min(job.lease.expires_at + 1, INTEGER_MAX)
    return now


def _next_future_deadline(draft: Draft, op: NextClaimAt) -> int | None:
    able = [
        job
        for queue in op.queues
        for job in live(draft, queue)
        if job.attempts < job.max_attempts and not expired(job.expires_at, draft.now)
    ]
    runs = [job.run_at for job in able if job.state is State.PENDING and job.run_at > draft.now]
    ends = [job.lease.expires_at + 1 for job in able if job.lease is not None and held(job, draft.now)]
    return min(runs + ends, default=None)


VERBS = (
    claim,
    next_claim_at,
)
