"""The queue as one pure function: `step(world, op, now) -> (world, answer)`.

Each verb is written from its rules, in the plainest way: sort everything, walk it. It says nothing about statements,
indexes or locks, and shares only nouns and argument checks with the implementation. A refusal is an answer too
(`Refused`), and leaves the world as it was (ERR-1).

`step_named` also tells which named transitions were taken: the vacuity gate demands that a run has seen each of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from anser.errors import AnserError, Conflict, Invalid, LeaseLost, NotFound, StorageError
from anser.ops import (
    Ack,
    AckBatch,
    Cancel,
    Claim,
    CountJobs,
    DeadList,
    DeadPrune,
    DeadRequeue,
    Enqueue,
    EnqueueMany,
    Fail,
    GetJob,
    Heartbeat,
    ListJobs,
    LockAcquire,
    LockGet,
    LockList,
    LockRelease,
    LockRenew,
    LockSweep,
    NextClaimAt,
    Op,
    QueuePause,
    QueueResume,
    Release,
    Retry,
    SweepExpired,
    decode,
    encode,
)
from anser.types import (
    BURIED_MAX,
    HISTORY_IDS,
    INTEGER_MAX,
    SETTLED_MAX,
    Counts,
    Dead,
    Enqueued,
    Finished,
    Job,
    Lease,
    Lock,
    Reason,
    Settled,
    State,
)
from anser_models.predicates import claim_order, doom, due, expired, held, held_by, lapsed, locked, locked_by, stray
from anser_models.quirks import Quirk
from anser_models.world import World

__all__ = ["TRANSITIONS", "VERBS", "Refused", "Step", "step", "step_named"]

NO_QUIRKS: frozenset[Quirk] = frozenset()

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
    "ack.held": "CLM-9",
    "ack_batch.held": "CLM-10",
    "ack_batch.lost": "CLM-10",
    "heartbeat.held": "CLM-11",
    "release.held": "CLM-12",
    "release.delayed": "CLM-12",
    "lease.lost": "CLM-8",
    "retry.pending": "RET-1",
    "retry.exhausted": "RET-2",
    "fail.held": "RET-4",
    "sweep_expired.pending": "DED-2",
    "sweep_expired.lapsed": "DED-2",
    "sweep_expired.nothing": "DED-2",
    "dead_requeue.pending": "DED-4",
    "dead_requeue.not_found": "DED-4",
    "dead_requeue.conflict": "DED-5",
    "dead_prune.forgot": "DED-6",
    "dead_prune.nothing": "DED-6",
    "queue_pause.changed": "CLM-14",
    "queue_resume.changed": "CLM-14",
    "lock_acquire.free": "LCK-1",
    "lock_acquire.over": "LCK-2",
    "lock_acquire.again": "LCK-4",
    "lock_acquire.refused": "LCK-1",
    "lock_renew.held": "LCK-6",
    "lock_renew.lost": "LCK-5",
    "lock_release.free": "LCK-7",
    "lock_release.inner": "LCK-7",
    "lock_release.lost": "LCK-5",
    "lock_get.held": "LCK-8",
    "lock_get.nothing": "LCK-8",
    "lock_sweep.forgot": "LCK-9",
    "lock_sweep.nothing": "LCK-9",
}

# Arguments that a quirk lets through: the checks of these fields are passed over.
_LOOSE = {
    Quirk.E08_NO_ATTEMPTS: {"max_attempts"},
    Quirk.E21_PAST_RUN_AT: {"delay_s", "lease_s", "run_at"},
    Quirk.E18_LOCKS_REVIVE: {"ttl_s"},
    Quirk.E30_BORN_EXPIRED: {"expires_s"},
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal as an answer: the error's stable code and, where it names one, the argument."""

    code: str
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one operation came to, and the names of the transitions that it took."""

    world: World
    answer: Any
    names: tuple[str, ...]


def step(world: World, op: Op, now: int, quirks: frozenset[Quirk] = NO_QUIRKS) -> tuple[World, Any]:
    """The world after `op` at `now`, and its answer."""
    taken = step_named(world, op, now, quirks)
    return taken.world, taken.answer


def step_named(world: World, op: Op, now: int, quirks: frozenset[Quirk] = NO_QUIRKS) -> Step:
    """As `step`, with the names of the transitions taken."""
    draft = Draft(world, now, quirks)
    try:
        answer = VERBS[op.name](draft, draft.checked(op))
    except AnserError as refusal:
        return Step(world, Refused(refusal.code, getattr(refusal, "argument", None)), tuple(draft.names))
    return Step(draft.world(), answer, tuple(draft.names))


def _is_fraction(value: object) -> bool:
    return isinstance(value, float) and not value.is_integer()


class Draft:
    """A world being changed. It is thrown away when the operation is refused."""

    def __init__(self, world: World, now: int, quirks: frozenset[Quirk]) -> None:
        self.now = now
        self.quirks = quirks
        self.jobs = dict(world.jobs)
        self.dead = dict(world.dead)
        self.finished = dict(world.finished)
        self.paused = world.paused
        self.last_id = world.last_id
        self.last_fence = world.last_fence
        self.locks = dict(world.locks)
        self.ended: list[int] = []
        self.names: list[str] = []

    def world(self) -> World:
        """What has become of it, when the verb is through."""
        self.forget()
        return World(self.jobs, self.dead, self.finished, self.paused, self.last_id, self.last_fence, self.locks)

    def checked(self, op: Op) -> Op:
        """The operation, if its arguments are right, or wrong only where a quirk lets them through."""
        try:
            op.check()
        except Invalid as refusal:
            loose = set[str]().union(*(_LOOSE.get(quirk, set()) for quirk in self.quirks))
            if refusal.argument.rpartition(".")[2] not in loose or _is_fraction(refusal.value):
                raise
            whole = {name: int(value) for name in loose if isinstance(value := getattr(op, name, None), (bool, float))}
            return replace(op, **whole)  # whole numbers of another type are let through as what they are
        return op

    def has(self, quirk: Quirk) -> bool:
        return quirk in self.quirks

    def took(self, name: str) -> None:
        self.names.append(name)

    # --- what several verbs do

    def live(self, queue: str) -> Iterator[Job]:
        return (job for _, job in sorted(self.jobs.items()) if job.queue == queue)

    def find(self, queue: str, id: int) -> Job | None:
        job = self.jobs.get(id)
        if job is None or (job.queue != queue and not self.has(Quirk.E22_GLOBAL_IDS)):
            return None
        return job

    def held(self, op: Ack | Heartbeat | Release | Retry | Fail) -> Job:
        """The job whose lease the word names, or the refusal (CLM-8)."""
        job = self.find(op.queue, op.id)
        if job is None or not self.names_lease(job, op.worker, op.fence, implicit_state=op.name in ("ack", "fail")):
            self.took("lease.lost")
            raise LeaseLost
        return job

    def names_lease(self, job: Job, worker: str, fence: int, *, implicit_state: bool) -> bool:
        if implicit_state and self.has(Quirk.D12_IMPLICIT_STATE):
            job = replace(job, state=State.PROCESSING)
        if job.lease is not None and self.has(Quirk.E04_NO_FENCE):
            fence = job.lease.fence
        return held_by(job, worker, fence, self.now)

    def give_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def finish(self, job: Job, state: State) -> None:
        """The job leaves as done or cancelled, and history keeps that (JOB-11)."""
        del self.jobs[job.id]
        if self.has(Quirk.D10_BLIND_GET_JOB):
            return
        self.finished[job.id] = Finished(job.id, job.queue, state, job.attempts, self.now)
        self.ended.append(job.id)

    def forget(self) -> None:
        """For each job that ended history forgets two at most of those far behind the newest of them (JOB-11)."""
        behind = sorted(id for id in self.finished if id < max(self.ended, default=0) - HISTORY_IDS)
        for id in behind[: 2 * len(self.ended)]:
            del self.finished[id]

    def blocks(self, job: Job) -> bool:
        """Only what is no text at all blocks; text that is no JSON is handed out as it is."""
        return self.has(Quirk.E02_UNREADABLE_BLOCKS) and isinstance(job.payload, bytes)

    def bury(self, job: Job, reason: Reason, error: str | None = None) -> None:
        """Move to the dead in one step (DED-1); a dead job that has the id already makes way (DED-7)."""
        del self.jobs[job.id]
        if isinstance(job.payload, bytes) and self.has(Quirk.D11_STRANDED_MOVE):
            return
        if job.id in self.dead:
            if self.has(Quirk.D11_STRANDED_MOVE):
                raise StorageError
            other = replace(self.dead.pop(job.id), id=self.give_id())
            self.dead[other.id] = other
        kept = None if self.has(Quirk.E23_ERRORS_DISCARDED) else job.last_error
        self.dead[job.id] = Dead(
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
            died_at=self.now,
        )

    def key_holder(self, queue: str, key: str | None) -> Job | None:
        """The live job that holds the key; one past saving is buried and holds nothing (JOB-7)."""
        holder = next((job for job in self.live(queue) if key is not None and job.unique_key == key), None)
        if holder is None:
            return None
        reason = doom(holder, self.now)
        if reason is None:
            return holder
        self.took("enqueue.key_freed")
        self.bury(holder, reason)
        return None


# --- jobs


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
    holder = draft.key_holder(op.queue, op.unique_key)
    if holder is not None:
        draft.took("enqueue.key_held")
        return Enqueued(holder.id, created=False)
    id = draft.give_id()
    draft.jobs[id] = Job(
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
    draft.took("enqueue.created")
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
    job = draft.find(op.queue, op.id)
    odd = job is not None and stray(job)
    if job is None or (odd and draft.has(Quirk.E33_UNCHECKED)):
        draft.took("cancel.nothing")
        return False
    draft.took("cancel.pending" if job.state is State.PENDING else "cancel.processing")
    draft.finish(job, State.CANCELLED)
    return True


def get_job(draft: Draft, op: GetJob) -> Job | Dead | Finished | None:
    places: dict[str, dict[int, Any]] = {"live": draft.jobs, "dead": draft.dead, "finished": draft.finished}
    if draft.has(Quirk.D10_BLIND_GET_JOB):
        places = {"live": draft.jobs}
    for place, jobs in places.items():
        job: Job | Dead | Finished | None = jobs.get(op.id)
        if isinstance(job, Job) and draft.blocks(job):
            continue
        if job is not None and (job.queue == op.queue or draft.has(Quirk.E22_GLOBAL_IDS)):
            draft.took(f"get_job.{place}")
            return job
    draft.took("get_job.nothing")
    return None


def list_jobs(draft: Draft, op: ListJobs) -> tuple[Job, ...]:
    found = [job for job in draft.live(op.queue) if job.id > op.after_id and op.state in (None, job.state)]
    return tuple(found[: op.limit])


def count_jobs(draft: Draft, op: CountJobs) -> Counts:
    live = list(draft.live(op.queue))
    pending = [job for job in live if job.state is State.PENDING]
    return Counts(
        pending=len(pending),
        due=sum(due(job.run_at, draft.now) for job in pending),
        processing=sum(job.state is State.PROCESSING for job in live),
        dead=sum(job.queue == op.queue for job in draft.dead.values()),
    )


def queue_pause(draft: Draft, op: QueuePause) -> bool:
    changed = op.queue not in draft.paused
    draft.paused |= {op.queue}
    if changed:
        draft.took("queue_pause.changed")
    return changed


def queue_resume(draft: Draft, op: QueueResume) -> bool:
    changed = op.queue in draft.paused
    draft.paused -= {op.queue}
    if changed:
        draft.took("queue_resume.changed")
    return changed


# --- claims


def claim(draft: Draft, op: Claim) -> tuple[Job, ...]:
    """Settle the lapsed leases, then walk the line: bury who is past saving, take who is not (CLM-1, CLM-5, CLM-6)."""
    open_queues = [queue for queue in op.queues if queue not in draft.paused]
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
        if reason is None and draft.blocks(job):
            raise StorageError
        if reason is None and not _readable(job) and not draft.has(Quirk.E33_UNCHECKED):
            reason = Reason.UNREADABLE
        if reason is None:
            taken.append(job)
        else:
            draft.took(f"claim.buried_{reason.name.lower()}")
            draft.bury(job, reason)
            buried += 1
    return _leased(draft, op, taken)


def _settle(draft: Draft, queue: str) -> None:
    """A lapse is counted and the job waits at its old place again, or is buried, the longest lapsed first (CLM-16)."""
    over = [job for job in draft.live(queue) if lapsed(job, draft.now)]
    over.sort(key=lambda job: (job.lease is not None, job.lease.expires_at if job.lease else 0, job.id))
    for job in over[:SETTLED_MAX]:
        reason = doom(job, draft.now)
        if reason is not None:
            draft.took(f"claim.settled_{reason.name.lower()}")
            draft.bury(job, reason)
            continue
        draft.took("claim.settled")
        draft.jobs[job.id] = replace(
            job, state=State.PENDING, lapses=job.lapses + 1, attempts=max(job.attempts - 1, 0), lease=None
        )
    strays = [job for job in draft.live(queue) if stray(job)]
    for job in strays[:BURIED_MAX]:
        draft.took("claim.settled_unreadable")
        draft.bury(job, Reason.UNREADABLE)


def _sweep_exhausted(draft: Draft, queue: str) -> None:
    for job in _waiting(draft, [queue]):
        if job.attempts >= job.max_attempts and not expired(job.expires_at, draft.now):
            if draft.blocks(job):
                raise StorageError
            draft.bury(job, Reason.EXHAUSTED)


def _waiting(draft: Draft, queues: list[str]) -> list[Job]:
    in_place = draft.has(Quirk.D08_LAPSE_SPENDS_ATTEMPT)
    return [
        job
        for queue in queues
        for job in draft.live(queue)
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
        draft.last_fence += 1
        fence, claimed_at = draft.last_fence, draft.now
    for job in taken:
        draft.jobs[job.id] = replace(
            job,
            state=State.PROCESSING,
            attempts=job.attempts + 1,
            lease=Lease(op.worker, fence, claimed_at, draft.now + op.lease_s),
        )
    ids = [job.id for job in taken]
    return tuple(draft.jobs[id] for id in (sorted(ids) if draft.has(Quirk.E20_ID_ORDER) else ids))


def next_claim_at(draft: Draft, op: NextClaimAt) -> int | None:
    """A pending job moves from its `run_at` on, a processing one from the second after its lease (CLM-15)."""
    if draft.has(Quirk.E35_DUE_IS_NEVER):
        return _next_future_deadline(draft, op)
    instants = [
        _moves_at(job, draft.now) for queue in op.queues if queue not in draft.paused for job in draft.live(queue)
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
        for job in draft.live(queue)
        if job.attempts < job.max_attempts and not expired(job.expires_at, draft.now)
    ]
    runs = [job.run_at for job in able if job.state is State.PENDING and job.run_at > draft.now]
    ends = [job.lease.expires_at + 1 for job in able if job.lease is not None and held(job, draft.now)]
    return min(runs + ends, default=None)


def ack(draft: Draft, op: Ack) -> None:
    job = draft.held(op)
    draft.took("ack.held")
    draft.finish(job, State.DONE)


def ack_batch(draft: Draft, op: AckBatch) -> tuple[int, ...]:
    """Each lease is judged alone: one that is lost keeps none of the others (CLM-10)."""
    done = []
    for named in op.held:
        job = draft.find(op.queue, named.id)
        if job is None or not draft.names_lease(job, op.worker, named.fence, implicit_state=True):
            draft.took("ack_batch.lost")
            continue
        draft.took("ack_batch.held")
        draft.finish(job, State.DONE)
        done.append(named.id)
    return tuple(done)


def heartbeat(draft: Draft, op: Heartbeat) -> int:
    job = draft.held(op)
    assert job.lease is not None, "a held job has a lease"
    expires_at = draft.now + op.lease_s
    draft.jobs[job.id] = replace(job, lease=replace(job.lease, expires_at=expires_at))
    draft.took("heartbeat.held")
    return expires_at


def release(draft: Draft, op: Release) -> int:
    job = draft.held(op)
    draft.took("release.held" if op.delay_s is None else "release.delayed")
    run_at = job.run_at if op.delay_s is None else draft.now + op.delay_s
    draft.jobs[job.id] = replace(job, state=State.PENDING, run_at=run_at, attempts=max(job.attempts - 1, 0), lease=None)
    return run_at


# --- retries and the dead


def retry(draft: Draft, op: Retry) -> Settled:
    job = draft.held(op)
    if draft.blocks(job):
        raise LeaseLost
    if job.attempts >= job.max_attempts:
        draft.took("retry.exhausted")
        draft.bury(job, Reason.EXHAUSTED, op.error)
        return Settled(State.DEAD, None)
    draft.took("retry.pending")
    run_at = draft.now + op.delay_s
    error = job.last_error if op.error is None or draft.has(Quirk.E23_ERRORS_DISCARDED) else op.error
    draft.jobs[job.id] = replace(job, state=State.PENDING, run_at=run_at, last_error=error, lease=None)
    return Settled(State.PENDING, run_at)


def fail(draft: Draft, op: Fail) -> Refused | None:
    job = draft.held(op)
    draft.took("fail.held")
    draft.bury(job, Reason.FAILED, op.error)
    return None if job.id in draft.dead else Refused(LeaseLost.code)  # only D11 files nothing


def sweep_expired(draft: Draft, op: SweepExpired) -> int:
    """Expired jobs that nobody holds, the longest expired first (DED-2)."""
    over = [job for job in draft.live(op.queue) if not stray(job) and doom(job, draft.now) is Reason.EXPIRED]
    if draft.has(Quirk.D02_ZOMBIE):
        over = [job for job in over if job.state is State.PENDING]
    if any(draft.blocks(job) for job in over):
        raise StorageError
    over.sort(key=lambda job: (job.expires_at or 0, job.id))
    for job in over[: op.limit]:
        draft.took("sweep_expired.pending" if job.state is State.PENDING else "sweep_expired.lapsed")
        draft.bury(job, Reason.EXPIRED)
    if not over:
        draft.took("sweep_expired.nothing")
    return len(over[: op.limit])


def dead_list(draft: Draft, op: DeadList) -> tuple[Dead, ...]:
    found = [job for id, job in sorted(draft.dead.items()) if job.queue == op.queue and id > op.after_id]
    return tuple(found[: op.limit])


def dead_requeue(draft: Draft, op: DeadRequeue) -> None:
    dead = draft.dead.get(op.id)
    if dead is None or dead.queue != op.queue:
        draft.took("dead_requeue.not_found")
        raise NotFound
    if op.id in draft.jobs or draft.key_holder(dead.queue, dead.unique_key) is not None:
        draft.took("dead_requeue.conflict")
        raise Conflict
    draft.took("dead_requeue.pending")
    del draft.dead[op.id]
    draft.jobs[op.id] = Job(
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


def dead_prune(draft: Draft, op: DeadPrune) -> int:
    over = [job for job in draft.dead.values() if job.queue == op.queue and job.died_at <= draft.now - op.older_than_s]
    over.sort(key=lambda job: (job.died_at, job.id))
    for job in over[: op.limit]:
        del draft.dead[job.id]
    draft.took("dead_prune.forgot" if over else "dead_prune.nothing")
    return len(over[: op.limit])


# --- locks


def lock_acquire(draft: Draft, op: LockAcquire) -> Lock | None:
    """It is had by nobody, or by its holder once more, or by somebody else (LCK-1, LCK-4)."""
    there = draft.locks.get(op.lock)
    expires_at = draft.now + op.ttl_s
    if there is None or not locked(there, draft.now):
        draft.took("lock_acquire.free" if there is None else "lock_acquire.over")
        draft.last_fence += 1
        lock = Lock(op.lock, op.owner, draft.last_fence, draft.now, expires_at, depth=1)
    elif there.owner == op.owner:
        draft.took("lock_acquire.again")
        later = there.expires_at if draft.has(Quirk.D06_LOCK_NOT_EXTENDED) else max(there.expires_at, expires_at)
        lock = replace(there, expires_at=later, depth=there.depth + 1)
    else:
        draft.took("lock_acquire.refused")
        return None
    draft.locks[op.lock] = lock
    return lock


def lock_renew(draft: Draft, op: LockRenew) -> int:
    if op.ttl_s < 1:
        raise Invalid("ttl_s", op.ttl_s, "no quirk renews a lock for no time")
    lock = _named(draft, op)
    draft.took("lock_renew.held")
    draft.locks[op.lock] = replace(lock, expires_at=draft.now + op.ttl_s)
    return draft.now + op.ttl_s


def lock_release(draft: Draft, op: LockRelease) -> bool:
    """One acquire is given back; the lock is free when none is left (LCK-7)."""
    lock = _named(draft, op)
    if lock.depth > 1 and not draft.has(Quirk.E18_LOCKS_REVIVE):
        draft.took("lock_release.inner")
        draft.locks[op.lock] = replace(lock, depth=lock.depth - 1)
        return False
    draft.took("lock_release.free")
    del draft.locks[op.lock]
    return True


def _named(draft: Draft, op: LockRenew | LockRelease) -> Lock:
    """The lock that the word names, or the refusal (LCK-5)."""
    lock = draft.locks.get(op.lock)
    if lock is not None:
        fence = lock.fence if draft.has(Quirk.D06_LOCK_NOT_EXTENDED) else op.fence
        now = min(draft.now, lock.expires_at - 1) if draft.has(Quirk.E18_LOCKS_REVIVE) else draft.now
        if locked_by(lock, op.owner, fence, now):
            return lock
    draft.took(f"{op.name}.lost")
    raise LeaseLost


def lock_get(draft: Draft, op: LockGet) -> Lock | None:
    lock = draft.locks.get(op.lock)
    found = lock if lock is not None and locked(lock, draft.now) else None
    draft.took("lock_get.held" if found else "lock_get.nothing")
    return found


def lock_list(draft: Draft, op: LockList) -> tuple[Lock, ...]:
    found = [lock for name, lock in sorted(draft.locks.items()) if name > op.after_name and locked(lock, draft.now)]
    return tuple(found[: op.limit])


def lock_sweep(draft: Draft, op: LockSweep) -> int:
    """Locks that are over, the longest over first (LCK-9)."""
    over = [lock for lock in draft.locks.values() if not locked(lock, draft.now)]
    if draft.has(Quirk.D06_LOCK_NOT_EXTENDED):
        over = []  # honker has no such sweep
    over.sort(key=lambda lock: (lock.expires_at, lock.name))
    for lock in over[: op.limit]:
        del draft.locks[lock.name]
    draft.took("lock_sweep.forgot" if over else "lock_sweep.nothing")
    return len(over[: op.limit])


VERBS: dict[str, Callable[[Draft, Any], Any]] = {
    verb.__name__: verb
    for verb in (
        enqueue,
        enqueue_many,
        cancel,
        get_job,
        list_jobs,
        count_jobs,
        queue_pause,
        queue_resume,
        claim,
        next_claim_at,
        ack,
        ack_batch,
        heartbeat,
        release,
        retry,
        fail,
        sweep_expired,
        dead_list,
        dead_requeue,
        dead_prune,
        lock_acquire,
        lock_renew,
        lock_release,
        lock_get,
        lock_list,
        lock_sweep,
    )
}
