"""Targets that are wrong on purpose, each in one way, and which instrument sees it in a short run.

They are the model with an answer or a world changed on its way out, so each fault is the only one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from anser.ops import Ack, Claim, Enqueue, EnqueueMany, Fail, Heartbeat, NextClaimAt, Op, Release, Retry
from anser.types import Job, State
from anser_models import EMPTY, Quirk, Refused, World, step
from anser_spec.targets.model import ModelTarget

__all__ = ["WRONGS", "Wrong", "WrongTarget"]

Twist = Callable[[World, Op, int], tuple[World, Any]]
WORDS = (Ack, Fail, Heartbeat, Release, Retry)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A fault, and the instruments that must see it."""

    twist: Twist
    seen_by: frozenset[str] = frozenset({"transitions", "sequences"})


class WrongTarget(ModelTarget):
    """The model, but for its twist."""

    name = "wrong"

    def __init__(self, twist: Twist) -> None:
        super().__init__()
        self.twist = twist

    def apply(self, op: Op, now: int) -> Any:
        self.world, answer = self.twist(self.world, op, now)
        return answer


def _with_quirk(quirk: Quirk) -> Twist:
    return lambda world, op, now: step(world, op, now, frozenset({quirk}))


def _stale_fence_accepted(world: World, op: Op, now: int) -> tuple[World, Any]:
    job = world.jobs.get(getattr(op, "id", 0))
    if isinstance(op, WORDS) and job is not None and job.lease is not None:
        return step(world, replace(op, fence=max(job.lease.fence, 1)), now)
    return step(world, op, now)


def _lease_ends_at_its_last_second(world: World, op: Op, now: int) -> tuple[World, Any]:
    job = world.jobs.get(getattr(op, "id", 0))
    if isinstance(op, WORDS) and job is not None and job.lease is not None and job.lease.expires_at == now:
        return world, Refused("lease_lost")
    return step(world, op, now)


def _lease_holds_a_second_longer(world: World, op: Op, now: int) -> tuple[World, Any]:
    job = world.jobs.get(getattr(op, "id", 0))
    if isinstance(op, Ack) and job is not None and job.lease is not None and job.lease.expires_at == now - 1:
        return step(world, op, now - 1)
    return step(world, op, now)


def _order_reversed(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    return after, answer[::-1] if isinstance(op, Claim) and isinstance(answer, tuple) else answer


def _error_forgotten(world: World, op: Op, now: int) -> tuple[World, Any]:
    return step(world, replace(op, error=None) if isinstance(op, Retry) else op, now)


def _fence_stands_still(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    return (replace(after, last_fence=world.last_fence) if isinstance(op, Claim) else after), answer


def _batch_kept_in_part(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    if isinstance(op, EnqueueMany) and isinstance(answer, Refused):
        return step(world, op.jobs[0], now)[0], answer
    return after, answer


def _next_claim_too_early(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    return after, max(answer - 1, now) if isinstance(op, NextClaimAt) and isinstance(answer, int) else answer


def _true_is_one(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    return after, int(answer) if isinstance(answer, bool) else answer


def _priority_cut(world: World, op: Op, now: int) -> tuple[World, Any]:
    return step(world, replace(op, priority=min(op.priority, 100)) if isinstance(op, Enqueue) else op, now)


def _names_without_case(world: World, op: Op, now: int) -> tuple[World, Any]:
    return step(world, replace(op, worker=op.worker.lower()) if isinstance(op, Claim) else op, now)


def _history_lost_at_the_end_of_time(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    return (replace(after, finished=EMPTY.finished) if now > 10_000 else after), answer


def _long_line_walked_to_its_end(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    if isinstance(op, Claim) and len(after.dead) - len(world.dead) >= 100:
        return step(after, op, now)
    return after, answer


def _claimed_at_lost(world: World, op: Op, now: int) -> tuple[World, Any]:
    after, answer = step(world, op, now)
    return replace(after, jobs={id: _without_claimed_at(job) for id, job in after.jobs.items()}), answer


def _without_claimed_at(job: Job) -> Job:
    if job.state is State.PROCESSING and job.lease is not None:
        return replace(job, lease=replace(job.lease, claimed_at=None))
    return job


SEQUENCES = frozenset({"sequences"})
TRANSITIONS = frozenset({"transitions"})

WRONGS: dict[str, Wrong] = {
    "a stale fence is accepted": Wrong(_stale_fence_accepted),
    "a lease ends at its last second": Wrong(_lease_ends_at_its_last_second),
    "a lease holds a second longer": Wrong(_lease_holds_a_second_longer),
    "a lapse counts as an attempt": Wrong(_with_quirk(Quirk.D08_LAPSE_SPENDS_ATTEMPT)),
    "an expired job stays": Wrong(_with_quirk(Quirk.D02_ZOMBIE)),
    "the order is reversed": Wrong(_order_reversed),
    "an error is forgotten": Wrong(_error_forgotten),
    "the fence stands still": Wrong(_fence_stands_still),
    "a batch is kept in part": Wrong(_batch_kept_in_part),
    "the next claim is told too early": Wrong(_next_claim_too_early),
    "true is one": Wrong(_true_is_one),
    "when it was claimed is lost": Wrong(_claimed_at_lost),
    "a long line is walked to its end": Wrong(_long_line_walked_to_its_end, TRANSITIONS),
    "a priority is cut": Wrong(_priority_cut, SEQUENCES),
    "names are read without case": Wrong(_names_without_case, SEQUENCES),
    "history is lost late": Wrong(_history_lost_at_the_end_of_time, SEQUENCES),
}
