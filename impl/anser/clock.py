"""The one place that reads the time. Everything else is given `now`, in whole epoch seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Clock", "ManualClock", "steady_clock", "system_clock"]

Clock = Callable[[], int]


def system_clock() -> int:
    """The machine's wall clock in whole epoch seconds, cut, so that a second is over when the next one begins."""
    return int(time.time())


def steady_clock() -> float:
    """Seconds that only grow, for the timeouts of who waits; they say nothing about any instant."""
    return time.monotonic()


class ManualClock:
    """A clock that stands still until it is told otherwise; for tests and for replays."""

    def __init__(self, at: int) -> None:
        self.at = at

    def __call__(self) -> int:
        return self.at

    def advance(self, by_s: int) -> None:
        """Move by whole seconds, forward or back."""
        self.at += by_s
