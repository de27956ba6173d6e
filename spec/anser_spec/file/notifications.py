"""Notifications, what of each channel is gone, and the last id that was given."""

from __future__ import annotations

from anser.types import Channel, Notification
from anser_spec.file.table import Counter, Table

__all__ = ["COUNTERS", "TABLES"]

NOTIFICATIONS = Table(
    name="_honker_notifications",
    part="notifications",
    key=("id",),
    columns=("id", "channel", "payload", "created_at"),
    raw=("payload",),
    value=Notification,
)
CHANNELS = Table(
    name="_anser_channels",
    part="channels",
    key=("channel",),
    columns=("channel", "pruned_id"),
    moved_by="notifications",
    value=Channel,
)
LAST_NOTIFICATION = Counter(
    part="last_notification",
    table="_honker_notifications",
    read="select coalesce(max(seq), 0) from sqlite_sequence where name = '_honker_notifications'",
    write=(
        "delete from sqlite_sequence where name = '_honker_notifications'",
        "insert into sqlite_sequence (name, seq) values ('_honker_notifications', :number)",
    ),
    moved_by="notifications",
)

TABLES = (NOTIFICATIONS, CHANNELS)
COUNTERS = (LAST_NOTIFICATION,)
