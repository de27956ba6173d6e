"""Streams that were read, trimmed and shared; and how an entry is made, and one that a worker was given."""

from __future__ import annotations

from typing import Any

from anser.types import StreamConsumer, StreamEntry, StreamGroup, StreamPending, StreamTrimmed
from anser_models import World
from anser_spec.seeds.base import BLOB, NOT_JSON, SEED_NOW, UNREADABLE, world

__all__ = ["CROWDS", "SEEDS", "entry", "given", "streamed"]

CROWD = 40

_ENTRY: dict[str, Any] = {"key": None, "payload": "1", "created_at": SEED_NOW}
_GIVEN: dict[str, Any] = {
    "topic": "a",
    "group": "g",
    "worker": "w1",
    "fence": 1,
    "expires_at": SEED_NOW,
    "deliveries": 1,
}


def entry(offset: int, topic: str = "a", **given: Any) -> StreamEntry:
    """An entry that was published just now, but for what is given."""
    return StreamEntry(offset, topic, **(_ENTRY | given))


def given(offset: int, **given: Any) -> StreamPending:
    """An entry of topic a that w1 of group g was given, to the end of this second, but for what is given."""
    return StreamPending(offset=offset, **(_GIVEN | given))


def streamed(*rows: Any, **fields: Any) -> World:
    """The world of those entries, consumers, groups and so on; the last offset is that of the last entry."""
    kinds: dict[type, list[Any]] = {}
    for row in rows:
        kinds.setdefault(type(row), []).append(row)
    pending = kinds.get(StreamPending, [])
    parts: dict[str, Any] = {
        "stream_consumers": {(row.topic, row.consumer): row for row in kinds.get(StreamConsumer, [])},
        "stream_groups": {(row.topic, row.group): row for row in kinds.get(StreamGroup, [])},
        "stream_pending": {(row.topic, row.group, row.offset): row for row in pending},
        "last_offset": max((row.offset for row in kinds.get(StreamEntry, [])), default=0),
        "last_fence": max((row.fence for row in pending), default=0),
    }
    keyed = [row for row in rows if isinstance(row, (StreamEntry, StreamTrimmed))]
    return world(*keyed, **(parts | fields))


SEEDS: dict[str, World] = {
    "one_entry": streamed(entry(1)),
    "two_topics": streamed(entry(1, key="k"), entry(2, "b", created_at=SEED_NOW - 1)),
    "read_and_trimmed": streamed(entry(2), StreamConsumer("a", "w1", 1), StreamTrimmed("a", 1)),
    "trimmed_in_the_middle": streamed(entry(1), entry(3), StreamTrimmed("a", 2)),
    "last_entries_trimmed": streamed(entry(1), StreamTrimmed("a", 4), last_offset=4),
    "seen_ahead": streamed(entry(1), StreamConsumer("a", "w2", 2)),
    "group_of_two": streamed(
        entry(1),
        entry(2),
        StreamGroup("a", "g", 2),
        given(1, expires_at=SEED_NOW - 1),
        given(2, worker="w2", fence=2),
    ),
    "two_lapsed_entries": streamed(
        entry(1),
        entry(2),
        StreamGroup("a", "g", 2),
        given(1, expires_at=SEED_NOW - 1),
        given(2, fence=2, expires_at=SEED_NOW - 2),
    ),
    "given_and_gone": streamed(
        StreamGroup("a", "g", 1), given(1, expires_at=SEED_NOW - 1), StreamTrimmed("a", 1), last_offset=1
    ),
    "unreadable_entry": streamed(entry(1, payload=UNREADABLE), entry(2)),
    "blob_entry": streamed(entry(1, payload=BLOB)),
    "entry_of_no_json": streamed(entry(1, payload=NOT_JSON)),
}

CROWDS: dict[str, World] = {
    "many_entries": streamed(
        *(entry(offset, created_at=SEED_NOW - offset % 3) for offset in range(1, CROWD + 1)),
        StreamGroup("a", "g", CROWD // 2),
        *(given(offset, fence=offset, expires_at=SEED_NOW - offset % 4) for offset in range(1, CROWD // 2, 2)),
    ),
}
