"""Notifications: told on a channel, heard after an id, forgotten by rank and age."""

from __future__ import annotations

from dataclasses import replace

from anser.ops import NotificationLast, NotificationPrune, NotificationRead, Notify, encode
from anser.types import Channel, Heard, Notification
from anser_models.draft import Draft
from anser_models.predicates import beyond, too_old
from anser_models.quirks import Quirk

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "notify.told": "NTF-1",
    "notification_read.heard": "NTF-2",
    "notification_read.nothing": "NTF-2",
    "notification_read.lost": "NTF-4",
    "notification_last.told": "NTF-5",
    "notification_last.nothing": "NTF-5",
    "notification_prune.beyond": "NTF-6",
    "notification_prune.old": "NTF-7",
    "notification_prune.limited": "NTF-8",
    "notification_prune.nothing": "NTF-6",
}

LOOSE = {Quirk.E31_PRUNES_TOO_MUCH: {"older_than_s"}}


def notify(draft: Draft, op: Notify) -> int:
    payload = encode(op.payload)
    draft.took("notify.told")
    id = draft.world.last_notification + 1
    draft.world = replace(draft.world, last_notification=id)
    draft.world.notifications[id] = Notification(id, op.channel, payload, draft.now)
    return id


def notification_read(draft: Draft, op: NotificationRead) -> Heard:
    """In the order of ids; what is gone is told beside what is still there (NTF-2, NTF-4)."""
    found = [one for one in _told_on(draft, op.channel) if one.id > op.after_id][: op.limit]
    draft.took("notification_read.heard" if found else "notification_read.nothing")
    pruned_id = _pruned_id(draft, op.channel)
    if pruned_id > op.after_id:
        draft.took("notification_read.lost")
        return Heard(tuple(found), pruned_id)
    return Heard(tuple(found), None)


def notification_last(draft: Draft, op: NotificationLast) -> int:
    last = max((_pruned_id(draft, op.channel), *(one.id for one in _told_on(draft, op.channel))))
    draft.took("notification_last.told" if last else "notification_last.nothing")
    return last


def notification_prune(draft: Draft, op: NotificationPrune) -> int:
    """Channel by channel: what is too old, the oldest first, then what is too many, the smallest id first (NTF-8)."""
    if draft.has(Quirk.E31_PRUNES_TOO_MUCH):
        over = _over_of_honker(draft, op)
    else:
        over = [one for channel in _channels(draft, op) for one in _over(draft, op, channel)]
    for one in over[: op.limit]:
        del draft.world.notifications[one.id]
        pruned_id = max(_pruned_id(draft, one.channel), one.id)
        draft.world.channels[one.channel] = Channel(one.channel, pruned_id)
    if len(over) > op.limit:
        draft.took("notification_prune.limited")
    if not over:
        draft.took("notification_prune.nothing")
    return len(over[: op.limit])


def _over(draft: Draft, op: NotificationPrune, channel: str) -> list[Notification]:
    """What of a channel is to be forgotten. The rank is that before anything is gone: either is enough (NTF-7)."""
    told = _told_on(draft, channel)
    old = [one for one in told if too_old(one, op.older_than_s, draft.now)]
    old.sort(key=lambda one: (one.created_at, one.id))
    many = [one for place, one in enumerate(told) if beyond(len(told) - place, op.keep) and one not in old]
    if old:
        draft.took("notification_prune.old")
    if many:
        draft.took("notification_prune.beyond")
    return old + many


def _over_of_honker(draft: Draft, op: NotificationPrune) -> list[Notification]:
    """The rank counts over all channels, any age is taken, and what was told at the edge of it is kept (E31)."""
    told = [one for _, one in sorted(draft.world.notifications.items())]
    older_than_s = None if op.older_than_s is None else op.older_than_s + 1
    return [
        one
        for place, one in enumerate(told)
        if too_old(one, older_than_s, draft.now) or beyond(len(told) - place, op.keep)
    ]


def _channels(draft: Draft, op: NotificationPrune) -> list[str]:
    if op.channel is not None:
        return [op.channel]
    return sorted({one.channel for one in draft.world.notifications.values()})


def _told_on(draft: Draft, channel: str) -> list[Notification]:
    return [one for _, one in sorted(draft.world.notifications.items()) if one.channel == channel]


def _pruned_id(draft: Draft, channel: str) -> int:
    known = draft.world.channels.get(channel)
    return 0 if known is None else known.pruned_id


VERBS = (
    notify,
    notification_read,
    notification_last,
    notification_prune,
)
