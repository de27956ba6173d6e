"""Notifications, by id, and what of a channel is gone, by its name."""

from __future__ import annotations

from typing import Any

from anser.types import Channel, Notification
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS"]

_SOUND: dict[str, Any] = {"payload": "1", "created_at": T}


def _notification(**given: Any) -> Notification:
    return Notification(**_SOUND | given)


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="notification",
        called="notification",
        part="notifications",
        row=Notification,
        key="id",
        read_key=int,
        make=_notification,
        bare=lambda notification: notification,
        numbered={"last_notification": lambda notification: int(notification.id)},
    ),
    Rows(
        name="channel",
        called="channel",
        part="channels",
        row=Channel,
        key="channel",
        read_key=str,
        make=Channel,
        bare=lambda channel: channel,
        numbered={"last_notification": lambda channel: int(channel.pruned_id)},
    ),
)
