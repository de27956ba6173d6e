"""The questions that decide whether a notification is forgotten."""

from __future__ import annotations

from anser.types import Notification

__all__ = ["beyond", "too_old"]


def too_old(notification: Notification, older_than_s: int | None, now: int) -> bool:
    """It was told that long ago, or earlier (NTF-7); without an age none is too old."""
    return older_than_s is not None and notification.created_at <= now - older_than_s


def beyond(rank: int, keep: int | None) -> bool:
    """It is not among the newest `keep` of its channel, of which the newest has the rank 1 (NTF-6)."""
    return keep is not None and rank > keep
