"""One of the workers of `test_at_the_same_time.py`: honker's side, through the methods of its queue.

It runs with honker in its path and imports nothing of Anser.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from tests.interop import plan

honker: Any = importlib.import_module("honker")


class Side:
    """How honker does what the plan asks for."""

    def __init__(self, path: str, worker: str) -> None:
        self.worker = worker
        self.db = honker.open(path)

    def queue(self, name: str) -> Any:
        return self.db.queue(name, visibility_timeout_s=plan.LEASE_S, max_attempts=plan.ATTEMPTS)

    def enqueue(self, job: plan.Planned) -> int:
        id: int = self.queue(job.queue).enqueue(job.payload, priority=job.priority, delay=job.delay_s)
        return id

    def claim(self, queue: str, n: int) -> list[plan.Claimed]:
        jobs = self.queue(queue).claim_batch(self.worker, n)
        return [plan.Claimed(job.id, job.attempts, job.payload, job) for job in jobs]

    def settle(self, claimed: plan.Claimed, word: str) -> None:
        if word == "ack":
            held = claimed.job.ack()
        elif word == "retry":
            held = claimed.job.retry(delay_s=0, error="again")
        else:
            held = claimed.job.fail(error="broken")
        assert held, f"honker lost the lease of job {claimed.id}"

    def counts(self) -> tuple[int, int]:
        (row,) = self.db.query(plan.COUNTS)
        return row["live"], row["given"]


if __name__ == "__main__":
    plan.work(Side(sys.argv[1], sys.argv[2]), sys.argv[2], queues=plan.QUEUES["honker"])
