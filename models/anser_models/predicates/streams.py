"""The questions that decide about an entry that a worker of a group was given."""

from __future__ import annotations

from anser.types import StreamPending

__all__ = ["kept_by", "unacked"]


def unacked(pending: StreamPending, now: int) -> bool:
    """It is the worker's to the end of its last second, as a job is (STR-7)."""
    return pending.expires_at >= now


def kept_by(pending: StreamPending, worker: str, fence: int, now: int) -> bool:
    """It is still the worker's, and was given to him by the claim that the word names (STR-8)."""
    return unacked(pending, now) and pending.worker == worker and pending.fence == fence
