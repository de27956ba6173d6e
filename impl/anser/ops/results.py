"""Results: what became of a job, for whoever waits for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from anser.ops import checks
from anser.ops.base import Op
from anser.ops.leases import Word
from anser.types import DELAY_MAX_S, INTEGER_MAX, LIST_MAX

__all__ = ["ResultGet", "ResultPrune", "ResultSave", "ResultSweep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSave(Word):
    """Save the result of the job that is held, any JSON value, for `ttl_s` seconds. Answers its end.

    It takes the place of one that was saved before, and is seen when the job is done. Refused with `LeaseLost`, and
    with `Invalid` for a value that is no JSON. Rules: CLM-8, RES-1, RES-2, RES-8.
    """

    name: ClassVar[str] = "result_save"
    value: Any
    ttl_s: int

    def check(self) -> None:
        Word.check(self)
        checks.whole("ttl_s", self.ttl_s, 1, DELAY_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultGet(Op):
    """Look the job's result up. Answers `Result`, which tells what became of the job. Writes nothing.

    Rules: RES-4, RES-5, RES-6, RES-7.
    """

    name: ClassVar[str] = "result_get"
    writes: ClassVar[bool] = False
    queue: str
    id: int

    def check(self) -> None:
        checks.name("queue", self.queue)
        checks.whole("id", self.id, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSweep(Op):
    """Forget up to `limit` results that are over, the longest over first. Answers how many. Rules: RES-9."""

    name: ClassVar[str] = "result_sweep"
    limit: int = 1_000

    def check(self) -> None:
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPrune(Op):
    """Forget up to `limit` results without an end, saved `older_than_s` seconds ago or earlier, the oldest first.

    Only another binding saves one without an end. Answers how many. Rules: RES-12.
    """

    name: ClassVar[str] = "result_prune"
    older_than_s: int
    limit: int = 1_000

    def check(self) -> None:
        checks.whole("older_than_s", self.older_than_s, 0, DELAY_MAX_S)
        checks.whole("limit", self.limit, 1, LIST_MAX)


OPS: tuple[type[Op], ...] = (ResultSave, ResultGet, ResultSweep, ResultPrune)
