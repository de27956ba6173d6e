"""Streams: entries in one order, consumers who each see all, and groups whose workers share them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser.errors import StorageError
from anser.ops import (
    StreamAck,
    StreamClaim,
    StreamForget,
    StreamGetOffset,
    StreamLag,
    StreamPublish,
    StreamReadSince,
    StreamSaveOffset,
    StreamTrim,
    encode,
)
from anser.types import (
    StreamClaimed,
    StreamConsumer,
    StreamEntry,
    StreamGroup,
    StreamPage,
    StreamPending,
    StreamTrimmed,
)
from anser_models.draft import Draft
from anser_models.predicates import kept_by, unacked
from anser_models.quirks import Quirk

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "stream_publish.appended": "STR-1",
    "stream_read_since.entries": "STR-2",
    "stream_read_since.nothing": "STR-2",
    "stream_read_since.lost": "STR-3",
    "stream_save_offset.saved": "STR-4",
    "stream_save_offset.behind": "STR-4",
    "stream_get_offset.saved": "STR-4",
    "stream_get_offset.nothing": "STR-4",
    "stream_lag.consumer": "STR-5",
    "stream_lag.group": "STR-5",
    "stream_claim.new": "STR-6",
    "stream_claim.again": "STR-7",
    "stream_claim.nothing": "STR-6",
    "stream_ack.held": "STR-8",
    "stream_ack.lost": "STR-8",
    "stream_trim.forgot": "STR-9",
    "stream_trim.pending": "STR-10",
    "stream_trim.each_topic": "STR-13",
    "stream_trim.nothing": "STR-9",
    "stream_forget.consumer": "STR-11",
    "stream_forget.group": "STR-11",
    "stream_forget.nothing": "STR-11",
}

LOOSE: dict[Quirk, set[str]] = {}


def stream_publish(draft: Draft, op: StreamPublish) -> int:
    """No other entry of the file ever has the offset, whatever its topic (STR-1)."""
    payload = encode(op.payload)
    draft.took("stream_publish.appended")
    offset = draft.world.last_offset + 1
    draft.world = replace(draft.world, last_offset=offset)
    draft.world.stream[offset] = StreamEntry(offset, op.topic, op.key, payload, draft.now)
    return offset


def stream_read_since(draft: Draft, op: StreamReadSince) -> StreamPage:
    """What is there, and whether something no longer is (STR-2, STR-3)."""
    entries = tuple(_behind(draft, op.topic, op.offset))[: op.limit]
    if draft.has(Quirk.E02_UNREADABLE_BLOCKS) and any(isinstance(entry.payload, bytes) for entry in entries):
        raise StorageError
    draft.took("stream_read_since.entries" if entries else "stream_read_since.nothing")
    trimmed = draft.world.stream_trimmed.get(op.topic)
    if trimmed is None or trimmed.offset <= op.offset:
        return StreamPage(entries, None)
    draft.took("stream_read_since.lost")
    return StreamPage(entries, trimmed.offset)


def stream_save_offset(draft: Draft, op: StreamSaveOffset) -> bool:
    """It only grows; the first one stands (STR-4)."""
    saved = draft.world.stream_consumers.get((op.topic, op.consumer))
    if saved is not None and op.offset <= saved.offset:
        draft.took("stream_save_offset.behind")
        return False
    draft.took("stream_save_offset.saved")
    draft.world.stream_consumers[op.topic, op.consumer] = StreamConsumer(op.topic, op.consumer, op.offset)
    return True


def stream_get_offset(draft: Draft, op: StreamGetOffset) -> int:
    saved = draft.world.stream_consumers.get((op.topic, op.consumer))
    draft.took("stream_get_offset.nothing" if saved is None else "stream_get_offset.saved")
    return 0 if saved is None else saved.offset


def stream_lag(draft: Draft, op: StreamLag) -> int:
    """A group has two kinds of work before it: entries that nobody was given, and those that nobody acked (STR-5)."""
    if op.consumer is not None:
        draft.took("stream_lag.consumer")
        saved = draft.world.stream_consumers.get((op.topic, op.consumer))
        return len(list(_behind(draft, op.topic, 0 if saved is None else saved.offset)))
    assert op.group is not None, "it is one of them"
    draft.took("stream_lag.group")
    pending = list(_pending(draft, op.topic, op.group))
    return len(pending) + len(list(_behind(draft, op.topic, _place(draft, op.topic, op.group))))


def stream_forget(draft: Draft, op: StreamForget) -> bool:
    """A group takes with it what it has pending (STR-11)."""
    if op.consumer is not None:
        known = draft.world.stream_consumers.pop((op.topic, op.consumer), None) is not None
        draft.took("stream_forget.consumer" if known else "stream_forget.nothing")
        return known
    assert op.group is not None, "it is one of them"
    for key in [key for key in draft.world.stream_pending if key[:2] == (op.topic, op.group)]:
        del draft.world.stream_pending[key]
    known = draft.world.stream_groups.pop((op.topic, op.group), None) is not None
    draft.took("stream_forget.group" if known else "stream_forget.nothing")
    return known


def stream_trim(draft: Draft, op: StreamTrim) -> int:
    """The first entries that no group has pending, as many as it may look at (STR-9, STR-10, STR-13)."""
    entries = [entry for _, entry in sorted(draft.world.stream.items()) if op.topic in (None, entry.topic)]
    pending = {held.offset for held in draft.world.stream_pending.values()}
    if any(entry.offset in pending for entry in entries):
        draft.took("stream_trim.pending")
    beyond = set() if op.keep is None else {entry.offset for entry in entries[: max(len(entries) - op.keep, 0)]}
    looked_at = [entry for entry in entries if entry.offset not in pending][: op.limit]
    gone = [entry.offset for entry in looked_at if entry.offset in beyond or _is_old(draft, entry, op.older_than_s)]
    draft.took("stream_trim.forgot" if gone else "stream_trim.nothing")
    if gone and op.topic is None:
        draft.took("stream_trim.each_topic")
    for offset in gone:
        topic = draft.world.stream.pop(offset).topic
        before = draft.world.stream_trimmed.get(topic)
        draft.world.stream_trimmed[topic] = StreamTrimmed(topic, max(offset, 0 if before is None else before.offset))
    return len(gone)


def _is_old(draft: Draft, entry: StreamEntry, older_than_s: int | None) -> bool:
    return older_than_s is not None and entry.created_at <= draft.now - older_than_s


def stream_claim(draft: Draft, op: StreamClaim) -> tuple[StreamClaimed, ...]:
    """What lapsed is given again, the longest lapsed first; then what nobody in the group was given (STR-6, STR-7)."""
    over = [held for held in _pending(draft, op.topic, op.group) if not unacked(held, draft.now)]
    over.sort(key=lambda held: (held.expires_at, held.offset))
    again = {held.offset: held.deliveries for held in over[: op.n]}
    behind = list(_behind(draft, op.topic, _place(draft, op.topic, op.group)))
    new = [entry.offset for entry in behind[: op.n - len(again)]]
    if not again and not new:
        draft.took("stream_claim.nothing")
        return ()
    fence, expires_at = draft.give_fence(), draft.now + op.lease_s
    if again:
        draft.took("stream_claim.again")
    if new:
        draft.took("stream_claim.new")
        draft.world.stream_groups[op.topic, op.group] = StreamGroup(op.topic, op.group, new[-1])
    claimed = []
    for offset, before in [*again.items(), *((offset, 0) for offset in new)]:
        held = StreamPending(op.topic, op.group, offset, op.worker, fence, expires_at, before + 1)
        draft.world.stream_pending[op.topic, op.group, offset] = held
        claimed.append(StreamClaimed(draft.world.stream[offset], fence, expires_at, held.deliveries))
    return tuple(claimed)


def stream_ack(draft: Draft, op: StreamAck) -> tuple[int, ...]:
    """Each is judged alone: one that is lost keeps none of the others (STR-8)."""
    done = []
    for named in op.held:
        key = (op.topic, op.group, named.id)
        held = draft.world.stream_pending.get(key)
        if held is None or not kept_by(held, op.worker, named.fence, draft.now):
            draft.took("stream_ack.lost")
            continue
        draft.took("stream_ack.held")
        del draft.world.stream_pending[key]
        done.append(named.id)
    return tuple(done)


def _behind(draft: Draft, topic: str, offset: int) -> Iterator[StreamEntry]:
    """The entries of a topic behind an offset, in their order."""
    return (entry for place, entry in sorted(draft.world.stream.items()) if entry.topic == topic and place > offset)


def _pending(draft: Draft, topic: str, group: str) -> Iterator[StreamPending]:
    """What a group has pending; a foreign hand may have taken the entry itself away."""
    return (
        held
        for held in draft.world.stream_pending.values()
        if (held.topic, held.group) == (topic, group) and held.offset in draft.world.stream
    )


def _place(draft: Draft, topic: str, group: str) -> int:
    there = draft.world.stream_groups.get((topic, group))
    return 0 if there is None else there.offset


VERBS = (
    stream_publish,
    stream_read_since,
    stream_save_offset,
    stream_get_offset,
    stream_lag,
    stream_forget,
    stream_trim,
    stream_claim,
    stream_ack,
)
