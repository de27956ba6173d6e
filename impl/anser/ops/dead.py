"""The dead: the sweep that buries, and the ways out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anser.ops import checks
from anser.ops.base import Op
from anser.types import DELAY_MAX_S, INTEGER_MAX, LIST_MAX

__all__ = ["DeadList", "DeadPrune", "DeadRequeue", "SweepExpired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepExpired(Op):
    """Bury up to `limit` expired jobs that nobody holds, the longest expired first. Answers how many. Rules: DED-2."""

    name: ClassVar[str] = "sweep_expired"
    queue: str
    limit: int = 1_000

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadList(Op):
    """The dead jobs of a queue by id, after `after_id`. Answers a tuple of `Dead`. Writes nothing. Rules: DED-3."""

    name: ClassVar[str] = "dead_list"
    writes: ClassVar[bool] = False
    queue: str
    after_id: int = 0
    limit: int = 100

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("after_id", self.after_id, 0, INTEGER_MAX)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadRequeue(Op):
    """A dead job is pending again under its id, due now, all attempts and lapses before it, with no expiry.

    Answers None; refused with `NotFound`, or `Conflict` while a live job holds its unique key or id.
    Rules: DED-4, DED-5.
    """

    name: ClassVar[str] = "dead_requeue"
    queue: str
    id: int

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("id", self.id, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadPrune(Op):
    """Forget up to `limit` jobs that died `older_than_s` seconds ago or earlier, first died first. Answers how many.

    Rules: DED-6.
    """

    name: ClassVar[str] = "dead_prune"
    queue: str
    older_than_s: int
    limit: int = 1_000

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("older_than_s", self.older_than_s, 0, DELAY_MAX_S)
        checks.whole("limit", self.limit, 1, LIST_MAX)


OPS: tuple[type[Op], ...] = (SweepExpired, DeadList, DeadRequeue, DeadPrune)
