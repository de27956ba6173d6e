"""Notifications: what only honker meets of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from anser.ops import NotificationPrune, Notify, Op
from anser_models import Quirk, World
from anser_spec.seeds import notification, world
from tests.conformance_honker.worlds.base import NOW, Family, Showing

SHOWINGS: dict[Quirk, Showing] = {
    Quirk.E31_PRUNES_TOO_MUCH: Showing(
        world(notification(1), notification(2, channel="b"), last_notification=2), NotificationPrune(keep=1), "NTF-6"
    ),
}


def loose_operations() -> Iterator[Op]:
    yield Notify(channel="a", payload={"\u00e9": [1, None, "\u0000"]})
    yield from (NotificationPrune(older_than_s=older_than_s) for older_than_s in (None, 0, 1, -1, -(2**62), 2**62))
    yield from (NotificationPrune(keep=keep, older_than_s=older) for keep in (0, 1, 9) for older in (None, 0, -5))


def odd_worlds() -> Iterator[World]:
    yield world(notification(1, created_at=NOW + 9), notification(4, channel="b"), last_notification=9)
    yield world(notification(2, payload=b"\xff"), notification(3, channel=""), last_notification=3)


def drawn(draw: random.Random, world: World, now: int) -> list[Op]:
    return [
        Notify(channel=draw.choice("ab"), payload=1),
        NotificationPrune(keep=draw.choice((None, 0, 1, 2, 3)), older_than_s=draw.randint(-1, 9)),
    ]


def deadlines(world: World) -> Iterator[int]:
    return (told.created_at for told in world.notifications.values())


FAMILY = Family(
    showings=SHOWINGS,
    loose_operations=loose_operations,
    odd_worlds=odd_worlds,
    drawn=drawn,
    deadlines=deadlines,
    seen=frozenset({"notify.told"}),
)
