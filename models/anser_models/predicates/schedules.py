"""The question that decides about a schedule."""

from __future__ import annotations

__all__ = ["ripe"]


def ripe(next_fire_at: int, now: int) -> bool:
    """A boundary has come due from its own second on (SCH-5)."""
    return next_fire_at <= now
