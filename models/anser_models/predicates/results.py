"""The questions that decide about a result."""

from __future__ import annotations

from anser.types import StoredResult

__all__ = ["result_over", "result_shown"]


def result_over(result: StoredResult, now: int) -> bool:
    """A result is over at its `expires_at` (RES-5); without one it never is."""
    return result.expires_at is not None and result.expires_at <= now


def result_shown(result: StoredResult, queue: str, now: int) -> bool:
    """It is there to be seen by who asks in that queue; one that does not say its queue is seen in any (RES-7)."""
    return result.value is not None and result.queue in (None, queue) and not result_over(result, now)
