"""When a schedule fires: cron expressions and `@every`, always in a named time zone. Pure: it is told the instant.

`parse` reads an expression, strictly, into a `Cron` or an `Every`; `next_after` answers the first boundary that is
later than an instant, `last_before` the last one that is earlier. All instants are whole epoch seconds. Two texts that
accept the same times are equal values, and fire alike.

What a change of the clocks does is our own rule, and no library's (CRN-7, CRN-8, CRN-9). Only one question is put to
the time-zone data: what does the clock of a zone read at an instant. The answer hangs on two facts about every zone
since 1970, which `anser_spec.cronwalk` checks: clocks change less than 15 hours away from UTC, and never twice within
48 hours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import product
from typing import TypedDict
from zoneinfo import ZoneInfo, available_timezones

from anser.errors import Invalid
from anser.types import INSTANT_MAX, LIST_MAX

__all__ = ["EXPR_MAX_CHARS", "MACROS", "Cron", "Days", "Every", "Timetable", "explain", "local", "parse"]

EXPR_MAX_CHARS = 256
MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}

_DAY_S = 86_400
_HOUR_S = 3_600
_LAST_AT = 221_845_392_000  # the year 9000; the calendar that we reckon with ends a thousand years later
_HORIZON_DAYS = 41 * 366  # the longest wait is 40 years: a 29 February that is a fifth Monday, across the year 2100
_OFFSET_MAX_S = 15 * _HOUR_S  # how far a clock is from UTC; 30 hours hold every instant that reads a civil time
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_LAST = -1  # in place of the n of n-th weekday


# --- what a caller holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """A set of instants, its boundaries. `expr` is the text as it was given, `tz` the name of the zone."""

    expr: str = field(compare=False)
    tz: str
    zone: ZoneInfo = field(compare=False, repr=False)

    def next_after(self, at: int) -> int | None:
        """The first boundary strictly later than `at`, or None: not within 41 years, or past the year 9000.

        Rules: CRN-11, CRN-12.
        """
        _check_at("at", at)
        found = self._next(at) if at < _LAST_AT else None
        assert found is None or found > at, f"{self.expr!r} in {self.tz} went from {at} to {found}"
        return found if found is not None and found <= _LAST_AT else None

    def last_before(self, at: int) -> int | None:
        """The last boundary strictly earlier than `at`, or None: there is none since 1970.

        It is where `next_after` crosses `at`, found by halving: a boundary that this answers is one that it answers.
        So it takes 20 to 40 times as long. Rules: CRN-13.
        """
        _check_at("at", at)
        at = min(at, _LAST_AT + 1)
        span = _HOUR_S
        while (found := self._before(max(at - span, 0), at)) is None:
            if span >= at:
                return None
            span *= 4
        low, high = found, at  # the answer is one of them or between them
        while low < high:
            middle = (low + high) // 2
            later = self._before(middle, at)
            if later is None:
                high = middle
            else:
                low = found = later
        return found

    def boundaries(self, after: int, until: int, *, limit: int) -> tuple[int, ...]:
        """The first `limit` boundaries that are later than `after` and not later than `until`, in their order."""
        _check_at("until", until)
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LIST_MAX:
            raise Invalid("limit", limit, f"pass a whole number from 1 to {LIST_MAX}")
        found: list[int] = []
        at = self.next_after(after)
        while at is not None and at <= until and len(found) < limit:
            found.append(at)
            at = self.next_after(at)
        return tuple(found)

    def _next(self, at: int) -> int | None:
        raise NotImplementedError(f"{type(self).__name__} has no boundaries")

    def _before(self, after: int, at: int) -> int | None:
        found = self.next_after(after)
        return found if found is not None and found < at else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Every(Timetable):
    """`anchor_at` + k × `every_s` for k = 1, 2, 3 …: exact seconds, whatever the clocks do (CRN-10)."""

    every_s: int
    anchor_at: int

    def _next(self, at: int) -> int:
        return self.anchor_at + self.every_s * max((at - self.anchor_at) // self.every_s + 1, 1)


@dataclass(frozen=True, slots=True)
class Days:
    """The dates that an expression accepts. Sunday is 0; `nth` holds (weekday, n), n = −1 for the month's last."""

    month_days: frozenset[int]
    last_day: bool
    months: frozenset[int]
    weekdays: frozenset[int]
    nth: frozenset[tuple[int, int]]

    @property
    def every_month_day(self) -> bool:
        """The field restricts nothing (CRN-5). Judged by its plain values, whatever their text."""
        return len(self.month_days) == 31

    @property
    def every_weekday(self) -> bool:
        """The field restricts nothing (CRN-5)."""
        return len(self.weekdays) == 7

    def accept(self, day: date) -> bool:
        """Both fields restrict: either will do. Else the one that does must (CRN-5)."""
        if day.month not in self.months:
            return False
        if self.every_weekday:
            return self.every_month_day or self._month_day(day)
        return self._weekday(day) or (not self.every_month_day and self._month_day(day))

    def _month_day(self, day: date) -> bool:
        return day.day in self.month_days or (self.last_day and day.day == _length(day))

    def _weekday(self, day: date) -> bool:
        weekday = day.isoweekday() % 7
        if weekday in self.weekdays or not self.nth:
            return weekday in self.weekdays
        is_last = day.day + 7 > _length(day)
        return (weekday, (day.day + 6) // 7) in self.nth or (is_last and (weekday, _LAST) in self.nth)

    def first(self, day: int, end: int) -> int | None:
        """The first accepted day from `day` to `end`, counted from 1970. Months that are not wanted are leapt over."""
        while day <= end:
            on = date.fromordinal(_EPOCH_ORDINAL + day)
            if self.accept(on):
                return day
            day += 1 if on.month in self.months else _length(on) - on.day + 1
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron(Timetable):
    """The civil times of a zone that five or six fields accept. A *wall* is one, in seconds since civil 1970."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: Days

    def _next(self, at: int) -> int | None:
        return self._next_reading(at + 1) if len(self.hours) == 24 else self._next_slot(at)

    def _next_slot(self, at: int) -> int | None:
        """Fixed-time: each wall fires at its first reading; one that is skipped, when the clock goes on (CRN-7, CRN-8).

        All walls up to the furthest that the clock has shown are behind us. A day that is skipped whole has no slots.
        """
        wall = self._first(_furthest(self.zone, at) + 1)
        while wall is not None:
            if readings := _readings(self.zone, wall):
                return readings[0]
            goes_on_at = _goes_on_at(self.zone, wall)
            offset = _offset(self.zone, goes_on_at)
            if offset - _offset(self.zone, goes_on_at - 1) < _DAY_S:
                return goes_on_at
            wall = self._first(goes_on_at + offset)
        return None

    def _next_reading(self, at: int) -> int | None:
        """Wildcard-hour: the first instant from `at` on whose wall is accepted (CRN-9).

        Within a day and before the next change, walls follow instants; at the change we look anew. Beyond a day no
        change can take the clock back to before `at`, so there the first reading of the next wall is the answer.
        """
        while (wall := self._first(at + (offset := _offset(self.zone, at)))) is not None:
            change = _change(self.zone, at, at + _DAY_S)
            if wall - offset < (at + _DAY_S if change is None else change):
                return wall - offset
            if change is not None:
                at = change
            elif readings := _readings(self.zone, wall):
                return readings[0]
            else:
                at = _goes_on_at(self.zone, wall)
        return None

    def _first(self, wall: int) -> int | None:
        """The first accepted wall from this one on, within the horizon."""
        day, second = divmod(wall, _DAY_S)
        found = self.days.first(day, day + _HORIZON_DAYS)
        if found == day:
            if (later := self._first_time(second)) is not None:
                return day * _DAY_S + later
            found = self.days.first(day + 1, day + _HORIZON_DAYS)
        return None if found is None else found * _DAY_S + (self._first_time(0) or 0)

    def _first_time(self, second: int) -> int | None:
        """The first accepted second of a day from this one on. Only the first hour and minute can be the given ones."""
        minute, rest = divmod(second, 60)
        hour, minute = divmod(minute, 60)
        for later_hour in self.hours[bisect_left(self.hours, hour) :]:
            if later_hour > hour:
                return later_hour * _HOUR_S + self.minutes[0] * 60 + self.seconds[0]
            for later in self.minutes[bisect_left(self.minutes, minute) :]:
                if later > minute:
                    return hour * _HOUR_S + later * 60 + self.seconds[0]
                place = bisect_left(self.seconds, rest)
                if place < len(self.seconds):
                    return hour * _HOUR_S + minute * 60 + self.seconds[place]
        return None


def local(timetable: Timetable, at: int) -> datetime:
    """An instant as the zone's clock shows it."""
    return datetime.fromtimestamp(at, timetable.zone)


def _check_at(argument: str, at: object) -> None:
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at <= INSTANT_MAX:
        raise Invalid(argument, at, f"pass whole epoch seconds from 0 to {INSTANT_MAX}")


def _length(day: date) -> int:
    return monthrange(day.year, day.month)[1]


# --- what the clocks of a zone read


def _offset(zone: ZoneInfo, at: int) -> int:
    """How far the clock is ahead of UTC. Before 1970, with which not every platform reckons, it is as at its first."""
    offset = datetime.fromtimestamp(max(at, 0), zone).utcoffset()
    assert offset is not None, "a zone has an offset"
    return offset.days * _DAY_S + offset.seconds


def _change(zone: ZoneInfo, low: int, high: int) -> int | None:
    """The first instant in (low, high] that has another offset than `low`; the two are less than 48 hours apart."""
    offset = _offset(zone, low)
    if _offset(zone, high) == offset:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(zone, middle) == offset:
            low = middle
        else:
            high = middle
    return high


def _furthest(zone: ZoneInfo, at: int) -> int:
    """The latest wall that the clock has shown up to `at`: when it was set back a while ago, that was before it was."""
    before, now = _offset(zone, at - _DAY_S), _offset(zone, at)
    if now >= before:
        return at + now
    change = _change(zone, at - _DAY_S, at)
    assert change is not None, "the offsets differ"
    return max(at + now, change - 1 + before)


def _readings(zone: ZoneInfo, wall: int) -> tuple[int, ...]:
    """The instants at which the clock reads `wall`: one, two where it comes again, none where it is skipped."""
    low, high = wall - _OFFSET_MAX_S, wall + _OFFSET_MAX_S
    before, after = _offset(zone, low), _offset(zone, high)
    if before == after:
        return (wall - before,)
    change = _change(zone, low, high)
    assert change is not None, "the offsets differ"
    first = (wall - before,) if wall - before < change else ()
    return (*first, wall - after) if wall - after >= change else first


def _goes_on_at(zone: ZoneInfo, wall: int) -> int:
    """The first instant after the gap in which the wall is skipped."""
    change = _change(zone, wall - _OFFSET_MAX_S, wall + _OFFSET_MAX_S)
    assert change is not None, "a wall that is skipped lies at a change"
    return change


# --- reading an expression


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of an expression. `top` is the largest number that may be written: 7 is Sunday, too."""

    name: str
    low: int
    high: int
    top: int
    names: tuple[str, ...] = ()
    unit: str = ""


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_SECOND = _Field("second", 0, 59, 59, unit="s")
_MINUTE = _Field("minute", 0, 59, 59, unit="m")
_HOUR = _Field("hour", 0, 23, 23, unit="h")
_MONTH_DAY = _Field("day-of-month", 1, 31, 31)
_MONTH = _Field("month", 1, 12, 12, tuple(name[:3].upper() for name in _MONTHS))
_WEEKDAY = _Field("day-of-week", 0, 6, 7, tuple(name[:3].upper() for name in _WEEKDAYS))
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_TEXT = re.compile(r"[\x20-\x7e\t]*")
_ITEM = re.compile(r"(\*|[A-Z]{3}|\d{1,2})(?:-([A-Z]{3}|\d{1,2}))?(?:/(\d+))?", re.ASCII)
_NTH = re.compile(r"([A-Z]{3}|\d)(?:#(\d+)|L)", re.ASCII)
_EVERY = re.compile(r"@EVERY[ \t]+([1-9]\d{0,8})([SMHD])", re.ASCII)
_EVERY_S = {"S": 1, "M": 60, "H": _HOUR_S, "D": _DAY_S}
_ZONES_LEFT_OUT = {"Factory", "localtime"}  # no place, and whatever the machine has
_ZONE_NAME_MAX_CHARS = 64  # twice the longest that there is; what is longer is like none of them

_HINTS = (
    (r"", "an item of the list is empty: take the comma out"),
    (r"[HR].*", "no random or hashed times (H, R): write the number"),
    (r".*\?.*", "? stands for a whole day field: write * here"),
    (r"L?W|\d+W|L-\d+", "no W and no L-n: list the days, or L for the month's last"),
    (r"L", "say which weekday: 5L is the month's last Friday, SAT is every Saturday"),
    (r"L\d|L[A-Z]{3}", "the weekday comes first: 5L or FRIL is the month's last Friday"),
    (r"[A-Z]{4,}", "names have three letters, as MON and JAN"),
    (r".*[#L].*", "one weekday with one # or L, as 5#3, FRI#3, 5L or FRIL"),
    (r"\d{3,}.*", "a number has two digits at most"),
    (r".*/", "a step is a number: */5"),
)


class _Wrong(Exception):
    """What is wrong with an expression; `parse` adds the expression to it."""


def parse(expr: str, tz: str, *, anchor_at: int | None = None) -> Cron | Every:
    """Read an expression in an IANA zone. Raises `Invalid` for `expr`, `tz` or `anchor_at`, in this order.

    Five fields (minute hour day-of-month month day-of-week), six with the second first, `@daily` and its like, or
    `@every <n><s|m|h|d>`, which counts from `anchor_at` and needs it; the others take no notice of it.
    Rules: CRN-1, CRN-2, CRN-3, CRN-4, CRN-5, CRN-6, CRN-10.
    """
    try:
        text = _checked(expr)
        every_s = _every(text) if text.startswith("@EVERY") else None
        times = _times(text) if every_s is None else None
    except _Wrong as wrong:
        raise Invalid("expr", expr, str(wrong)) from None
    zone = _zone(tz)
    if times is not None:
        return Cron(expr=expr.strip(), tz=tz, zone=zone, **times)
    assert every_s is not None, "an expression is one of the two"
    if anchor_at is None:
        raise Invalid("anchor_at", anchor_at, "@every counts from an instant: pass the one of its registration")
    _check_at("anchor_at", anchor_at)
    return Every(expr=expr.strip(), tz=tz, zone=zone, every_s=every_s, anchor_at=anchor_at)


def _checked(expr: object) -> str:
    """The expression trimmed and in capitals."""
    if not isinstance(expr, str):
        raise _Wrong("pass text, as 0 3 * * *")
    if len(expr) > EXPR_MAX_CHARS:
        raise _Wrong(f"it has {len(expr)} characters, the limit is {EXPR_MAX_CHARS}")
    if not _TEXT.fullmatch(expr):
        raise _Wrong("only printable ASCII, with blanks or tabs between fields")
    text = expr.strip().upper()
    if text.startswith(("TZ=", "CRON_TZ=")):
        raise _Wrong("the zone is no part of the expression: pass it as tz")
    return text


def _every(text: str) -> int:
    matched = _EVERY.fullmatch(text)
    if matched is None:
        raise _Wrong("write @every, a number from 1 to 999999999 and one of s, m, h, d, as @every 90m")
    return int(matched[1]) * _EVERY_S[matched[2]]


class _Times(TypedDict):
    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: Days


@lru_cache(maxsize=1_000)  # schedules are kept as text, and read again at each tick
def _times(text: str) -> _Times:
    word = text.lower()
    if text.startswith("@") and word not in MACROS:
        raise _Wrong(f"no such word; there are {', '.join(MACROS)} and @every")
    texts = MACROS.get(word, text).split()
    if len(texts) not in (5, 6):
        year = " (years and comments are not supported)" if len(texts) > 6 else ""
        raise _Wrong(
            "5 fields (minute hour day-of-month month day-of-week), or 6 with the second first; "
            f"it has {len(texts)}{year}"
        )
    seconds = _seconds(texts.pop(0)) if len(texts) == 6 else (0,)
    minutes, hours = _plain(_MINUTE, texts[0]), _plain(_HOUR, texts[1])
    month_days, last_day = _month_days(texts[2])
    months = frozenset(_plain(_MONTH, texts[3]))
    weekdays, nth = _weekdays(texts[4])
    days = Days(month_days, last_day, months, weekdays, nth)
    _check_comes(days)
    return {"seconds": seconds, "minutes": minutes, "hours": hours, "days": days}


def _seconds(text: str) -> tuple[int, ...]:
    try:
        return _plain(_SECOND, text)
    except _Wrong as wrong:
        raise _Wrong(f"{wrong} (of six fields the first is the second)") from None


def _plain(kind: _Field, text: str) -> tuple[int, ...]:
    return tuple(sorted({value for item in text.split(",") for value in _values(kind, item)}))


def _month_days(text: str) -> tuple[frozenset[int], bool]:
    items = ["*"] if text == "?" else text.split(",")
    plain = [item for item in items if item != "L"]
    return frozenset(value for item in plain for value in _values(_MONTH_DAY, item)), len(plain) < len(items)


def _weekdays(text: str) -> tuple[frozenset[int], frozenset[tuple[int, int]]]:
    items = ["*"] if text == "?" else text.split(",")
    nth = {item: matched for item in items if (matched := _NTH.fullmatch(item))}
    plain = [value for item in items if item not in nth for value in _values(_WEEKDAY, item)]
    return frozenset(plain), frozenset(_nth(*matched.groups()) for matched in nth.values())


def _nth(weekday: str, n: str | None) -> tuple[int, int]:
    if n is not None and n not in ("1", "2", "3", "4", "5"):
        raise _Wrong(f"day-of-week {weekday}#{n}: a month has weekdays #1 to #5")
    return _number(_WEEKDAY, weekday) % 7, _LAST if n is None else int(n)


def _values(kind: _Field, item: str) -> list[int]:
    """The numbers of one item: `*`, `v`, `v-v`, each with `/n`; `v/n` goes on to the end of its field."""
    matched = _ITEM.fullmatch(item)
    if matched is None or (matched[1] == "*" and matched[2]):
        raise _Wrong(f"{kind.name} {item!r}: {_hint(kind, item)}")
    first, last, step = matched.groups()
    if first == "*":
        run = list(range(kind.low, kind.high + 1))
    else:
        low = _number(kind, first)
        high = low if step is None else kind.high
        run = _run(kind, low, high if last is None else _number(kind, last))
    return run if step is None else run[:: _step(kind, step)]


def _number(kind: _Field, text: str) -> int:
    if text in kind.names:
        return kind.names.index(text) + kind.low
    if not text.isdigit():
        known = f"; names are {', '.join(kind.names)}" if kind.names else ""
        raise _Wrong(f"{kind.name} {text}: write a number from {kind.low} to {kind.high}{known}")
    if not kind.low <= int(text) <= kind.top:
        raise _Wrong(f"{kind.name} {text}: it must lie from {kind.low} to {kind.high}")
    return int(text)


def _run(kind: _Field, low: int, high: int) -> list[int]:
    """The numbers from low to high, around the end of the field where high is the smaller one."""
    if low > high and kind is _MONTH_DAY:
        raise _Wrong(f"{kind.name} {low}-{high}: months differ in length, so write {low}-31,1-{high}")
    if low > kind.high and high <= kind.high:
        low = kind.low  # a Sunday written as 7 before a smaller day
    if low > high:
        return [*range(low, kind.high + 1), *range(kind.low, high + 1)]
    return [0 if value > kind.high else value for value in range(low, high + 1)]


def _step(kind: _Field, text: str) -> int:
    size = kind.high - kind.low + 1
    if len(text) <= 2 and 1 <= int(text) < size:
        return int(text)
    instead = f"; for a longer one write @every {int(text)}{kind.unit}" if kind.unit and int(text) else ""
    raise _Wrong(f"{kind.name} /{text}: a step lies from 1 to {size - 1}{instead}")


def _hint(kind: _Field, item: str) -> str:
    for pattern, hint in _HINTS:
        if re.fullmatch(pattern, item):
            return hint
    return f"write *, a number from {kind.low} to {kind.high}, or a range, as 1-5 or 1-5/2"


def _check_comes(days: Days) -> None:
    """A date that no year has is refused, unless a weekday keeps the expression alive (CRN-4)."""
    if not days.every_weekday or days.last_day:
        return
    if min(days.month_days) > max(_LONGEST[month - 1] for month in days.months):
        months = ", ".join(_MONTHS[month - 1] for month in sorted(days.months))
        raise _Wrong(f"day-of-month {min(days.month_days)} never comes in {months}")


def _zone(tz: object) -> ZoneInfo:
    """The zone of that name, from the list of those that there are: never a path, never the machine's own (CRN-6)."""
    if isinstance(tz, str) and tz in _zone_names():
        return ZoneInfo(tz)
    meant = _meant(tz) if isinstance(tz, str) and len(tz) <= _ZONE_NAME_MAX_CHARS else ""
    raise Invalid("tz", tz, f"pass the name of an IANA time zone, as Europe/Paris or UTC{meant}")


@lru_cache(maxsize=100)  # to compare a name with the six hundred that there are takes some milliseconds
def _meant(tz: str) -> str:
    alike = get_close_matches(tz, _zone_names(), n=1)
    return f"; did you mean {alike[0]}?" if alike else ""


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones() - _ZONES_LEFT_OUT)


# --- in words

_TIMES_MAX = 6  # how many times of a day are listed one by one
_NTH_WORDS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", _LAST: "last"}


def explain(timetable: Timetable) -> str:
    """A sentence that says when it fires, and one for what a change of the clocks does."""
    if isinstance(timetable, Every):
        start = local(timetable, timetable.anchor_at).isoformat()
        return f"every {timetable.every_s} seconds, counted from {start}. The clocks of {timetable.tz} do not matter."
    assert isinstance(timetable, Cron), "there are two kinds"
    when = ", ".join([_time_words(timetable), *_day_words(timetable.days)])
    if len(timetable.hours) == 24:
        change = "Through a change of the clocks it goes on in real time."
    else:
        change = "A time that the clocks skip fires when they go on; one that comes twice fires once."
    return f"{when}, by the clocks of {timetable.tz}. {change}"


def _time_words(cron: Cron) -> str:
    if len(cron.hours) * len(cron.minutes) * len(cron.seconds) <= _TIMES_MAX:
        times = [time(*parts) for parts in product(cron.hours, cron.minutes, cron.seconds)]
        timespec = "minutes" if cron.seconds == (0,) else "seconds"
        return f"at {_listed([at.isoformat(timespec) for at in times])}"
    words = [_part_words("second", cron.seconds, 60)] if cron.seconds != (0,) else []
    if len(cron.minutes) < 60 or not (words and words[0].startswith("every")):
        words.append(_part_words("minute", cron.minutes, 60))
    if len(cron.hours) < 24 or len(cron.minutes) < 60:
        words.append(_part_words("hour", cron.hours, 24))
    return " of ".join(words) if words[0].startswith("every") else f"at {' of '.join(words)}"


def _part_words(name: str, values: Sequence[int], size: int) -> str:
    if len(values) == size:
        return f"every {name}"
    step = size // len(values)
    if len(values) > 2 and tuple(values) == tuple(range(0, size, step)):
        return f"every {step} {name}s"
    return f"{name} {_ranges(values)}"


def _day_words(days: Days) -> Iterable[str]:
    choices = [*_month_day_words(days), *_weekday_words(days)]
    yield f"on {' or on '.join(choices)}" if choices else "every day"
    if len(days.months) < 12:
        yield f"in {_ranges(sorted(days.months), ['', *_MONTHS])}"


def _month_day_words(days: Days) -> Iterable[str]:
    if days.every_month_day:
        return
    if days.month_days:
        yield f"day {_ranges(sorted(days.month_days))} of the month"
    if days.last_day:
        yield "the last day of the month"


def _weekday_words(days: Days) -> Iterable[str]:
    if days.every_weekday:
        return
    if days.weekdays:
        from_monday = sorted((weekday - 1) % 7 for weekday in days.weekdays)
        yield _ranges(from_monday, [*_WEEKDAYS[1:], _WEEKDAYS[0]])
    for weekday, n in sorted(days.nth):
        yield f"the {_NTH_WORDS[n]} {_WEEKDAYS[weekday]} of the month"


def _ranges(values: Sequence[int], names: Sequence[str] = ()) -> str:
    """`1, 2, 3, 7` as "1 to 3 and 7"."""
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts: list[str] = []
    for run in runs:
        said = [names[value] if names else str(value) for value in run]
        parts += [f"{said[0]} to {said[-1]}"] if len(run) > 2 else said
    return _listed(parts)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
