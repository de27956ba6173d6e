"""Windows, which honker has too, buckets and slots."""

from __future__ import annotations

from anser.types import Bucket, Slot, Window
from anser_spec.file.table import Row, Table

__all__ = ["TABLES"]


def _window(*, name: str, window_start: int, count: int) -> Window:
    return Window(name, window_start, count)


def _window_row(window: Window) -> Row:
    return {"name": window.key, "window_start": window.start, "count": window.count}


WINDOWS = Table(
    name="_honker_rate_limits",
    part="windows",
    key=("name", "window_start"),
    columns=("name", "window_start", "count"),
    value=_window,
    row=_window_row,
)
BUCKETS = Table(
    name="_anser_buckets",
    part="buckets",
    key=("key",),
    columns=("key", "capacity", "per_s", "level", "at"),
    value=Bucket,
)
SLOTS = Table(
    name="_anser_slots",
    part="slots",
    key=("key", "job_id"),
    columns=("key", "job_id", "fence"),
    value=Slot,
)

TABLES = (WINDOWS, BUCKETS, SLOTS)
