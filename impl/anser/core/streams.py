"""Streams: entries in one order for all, a place for each consumer, and leases of entries for workers of a group."""

from __future__ import annotations

import json
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from anser.core.tx import Row, Tx
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
from anser.types import StreamClaimed, StreamEntry, StreamPage

__all__ = [
    "stream_ack",
    "stream_claim",
    "stream_forget",
    "stream_get_offset",
    "stream_lag",
    "stream_publish",
    "stream_read_since",
    "stream_save_offset",
    "stream_trim",
]


def stream_publish(tx: Tx, op: StreamPublish) -> int:
    """STR-1."""
    return tx.insert("stream_publish", topic=op.topic, key=op.key, payload=encode(op.payload), now=tx.now)


def stream_read_since(tx: Tx, op: StreamReadSince) -> StreamPage:
    """STR-2, STR-3."""
    rows = tx.run("stream_read_since", topic=op.topic, offset=op.offset, limit=op.limit)
    lost = tx.run("stream_lost", topic=op.topic, offset=op.offset)
    return StreamPage(tuple(StreamEntry(*row) for row in rows), lost[0][0] if lost else None)


def stream_save_offset(tx: Tx, op: StreamSaveOffset) -> bool:
    """STR-4."""
    return bool(tx.run("stream_save_offset", topic=op.topic, consumer=op.consumer, offset=op.offset))


def stream_get_offset(tx: Tx, op: StreamGetOffset) -> int:
    """STR-4."""
    return _place(tx.run("stream_get_offset", topic=op.topic, consumer=op.consumer))


def stream_lag(tx: Tx, op: StreamLag) -> int:
    """STR-5."""
    if op.group is None:
        offset, unacked = _place(tx.run("stream_get_offset", topic=op.topic, consumer=op.consumer)), 0
    else:
        offset = _group_place(tx, op.topic, op.group)
        ((unacked,),) = tx.run("stream_unacked", topic=op.topic, group_name=op.group)
    ((behind,),) = tx.run("stream_behind", topic=op.topic, offset=offset)
    return int(behind + unacked)


def stream_forget(tx: Tx, op: StreamForget) -> bool:
    """STR-11."""
    if op.group is None:
        return bool(tx.run("stream_forget_consumer", topic=op.topic, consumer=op.consumer))
    tx.run("stream_forget_pending", topic=op.topic, group_name=op.group)
    return bool(tx.run("stream_forget_group", topic=op.topic, group_name=op.group))


def stream_trim(tx: Tx, op: StreamTrim) -> int:
    """STR-9, STR-10, STR-13."""
    before = None if op.older_than_s is None else tx.now - op.older_than_s
    if op.topic is None:
        gone = tx.run("stream_trim_each", before=before, limit=op.limit)
    else:
        beyond = [] if op.keep is None else tx.run("stream_beyond", topic=op.topic, keep=op.keep)
        first = beyond[0][0] if beyond else None
        gone = tx.run("stream_trim", topic=op.topic, beyond=first, before=before, limit=op.limit)
    last: dict[str, int] = dict(sorted(gone, key=itemgetter(1)))  # of each topic the greatest, which comes last
    for topic, offset in last.items():
        tx.run("stream_trim_told", topic=topic, offset=offset)
    return len(gone)


def stream_claim(tx: Tx, op: StreamClaim) -> tuple[StreamClaimed, ...]:
    """STR-6, STR-7."""
    named: dict[str, Any] = {"topic": op.topic, "group_name": op.group}
    lapsed = [offset for (offset,) in tx.run("stream_claim_lapsed", **named, now=tx.now, limit=op.n)]
    fresh: list[Row] = []
    if len(lapsed) < op.n:
        place = _group_place(tx, op.topic, op.group)
        fresh = tx.run("stream_read_since", topic=op.topic, offset=place, limit=op.n - len(lapsed))
    if not lapsed and not fresh:
        return ()
    ((fence,),) = tx.run("claim_fence")
    expires_at = tx.now + op.lease_s
    lease: dict[str, Any] = {**named, "worker": op.worker, "fence": fence, "expires_at": expires_at}
    given: list[tuple[Row, int]] = []
    for offset in lapsed:
        ((deliveries,),) = tx.run("stream_claim_again", **lease, offset=offset)
        given.append((*tx.run("stream_entry", offset=offset), deliveries))
    if fresh:
        tx.run("stream_claim_first", **lease, offsets=json.dumps([row[0] for row in fresh]))
        tx.run("stream_claim_advance", **named, offset=fresh[-1][0])
    given += [(row, 1) for row in fresh]
    return tuple(StreamClaimed(StreamEntry(*row), fence, expires_at, deliveries) for row, deliveries in given)


def stream_ack(tx: Tx, op: StreamAck) -> tuple[int, ...]:
    """STR-8."""
    done: list[int] = []
    for fence, piece in groupby(op.held, key=attrgetter("fence")):
        offsets = list(dict.fromkeys(held.id for held in piece))
        rows = tx.run(
            "stream_ack",
            topic=op.topic,
            group_name=op.group,
            offsets=json.dumps(offsets),
            worker=op.worker,
            fence=fence,
            now=tx.now,
        )
        gone = {offset for (offset,) in rows}
        done += [offset for offset in offsets if offset in gone]
    return tuple(done)


def _group_place(tx: Tx, topic: str, group: str) -> int:
    return _place(tx.run("stream_group_offset", topic=topic, group_name=group))


def _place(rows: list[Row]) -> int:
    """The offset that was found, or the one before the first that there can be; a foreign hand's odd word is none."""
    place = rows[0][0] if rows else 0
    return place if isinstance(place, int) and place > 0 else 0


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
