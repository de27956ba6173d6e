"""Streams: what honker has of them is as it is to be, but for what nobody can read."""

from __future__ import annotations

import random
from collections.abc import Iterator

from anser.ops import Op, StreamGetOffset, StreamPublish, StreamReadSince, StreamSaveOffset
from anser_models import World
from tests.conformance_honker.worlds.base import Family


def loose_operations() -> Iterator[Op]:
    yield StreamPublish(topic="a", payload={"n": "é"}, key="k")
    yield from (StreamReadSince(topic="a", offset=offset, limit=limit) for offset in (0, 1) for limit in (1, 100))
    yield from (StreamSaveOffset(topic="a", consumer="w1", offset=offset) for offset in (0, 1, 2))
    yield StreamGetOffset(topic="a", consumer="w1")


def drawn(draw: random.Random, world: World, now: int) -> list[Op]:  # honker's streams have no time
    topic, consumer = draw.choice("ab"), draw.choice(("w1", "w2"))
    offset = draw.randint(0, world.last_offset + 1)
    return [
        StreamPublish(topic=topic, payload=draw.randint(0, 9), key=draw.choice((None, "k"))),
        StreamReadSince(topic=topic, offset=offset, limit=draw.randint(1, 5)),
        StreamSaveOffset(topic=topic, consumer=consumer, offset=offset),
        StreamGetOffset(topic=topic, consumer=consumer),
    ]


def deadlines(world: World) -> Iterator[int]:  # nothing in honker's streams ends
    return iter(())


FAMILY = Family(
    showings={},
    loose_operations=loose_operations,
    drawn=drawn,
    deadlines=deadlines,
    seen=frozenset(
        {
            "stream_publish.appended",
            "stream_read_since.entries",
            "stream_read_since.nothing",
            "stream_save_offset.saved",
            "stream_save_offset.behind",
            "stream_get_offset.saved",
            "stream_get_offset.nothing",
        }
    ),
)
