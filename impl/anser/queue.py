"""A queue as its users hold it, and the jobs that they claim from it."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar, Unpack

from anser.backoff import Backoff
from anser.engine.sqlite import Transaction
from anser.errors import AnserError, Conflict, Invalid, note
from anser.home import Home, Tx
from anser.keeper import Keeper, check_spacing
from anser.limits import JobLimit
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
    NextClaimAt,
    QueuePause,
    QueueResume,
    Release,
    ResultGet,
    ResultSave,
    Retry,
    SweepExpired,
    decode,
)
from anser.results import await_result, wait_result
from anser.types import (
    ERROR_MAX_BYTES,
    RESULT_TTL_S,
    Counts,
    Dead,
    Enqueued,
    Finished,
    Held,
    Job,
    Lease,
    Result,
    Settled,
    State,
)

__all__ = ["ClaimedJob", "JobOptions", "Queue"]

Text = TypeVar("Text", str, str | None)


class JobOptions(TypedDict, total=False):
    """What an enqueue may say of its job beside the payload; what it does not say is the queue's default."""

    run_at: int | None
    delay_s: int | None
    priority: int
    max_attempts: int
    max_lapses: int
    expires_s: int | None
    unique_key: str | None
    order_key: str | None


_NOT_GIVEN: Any = object()  # None is a result like others
_OPTIONS = JobOptions.__annotations__.keys()


class Queue:
    """One queue of a database, with the defaults that its jobs get.

    Methods are the operations of `anser.ops`, each atomic; those with `tx` can be part of the caller's transaction.
    Durations are whole seconds, instants whole epoch seconds.
    """

    def __init__(
        self,
        database: Home,
        name: str,
        *,
        lease_s: int,
        max_attempts: int,
        max_lapses: int,
        priority: int,
        expires_s: int | None,
        backoff: Backoff,
    ) -> None:
        self.database = database
        self.name = name
        self.lease_s = lease_s
        self.backoff = backoff
        self._defaults: JobOptions = {
            "priority": priority,
            "max_attempts": max_attempts,
            "max_lapses": max_lapses,
            "expires_s": expires_s,
        }
        self._job(None).check()
        Claim(queues=(name,), worker="worker", n=1, lease_s=lease_s).check()
        if not issubclass(type(backoff), Backoff):
            raise Invalid("backoff", backoff, "pass a Backoff")

    def __repr__(self) -> str:
        return f"<Queue {self.name!r} in {self.database.path!r}>"

    # --- jobs

    def enqueue(self, payload: Any, *, tx: Tx = None, **options: Unpack[JobOptions]) -> Enqueued:
        """Add a job with any JSON value as its payload (JOB-2, JOB-14).

        Options: `run_at` or `delay_s`, `priority`, `max_attempts`, `max_lapses`, `expires_s` (seconds from now after
        which it may not start), `unique_key` (while a live job of the queue holds it, that job is the answer),
        `order_key` (jobs of the queue that have the same run one after another, as they were enqueued: ORD-1). Part of
        the caller's transaction with `tx`. Raises `Invalid` before anything is written.
        """
        enqueued: Enqueued = self.database.run(self._job(payload, **options), tx)
        return enqueued

    def enqueue_many(
        self, payloads: Iterable[Any], *, tx: Tx = None, **options: Unpack[JobOptions]
    ) -> tuple[Enqueued, ...]:
        """Add jobs with the same options, all or none, in order (JOB-8).

        A `unique_key` for several is refused: the first would be the answer for all, and the other payloads be lost.
        """
        if isinstance(payloads, (str, bytes, dict)) or not isinstance(payloads, Iterable):
            raise Invalid("payloads", payloads, "pass a list of payloads, one a job")
        jobs = tuple(self._job(payload, **options) for payload in payloads)
        key = options.get("unique_key")
        if key is not None and len(jobs) > 1:
            raise Invalid("unique_key", key, "one key is one job: enqueue them one by one, each with its own")
        enqueued: tuple[Enqueued, ...] = self.database.run(EnqueueMany(jobs=jobs), tx)
        return enqueued

    def cancel(self, id: int, *, tx: Tx = None) -> bool:
        """End a live job; its holder's next word is refused. Answers whether there was one (JOB-9)."""
        cancelled: bool = self.database.run(Cancel(queue=self.name, id=id), tx)
        return cancelled

    def get_job(self, id: int, *, tx: Tx = None) -> Job | Dead | Finished | None:
        """A job of this queue wherever it is; None if it never was, or history has forgotten it (JOB-10, JOB-11)."""
        job: Job | Dead | Finished | None = self.database.run(GetJob(queue=self.name, id=id), tx)
        return job

    def list_jobs(
        self, state: State | None = None, *, after_id: int = 0, limit: int = 100, tx: Tx = None
    ) -> tuple[Job, ...]:
        """A page of live jobs by id (JOB-12)."""
        op = ListJobs(queue=self.name, state=state, after_id=after_id, limit=limit)
        jobs: tuple[Job, ...] = self.database.run(op, tx)
        return jobs

    def count_jobs(self, *, tx: Tx = None) -> Counts:
        """How many jobs are pending, due, processing and dead (JOB-13)."""
        counts: Counts = self.database.run(CountJobs(queue=self.name), tx)
        return counts

    def pause(self, *, tx: Tx = None) -> bool:
        """Hand out nothing until `resume`; jobs in flight go on (CLM-14)."""
        changed: bool = self.database.run(QueuePause(queue=self.name), tx)
        return changed

    def resume(self, *, tx: Tx = None) -> bool:
        """Hand out jobs again (CLM-14)."""
        changed: bool = self.database.run(QueueResume(queue=self.name), tx)
        return changed

    # --- claims

    def claim_one(self, worker: str, *, lease_s: int | None = None) -> ClaimedJob | None:
        """Lease the first job in line, or None (CLM-1). `worker` may be used again: the fence tells leases apart."""
        claimed = self.claim_batch(worker, 1, lease_s=lease_s)
        return claimed[0] if claimed else None

    def claim_batch(self, worker: str, n: int, *, lease_s: int | None = None) -> list[ClaimedJob]:
        """Lease up to `n` jobs in claim order, for `lease_s` seconds each (CLM-1, CLM-2).

        One claim is bounded in what it buries (CLM-6); where that left nothing to hand out, the next claim follows at
        once, each its own transaction.
        """
        op = Claim(queues=(self.name,), worker=worker, n=n, lease_s=self.lease_s if lease_s is None else lease_s)
        while True:
            jobs: tuple[Job, ...] = self.database.run(op)
            if jobs or not self._more_to_bury():
                return [ClaimedJob(self, job) for job in jobs]

    def _more_to_bury(self) -> bool:
        at = self.next_claim_at()
        return at is not None and at <= self.database.clock()

    def next_claim_at(self, *, tx: Tx = None) -> int | None:
        """When a claim would have something to do: an instant not before now, or None (CLM-15)."""
        at: int | None = self.database.run(NextClaimAt(queues=(self.name,)), tx)
        return at

    def ack_batch(self, jobs: Iterable[ClaimedJob], *, tx: Tx = None) -> tuple[int, ...]:
        """End jobs that one worker claimed from this queue; answers the ids whose leases held (CLM-10)."""
        jobs = list(jobs)
        for place, job in enumerate(jobs):
            if not isinstance(job, ClaimedJob) or job.queue.name != self.name:
                raise Invalid(f"jobs[{place}]", job, f"pass jobs that were claimed from {self.name!r}")
        workers = {job.lease.worker for job in jobs}
        if len(workers) > 1:
            raise Invalid("jobs", sorted(workers), "ack the jobs of one worker at a time")
        if not jobs:
            return ()
        held = tuple([Held(job.row.id, job.lease.fence) for job in jobs])
        ids: tuple[int, ...] = self.database.run(AckBatch(queue=self.name, worker=workers.pop(), held=held), tx)
        ended = set(ids)
        for job in jobs:
            if job.row.id in ended:
                job.settled_by(tx)
        return ids

    # --- results

    def result_get(self, id: int, *, tx: Tx = None) -> Result:
        """What is known of the job's result, its value as the JSON text that the file holds (RES-4, RES-6, RES-7)."""
        result: Result = self.database.run(ResultGet(queue=self.name, id=id), tx)
        return result

    def wait_result(self, id: int, *, timeout_s: float | None = None) -> Any:
        """Wait until the job is done, and answer the value that was saved, decoded (RES-10).

        It is woken by commits, of whichever thread or process. Raises `JobDead`, `JobCancelled`, `ResultMissing` when
        there is none to come, and `ResultTimeout` when `timeout_s` seconds went by; None waits for ever.
        """
        return wait_result(self.database, ResultGet(queue=self.name, id=id), timeout_s)

    async def await_result(self, id: int, *, timeout_s: float | None = None) -> Any:
        """As `wait_result`, for the event loop, which goes on meanwhile (RES-10)."""
        return await await_result(self.database, ResultGet(queue=self.name, id=id), timeout_s)

    # --- the dead

    def sweep_expired(self, *, limit: int = 1_000, tx: Tx = None) -> int:
        """Bury expired jobs that nobody holds; answers how many (DED-2)."""
        buried: int = self.database.run(SweepExpired(queue=self.name, limit=limit), tx)
        return buried

    def dead_list(self, *, after_id: int = 0, limit: int = 100, tx: Tx = None) -> tuple[Dead, ...]:
        """A page of dead jobs by id (DED-3)."""
        op = DeadList(queue=self.name, after_id=after_id, limit=limit)
        jobs: tuple[Dead, ...] = self.database.run(op, tx)
        return jobs

    def dead_requeue(self, id: int, *, tx: Tx = None) -> None:
        """Let a dead job start over under its id; raises `NotFound` or `Conflict` (DED-4, DED-5)."""
        self.database.run(DeadRequeue(queue=self.name, id=id), tx)

    def dead_prune(self, *, older_than_s: int, limit: int = 1_000, tx: Tx = None) -> int:
        """Forget jobs that died that long ago; answers how many (DED-6)."""
        op = DeadPrune(queue=self.name, older_than_s=older_than_s, limit=limit)
        forgotten: int = self.database.run(op, tx)
        return forgotten

    def _job(self, payload: Any, **options: Unpack[JobOptions]) -> Enqueue:
        """The operation that these options and the queue's defaults make."""
        if not options.keys() <= _OPTIONS:
            name = min(options.keys() - _OPTIONS)
            raise Invalid(name, dict(options)[name], f"pass one of {', '.join(JobOptions.__annotations__)}")
        merged: JobOptions = {**self._defaults, **options} if options else self._defaults
        return Enqueue(queue=self.name, payload=payload, **merged)


class ClaimedJob:
    """A job under a lease of ours. Each word below is refused with `LeaseLost` once the lease does not hold (CLM-8).

    As a context manager: acked when the body ends, put back by the queue's backoff when it raises, unless the body has
    settled the job itself. That spends the attempt, but not where `limit` had no slot to give. With `tx`, a word is
    part of the caller's transaction: a lost lease then rolls the job's own writes back, so its effects in the same file
    happen exactly once.
    """

    def __init__(self, queue: Queue, row: Job) -> None:
        assert row.lease is not None, "a claimed job has a lease"
        self.queue = queue
        self.row = row
        self.lease: Lease = row.lease
        self.settled = False
        self._joined: Tx = None
        self._crowded: Conflict | None = None

    def __repr__(self) -> str:
        return f"<ClaimedJob {self.id} of {self.queue.name!r} until {self.lease.expires_at}>"

    @property
    def id(self) -> int:
        """The job's id."""
        return self.row.id

    @property
    def payload(self) -> Any:
        """The value that was enqueued, decoded anew at each look."""
        return decode(self.row.payload)

    @property
    def attempts(self) -> int:
        """Which attempt this is; the first is 1."""
        return self.row.attempts

    def ack(self, *, result: Any = _NOT_GIVEN, result_ttl_s: int | None = None, tx: Tx = None) -> None:
        """The job is done (CLM-9). With a `result`, any JSON value, that is saved in the same step (RES-3).

        It is kept for `result_ttl_s` seconds, 7 days if None. Raises `Invalid` for a result that is no JSON, before
        anything is written.
        """
        if result is _NOT_GIVEN:
            if result_ttl_s is not None:
                raise Invalid("result_ttl_s", result_ttl_s, "it is for a result: pass that too, or leave it out")
            self._say(Ack(**self._word()), tx)
        else:
            ttl_s = RESULT_TTL_S if result_ttl_s is None else result_ttl_s
            self._say(Ack(**self._word(), result=result, result_ttl_s=ttl_s), tx)

    def result_save(self, value: Any, *, ttl_s: int = RESULT_TTL_S, tx: Tx = None) -> int:
        """Save a result, any JSON value, for `ttl_s` seconds, and go on with the job; answers its end (RES-1, RES-2).

        It is seen when the job is done, unless another took its place. Raises `Invalid` for what is no JSON.
        """
        expires_at: int = self.queue.database.run(ResultSave(**self._word(), value=value, ttl_s=ttl_s), tx)
        return expires_at

    def retry(self, *, delay_s: int | None = None, error: str | None = None, tx: Tx = None) -> Settled:
        """The attempt failed: pending again after `delay_s`, by the queue's backoff if None, or dead (RET-1, RET-2)."""
        wait = self.queue.backoff.delay_s(self.attempts) if delay_s is None else delay_s
        settled: Settled = self._say(Retry(**self._word(), delay_s=wait, error=_told(error)), tx)
        return settled

    def fail(self, error: str, *, tx: Tx = None) -> None:
        """The job is dead, whatever attempts it has left (RET-4)."""
        self._say(Fail(**self._word(), error=_told(error)), tx)

    def release(self, *, delay_s: int | None = None, tx: Tx = None) -> int:
        """Put the job back and spend no attempt; answers its `run_at` (CLM-12)."""
        run_at: int = self._say(Release(**self._word(), delay_s=delay_s), tx)
        return run_at

    def limit(self, key: str, *, limit: int) -> JobLimit:
        """One of `limit` slots of the key, to be had by `with` or `acquire`; it is over with the lease (LIM-9, LIM-10).

        Nothing is written before. To enter it raises `Conflict` while all are taken, and the job's own `with` then puts
        the job back and spends no attempt. Raises `Invalid` for a wrong argument.
        """
        return JobLimit(self.queue.database, self, self.queue.name, key, limit=limit)

    def heartbeat(self, *, lease_s: int | None = None, tx: Tx = None) -> int:
        """Let the lease end `lease_s` from now, by the queue's default if None; answers its last second (CLM-11)."""
        wait = self.queue.lease_s if lease_s is None else lease_s
        expires_at: int = self.queue.database.run(Heartbeat(**self._word(), lease_s=wait), tx)
        self.lease = Lease(self.lease.worker, self.lease.fence, self.lease.claimed_at, expires_at)
        return expires_at

    def heartbeat_every(self, every_s: float, *, lease_s: int | None = None) -> Keeper:
        """A heartbeat each `every_s` seconds in the background, for the body of a `with` (CLM-11).

        Its `lost` is set once the lease was refused; what the body says of the job later is refused too.
        """
        check_spacing("every_s", every_s, self.queue.lease_s if lease_s is None else lease_s)
        return Keeper(lambda: self.heartbeat(lease_s=lease_s), every_s, f"anser-heartbeat {self.id}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            if not self.settled or self._joined is not None:
                self._put_back(error)
        elif not self.settled:
            self.ack()
        elif isinstance(self._joined, Transaction) and self._joined.end == "rolled back":
            self.retry(error="the transaction that settled the job was rolled back")

    def _put_back(self, error: BaseException) -> None:
        """After a body that raised. A word said inside a transaction may have vanished with it, so it is tried too.

        Whatever comes of it, the body's own error is the one that the caller sees; what went wrong is noted on it.
        """
        try:
            if error is self._crowded:
                self.release(delay_s=self.queue.backoff.delay_s(self.attempts))  # too many at once: no fault of the job
            elif isinstance(error, (Exception, SystemExit)):
                self.retry(error=_story(error))
            else:
                self.release()  # the process is interrupted, or the task cancelled: the job did nothing wrong
        except AnserError as refusal:
            note(error, f"job {self.id} of queue {self.queue.name!r} was not put back: {refusal}")

    def _word(self) -> dict[str, Any]:
        return {"queue": self.queue.name, "id": self.id, "worker": self.lease.worker, "fence": self.lease.fence}

    def _say(self, op: Ack | Retry | Fail | Release, tx: Tx) -> Any:
        answer = self.queue.database.run(op, tx)
        self.settled_by(tx)
        return answer

    def settled_by(self, tx: Tx) -> None:
        """Remember that the last word about this lease was said, alone or inside `tx`."""
        self.settled, self._joined = True, tx

    def crowded_out_by(self, error: Conflict) -> None:
        """Remember the refusal of a slot: a body that it ends has not failed."""
        self._crowded = error


def _story(error: BaseException) -> str:
    """Kind and text of an error; one whose own text fails is told by its kind alone."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # its __str__ may raise anything; the job is put back all the same
        return type(error).__name__


def _told(error: Text) -> Text:
    """An error's text as the file can hold it: an odd or a huge one must not keep its job from being settled."""
    if not isinstance(error, str):
        return error
    raw = error.replace("\0", "\\0").encode("utf-8", "backslashreplace")
    if len(raw) <= ERROR_MAX_BYTES:
        return raw.decode("utf-8")
    note = f"… ({len(raw)} bytes in all)"
    kept = raw[: ERROR_MAX_BYTES - len(note.encode("utf-8"))].decode("utf-8", "ignore")
    return kept + note
