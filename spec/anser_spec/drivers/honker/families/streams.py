"""Streams and the places of their consumers. honker has no groups, and never trims."""

from __future__ import annotations

import json
from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Call, Family, function, yes_or_no
from anser_spec.drivers.honker.rows import Row, Table, moved

STREAM = Table(
    name="stream",
    columns=("offset", "topic", "key", "payload", "created_at"),
    key=("offset",),
    instants=frozenset({"created_at"}),
    texts=frozenset({"payload"}),
    counter="last_offset",
)
CONSUMERS = Table(name="stream_consumers", columns=("name", "topic", "offset"), key=("topic", "name"))


def _got(db: Any, given: Arguments) -> Any:
    return db.stream(given["topic"]).get_offset(given["consumer"])


def _entries(raw: Any, by_s: int) -> list[Row]:
    return [moved(row, STREAM.instants, by_s) for row in json.loads(raw)]


FAMILY = Family(
    tables=(STREAM, CONSUMERS),
    calls={
        "stream_publish": Call(by_function=function("honker_stream_publish", "topic key payload")),
        "stream_read_since": Call(
            by_function=function("honker_stream_read_since", "topic offset limit"),
            tell=_entries,
        ),
        "stream_save_offset": Call(
            by_function=function("honker_stream_save_offset", "consumer topic offset"),
            tell=yes_or_no,
        ),
        "stream_get_offset": Call(
            by_function=function("honker_stream_get_offset", "consumer topic"),
            by_method=_got,
        ),
    },
)
