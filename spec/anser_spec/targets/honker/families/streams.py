"""Streams. honker has entries and the places of consumers; it has no groups, and does not tell what was trimmed."""

from __future__ import annotations

import json
from dataclasses import replace
from operator import attrgetter
from typing import Any

from anser.ops import StreamPublish, StreamReadSince, to_json
from anser.types import StreamConsumer, StreamEntry, StreamPage
from anser_models import World
from anser_spec.targets.honker.families.base import Asking, Constant, Counter, Family, Row, Said, Table
from anser_spec.targets.honker.families.jobs import payload_of

__all__ = ["FAMILY"]


def _row(entry: StreamEntry) -> Row:
    columns: Row = to_json(entry)
    return columns


def _entry(row: Row, before: World) -> StreamEntry:  # noqa: ARG001  # nothing of it is told but by the row
    return StreamEntry(row["offset"], row["topic"], row["key"], payload_of(row), row["created_at"])


def _consumer_row(consumer: StreamConsumer) -> Row:
    return {"name": consumer.consumer, "topic": consumer.topic, "offset": consumer.offset}


def _consumer(row: Row, before: World) -> StreamConsumer:  # noqa: ARG001  # as above
    return StreamConsumer(row["topic"], row["name"], row["offset"])


def _publish_arguments(op: StreamPublish) -> dict[str, Any]:
    text = json.dumps(op.payload, ensure_ascii=False, separators=(",", ":"))
    return {"payload": text.encode("utf-8", "backslashreplace").decode("utf-8")}


def _as_it_is(value: Any) -> Any:
    return value


def _page(said: Said) -> StreamPage:
    return StreamPage(tuple(_entry(row, said.after) for row in said.answer), None)


FAMILY = Family(
    parts=(
        Table(
            field="stream",
            name="stream",
            key=attrgetter("offset"),
            held_value=_as_it_is,
            row=_row,
            from_row=_entry,
        ),
        Table(
            field="stream_consumers",
            name="stream_consumers",
            key=attrgetter("topic", "consumer"),
            held_value=_as_it_is,
            row=_consumer_row,
            from_row=_consumer,
        ),
        Counter("last_offset"),
        Constant("stream_groups", {}),
        Constant("stream_pending", {}),
        Constant("stream_trimmed", {}),
    ),
    asking={
        StreamPublish: Asking(arguments=_publish_arguments),
        StreamReadSince: Asking(told=_page),
    },
    answers={StreamPage: lambda page: replace(page, lost_through_offset=None)},
)
