"""Jobs that are put in, called off and looked at: odd texts, numbers at their bounds, keys that meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from anser.ops import Cancel, CountJobs, DeadList, Enqueue, EnqueueMany, GetJob, ListJobs, NextClaimAt, Op
from anser.types import (
    DELAY_MAX_S,
    INSTANT_MAX,
    INTEGER_MAX,
    INTEGER_MIN,
    KEY_MAX_BYTES,
    NAME_MAX_BYTES,
    PRIORITY_MAX,
    TRIES_MAX,
    TURN_AT,
    State,
)
from anser_spec.machine.base import Family, Machine, rule_of
from anser_spec.machine.values import DELAYS, LIMITS, QUEUES, one_of, pick
from anser_spec.seeds import SEED_NOW
from anser_spec.seeds.jobs import CROWDS, SEEDS

__all__ = ["FAMILY", "Jobs"]

NAME = "jobs"  # also of claims, leases and the dead: one life, of which a part alone shows little

KEYS = ("k", "K", "k ", "\u00e9'\"%", "k" * KEY_MAX_BYTES)
PAYLOADS: tuple[Any, ...] = (
    1,
    None,
    True,
    "",
    "a\x00b\u2028\U0001f600",
    -0.0,
    1.5e300,
    INTEGER_MAX,
    INTEGER_MIN,
    [],
    {"": [{}, None, "\u00e9"]},
)
INSTANTS = (0, SEED_NOW, INSTANT_MAX)
PRIORITIES = (0, 1, -1, PRIORITY_MAX, -PRIORITY_MAX)
EXPIRIES = (None, 1, 2, 3, 60, DELAY_MAX_S)
TRIES = (1, 2, 3, TRIES_MAX)
LAPSES = (0, 1, 5, TRIES_MAX)
NAN = float("nan")

INVALID: tuple[Op, ...] = (
    Enqueue(queue="", payload=1),
    Enqueue(queue="a\n", payload=1),
    Enqueue(queue="x" * (NAME_MAX_BYTES + 1), payload=1),
    Enqueue(queue="\ud800", payload=1),
    Enqueue(queue="a", payload=NAN),
    Enqueue(queue="a", payload=[{"k": "\ud800"}]),
    Enqueue(queue="a", payload=INTEGER_MAX + 1),
    Enqueue(queue="a", payload=1, run_at=-1),
    Enqueue(queue="a", payload=1, run_at=INSTANT_MAX + 1),
    Enqueue(queue="a", payload=1, run_at=1, delay_s=1),
    Enqueue(queue="a", payload=1, delay_s=True),
    Enqueue(queue="a", payload=1, delay_s=1.0),  # type: ignore[arg-type]  # fractions are refused, whole ones too
    Enqueue(queue="a", payload=1, priority=PRIORITY_MAX + 1),
    Enqueue(queue="a", payload=1, max_attempts=0),
    Enqueue(queue="a", payload=1, max_lapses=-1),
    Enqueue(queue="a", payload=1, expires_s=0),
    Enqueue(queue="a", payload=1, expires_s=1, delay_s=1),
    Enqueue(queue="a", payload=NAN, expires_s=1, delay_s=1),
    Enqueue(queue="a", payload=1, unique_key=""),
    Enqueue(queue="a", payload=1, unique_key="k\x00"),
    Enqueue(queue="a", payload=1, order_key=""),
    Enqueue(queue="a", payload=1, order_key="\ud800"),
    Enqueue(queue="a", payload=1, unique_key="", order_key=""),
    EnqueueMany(jobs=(Enqueue(queue="a", payload=1), Enqueue(queue="a", payload=NAN))),
    EnqueueMany(jobs=(Enqueue(queue="a", payload=1, unique_key="k"), Enqueue(queue="a", payload=1, max_attempts=0))),
    EnqueueMany(jobs=(Enqueue(queue="a", payload=1), Enqueue(queue="a", payload=1, expires_s=1, delay_s=2))),
    Cancel(queue="a", id=0),
    GetJob(queue="a", id=INTEGER_MAX + 1),
    ListJobs(queue="a", state=State.DEAD),
    ListJobs(queue="a", limit=0),
    CountJobs(queue=""),
)


class Jobs(Machine):
    """Jobs put in, looked at and called off."""

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        for job in self.world.jobs.values():
            if job.run_at != TURN_AT:
                yield job.run_at
            if job.expires_at is not None:
                yield job.expires_at

    def queues(self) -> list[str]:
        """Queues in which something is, those that the rules use first."""
        return [*QUEUES[:2], *sorted({job.queue for job in self.world.jobs.values()} - set(QUEUES[:2]))]

    def ids(self) -> list[tuple[str, int]]:
        """Every job there is or was, and one that never was, with its queue."""
        rows = [(row.queue, row.id) for rows in (self.world.jobs, self.world.dead) for row in rows.values()]
        return [*rows, *((row.queue, row.id) for row in self.world.finished.values()), ("a", self.world.last_id + 1)]

    @rule_of(NAME, queue=pick, tries=pick, delay=pick)
    def enqueue(self, queue: int, tries: int, delay: int) -> None:
        self.do(
            Enqueue(
                queue=one_of(QUEUES[:2], queue),
                payload=1,
                delay_s=one_of((None, 1, 2), delay),
                priority=one_of((0, 1), tries),
                max_attempts=one_of((1, 2), tries // 2),
                max_lapses=one_of((0, 1), tries // 4),
            )
        )

    @rule_of(
        NAME,
        queue=st.sampled_from(QUEUES),
        payload=st.sampled_from(PAYLOADS),
        times=pick,
        priority=st.sampled_from(PRIORITIES),
        tries=pick,
        key=pick,
    )
    def enqueue_odd(self, queue: str, payload: Any, times: int, priority: int, tries: int, key: int) -> None:
        run_at = one_of((None, None, self.now - 1, self.now + 1, *INSTANTS), times)
        self.do(
            Enqueue(
                queue=queue,
                payload=payload,
                run_at=None if run_at is None else max(run_at, 0),
                delay_s=one_of(DELAYS, times) if run_at is None else None,
                priority=priority,
                max_attempts=one_of(TRIES, tries),
                max_lapses=one_of(LAPSES, tries),
                expires_s=one_of(EXPIRIES, times // len(DELAYS)),
                unique_key=one_of((None, *KEYS), key),
            )
        )

    @rule_of(NAME, queue=pick, expiry=pick)
    def enqueue_with_key(self, queue: int, expiry: int) -> None:
        self.do(self.keyed(queue, expiry))

    def keyed(self, queue: int, expiry: int) -> Enqueue:
        return Enqueue(
            queue=one_of(QUEUES[:2], queue),
            payload=2,
            max_attempts=1,
            max_lapses=0,
            expires_s=one_of((None, 1, 2), expiry),
            unique_key=one_of(KEYS[:2], queue // 2),
        )

    @rule_of(NAME, first=pick, second=pick, times=pick)
    def enqueue_many(self, first: int, second: int, times: int) -> None:
        jobs = (
            self.keyed(first, times),
            self.keyed(second, times // 3),
            replace(self.keyed(first, 0), unique_key=None),
        )
        self.do(EnqueueMany(jobs=jobs[: times % 4]))

    @rule_of(NAME, which=pick, wrong=pick)
    def cancel(self, which: int, wrong: int) -> None:
        queue, id = one_of(self.ids(), which)
        self.do(Cancel(queue=queue if wrong % 4 else "b", id=id))

    @rule_of(NAME, which=pick, wrong=pick, limit=pick)
    def look(self, which: int, wrong: int, limit: int) -> None:
        """All the looks in a row: they cost little beside the draw."""
        queue, id = one_of(self.ids(), which)
        bounds: dict[str, Any] = {
            "queue": queue,
            "after_id": one_of((0, id), limit),
            "limit": one_of(LIMITS, limit // 2),
        }
        self.do(GetJob(queue=queue if wrong % 4 else "b", id=id))
        self.do(ListJobs(**bounds, state=one_of((None, State.PENDING, State.PROCESSING), limit)))
        self.do(DeadList(**bounds))
        self.do(CountJobs(queue=queue))
        self.do(NextClaimAt(queues=QUEUES if wrong % 2 else (queue,)))


FAMILY = Family(NAME, Jobs, INVALID, (*SEEDS.values(), *CROWDS.values()))
