"""Notifications: what was told on a channel, and what of it is gone."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NOTIFICATIONS_KEEP_MAX", "Channel", "Heard", "Notification"]

NOTIFICATIONS_KEEP_MAX = 1_000_000  # of a channel; a pruning walks over those that it keeps by their rank


@dataclass(frozen=True, slots=True)
class Notification:
    """What was told on a channel, for whoever listens there."""

    id: int
    channel: str
    payload: str | bytes
    created_at: int


@dataclass(frozen=True, slots=True)
class Channel:
    """What a file remembers of a channel beside its notifications: the greatest id of those that are gone."""

    channel: str
    pruned_id: int


@dataclass(frozen=True, slots=True)
class Heard:
    """What a listener hears after the id that it named.

    `lost_through_id`: some of what was told after that id and up to this one is gone. None where nothing was lost.
    """

    notifications: tuple[Notification, ...]
    lost_through_id: int | None
