"""How long to wait before the next attempt. Pure but for the draw of the jitter."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from anser.errors import Invalid
from anser.types import DELAY_MAX_S

__all__ = ["Backoff", "raw_delay_s"]

Jitter = Literal["none", "equal", "full"]

_FACTOR_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Backoff:
    """Wait `base * factor ** (attempt - 1)` seconds, `cap` at most, of which `jitter` draws a part at random.

    "none" waits all of it, "equal" at least half, "full" anything from nothing to all (RET-5, RET-7). At every attempt
    number the wait is a whole number of seconds that lies within the cap: it saturates, it never overflows (RET-6).
    Whole numbers only; raises `Invalid` for others.
    """

    base: int = 10
    factor: int = 2
    cap: int = 3_600
    jitter: Jitter = "equal"

    def __post_init__(self) -> None:
        for argument, value, low, high in (
            ("base", self.base, 0, DELAY_MAX_S),
            ("factor", self.factor, 1, _FACTOR_MAX),
            ("cap", self.cap, 0, DELAY_MAX_S),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise Invalid(argument, value, f"pass a whole number from {low} to {high}")
        if self.jitter not in ("none", "equal", "full"):
            raise Invalid("jitter", self.jitter, "pass 'none', 'equal' or 'full'")

    def bounds_s(self, attempt: int) -> tuple[int, int]:
        """The shortest and the longest wait after that attempt (the first is 1), both included."""
        if isinstance(attempt, bool) or not isinstance(attempt, int) or attempt < 1:
            raise Invalid("attempt", attempt, "pass a whole number, 1 for the first")
        longest = raw_delay_s(self.base, self.factor, self.cap, attempt)
        shortest = {"none": longest, "equal": longest - longest // 2, "full": 0}[self.jitter]
        return shortest, longest

    def delay_s(self, attempt: int, draw: Callable[[int, int], int] = random.randint) -> int:
        """The wait after that attempt; `draw(low, high)` picks a whole number, both ends included."""
        shortest, longest = self.bounds_s(attempt)
        return draw(shortest, longest)


def raw_delay_s(base: int, factor: int, cap: int, attempt: int) -> int:
    """`min(cap, base * factor ** (attempt - 1))`, by a loop that stops at the cap (RET-6)."""
    delay = min(base, cap)
    if factor == 1 or delay == 0:
        return delay
    for _ in range(attempt - 1):
        if delay >= cap:
            break
        delay = min(delay * factor, cap)
    return delay
