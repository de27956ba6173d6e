"""What every worker of `test_at_the_same_time.py` does, be it Anser's or honker's. Standard library only.

A worker enqueues its jobs one by one, and between them claims and settles what is there, until every job of every
worker is gone from the live table. What becomes of a job stands in its payload. All that is done is told on stdout, a
line of JSON each.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

WORKERS = ("anser-1", "anser-2", "honker-1", "honker-2")
QUEUES = {  # which side works which queue
    "anser": ("both", "abandoned", "from-honker"),
    "honker": ("both", "abandoned", "from-anser"),
}
JOBS_EACH = 200
ABANDONED = 40  # jobs that were claimed before, half by either side, by workers that are gone
JOBS = JOBS_EACH * len(WORKERS) + ABANDONED
BATCH = 3
ATTEMPTS = 2
LEASE_S = 300
BUSY_TIMEOUT_S = 20
POLL_S = 0.005
DEADLINE_S = 60

FATES = ("ack", "ack", "retry then ack", "fail", "retry for ever")
DEADLY = ("fail", "retry for ever")

COUNTS = """
select (select count(*) from _honker_live) as live,
    (select coalesce(max(seq), 0) from sqlite_sequence where name = '_honker_live') as given
"""


@dataclass(frozen=True)
class Planned:
    queue: str
    payload: dict[str, Any]
    priority: int
    delay_s: int | None


@dataclass(frozen=True)
class Claimed:
    id: int
    attempts: int
    payload: Any
    job: Any


class Side(Protocol):
    def enqueue(self, job: Planned) -> int: ...

    def claim(self, queue: str, n: int) -> list[Claimed]: ...

    def settle(self, claimed: Claimed, word: str) -> None: ...

    def counts(self) -> tuple[int, int]: ...


def planned(worker: str) -> Iterator[Planned]:
    """Half of a side's jobs are for the other side alone; some are delayed; all priorities are mixed."""
    for n in range(JOBS_EACH):
        queue = "both" if n % 2 else f"from-{worker.partition('-')[0]}"
        payload = {"by": worker, "n": n, "fate": FATES[n % len(FATES)]}
        yield Planned(queue, payload, priority=n % 3 - 1, delay_s=1 if n % 10 == 0 else None)


def work(side: Side, worker: str, queues: tuple[str, ...]) -> None:
    """Enqueue, claim and settle until all is done. Ends with an error when that takes too long."""
    own = planned(worker)
    deadline = time.monotonic() + DEADLINE_S
    while side.counts() != (0, JOBS):
        job = next(own, None)
        if job is not None:
            tell(did="enqueue", worker=worker, id=side.enqueue(job), fate=job.payload["fate"])
        claimed = [one for queue in queues for one in side.claim(queue, BATCH)]
        for one in claimed:
            word = word_for(one)
            side.settle(one, word)
            tell(did=word, worker=worker, id=one.id, attempt=one.attempts, by=one.payload["by"])
        if job is None and not claimed:
            time.sleep(POLL_S)
        if time.monotonic() > deadline:
            raise SystemExit(f"{worker}: not done after {DEADLINE_S} s, live and given are {side.counts()}")


def word_for(claimed: Claimed) -> str:
    fate = claimed.payload["fate"]
    if fate == "fail":
        return "fail"
    again = fate == "retry for ever" or (fate == "retry then ack" and claimed.attempts == 1)
    return "retry" if again else "ack"


def tell(**event: Any) -> None:
    print(json.dumps(event), flush=True)
