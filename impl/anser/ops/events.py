"""Events: whether a file tells what happens to its jobs, and what it has told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anser.ops import checks
from anser.ops.base import Op
from anser.types import DELAY_MAX_S, EVENTS_MAX, INTEGER_MAX, LIST_MAX

__all__ = ["EventPrune", "EventRead", "EventsOff", "EventsOn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsOn(Op):
    """Tell each transition of a job from now on, and keep the newest `keep` events. Answers whether that is new.

    Rules: EVT-3, EVT-4.
    """

    name: ClassVar[str] = "events_on"
    keep: int = 100_000

    def check(self) -> None:
        checks.whole("keep", self.keep, 1, EVENTS_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsOff(Op):
    """Tell nothing more; what was told is kept. Answers whether that changed anything. Rules: EVT-3."""

    name: ClassVar[str] = "events_off"

    def check(self) -> None:
        """It has no arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRead(Op):
    """The events after `after_id` by id, and whether some were missed. Answers `EventPage`. Writes nothing.

    Rules: EVT-5.
    """

    name: ClassVar[str] = "event_read"
    writes: ClassVar[bool] = False
    after_id: int = 0
    limit: int = 1_000

    def check(self) -> None:
        checks.whole("after_id", self.after_id, 0, INTEGER_MAX)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPrune(Op):
    """Forget up to `limit` events, the oldest first, as far as they are `older_than_s` seconds old. Answers how many.

    Rules: EVT-6.
    """

    name: ClassVar[str] = "event_prune"
    older_than_s: int
    limit: int = 1_000

    def check(self) -> None:
        checks.whole("older_than_s", self.older_than_s, 0, DELAY_MAX_S)
        checks.whole("limit", self.limit, 1, LIST_MAX)


OPS: tuple[type[Op], ...] = (EventsOn, EventsOff, EventRead, EventPrune)
