"""The upkeep of the dead: what is over is swept to them, and they are requeued or forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import strategies as st

from anser.ops import DeadList, DeadPrune, DeadRequeue, Op, SweepExpired
from anser.types import DELAY_MAX_S, LIST_MAX, PRIORITY_MAX
from anser_spec.machine.base import Family, rule_of
from anser_spec.machine.claims import Claims
from anser_spec.machine.jobs import NAME
from anser_spec.machine.values import LIMITS, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.dead import SEEDS

__all__ = ["FAMILY", "Dead"]

INVALID: tuple[Op, ...] = (
    SweepExpired(queue="a", limit=LIST_MAX + 1),
    DeadList(queue="a", after_id=-1),
    DeadRequeue(queue="a", id=-1),
    DeadPrune(queue="a", older_than_s=-1),
)


class Dead(Claims):
    """Jobs whose worker died or whose time is over: swept up, requeued, forgotten."""

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (job.died_at for job in self.world.dead.values())

    @rule_of(NAME, queue=pick, expiry=pick, late=st.integers(1, 3))
    def die(self, queue: int, expiry: int, late: int) -> None:
        """A worker takes a job that may expire and is not heard of again, for about as long as its lease lasts."""
        if expiry % 2:
            self.do(replace(self.keyed(queue, expiry), max_lapses=expiry // 2 % 2, priority=PRIORITY_MAX))
        self.claim_as((one_of(QUEUES[:2], queue),), one_of(WORKERS, expiry // 4), 1, 1)
        self.go_to(self.now + late)
        if late == 3:
            self.sweep_expired(queue, 0)

    @rule_of(NAME, queue=pick, limit=pick)
    def sweep_expired(self, queue: int, limit: int) -> None:
        self.do(SweepExpired(queue=one_of(QUEUES[:3], queue), limit=one_of(LIMITS, limit)))

    @rule_of(NAME, which=pick, wrong=pick)
    def dead_requeue(self, which: int, wrong: int) -> None:
        dead = [(job.queue, job.id) for job in self.world.dead.values()] or self.ids()
        queue, id = one_of(dead, which)
        self.do(DeadRequeue(queue=queue if wrong % 4 else "b", id=id))

    @rule_of(NAME, queue=pick, limit=pick, older=pick)
    def dead_prune(self, queue: int, limit: int, older: int) -> None:
        older_than_s = one_of((1, 60, DELAY_MAX_S, 0), older)
        self.do(DeadPrune(queue=one_of(self.queues(), queue), older_than_s=older_than_s, limit=one_of(LIMITS, limit)))


FAMILY = Family(NAME, Dead, INVALID, tuple(SEEDS.values()))
