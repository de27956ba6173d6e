"""Jobs: those who make them, the workers who take them, and what becomes of them."""

from __future__ import annotations

from collections import Counter, deque
from random import Random
from typing import Any

from anser.ops import (
    Ack,
    AckBatch,
    Cancel,
    Claim,
    CountJobs,
    DeadList,
    DeadRequeue,
    Enqueue,
    EnqueueMany,
    Fail,
    GetJob,
    Heartbeat,
    LimitAcquire,
    LimitRelease,
    ListJobs,
    NextClaimAt,
    QueuePause,
    QueueResume,
    Release,
    ResultGet,
    ResultSave,
    Retry,
)
from anser.types import CLAIM_MAX, Held, Job
from anser_spec.churn.both import Both
from anser_spec.churn.plan import RESULT_TTL_S, SLOTS, Plan

__all__ = ["Work"]

BATCH = 50
LEASE_S = 90
PAGE = 60
RECENT = 400  # jobs that somebody still asks after
LATE_MIN = 2  # after so long a worker that was not heard of says its word after all

# What becomes of a job that was claimed, of a hundred. LAPSED: its worker is not heard of until much later.
FATES: tuple[str, ...] = (
    ("acked",) * 80 + ("result",) * 5 + ("retried",) * 6 + ("failed",) * 2 + ("lapsed",) * 3 + ("kept",) * 2
)
FATES += ("released",) * 2


class Work:
    """The queues of a day. It draws from `random`, in the same order each time, and from answers alone."""

    def __init__(self, both: Both, plan: Plan, random: Random) -> None:
        self._both, self._plan, self._random = both, plan, random
        self._queues = tuple(f"queue-{place}" for place in range(plan.queues))
        self._workers = tuple(f"worker-{place}" for place in range(plan.workers))
        self._shares = Counter(random.randrange(plan.minutes) for _ in range(plan.jobs))
        self._recent: deque[tuple[str, int]] = deque(maxlen=RECENT)
        self._claimed: list[tuple[str, Job]] = []
        self._kept: list[tuple[str, Job]] = []
        self._late: deque[tuple[int, str, Job]] = deque()

    def produce(self, minute: int) -> None:
        """This minute's share of the jobs, in batches."""
        wanted = self._shares[minute]
        while wanted:
            size = min(wanted, BATCH)
            wanted -= size
            jobs = tuple(self._drawn(minute) for _ in range(size))
            answers = self._both.run(EnqueueMany(jobs=jobs))
            self._recent.extend((job.queue, answer.id) for job, answer in zip(jobs, answers, strict=True))

    def _drawn(self, minute: int) -> Enqueue:
        draw = self._random
        special = draw.random()
        delay_s = draw.randrange(1, 1_800) if draw.random() < 0.2 else None
        return Enqueue(
            queue=draw.choice(self._queues),
            payload={"minute": minute, "of": draw.randrange(1_000)},
            delay_s=delay_s,
            priority=draw.choice((-2, 0, 0, 0, 1, 3)),
            max_attempts=draw.randint(1, 4),
            max_lapses=draw.randint(0, 3),
            expires_s=(delay_s or 0) + draw.randrange(60, 1_800) if draw.random() < 0.15 else None,
            unique_key=f"once-{draw.randrange(60)}" if special < 0.08 else None,
            order_key=f"line-{draw.randrange(60)}" if special > 0.96 else None,
        )

    def claim(self) -> None:
        """Each worker asks some of the queues for as much as twice a minute brings."""
        most = min(self._plan.claimed_a_minute, CLAIM_MAX)
        for worker in self._workers:
            queues = tuple(self._random.sample(self._queues, k=self._random.randint(2, len(self._queues))))
            n = self._random.randint(1, most)
            jobs = self._both.run(Claim(queues=queues, worker=worker, n=n, lease_s=LEASE_S))
            self._claimed += [(worker, job) for job in jobs]
        self._both.run(NextClaimAt(queues=self._queues))

    def beat(self, minute: int) -> None:
        """While they work: some need slots, long jobs are kept over their first lease and acked a minute later.

        And who was not heard of says its word after all, when others have the job.
        """
        while self._late and self._late[0][0] <= minute:
            _, worker, job = self._late.popleft()
            self._both.run(Ack(**_named(worker, job)))
        for held in self._claimed:
            if self._random.random() < 0.1:
                self._limited(*held)
        for worker, job in self._kept:
            self._both.run(Ack(**_named(worker, job)))
        self._kept = [held for held in self._claimed if self._random.random() < 0.02]
        for held in self._kept:
            self._claimed.remove(held)
            self._both.run(Heartbeat(**_named(*held), lease_s=2 * LEASE_S))

    def settle(self, minute: int) -> None:
        """A word about each job that was claimed: most are acked in batches, the others one by one."""
        done: dict[tuple[str, str], list[Held]] = {}
        for worker, job in self._claimed:
            fate = self._random.choice(FATES)
            if fate == "acked":
                done.setdefault((worker, job.queue), []).append(_held(job))
            elif fate == "lapsed":
                self._late.append((minute + LATE_MIN, worker, job))
            else:
                self._say(fate, worker, job)
        for (worker, queue), held in done.items():
            self._both.run(AckBatch(queue=queue, worker=worker, held=tuple(held)))
        self._claimed = []

    def _say(self, fate: str, worker: str, job: Job) -> None:
        named, draw = _named(worker, job), self._random
        if fate == "result":
            self._both.run(Ack(**named, result={"id": job.id}, result_ttl_s=RESULT_TTL_S))
        elif fate == "retried":
            self._both.run(Retry(**named, delay_s=draw.randrange(1, 120), error="it was down"))
        elif fate == "failed":
            self._both.run(Fail(**named, error="it will never do"))
        elif fate == "released":
            self._both.run(Release(**named, delay_s=draw.choice((None, 30))))
        else:
            self._both.run(ResultSave(**named, value=job.attempts, ttl_s=RESULT_TTL_S))
            self._both.run(AckBatch(queue=job.queue, worker=worker, held=(_held(job),)))

    def _limited(self, worker: str, job: Job) -> None:
        """A slot while it works; one in four gives it back, the others let it be over with the lease."""
        key = f"slots-{self._random.randrange(self._plan.keys)}"
        has = self._both.run(LimitAcquire(key=key, **_named(worker, job), limit=SLOTS))
        if has is True and self._random.random() < 0.25:
            self._both.run(LimitRelease(key=key, **_named(worker, job)))

    def ask(self, minute: int) -> None:
        """Somebody cancels a job, or asks what became of one."""
        if self._recent:
            queue, id = self._random.choice(self._recent)
            self._both.run(GetJob(queue=queue, id=id))
            self._both.run(ResultGet(queue=queue, id=id))
            if self._random.random() < 0.5:
                queue, id = self._random.choice(self._recent)
                self._both.run(Cancel(queue=queue, id=id))
        if minute % 10 == 3:
            self._tend(self._queues[minute // 10 % len(self._queues)])
        if minute % 60 in (20, 25):
            queue = self._queues[minute // 60 % len(self._queues)]
            self._both.run((QueuePause if minute % 60 == 20 else QueueResume)(queue=queue))

    def _tend(self, queue: str) -> None:
        """Somebody looks at a queue, and gives one of its dead another life."""
        self._both.run(CountJobs(queue=queue))
        self._both.run(ListJobs(queue=queue, limit=PAGE))
        dead = self._both.run(DeadList(queue=queue, limit=PAGE))
        if dead:
            self._both.run(DeadRequeue(queue=queue, id=self._random.choice(dead).id))


def _held(job: Job) -> Held:
    assert job.lease is not None, "it was claimed"
    return Held(job.id, job.lease.fence)


def _named(worker: str, job: Job) -> dict[str, Any]:
    """The words that every word about a lease begins with (CLM-8)."""
    return {"queue": job.queue, "id": job.id, "worker": worker, "fence": _held(job).fence}
