"""Notifications. honker remembers nothing of those that are gone, and prunes all channels at once, without a limit."""

from __future__ import annotations

import json
from operator import attrgetter
from typing import Any

from anser.ops import NotificationPrune, Notify, to_json
from anser.types import Notification
from anser_models import World
from anser_spec.targets.honker.families.base import Asking, Constant, Counter, Family, Row, Table
from anser_spec.targets.honker.families.jobs import payload_of

__all__ = ["FAMILY"]

PRUNE_LIMIT = NotificationPrune(keep=0).limit


def _row(notification: Notification) -> Row:
    return {
        "id": notification.id,
        "channel": notification.channel,
        "payload": to_json(notification.payload),
        "created_at": notification.created_at,
    }


def _notification(row: Row, before: World) -> Notification:  # noqa: ARG001  # nothing of it is told but by the row
    return Notification(row["id"], row["channel"], payload_of(row), row["created_at"])


def _held(notification: Notification) -> Notification:
    return notification


def _notify_arguments(op: Notify) -> dict[str, Any]:
    text = json.dumps(op.payload, ensure_ascii=False, separators=(",", ":"))
    return {"payload": text.encode("utf-8", "backslashreplace").decode("utf-8")}


def _of_all_without_limit(op: NotificationPrune) -> bool:
    return op.channel is None and op.limit == PRUNE_LIMIT


def _limitless(op: NotificationPrune) -> dict[str, Any]:  # noqa: ARG001  # whatever they were
    return {"channel": None, "limit": PRUNE_LIMIT}


FAMILY = Family(
    parts=(
        Table(
            field="notifications",
            name="notifications",
            key=attrgetter("id"),
            held_value=_held,
            row=_row,
            from_row=_notification,
        ),
        Constant("channels", {}),
        Counter("last_notification"),
    ),
    asking={
        Notify: Asking(arguments=_notify_arguments),
        NotificationPrune: Asking(can=_of_all_without_limit, plain=_limitless),
    },
)
