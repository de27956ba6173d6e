"""The instant that the worlds are of, and how a world is made of rows."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from anser.types import Dead, Finished, Job
from anser_models import World
from anser_spec.parts import PART_OF, first_field

__all__ = ["BLOB", "NOT_JSON", "SEED_NOW", "UNREADABLE", "world"]

SEED_NOW = 1_000
UNREADABLE = b"\xff"  # laid down as text: no driver can fetch it
BLOB = b"{}"  # a blob, although its bytes would be JSON
NOT_JSON = "{not json"


def world(*rows: Any, **given: Any) -> World:
    """The world of those rows, but for the parts given; the last id and fence are the greatest that occur."""
    parts: dict[str, Any] = defaultdict(dict)
    for row in rows:
        parts[PART_OF[type(row)]][first_field(row)] = row
    parts["last_id"] = max((row.id for row in rows if isinstance(row, (Job, Dead, Finished))), default=0)
    parts["last_fence"] = max((_fence(row) for row in rows), default=0)
    return World(**(parts | given))


def _fence(row: Any) -> int:
    """The fence of a row or of its lease; 0 for one without."""
    fence: int = getattr(getattr(row, "lease", None) or row, "fence", 0)
    return fence
