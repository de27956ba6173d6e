"""When honker's schedules fire, and what it cannot read of one: what the quirks change of `schedules`."""

from __future__ import annotations

from functools import lru_cache

from anser.errors import Invalid
from anser.types import Schedule
from anser_models import calendar, calendar_honker
from anser_models.quirks import PROCESS_TZ, Quirk

__all__ = ["next_after", "trouble"]

_right = lru_cache(maxsize=10_000)(calendar.next_after)  # the plain walks are slow, and searches ask again and again
_by_quirks = lru_cache(maxsize=10_000)(calendar_honker.next_after)


def next_after(quirks: frozenset[Quirk], row: Schedule, at: int) -> int | None:
    """The first boundary of the row's timetable later than `at`.

    honker's calendar goes on where that of this language ends, after the year 9999: then nothing is said of it.
    """
    if not quirks:
        return _right(row.cron, row.tz, at, anchor_at=row.anchor_at)
    tz = PROCESS_TZ if Quirk.D04_ZONE_OF_PROCESS in quirks else row.tz
    try:
        return _by_quirks(row.cron, tz, at, anchor_at=row.anchor_at, quirks=quirks)
    except (OverflowError, ValueError):
        raise Invalid("now", at, "ask of an instant before the year 10000") from None


def trouble(quirks: frozenset[Quirk], row: Schedule) -> str | None:
    """What honker cannot read of a row; it looks at nothing else. An expression that never fires again is found out by
    asking for its next boundary."""
    if isinstance(row.payload, bytes):
        return "the payload is no text"
    if next_after(quirks, row, row.next_fire_at or 0) is None:
        return "there is no such expression"
    return None
