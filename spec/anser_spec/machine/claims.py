"""Claims, from one queue and from several, and what stops them: queues paused and resumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anser.ops import Claim, NextClaimAt, Op, QueuePause, QueueResume
from anser.types import CLAIM_MAX
from anser_spec.machine.base import Family, rule_of
from anser_spec.machine.jobs import NAME, Jobs
from anser_spec.machine.values import LEASES, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.claims import CROWDS, SEEDS

__all__ = ["FAMILY", "Claims"]

INVALID: tuple[Op, ...] = (
    QueuePause(queue=""),
    QueueResume(queue="a\x7f"),
    Claim(queues=(), worker="w1", n=1, lease_s=1),
    Claim(queues=("a", "a"), worker="w1", n=1, lease_s=1),
    Claim(queues=("a",), worker="", n=1, lease_s=1),
    Claim(queues=("a",), worker="w1", n=0, lease_s=1),
    Claim(queues=("a",), worker="w1", n=CLAIM_MAX + 1, lease_s=1),
    Claim(queues=("a",), worker="w1", n=1, lease_s=0),
    NextClaimAt(queues=("a", "")),
)


@dataclass(frozen=True, slots=True)
class Known:
    """A lease that a claim once answered, whatever became of it."""

    queue: str
    id: int
    worker: str
    fence: int


class Claims(Jobs):
    """Jobs taken by workers, and queues paused and resumed."""

    def __init__(self) -> None:
        super().__init__()
        self.known: list[Known] = []

    def begun(self, first: int) -> None:
        """Most of the worlds are claimed from at once, before anything else happens to what is odd."""
        super().begun(first)
        self.known.clear()
        if NAME in self.mixed and first % 4:
            self.claim(0, first, first, 0)

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (job.lease.expires_at for job in self.world.jobs.values() if job.lease is not None)

    def waiting(self) -> list[str]:
        """The queues in which a job is due; any, if none is."""
        due = {job.queue for job in self.world.jobs.values() if job.lease is None and job.run_at <= self.now}
        return sorted(due) or self.queues()

    @rule_of(NAME, queue=pick, worker=pick, n=pick, wide=pick)
    def claim(self, queue: int, worker: int, n: int, wide: int) -> None:
        """Mostly from one queue; else from several, in any order that is a rotation."""
        first = one_of(self.waiting(), queue)
        if wide % 4 < 3:
            self.claim_as((first,), one_of(WORKERS, worker), one_of((1, 2, 3), n), one_of((2, 1, 3), n // 3))
        else:
            others = [one_of(QUEUES, queue + place) for place in range(1, 1 + wide // 4 % len(QUEUES))]
            queues = tuple(dict.fromkeys((first, *others)))
            self.claim_as(queues, one_of(WORKERS, worker), one_of((1, 2, CLAIM_MAX), n), one_of(LEASES, n // 3))

    def claim_as(self, queues: tuple[str, ...], worker: str, n: int, lease_s: int) -> None:
        claimed = self.do(Claim(queues=queues, worker=worker, n=n, lease_s=lease_s))
        for job in claimed if isinstance(claimed, tuple) else ():
            self.known.append(Known(job.queue, job.id, worker, job.lease.fence))

    @rule_of(NAME, queue=pick, way=pick)
    def pause(self, queue: int, way: int) -> None:
        """A queue that is paused is mostly resumed soon: else little would be claimed."""
        paused = sorted(self.world.paused)
        if paused and way % 4:
            self.do(QueueResume(queue=one_of(paused, queue)))
        else:
            self.do(one_of((QueuePause, QueueResume), way // 4)(queue=one_of(self.queues(), queue)))


FAMILY = Family(NAME, Claims, INVALID, (*SEEDS.values(), *CROWDS.values()))
