"""Jobs: enqueue, cancel, look up, pause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anser.errors import Invalid
from anser.ops import checks
from anser.ops.base import Op
from anser.types import (
    BATCH_MAX,
    DELAY_MAX_S,
    INSTANT_MAX,
    INTEGER_MAX,
    KEY_MAX_BYTES,
    LIST_MAX,
    PRIORITY_MAX,
    TRIES_MAX,
    State,
)

__all__ = ["Cancel", "CountJobs", "Enqueue", "EnqueueMany", "GetJob", "ListJobs", "QueuePause", "QueueResume"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueue(Op):
    """Add a job; due at `run_at`, or `delay_s` from now, or now. Answers `Enqueued`.

    With a `unique_key` that a live job of the queue holds, the answer is that job and nothing is written. With an
    `order_key` that a live job of the queue has, it waits until it is its turn.
    Rules: JOB-2, JOB-3, JOB-4, JOB-6, JOB-7, JOB-14, ORD-1, ORD-2.
    """

    name: ClassVar[str] = "enqueue"
    queue: str
    payload: Any
    run_at: int | None = None
    delay_s: int | None = None
    priority: int = 0
    max_attempts: int = 3
    max_lapses: int = 5
    expires_s: int | None = None
    unique_key: str | None = None
    order_key: str | None = None

    def check(self) -> None:
        checks.name("queue", self.queue)
        if self.run_at is not None:
            checks.whole("run_at", self.run_at, 0, INSTANT_MAX)
        if self.delay_s is not None:
            checks.whole("delay_s", self.delay_s, 0, DELAY_MAX_S)
            if self.run_at is not None:
                raise Invalid("delay_s", self.delay_s, "give run_at or delay_s, not both")
        checks.whole("priority", self.priority, -PRIORITY_MAX, PRIORITY_MAX)
        checks.whole("max_attempts", self.max_attempts, 1, TRIES_MAX)
        checks.whole("max_lapses", self.max_lapses, 0, TRIES_MAX)
        if self.expires_s is not None:
            checks.whole("expires_s", self.expires_s, 1, DELAY_MAX_S)
        for argument, key in (("unique_key", self.unique_key), ("order_key", self.order_key)):
            if key is not None:
                checks.text(argument, key, KEY_MAX_BYTES)
                if not key:
                    raise Invalid(argument, key, "pass some text, or None for no key")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnqueueMany(Op):
    """Add jobs, all or none, in their order. Answers a tuple of `Enqueued`, one a job. Rules: JOB-8."""

    name: ClassVar[str] = "enqueue_many"
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"jobs": lambda jobs: tuple(map(Enqueue.read, jobs))}
    jobs: tuple[Enqueue, ...]

    def check(self) -> None:
        checks.length("jobs", self.jobs, 0, BATCH_MAX)
        for place, job in enumerate(self.jobs):
            checks.kind(f"jobs[{place}]", job, Enqueue)
            try:
                job.check()
            except Invalid as refusal:
                raise Invalid(f"jobs[{place}].{refusal.argument}", refusal.value, refusal.remedy) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel(Op):
    """End a live job of the queue, pending or processing. Answers whether there was one. Rules: JOB-9."""

    name: ClassVar[str] = "cancel"
    queue: str
    id: int

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("id", self.id, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetJob(Op):
    """Look a job of the queue up. Answers `Job`, `Dead`, `Finished`, or None. Writes nothing. Rules: JOB-10, JOB-11."""

    name: ClassVar[str] = "get_job"
    writes: ClassVar[bool] = False
    queue: str
    id: int

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("id", self.id, 1, INTEGER_MAX)


def _state(value: Any) -> Any:
    """A word that is no state stays, so that the check can refuse it by name."""
    return State(value) if value in list(State) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class ListJobs(Op):
    """The live jobs of a queue by id, after `after_id`. Answers a tuple of `Job`. Writes nothing. Rules: JOB-12."""

    name: ClassVar[str] = "list_jobs"
    writes: ClassVar[bool] = False
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"state": _state}
    queue: str
    state: State | None = None
    after_id: int = 0
    limit: int = 100

    def check(self) -> None:
        checks.name("queue", self.queue)
        if self.state not in (None, State.PENDING, State.PROCESSING):
            raise Invalid("state", self.state, "pass 'pending', 'processing', or None for both")
        checks.whole("after_id", self.after_id, 0, INTEGER_MAX)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountJobs(Op):
    """Count a queue's jobs. Answers `Counts`. Writes nothing. Rules: JOB-13."""

    name: ClassVar[str] = "count_jobs"
    writes: ClassVar[bool] = False
    queue: str

    def check(self) -> None:
        checks.name("queue", self.queue)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePause(Op):
    """Let nobody claim from the queue until it is resumed. Answers whether that changed anything. Rules: CLM-14."""

    name: ClassVar[str] = "queue_pause"
    queue: str

    def check(self) -> None:
        checks.name("queue", self.queue)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueResume(Op):
    """Let the queue be claimed from again. Answers whether that changed anything. Rules: CLM-14."""

    name: ClassVar[str] = "queue_resume"
    queue: str

    def check(self) -> None:
        checks.name("queue", self.queue)


OPS: tuple[type[Op], ...] = (Enqueue, EnqueueMany, Cancel, GetJob, ListJobs, CountJobs, QueuePause, QueueResume)
