"""Streams: two topics, consumers who save where they are, and two workers of a group who lapse and come too late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from anser.types import INTEGER_MAX, KEY_MAX_BYTES, LEASE_MAX_S, STREAM_CLAIM_MAX, Held, StreamPage
from anser_spec.machine.base import Family, Machine, rule_of
from anser_spec.machine.values import LEASES, LIMITS, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.streams import CROWDS, SEEDS

__all__ = ["FAMILY", "Streams"]

NAME = "streams"
KEYS = (None, "", "k", "\u00e9" * (KEY_MAX_BYTES // 2))
AGES = (None, 0, 1, 60)
KEPT = (0, 1, 0, 2, None, INTEGER_MAX)

INVALID: tuple[Op, ...] = (
    StreamPublish(topic="", payload=1),
    StreamPublish(topic="a", payload=1, key="x" * (KEY_MAX_BYTES + 1)),
    StreamPublish(topic="a", payload={1, 2}),
    StreamReadSince(topic="a", offset=-1),
    StreamReadSince(topic="a", limit=0),
    StreamSaveOffset(topic="a", consumer="", offset=1),
    StreamSaveOffset(topic="a", consumer="w1", offset=-1),
    StreamGetOffset(topic="a", consumer="w\n"),
    StreamLag(topic="a"),
    StreamLag(topic="a", consumer="w1", group="g"),
    StreamForget(topic="a", group=""),
    StreamTrim(topic="a"),
    StreamTrim(topic="a", keep=-1),
    StreamTrim(topic="a", older_than_s=-1),
    StreamTrim(keep=1, older_than_s=1),
    StreamTrim(),
    StreamClaim(topic="a", group="g", worker="w1", n=STREAM_CLAIM_MAX + 1, lease_s=1),
    StreamClaim(topic="a", group="g", worker="w1", n=1, lease_s=LEASE_MAX_S + 1),
    StreamAck(topic="a", group="g", worker="w1", held=(Held(0, 1),)),
    StreamAck(topic="a", group="g", worker="w1", held=(Held(1, 1), Held(1, 0))),
)


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """An entry that a claim once answered, whatever became of it."""

    topic: str
    group: str
    worker: str
    held: Held


class Streams(Machine):
    """Entries are published, seen, shared by the workers of a group, and trimmed."""

    def __init__(self) -> None:
        super().__init__()
        self.known_entries: list[KnownEntry] = []

    def begun(self, first: int) -> None:
        super().begun(first)
        self.known_entries.clear()

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (held.expires_at for held in self.world.stream_pending.values())

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def stream(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them: each rule more makes the others rarer."""
        if kind % 6 < 1:
            self.stream_publish(which, how)
        elif kind % 6 < 2:
            self.stream_claim(which, how)
        elif kind % 6 < 3:
            self.stream_share(which, how, kind // 6)
        elif kind % 6 < 4:
            self.stream_ack(which, kind // 6, how)
        elif kind % 6 < 5:
            self.stream_consume(which, how)
        else:
            self.stream_trim(which, how)

    def topic(self, which: int) -> str:
        """Mostly one, so that much comes together there."""
        return one_of(("a", "a", "a", *QUEUES), which)

    def stream_publish(self, which: int, how: int) -> None:
        for _ in range(1 + how % 3):
            self.do(StreamPublish(topic=self.topic(which), payload=how, key=one_of(KEYS, how)))

    def stream_claim(self, which: int, how: int) -> None:
        """Now and then at the edge of a lease of the group."""
        topic, group, worker = self.topic(which), one_of(("g", "g", "h"), how), one_of(WORKERS[:2], how // 3)
        ends = [held.expires_at for held in self.world.stream_pending.values()]
        if ends and how % 4 == 0:
            self.go_to(one_of(ends, which) + one_of((0, 1, 1), how // 4))
        op = StreamClaim(
            topic=topic, group=group, worker=worker, n=one_of((1, 2, 1_000), how // 6), lease_s=one_of(LEASES, how // 2)
        )
        claimed = self.do(op)
        for one in claimed if isinstance(claimed, tuple) else ():
            self.known_entries.append(KnownEntry(topic, group, worker, Held(one.entry.offset, one.fence)))

    def stream_ack(self, which: int, wrong: int, late: int) -> None:
        """A word about an entry that was given lately; sometimes with one thing wrong, or at the edge of its end."""
        there = [
            KnownEntry(held.topic, held.group, held.worker, Held(held.offset, held.fence))
            for held in self.world.stream_pending.values()
        ]
        known = one_of(there or self.known_entries[-4:] or [KnownEntry("a", "g", "w1", Held(1, 1))], which)
        held = self.world.stream_pending.get((known.topic, known.group, known.held.id))
        if held is not None and late % 4 == 0:
            self.go_to(held.expires_at + one_of((0, 0, 1), late // 4))
        wrongs: tuple[dict[str, Any], ...] = (
            *({} for _ in range(5)),
            {"held": (Held(known.held.id, known.held.fence + 1),)},
            {"held": (known.held, known.held)},
            {"worker": one_of(WORKERS, which)},
            {"group": "h"},
            {"held": (*(one.held for one in self.known_entries[-3:]), known.held)},
        )
        named = {"topic": known.topic, "group": known.group, "worker": known.worker, "held": (known.held,)}
        self.do(StreamAck(**named | one_of(wrongs, wrong)))

    def stream_share(self, which: int, how: int, late: int) -> None:
        """A worker is given something new; a second or two later another may be given it; the first acks it."""
        topic = self.topic(which)
        self.do(StreamPublish(topic=topic, payload=how))
        first = self.do(StreamClaim(topic=topic, group="g", worker="w1", n=1 + how % 3, lease_s=1))
        self.go_to(self.now + late % 3)
        self.do(StreamClaim(topic=topic, group="g", worker="w2", n=1 + how % 2, lease_s=one_of(LEASES, how)))
        self.do(StreamLag(topic=topic, group="g"))
        held = tuple(Held(one.entry.offset, one.fence) for one in first) if isinstance(first, tuple) else ()
        self.do(StreamAck(topic=topic, group="g", worker="w1", held=held))

    def stream_consume(self, which: int, how: int) -> None:
        """A consumer reads on, saves where it is then, or an offset beside it, and now and then is forgotten."""
        topic, consumer = self.topic(which), one_of(WORKERS[:2], how)
        offset = self.do(StreamGetOffset(topic=topic, consumer=consumer)) or 0
        page = self.do(StreamReadSince(topic=topic, offset=offset, limit=one_of(LIMITS, how)))
        entries = page.entries if isinstance(page, StreamPage) else ()
        seen = one_of([entry.offset for entry in entries] or [self.world.last_offset], which)
        for beside in (one_of((0, 1), how // 2), one_of((0, -1, 1), how // 4)):
            self.do(StreamSaveOffset(topic=topic, consumer=consumer, offset=max(seen + beside, 0)))
        self.do(StreamLag(topic=topic, consumer=consumer))
        if how % 3 == 0:
            self.do(StreamForget(topic=topic, consumer=one_of(WORKERS[:3], how // 3)))

    def stream_trim(self, which: int, how: int) -> None:
        """And a reader who comes late; now and then the group is forgotten with what it has pending."""
        topic, keep, older_than_s = self.topic(which), one_of(KEPT, how), one_of(AGES, how // 5)
        if keep is None and older_than_s is None:
            keep = 1
        limit = one_of(LIMITS, how // 3)
        if how % 2:
            self.do(StreamPublish(topic=topic, payload=how))
        self.do(StreamTrim(topic=topic, keep=keep, older_than_s=older_than_s, limit=limit))
        if how % 4 == 1:
            self.do(StreamTrim(older_than_s=one_of((0, 1), which), limit=limit))
        offset = one_of([0, *self.world.stream, self.world.last_offset], which)
        self.do(StreamReadSince(topic=topic, offset=offset, limit=limit))
        if how % 3 == 0:
            self.do(StreamForget(topic=topic, group=one_of(("g", "g", "h"), how // 4)))


FAMILY = Family(NAME, Streams, INVALID, (*SEEDS.values(), *CROWDS.values()), Streams.stream)
