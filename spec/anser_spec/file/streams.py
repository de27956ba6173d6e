"""Streams: entries, who has seen them up to where, what groups have pending, what was trimmed, and the last offset."""

from __future__ import annotations

from anser.types import StreamConsumer, StreamEntry, StreamGroup, StreamPending, StreamTrimmed
from anser_spec.file.table import Counter, Row, Table, fields_of

__all__ = ["COUNTERS", "TABLES"]


def _consumer(*, name: str, topic: str, offset: int) -> StreamConsumer:
    return StreamConsumer(topic, name, offset)


def _consumer_row(consumer: StreamConsumer) -> Row:
    return {"name": consumer.consumer, "topic": consumer.topic, "offset": consumer.offset}


def _group(*, group_name: str, **row: object) -> StreamGroup:
    return StreamGroup(group=group_name, **row)  # type: ignore[arg-type]  # the table says of which types


def _pending(*, group_name: str, **row: object) -> StreamPending:
    return StreamPending(group=group_name, **row)  # type: ignore[arg-type]  # as above


def _with_group_name(value: StreamGroup | StreamPending) -> Row:
    row = fields_of(value)
    row["group_name"] = row.pop("group")
    return row


ENTRIES = Table(
    name="_honker_stream",
    part="stream",
    key=("offset",),
    columns=("offset", "topic", "key", "payload", "created_at"),
    raw=("payload",),
    value=StreamEntry,
)
CONSUMERS = Table(
    name="_honker_stream_consumers",
    part="stream_consumers",
    key=("topic", "name"),
    columns=("name", "topic", "offset"),
    value=_consumer,
    row=_consumer_row,
)
GROUPS = Table(
    name="_anser_stream_groups",
    part="stream_groups",
    key=("topic", "group_name"),
    columns=("topic", "group_name", "offset"),
    value=_group,
    row=_with_group_name,
)
PENDING = Table(
    name="_anser_stream_pending",
    part="stream_pending",
    key=("topic", "group_name", "offset"),
    columns=("topic", "group_name", "offset", "worker", "fence", "expires_at", "deliveries"),
    value=_pending,
    row=_with_group_name,
)
TRIMMED = Table(
    name="_anser_stream_trimmed",
    part="stream_trimmed",
    key=("topic",),
    columns=("topic", "offset"),
    value=StreamTrimmed,
)
LAST_OFFSET = Counter(
    part="last_offset",
    table="_honker_stream",
    read="select coalesce(max(seq), 0) from sqlite_sequence where name = '_honker_stream'",
    write=(
        "delete from sqlite_sequence where name = '_honker_stream'",
        "insert into sqlite_sequence (name, seq) values ('_honker_stream', :number)",
    ),
    moved_by="stream",
)

TABLES = (ENTRIES, CONSUMERS, GROUPS, PENDING, TRIMMED)
COUNTERS = (LAST_OFFSET,)
