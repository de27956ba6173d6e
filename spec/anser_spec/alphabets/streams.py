"""Streams are published to, read, shared and trimmed; each word about an entry, right and with one thing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import (
    Op,
    StreamAck,
    StreamClaim,
    StreamForget,
    StreamGetOffset,
    StreamLag,
    StreamPublish,
    StreamReadSince,
    StreamSaveOffset,
    StreamTrim,
)
from anser.types import Held
from anser_models import World
from anser_spec.alphabets.base import WORKERS, Alphabet, Scope

__all__ = ["ALPHABET"]

DELIVERIES_MAX = 2  # a world in which an entry was given to somebody more often than that is not gone on from
GROUP: dict[str, Any] = {"topic": "a", "group": "g"}


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    yield StreamPublish(topic="a", payload=1)
    if size > 1:
        yield StreamPublish(topic="b", payload=2, key="k")
    yield from _reads(world)
    for consumer in WORKERS[:size]:
        for offset in sorted({0, *_offsets(world)}):
            yield StreamSaveOffset(topic="a", consumer=consumer, offset=offset)
        yield StreamGetOffset(topic="a", consumer=consumer)
        yield StreamLag(topic="a", consumer=consumer)
        yield StreamForget(topic="a", consumer=consumer)
    for worker in WORKERS:
        yield from (StreamClaim(**GROUP, worker=worker, n=n, lease_s=1) for n in range(1, size + 1))
    yield StreamClaim(topic="b", group="g", worker="w1", n=1, lease_s=1)
    yield StreamLag(**GROUP)
    yield StreamForget(**GROUP)
    yield from _words(world)
    yield StreamTrim(topic="a", keep=1)
    yield StreamTrim(topic="a", older_than_s=0, limit=1)
    yield StreamTrim(topic="a", keep=0, older_than_s=1)
    yield StreamTrim(topic="a", older_than_s=1)
    yield StreamTrim(older_than_s=0)
    yield StreamTrim(older_than_s=1, limit=1)


def crowd(world: World) -> Iterator[Op]:
    if not world.stream:
        return
    last = max(world.stream)
    yield StreamReadSince(topic="a", offset=2, limit=3)
    yield StreamLag(**GROUP)
    yield StreamLag(topic="a", consumer="w1")
    yield from (StreamClaim(**GROUP, worker="w2", n=n, lease_s=1) for n in (3, last))
    yield from (StreamTrim(topic="a", keep=keep, limit=limit) for keep in (0, 3, last) for limit in (2, 1_000))
    yield from (StreamTrim(topic=topic, older_than_s=1, limit=limit) for topic in ("a", None) for limit in (5, 1_000))
    yield from _words(world)


def fits(world: World, size: int) -> bool:
    few = (
        len(world.stream) <= size
        and max((one.deliveries for one in world.stream_pending.values()), default=0) <= DELIVERIES_MAX
    )
    places = len(world.stream_consumers) + len(world.stream_groups) + len(world.stream_trimmed)
    return few and (size > 0 or places == 0)


def instants(world: World) -> Iterator[int]:
    return (held.expires_at for held in world.stream_pending.values())


def orders(world: World) -> Iterator[tuple[object, ...]]:
    if len(world.stream_pending) > 1:
        held = sorted(world.stream_pending.items(), key=lambda item: (item[1].expires_at, item[0]))
        yield tuple(key for key, _ in held)


def _offsets(world: World) -> set[int]:
    """Those that mean something to topic a."""
    trimmed = (one.offset for one in world.stream_trimmed.values())
    return {*(entry.offset for entry in world.stream.values()), *trimmed}


def _reads(world: World) -> Iterator[Op]:
    for offset in sorted({0, *_offsets(world)}):
        yield StreamReadSince(topic="a", offset=offset)
    yield StreamReadSince(topic="a", limit=1)
    yield StreamReadSince(topic="b")


def _words(world: World) -> Iterator[Op]:
    held = [one for one in world.stream_pending.values() if (one.topic, one.group) == ("a", "g")]
    if not held:
        yield StreamAck(**GROUP, worker="w1", held=(Held(1, 1),))
        return
    named = tuple(Held(one.offset, one.fence) for one in held)
    for worker in WORKERS:
        yield StreamAck(**GROUP, worker=worker, held=named[::-1])
    first = named[0]
    yield StreamAck(**GROUP, worker=held[0].worker, held=(first, first, Held(first.id, first.fence + 1)))
    yield StreamAck(**GROUP, worker=held[0].worker, held=(Held(first.id, first.fence + 1),))
    yield StreamAck(topic="a", group="h", worker=held[0].worker, held=(first,))
    yield StreamAck(topic="b", group="g", worker=held[0].worker, held=(first,))


ALPHABET = Alphabet(
    kind="streams",
    operations=operations,
    crowd=crowd,
    fits=fits,
    instants=instants,
    orders=orders,
    scopes=(Scope(streams=2, depth=3, crowds=True),),
)
