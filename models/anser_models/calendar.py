"""When a schedule fires, in the plainest way: a second reading of the rules of cron, made to be compared.

It walks days, hours, minutes and seconds, and asks the time-zone data what the instants of a civil time are
(`datetime.timestamp`, with its `fold`), where the implementation asks what the clock reads at an instant. It assumes an
expression and a zone that were accepted before: what is refused, and how, is not told twice.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

__all__ = [
    "UNIT_S",
    "YEARS_MAX",
    "Fields",
    "accepts",
    "clock",
    "fields_of",
    "fires",
    "last_before",
    "next_after",
    "walk",
]

YEARS_MAX = 41  # no expression waits longer and still fires
LAST_AT = int(datetime(9000, 1, 1, tzinfo=UTC).timestamp())  # then schedules end
DAY_S = 86_400
UNIT_S = {"s": 1, "m": 60, "h": 3_600, "d": DAY_S}
MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * sun",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 jan *",
    "@annually": "0 0 1 jan *",
}
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS = ("", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def next_after(expr: str, tz: str, at: int, *, anchor_at: int | None = None) -> int | None:
    """The first boundary later than `at`, or None where there is none in 41 years."""
    words = expr.lower().split()
    if at >= LAST_AT:
        return None
    if words[0] == "@every":
        assert anchor_at is not None, "@every counts from an instant"
        period_s = int(words[1][:-1]) * UNIT_S[words[1][-1]]
        found: int | None = anchor_at + (max(0, at - anchor_at) // period_s + 1) * period_s
    else:
        found = walk(fields_of(" ".join(words)), ZoneInfo(tz), at)
    return None if found is None or found > LAST_AT else found


def last_before(expr: str, tz: str, at: int, *, anchor_at: int | None = None) -> int | None:
    """The last boundary earlier than `at`, or None where there is none since 1970: the second before it is the last
    from which the next one is still earlier than `at`."""

    def earlier(than: int) -> int | None:
        found = next_after(expr, tz, than, anchor_at=anchor_at)
        return found if found is not None and found < at else None

    low, high = max(0, at - DAY_S), at
    while low > 0 and earlier(low) is None:
        low, high = max(0, low - 2 * (at - low)), low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if earlier(middle) is None else (middle, high)
    return earlier(low)


# --- the expression


@dataclass(frozen=True, slots=True)
class Fields:
    """What the six fields accept. `odd_weekdays` are the items that are no numbers: 5l, 5#3.

    The last three are how honker reads: both day fields must match; of a time that comes twice the second is taken;
    every time that is skipped fires at the end of its gap.
    """

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    last_day: bool
    odd_weekdays: tuple[str, ...]
    both_days: bool = False
    second_pass: bool = False
    every_gap: bool = False


@lru_cache(maxsize=1_000)
def fields_of(text: str) -> Fields:
    texts = MACROS.get(text, text).split()
    second, minute, hour, month_day, month, weekday = [
        field.split(",") for field in (texts if len(texts) == 6 else ["0", *texts])
    ]
    odd = tuple(item for item in weekday if "#" in item or item.endswith("l"))
    return Fields(
        seconds=_numbers(second, 0, 59),
        minutes=_numbers(minute, 0, 59),
        hours=_numbers(hour, 0, 23),
        month_days=_numbers([item for item in month_day if item != "l"], 1, 31),
        months=_numbers(month, 1, 12, MONTHS),
        weekdays=_numbers([item for item in weekday if item not in odd], 0, 6, WEEKDAYS),
        last_day="l" in month_day,
        odd_weekdays=odd,
    )


def _numbers(items: list[str], low: int, high: int, names: tuple[str, ...] = ()) -> tuple[int, ...]:
    """The numbers that at least one of the items takes in."""
    return tuple(sorted({number for item in items for number in _item(item, low, high, names)}))


def _item(item: str, low: int, high: int, names: tuple[str, ...]) -> Iterator[int]:
    """Count on from the first to the last number, around the end of the field if need be, and take each step-th."""
    span, _, step = item.partition("/")
    size = high - low + 1
    ends = [names.index(end) if end in names else int(end) for end in span.split("-") if end not in ("*", "?")]
    first, last = (ends[0], ends[-1]) if ends else (low, high)
    if len(ends) == 1 and step:
        last = high
    length = last - first if last >= first else (last - first) % size
    for gone in range(0, length + 1, int(step or 1)):
        yield (first + gone - low) % size + low


def accepts(fields: Fields, day: date) -> bool:
    """A day field that lists every number restricts nothing; where both restrict, one is enough (CRN-5)."""
    of_month = day.day in fields.month_days or (fields.last_day and _last_of_its_kind(day, 1))
    of_week = day.isoweekday() % 7 in fields.weekdays or any(_odd(item, day) for item in fields.odd_weekdays)
    if day.month not in fields.months:
        return False
    if len(fields.month_days) < 31 and len(fields.weekdays) < 7 and not fields.both_days:
        return of_month or of_week
    return (of_month or len(fields.month_days) == 31) and (of_week or len(fields.weekdays) == 7)


def _odd(item: str, day: date) -> bool:
    """`5#3`: the day is a Friday, and two Fridays came before it. `5l`: none comes after it in its month."""
    name, _, n = item.removesuffix("l").partition("#")
    weekday = WEEKDAYS.index(name) if name in WEEKDAYS else int(name) % 7
    if day.isoweekday() % 7 != weekday:
        return False
    return _last_of_its_kind(day, 7) if not n else 7 * int(n) - 7 < day.day <= 7 * int(n)


def _last_of_its_kind(day: date, period: int) -> bool:
    return day.day + period > calendar.monthrange(day.year, day.month)[1]


# --- the walk


def walk(fields: Fields, zone: ZoneInfo, at: int) -> int | None:
    """The earliest fire that is later, of the first day that has one and of the day after that.

    The walk begins a day early: a fire may be moved to the day after its own, and a clock that is set back at midnight
    shows the end of a day again when the next one has begun.
    """
    day = datetime.combine(datetime.fromtimestamp(at, zone), time()) - timedelta(days=1)
    for _ in range(YEARS_MAX * 366):
        if (found := _of_day(fields, zone, day, at, None)) is not None:
            return _of_day(fields, zone, day + timedelta(days=1), at, found)
        day += timedelta(days=1)
    return None


def _of_day(fields: Fields, zone: ZoneInfo, day: datetime, at: int, best: int | None) -> int | None:
    """The earliest of `best` and the day's fires later than `at`."""
    if not accepts(fields, day.date()) or _closed(zone, day, timedelta(days=1), at, best):
        return best
    for hour in fields.hours:
        begins = day + timedelta(hours=hour)
        if not _closed(zone, begins, timedelta(hours=1), at, best):
            best = _of_hour(fields, zone, begins, at, best)
    return best


def _of_hour(fields: Fields, zone: ZoneInfo, hour: datetime, at: int, best: int | None) -> int | None:
    for minute in fields.minutes:
        begins = hour + timedelta(minutes=minute)
        if _closed(zone, begins, timedelta(minutes=1), at, best):
            continue
        for second in fields.seconds:
            later = [fire for fire in fires(fields, zone, begins + timedelta(seconds=second)) if fire > at]
            best = min(later if best is None else [best, *later], default=None)
    return best


def _closed(zone: ZoneInfo, begins: datetime, length: timedelta, at: int, best: int | None) -> bool:
    """Whether a stretch of civil time is over, or begins after the best that there is: no need to look into it."""
    if best is not None and min(_stamps(zone, begins)) > best:
        return True
    return max(_stamps(zone, begins + length - timedelta(seconds=1))) <= at


def fires(fields: Fields, zone: ZoneInfo, wall: datetime) -> list[int]:
    """The instants at which an accepted civil time fires (CRN-7, CRN-8, CRN-9)."""
    readings = sorted({stamp for stamp in _stamps(zone, wall) if clock(zone, stamp) == wall})
    hourly = len(fields.hours) == 24
    if readings and fields.second_pass:
        return readings[-1:]
    if readings or (hourly and not fields.every_gap):
        return readings if hourly else readings[:1]
    before, after = sorted(_stamps(zone, wall))
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (before, middle) if clock(zone, middle) > wall else (middle, after)
    skipped = clock(zone, after) - clock(zone, before) - timedelta(seconds=1)
    return [after] if skipped < timedelta(days=1) or fields.every_gap else []


def _stamps(zone: ZoneInfo, wall: datetime) -> tuple[int, int]:
    """What the time-zone data makes of a civil time: one instant twice; the two of a time that comes twice; of a time
    that is skipped, an instant on either side of the gap."""
    one, other = (wall.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1))
    return int(one), int(other)


def clock(zone: ZoneInfo, at: int) -> datetime:
    """What the zone's clock reads at an instant."""
    return datetime.fromtimestamp(at, zone).replace(tzinfo=None, fold=0)
