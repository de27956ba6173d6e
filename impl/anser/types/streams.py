"""Streams: entries, readers of two kinds, and what they are given."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "STREAM_CLAIM_MAX",
    "StreamClaimed",
    "StreamConsumer",
    "StreamEntry",
    "StreamGroup",
    "StreamPage",
    "StreamPending",
    "StreamTrimmed",
]

STREAM_CLAIM_MAX = 1_000


@dataclass(frozen=True, slots=True)
class StreamEntry:
    """What was published once to a topic. Offsets are those of the file: they grow over all of its topics."""

    offset: int
    topic: str
    key: str | None
    payload: str | bytes
    created_at: int


@dataclass(frozen=True, slots=True)
class StreamPage:
    """Entries in their order. `lost_through_offset` is the last one that was trimmed behind what was asked for."""

    entries: tuple[StreamEntry, ...]
    lost_through_offset: int | None


@dataclass(frozen=True, slots=True)
class StreamConsumer:
    """A reader for itself: it has seen the topic up to `offset`."""

    topic: str
    consumer: str
    offset: int


@dataclass(frozen=True, slots=True)
class StreamGroup:
    """Workers who share a topic: its entries up to `offset` were given to one of them."""

    topic: str
    group: str
    offset: int


@dataclass(frozen=True, slots=True)
class StreamPending:
    """An entry that a worker of a group was given and has not acked; it holds to the end of the second `expires_at`.

    `deliveries` is how often it was given to somebody.
    """

    topic: str
    group: str
    offset: int
    worker: str
    fence: int
    expires_at: int
    deliveries: int


@dataclass(frozen=True, slots=True)
class StreamClaimed:
    """An entry as a worker of a group is given it. Its word about it names `fence`."""

    entry: StreamEntry
    fence: int
    expires_at: int
    deliveries: int


@dataclass(frozen=True, slots=True)
class StreamTrimmed:
    """The last offset of a topic that was trimmed."""

    topic: str
    offset: int
