"""One of the workers of `test_at_the_same_time.py`: Anser's side. `plan.py` says what both sides do."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing

import anser
from tests.interop import plan


class Side:
    """How Anser does what the plan asks for."""

    def __init__(self, path: str, worker: str) -> None:
        self.worker = worker
        self.path = path
        self.db = anser.open(path, synchronous="normal", busy_timeout_s=plan.BUSY_TIMEOUT_S)

    def enqueue(self, job: plan.Planned) -> int:
        queue = self.db.queue(job.queue, max_attempts=plan.ATTEMPTS)
        return queue.enqueue(job.payload, priority=job.priority, delay_s=job.delay_s).id

    def claim(self, queue: str, n: int) -> list[plan.Claimed]:
        jobs = self.db.queue(queue, lease_s=plan.LEASE_S).claim_batch(self.worker, n)
        return [plan.Claimed(job.id, job.attempts, job.payload, job) for job in jobs]

    def settle(self, claimed: plan.Claimed, word: str) -> None:
        job: anser.ClaimedJob = claimed.job
        if word == "ack":
            job.ack()
        elif word == "retry":
            job.retry(delay_s=0, error="again")
        else:
            job.fail("broken")

    def counts(self) -> tuple[int, int]:
        with closing(sqlite3.connect(self.path, timeout=plan.BUSY_TIMEOUT_S)) as connection:
            row: tuple[int, int] = connection.execute(plan.COUNTS).fetchone()
        return row


if __name__ == "__main__":
    plan.work(Side(sys.argv[1], sys.argv[2]), sys.argv[2], queues=plan.QUEUES["anser"])
