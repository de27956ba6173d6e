"""What a file holds: its queues by name, its rows by table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anser.ops import checks
from anser.ops.base import Op
from anser.types import LIST_MAX, NAME_MAX_BYTES

__all__ = ["QueueList", "Stats"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueList(Op):
    """The queues that have a live or a dead job by name, after `after_queue`. Answers a tuple of text.

    Visits every live job. Writes nothing. Rules: RTN-1.
    """

    name: ClassVar[str] = "queue_list"
    writes: ClassVar[bool] = False
    after_queue: str = ""
    limit: int = 1_000

    def check(self) -> None:
        checks.text("after_queue", self.after_queue, NAME_MAX_BYTES)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats(Op):
    """How much is in each table. Answers a tuple of `TableStats`. Visits every row. Writes nothing.

    Rules: RTN-2.
    """

    name: ClassVar[str] = "stats"
    writes: ClassVar[bool] = False

    def check(self) -> None:
        """It has no arguments."""


OPS: tuple[type[Op], ...] = (QueueList, Stats)
