"""The questions that decide about a lock."""

from __future__ import annotations

from anser.types import Lock

__all__ = ["locked", "locked_by"]


def locked(lock: Lock, now: int) -> bool:
    """A lock holds until its `expires_at`, and not in that second any more (LCK-2)."""
    return lock.expires_at > now


def locked_by(lock: Lock, owner: str, fence: int, now: int) -> bool:
    """The lock holds, and is the one that the word names (LCK-5)."""
    return locked(lock, now) and lock.owner == owner and lock.fence == fence
