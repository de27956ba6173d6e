"""The claim, and when it would change something next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anser.errors import Invalid
from anser.ops import checks
from anser.ops.base import Op, as_tuple
from anser.types import CLAIM_MAX, LEASE_MAX_S, QUEUES_MAX

__all__ = ["Claim", "NextClaimAt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Op):
    """Lease up to `n` due jobs for `lease_s` seconds. Answers a tuple of `Job`, in claim order.

    First the lapsed leases of the queues are settled; jobs past saving that the claim meets are buried.
    Rules: CLM-1, CLM-2, CLM-3, CLM-4, CLM-5, CLM-6, CLM-7, CLM-13, CLM-16, CLM-17.
    """

    name: ClassVar[str] = "claim"
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"queues": as_tuple}
    queues: tuple[str, ...]
    worker: str
    n: int
    lease_s: int

    def check(self) -> None:
        checks.length("queues", self.queues, 1, QUEUES_MAX)
        for place, queue in enumerate(self.queues):
            checks.name(f"queues[{place}]", queue)
        if len(set(self.queues)) < len(self.queues):
            raise Invalid("queues", self.queues, "name each queue once")
        checks.name("worker", self.worker)
        checks.whole("n", self.n, 1, CLAIM_MAX)
        checks.whole("lease_s", self.lease_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextClaimAt(Op):
    """The first instant, now at the earliest, at which a claim would change a row; None for never.

    Writes nothing. Rules: CLM-15.
    """

    name: ClassVar[str] = "next_claim_at"
    writes: ClassVar[bool] = False
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"queues": as_tuple}
    queues: tuple[str, ...]

    def check(self) -> None:
        checks.length("queues", self.queues, 1, QUEUES_MAX)
        for place, queue in enumerate(self.queues):
            checks.name(f"queues[{place}]", queue)


OPS: tuple[type[Op], ...] = (Claim, NextClaimAt)
