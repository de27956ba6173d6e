"""What was told on channels, what of it is gone, and what no binding can read; and how a notification is made."""

from __future__ import annotations

from typing import Any

from anser.types import Channel, Notification
from anser_models import World
from anser_spec.seeds.base import NOT_JSON, SEED_NOW, UNREADABLE, world

__all__ = ["SEEDS", "notification"]

_NOTIFICATION: dict[str, Any] = {"channel": "a", "payload": "1", "created_at": SEED_NOW}


def notification(id: int, **given: Any) -> Notification:
    """A notification on a that was told just now, but for what is given."""
    return Notification(id=id, **(_NOTIFICATION | given))


SEEDS: dict[str, World] = {
    "told": world(notification(1), last_notification=1),
    "told_on_two": world(notification(1), notification(2, channel="b"), last_notification=2),
    "told_and_pruned": world(notification(3), Channel("a", 2), last_notification=3),
    "told_and_all_pruned": world(Channel("a", 1), Channel("b", 2), last_notification=2),
    "told_back_in_time": world(
        notification(1), notification(2, created_at=SEED_NOW - 1), Channel("a", 3), last_notification=3
    ),
    "told_what_nobody_reads": world(
        notification(1, payload=NOT_JSON), notification(2, payload=UNREADABLE), last_notification=2
    ),
}
