"""Words about leases that hold, are about to end, are over, or are somebody else's."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from anser.ops import Ack, AckBatch, Fail, Heartbeat, Op, Release, Retry
from anser.types import DELAY_MAX_S, ERROR_MAX_BYTES, INTEGER_MAX, LEASE_MAX_S, Held, Job
from anser_spec.machine.base import Family, rule_of
from anser_spec.machine.claims import Claims, Known
from anser_spec.machine.jobs import NAME
from anser_spec.machine.values import DELAYS, LEASES, QUEUES, TEXTS, WORKERS, one_of, pick
from anser_spec.seeds.leases import CROWDS, SEEDS

__all__ = ["FAMILY", "GOOD", "Leases", "named_by"]

GOOD: dict[str, Any] = {"queue": "a", "id": 1, "worker": "w1", "fence": 1}
INVALID: tuple[Op, ...] = (
    Ack(**GOOD | {"fence": 0}),
    Ack(**GOOD | {"worker": ""}),
    AckBatch(queue="a", worker="w1", held=(Held(1, 1), Held(0, 1))),
    Heartbeat(**GOOD, lease_s=LEASE_MAX_S + 1),
    Release(**GOOD, delay_s=-1),
    Retry(**GOOD, delay_s=DELAY_MAX_S + 1),
    Retry(**GOOD, delay_s=0, error="\ud800"),
    Fail(**GOOD, error="x" * (ERROR_MAX_BYTES + 1)),
)


def word(kind: int, named: dict[str, Any], how: int) -> Op:
    """One of the words about a lease; `how` picks its other arguments."""
    delay_s = one_of(DELAYS, how)
    match kind % 5:
        case 0:
            return Ack(**named)
        case 1:
            return Retry(**named, delay_s=delay_s or 0, error=one_of((None, *TEXTS), how // len(DELAYS)))
        case 2:
            return Release(**named, delay_s=delay_s if how // len(DELAYS) % 2 else None)
        case 3:
            return Heartbeat(**named, lease_s=one_of(LEASES, how))
    return Fail(**named, error=one_of(TEXTS, how))


class Leases(Claims):
    """Words about leases: in time, in the last second, too late, and about somebody else's."""

    def leased(self) -> list[Job]:
        return [job for job in self.world.jobs.values() if job.lease is not None and job.lease.worker]

    def held(self) -> list[Job]:
        return [job for job in self.leased() if job.lease is not None and job.lease.expires_at >= self.now]

    def hold(self, which: int, how: int) -> Job | None:
        """A job whose lease holds. Where none does, one is claimed, and where none is, it is enqueued before."""
        if not self.held():
            if not self.world.jobs:
                self.enqueue(which, how, 0)
            self.claim_as((one_of(self.waiting(), which),), one_of(WORKERS, how), 1, one_of(LEASES, how))
        held = self.held()
        return one_of(held, which) if held else None

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def say(self, which: int, kind: int, how: int) -> None:
        """A word about a lease that holds."""
        job = self.hold(which, how)
        if job is not None:
            self.do(word(kind, named_by(job), how))

    @rule_of(NAME, which=pick, kind=pick, how=pick, offset=st.sampled_from((1, 0, 2)))
    def say_at_the_edge(self, which: int, kind: int, how: int, offset: int) -> None:
        """A word about a lease in its last second, or one or two seconds later."""
        job = self.hold(which, how)
        if job is not None and job.lease is not None:
            self.go_to(job.lease.expires_at + offset)
            self.do(word(kind, named_by(job), how))

    @rule_of(NAME, which=pick, kind=pick, how=pick, wrong=pick)
    def say_wrong(self, which: int, kind: int, how: int, wrong: int) -> None:
        """A word about such a lease with one thing wrong."""
        leased = self.leased()
        named = named_by(one_of(leased, which)) if leased else GOOD
        fence = named["fence"]
        wrongs: tuple[dict[str, Any], ...] = (
            {"fence": fence + 1},
            {"fence": max(fence - 1, 1)},
            {"worker": one_of(WORKERS, how)},
            {"queue": one_of(QUEUES, how)},
            {"id": named["id"] + 1},
            {"fence": INTEGER_MAX},
        )
        self.do(word(kind, named | one_of(wrongs, wrong), how))

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def say_late(self, which: int, kind: int, how: int) -> None:
        """A word about a lease that was given once; without any, a claim."""
        if self.known:
            known = self.known[-1 - which % len(self.known)]
            self.do(word(kind, {name: getattr(known, name) for name in GOOD}, how))
        else:
            self.claim(which, kind, how, 0)

    @rule_of(NAME, first=pick, second=pick, third=pick)
    def ack_batch(self, first: int, second: int, third: int) -> None:
        known = self.known or [Known(**GOOD)]
        chosen = [known[-1 - place % len(known)] for place in (first, second, third)]
        held = tuple(Held(lease.id, lease.fence) for lease in chosen)
        self.do(AckBatch(queue=chosen[0].queue, worker=chosen[0].worker, held=held[: third % 4]))


def named_by(job: Job) -> dict[str, Any]:
    """The lease as a word names it."""
    assert job.lease is not None, "only leased jobs are named"
    return {"queue": job.queue, "id": job.id, "worker": job.lease.worker, "fence": max(job.lease.fence, 1)}


FAMILY = Family(NAME, Leases, INVALID, (*SEEDS.values(), *CROWDS.values()))
