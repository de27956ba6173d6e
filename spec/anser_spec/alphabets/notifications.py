"""Notifications are told, heard after each id that there is, and forgotten by rank and by age."""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import NotificationLast, NotificationPrune, NotificationRead, Notify, Op
from anser_models import World
from anser_spec.alphabets.base import NAMES, Alphabet, Scope

__all__ = ["ALPHABET"]


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    gone = {channel.pruned_id for channel in world.channels.values()}
    ids = sorted({0, *world.notifications, *gone, *(id - 1 for id in gone)})
    for channel in NAMES:
        yield Notify(channel=channel, payload=1)
        yield NotificationLast(channel=channel)
        for after_id in ids:
            yield NotificationRead(channel=channel, after_id=after_id)
        yield NotificationRead(channel=channel, after_id=0, limit=1)
    for keep, older_than_s in ((0, None), (1, None), (None, 0), (None, 1), (1, 1)):
        yield NotificationPrune(keep=keep, older_than_s=older_than_s)
        yield NotificationPrune(keep=keep, older_than_s=older_than_s, limit=1)
        yield NotificationPrune(channel="b", keep=keep, older_than_s=older_than_s)


def fits(world: World, size: int) -> bool:
    """What is gone is not counted, but where nothing of the family is tried it would only double the worlds."""
    return len(world.notifications) <= size and (size > 0 or not world.channels)


def instants(world: World) -> Iterator[int]:
    return (told.created_at for told in world.notifications.values())


def orders(world: World) -> Iterator[tuple[int, ...]]:
    if len(world.notifications) > 1:
        told = world.notifications
        ranks = sorted(told)
        yield tuple(ranks.index(id) for id in sorted(told, key=lambda id: (told[id].created_at, id)))


ALPHABET = Alphabet(
    kind="notifications",
    operations=operations,
    fits=fits,
    instants=instants,
    orders=orders,
    scopes=(Scope(notifications=2),),
)
