"""Notifications: told on a channel, heard there, and forgotten. What a listener lost is kept by a trigger (NTF-4)."""

from __future__ import annotations

from collections.abc import Iterator

from anser.core.rows import notification_of
from anser.core.tx import Tx
from anser.ops import NotificationLast, NotificationPrune, NotificationRead, Notify, encode
from anser.types import Heard

__all__ = ["notification_last", "notification_prune", "notification_read", "notify"]


def notify(tx: Tx, op: Notify) -> int:
    """NTF-1."""
    return tx.insert("notify", channel=op.channel, payload=encode(op.payload), now=tx.now)


def notification_read(tx: Tx, op: NotificationRead) -> Heard:
    """NTF-2, NTF-4."""
    rows = tx.run("notification_read", channel=op.channel, after_id=op.after_id, limit=op.limit)
    lost = tx.run("notification_lost", channel=op.channel, after_id=op.after_id)
    return Heard(tuple(map(notification_of, rows)), lost[0][0] if lost else None)


def notification_last(tx: Tx, op: NotificationLast) -> int:
    """NTF-5."""
    ((id,),) = tx.run("notification_last", channel=op.channel)
    return int(id)


def notification_prune(tx: Tx, op: NotificationPrune) -> int:
    """Channel by channel, so that none is walked farther than there is to forget (NTF-8)."""
    left = op.limit
    for channel in [op.channel] if op.channel is not None else _channels(tx):
        if left:
            left -= _prune(tx, op, channel, left)
    return op.limit - left


def _channels(tx: Tx) -> Iterator[str]:
    """By name, each found by one seek behind the one before."""
    ((channel,),) = tx.run("notification_first_channel")
    while channel is not None:
        yield channel
        ((channel,),) = tx.run("notification_next_channel", channel=channel)


def _prune(tx: Tx, op: NotificationPrune, channel: str, limit: int) -> int:
    """NTF-6, NTF-7. The rank is taken before what is old is gone: either of the two is enough."""
    beyond = [] if op.keep is None else tx.run("notification_beyond", channel=channel, keep=op.keep)
    count = 0
    if op.older_than_s is not None:
        before = tx.now - op.older_than_s
        count = len(tx.run("notification_prune_old", channel=channel, before=before, limit=limit))
    for (id,) in beyond:
        count += len(tx.run("notification_prune_beyond", channel=channel, through_id=id, limit=limit - count))
    return count


VERBS = (notify, notification_read, notification_last, notification_prune)
