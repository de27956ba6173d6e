"""What holds of the wait before a retry."""

from __future__ import annotations

from anser.backoff import Backoff, Jitter, raw_delay_s
from anser.types import DELAY_MAX_S

_JITTERS: tuple[Jitter, ...] = ("none", "equal", "full")


def backoff_follows_its_formula(base: int, factor: int, cap: int, attempt: int) -> None:
    """`base * factor ** (attempt - 1)`, the cap at most (RET-5)."""
    assert base >= 0
    assert factor >= 1
    assert cap >= 0
    assert 1 <= attempt <= 5
    assert raw_delay_s(base, factor, cap, attempt) == min(cap, base * factor ** (attempt - 1))


def backoff_never_falls(base: int, factor: int, cap: int, attempt: int) -> None:
    """A later attempt waits no less (RET-5)."""
    assert base >= 0
    assert factor >= 1
    assert cap >= 0
    assert 1 <= attempt <= 5
    assert raw_delay_s(base, factor, cap, attempt) <= raw_delay_s(base, factor, cap, attempt + 1)


def backoff_stays_at_its_cap(base: int, factor: int, cap: int, attempt: int) -> None:
    """Once it has reached the cap it stays there (RET-6)."""
    assert base >= 0
    assert factor >= 1
    assert cap >= 0
    assert 1 <= attempt <= 5
    assert raw_delay_s(base, factor, cap, attempt) < cap or raw_delay_s(base, factor, cap, attempt + 1) == cap


def backoff_by_two_saturates(base: int, cap: int, attempt: int) -> None:
    """Doubling from one second or more is at its cap from the 33rd attempt on (RET-6)."""
    assert 1 <= base <= DELAY_MAX_S
    assert 0 <= cap <= DELAY_MAX_S
    assert attempt >= 33
    assert raw_delay_s(base, 2, cap, attempt) == cap


def backoff_lies_within_its_cap(base: int, factor: int, cap: int, attempt: int) -> None:
    """At every attempt the wait is from nothing to the cap (RET-6)."""
    assert 0 <= base <= DELAY_MAX_S
    assert 1 <= factor <= 1_000
    assert 0 <= cap <= DELAY_MAX_S
    assert attempt >= 1
    assert 0 <= raw_delay_s(base, factor, cap, attempt) <= cap


def backoff_bounds(base: int, factor: int, cap: int, attempt: int, jitter: int) -> None:
    """The shortest wait is all, the half rounded up, or nothing of the longest (RET-5, RET-7)."""
    assert 0 <= base <= DELAY_MAX_S
    assert 1 <= factor <= 1_000
    assert 0 <= cap <= DELAY_MAX_S
    assert 1 <= attempt <= 4
    assert 0 <= jitter <= 2
    shortest, longest = Backoff(base, factor, cap, _JITTERS[jitter]).bounds_s(attempt)
    part = (longest, (longest + 1) // 2, 0)[jitter]
    assert 0 <= shortest == part <= longest <= cap
