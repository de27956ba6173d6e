"""When a schedule fires by the published honker 0.5: its dialect and its walk, as quirks of the model's calendar.

Both day fields must match, a step behind a single number does nothing, names and shorthands are refused (E17). The next
boundary is the next civil time that matches, made an instant: of a time that comes twice the second one, so that the
first pass fires nothing, and is left out by who asks within it (E15); of a time that is skipped the end of the gap,
whatever the fields say about that (E16). An interval counts on from whatever instant is asked for (E32).
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from anser.types import INTEGER_MAX
from anser_models import calendar
from anser_models.calendar import UNIT_S, YEARS_MAX, Fields, accepts, clock, fires
from anser_models.quirks import HONKER_0_5, Quirk

__all__ = ["next_after", "parses"]

EVERY = "@every"
INTERVAL = re.compile(r"([0-9]+)([smhd])")
NUMBER = re.compile(r"\+?[0-9]+")
STEP_MAX = (1 << 32) - 1
BOUNDS = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
DAY = timedelta(days=1)


def parses(expr: str) -> bool:
    """Whether honker takes the expression. One that never fires is found out only by asking for a boundary."""
    return isinstance(expr, str) and (_interval_s(expr) if _is_interval(expr) else _fields(expr)) is not None


def next_after(expr: str, tz: str, at: int, *, anchor_at: int = 0, quirks: frozenset[Quirk] = HONKER_0_5) -> int | None:
    """The first boundary later than `at`; None where there is none, and for what honker does not take."""
    if Quirk.E17_OTHER_DIALECT not in quirks:
        expr = " ".join(expr.lower().split())
    elif not parses(expr):
        return None
    if _is_interval(expr):
        return _interval_after(expr, at, anchor_at, quirks)
    fields = _fields(expr) if Quirk.E17_OTHER_DIALECT in quirks else calendar.fields_of(expr)
    assert fields is not None, "it was parsed before"
    fields = replace(
        fields,
        second_pass=Quirk.E15_FIRST_PASS_SILENT in quirks,
        every_gap=Quirk.E16_GAPS_FIRE in quirks,
    )
    walk = _walk if fields.second_pass else calendar.walk
    return walk(fields, ZoneInfo(tz), at)


# --- the expression


def _is_interval(expr: str) -> bool:
    return expr.strip().startswith(EVERY)


def _interval_s(expr: str) -> int | None:
    """No blank is needed after the word, and none can be within."""
    found = INTERVAL.fullmatch(expr.strip().removeprefix(EVERY).strip())
    interval_s = int(found[1]) * UNIT_S[found[2]] if found else 0
    return interval_s if 0 < interval_s <= INTEGER_MAX else None


def _interval_after(expr: str, at: int, anchor_at: int, quirks: frozenset[Quirk]) -> int | None:
    interval_s = _interval_s(expr)
    assert interval_s is not None, "it was parsed before"
    from_at = at
    if Quirk.E32_INTERVALS_DRIFT not in quirks:
        from_at = anchor_at + max(0, at - anchor_at) // interval_s * interval_s
    return from_at + interval_s if from_at + interval_s <= INTEGER_MAX else None


@lru_cache(maxsize=1_000)
def _fields(expr: str) -> Fields | None:
    texts = expr.split()
    if len(texts) not in (5, 6):
        return None
    texts = texts if len(texts) == 6 else ["0", *texts]
    found = [_numbers(text, low, high) for text, (low, high) in zip(texts, BOUNDS, strict=True)]
    numbers = [field for field in found if field is not None]
    if len(numbers) < len(BOUNDS):
        return None
    seconds, minutes, hours, month_days, months, weekdays = numbers
    return Fields(seconds, minutes, hours, month_days, months, weekdays, False, (), both_days=True)


def _numbers(text: str, low: int, high: int) -> tuple[int, ...] | None:
    """The numbers that a field accepts, or None if one of its items is refused."""
    items = [_item(item, low, high) for item in text.split(",")]
    if None in items:
        return None
    return tuple(sorted({number for item in items if item is not None for number in item}))


def _item(item: str, low: int, high: int) -> range | None:
    span, slash, step = item.partition("/")
    if slash and not (NUMBER.fullmatch(step) and 0 < int(step) <= STEP_MAX):
        return None
    ends = [str(low), str(high)] if span == "*" else span.split("-", 1)
    if not all(NUMBER.fullmatch(end) for end in ends):
        return None
    first, last = int(ends[0]), int(ends[-1])
    return range(first, last + 1, int(step or 1)) if low <= first <= last <= high else None


# --- the walk over civil time


def _walk(fields: Fields, zone: ZoneInfo, at: int) -> int | None:
    """The first fire of the first civil time that has one after what the clock reads."""
    wall: datetime | None = clock(zone, at)
    while wall is not None:
        wall = _match_after(fields, wall)
        if wall is not None and (found := fires(fields, zone, wall)):
            return min(found)
    return None


def _match_after(fields: Fields, wall: datetime) -> datetime | None:
    """The first civil time after `wall` that all fields accept."""
    day, found = wall.date(), None
    if accepts(fields, day):
        found = _time_after(fields, wall.time())
    for _ in range(YEARS_MAX * 366):
        if found is not None:
            return datetime.combine(day, found)
        day += DAY
        if accepts(fields, day):
            found = time(fields.hours[0], fields.minutes[0], fields.seconds[0])
    return None


def _time_after(fields: Fields, earlier: time) -> time | None:
    """The first accepted time of a day that is later."""
    for hour in fields.hours:
        for minute in fields.minutes:
            if (hour, minute) < (earlier.hour, earlier.minute):
                continue
            for second in fields.seconds:
                if time(hour, minute, second) > earlier:
                    return time(hour, minute, second)
    return None
