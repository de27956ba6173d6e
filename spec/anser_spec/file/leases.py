"""The last fence that was given; a lease itself stands in the row of its job."""

from __future__ import annotations

from anser_spec.file.table import Counter

__all__ = ["COUNTERS"]

LAST_FENCE = Counter(
    part="last_fence",
    table="_anser_fence",
    read="select coalesce(max(fence), 0) from _anser_fence",
    write=("insert or replace into _anser_fence (one, fence) values (1, :number)",),
    moved_by="jobs",
)

COUNTERS = (LAST_FENCE,)
