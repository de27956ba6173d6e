"""Jobs that run one after another: put in by twos and threes, done, tried again, called off out of turn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser.ops import Ack, Cancel, Enqueue
from anser_spec.machine.base import Family, rule_of
from anser_spec.machine.claims import Claims
from anser_spec.machine.jobs import KEYS, NAME
from anser_spec.machine.values import LEASES, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.orders import SEEDS

__all__ = ["FAMILY", "Orders"]


class Orders(Claims):
    """Jobs with an order key. What else becomes of them, the rules for all jobs do."""

    @rule_of(NAME, queue=pick, key=pick, how=pick)
    def ordered(self, queue: int, key: int, how: int) -> None:
        """Two or three with one key; often one of them leaves at once, the first in line or another."""
        tries: dict[str, Any] = {"max_attempts": one_of((1, 2), key), "max_lapses": one_of((0, 1), key // 2)}
        job = Enqueue(queue=one_of(QUEUES[:2], queue), payload=3, order_key=one_of(KEYS, key // 4), **tries)
        self.do(replace(job, delay_s=one_of((None, 1), how), expires_s=one_of((None, None, 2), how // 2)))
        self.do(replace(job, delay_s=one_of((None, None, 1), how // 8), priority=one_of((0, 1), how // 16)))
        if how % 3 == 0:
            self.do(job)
        if how % 4 == 1:
            self.leave(how // 4)
        elif how % 4 == 2:
            self.claim_as((job.queue,), one_of(WORKERS[:2], key), one_of((1, 2), how // 4), one_of(LEASES, how // 8))

    def leave(self, how: int) -> None:
        """Whoever is first in a line is done or called off; or another one is."""
        places = list(self.world.ordered.values())
        if not places:
            return
        place = one_of(places, how)
        job = self.world.jobs[place.job_id]
        if job.lease is not None and how % 2:
            self.do(Ack(queue=job.queue, id=job.id, worker=job.lease.worker, fence=max(job.lease.fence, 1)))
        else:
            self.do(Cancel(queue=job.queue, id=job.id))


FAMILY = Family(NAME, Orders, (), tuple(SEEDS.values()))
