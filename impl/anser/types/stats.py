"""What a file holds, table by table."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TableStats"]


@dataclass(frozen=True, slots=True)
class TableStats:
    """How many rows a table has, and the oldest instant that one of them bears, or None where none bears one."""

    table: str
    rows: int
    oldest_at: int | None
