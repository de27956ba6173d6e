"""Words about a lease: ack, heartbeat, release, retry, fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anser.errors import Invalid
from anser.ops import checks
from anser.ops.base import Op
from anser.types import BATCH_MAX, DELAY_MAX_S, ERROR_MAX_BYTES, INTEGER_MAX, LEASE_MAX_S, Held

__all__ = ["Ack", "AckBatch", "Fail", "Heartbeat", "Release", "Retry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Op):
    """What every word about a lease names: the job, who holds it, and the fence (CLM-8)."""

    queue: str
    id: int
    worker: str
    fence: int

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("id", self.id, 1, INTEGER_MAX)
        checks.name("worker", self.worker)
        checks.whole("fence", self.fence, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ack(Word):
    """The job is done. With `result_ttl_s` its `result` is saved in the same step, for so many seconds.

    Answers None; refused with `LeaseLost`. Rules: CLM-8, CLM-9, RES-3.
    """

    name: ClassVar[str] = "ack"
    result: Any = None
    result_ttl_s: int | None = None

    def check(self) -> None:
        Word.check(self)
        if self.result_ttl_s is not None:
            checks.whole("result_ttl_s", self.result_ttl_s, 1, DELAY_MAX_S)
        elif self.result is not None:
            raise Invalid("result_ttl_s", None, "a result is kept for a time: pass whole seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class AckBatch(Op):
    """These jobs are done, each judged alone. Answers the ids that were held, in the order given. Rules: CLM-10."""

    name: ClassVar[str] = "ack_batch"
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"held": lambda held: tuple(Held(**one) for one in held)}
    queue: str
    worker: str
    held: tuple[Held, ...]

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.name("worker", self.worker)
        checks.length("held", self.held, 0, BATCH_MAX)
        for place, held in enumerate(self.held):
            try:
                checks.kind("", held, Held)
                checks.whole(".id", held.id, 1, INTEGER_MAX)
                checks.whole(".fence", held.fence, 1, INTEGER_MAX)
            except Invalid as refusal:
                raise Invalid(f"held[{place}]{refusal.argument}", refusal.value, refusal.remedy) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat(Word):
    """Let the lease end `lease_s` seconds from now, sooner or later than before. Answers its last second.

    Refused with `LeaseLost`. Rules: CLM-8, CLM-11.
    """

    name: ClassVar[str] = "heartbeat"
    lease_s: int

    def check(self) -> None:
        Word.check(self)
        checks.whole("lease_s", self.lease_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(Word):
    """Put the job back and spend nothing, at its old place or due `delay_s` from now. Answers its `run_at`.

    Refused with `LeaseLost`. Rules: CLM-8, CLM-12.
    """

    name: ClassVar[str] = "release"
    delay_s: int | None = None

    def check(self) -> None:
        Word.check(self)
        if self.delay_s is not None:
            checks.whole("delay_s", self.delay_s, 0, DELAY_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(Word):
    """The attempt failed: pending again `delay_s` from now, or dead if it was the last. Answers `Settled`.

    Refused with `LeaseLost`. Rules: CLM-8, RET-1, RET-2, RET-3.
    """

    name: ClassVar[str] = "retry"
    delay_s: int
    error: str | None = None

    def check(self) -> None:
        Word.check(self)
        checks.whole("delay_s", self.delay_s, 0, DELAY_MAX_S)
        if self.error is not None:
            checks.text("error", self.error, ERROR_MAX_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(Word):
    """The job is dead, whatever attempts it has left. Answers None; refused with `LeaseLost`. Rules: CLM-8, RET-4."""

    name: ClassVar[str] = "fail"
    error: str

    def check(self) -> None:
        Word.check(self)
        checks.text("error", self.error, ERROR_MAX_BYTES)


OPS: tuple[type[Op], ...] = (Ack, AckBatch, Heartbeat, Release, Retry, Fail)
