"""Cron held against two other readings of its rules: `python -m anser_spec.cronwalk --help`.

Four parts, each counted and printed; any disagreement is shown, and the exit status is 1.

- premises: the two facts about the world's clocks on which `anser.cron` leans, looked up in the time-zone files.
- vectors: the instants of `cron_vectors.json`, worked out by hand as wall clock and offset.
- walk: every minute of the days on which the clocks of a zone change (every second for expressions with seconds) is
  asked for its next boundary, and answered by an oracle that reads the zone's clock minute by minute and applies the
  definition: no calendar arithmetic, no search. Never a repeat, never a skip, always strictly later.
- random: drawn expressions, zones and instants, half of them near a change: the implementation against the model.
"""

from __future__ import annotations

import argparse
import json
import random
import struct
import sys
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH, ZoneInfo, available_timezones

from anser.cron import Cron, Every, parse
from anser.errors import Invalid
from anser_models import calendar as model

__all__ = [
    "EXPRESSIONS",
    "VECTORS",
    "ZONES",
    "Report",
    "changes_of",
    "check_premises",
    "check_random",
    "check_vectors",
    "check_walk",
    "drawn_expression",
    "fires",
    "main",
    "read_clock",
    "walk",
]

VECTORS = Path(__file__).with_name("cron_vectors.json")
ZONES = {  # each with a year in which its clocks do something odd
    "America/New_York": 2025,
    "Europe/London": 2025,
    "Australia/Lord_Howe": 2024,  # by half an hour
    "Africa/Casablanca": 2024,  # back for Ramadan, and on again
    "Europe/Dublin": 2025,  # winter is the time that is saved
    "Pacific/Apia": 2011,  # a day that was left out
    "America/Sao_Paulo": 2017,  # at midnight, the last year but one
    "Asia/Gaza": 2021,  # at midnight on, at one o'clock back
    "Antarctica/Troll": 2024,  # by two hours
    "Asia/Kathmandu": 2025,  # never: two ordinary days
}
EXPRESSIONS = (
    "30 2 * * *",
    "* * * * *",
    "*/15 * * * * *",
    "0 0 * * *",
    "30 1 * * *",
    "*/15 0-3 * * *",
    "0 * * * *",
    "15,45 30 0-3 * * *",
    "0 */2 * * *",
    "30 0-23 * * *",
    "*/7 22-3 * * *",
    "0 0 * * SUN",
    "59 23 * * *",
    "*/13 * * * SUN",
    "0 0,1,2,3 1-31/2 * *",
    "* 2 * * *",
    "* 0-22 * * *",
    "5/10 1/2 * * *",
    "45 1,2 * * 6-1",
    "0 3 L * *",
    "30 0 * * 7L",
    "15 23 * * SAT#2,SUN#4,5L",
    "0 1 10 * SUN",
    "30 1 */2 * FRI-MON",
    "1 2 * 3,10 *",
    "0 12 * * ?",
    "@hourly",
    "@daily",
    "@weekly",
    "@monthly",
    "@yearly",
    "20-40/3 */3 * NOV-MAR *",
    "0 0 30 2 SUN",
    "*/29 4,2 29-31,1 * *",
    "50-10/5 * * * *",
    "* 23-1 * * SAT-SUN",
    "0 2 28-31 3,10 *",
    "30 3 * * 0-7",
    "15 2 1-7 * SUN",
    "7 1-3 * APR,SEP,OCT,NOV *",
    "0 */6 * * *",
    "29,30,31 0,1,2 * * *",
    "0 30 1 * * *",
    "59 59 * * * *",
    "*/20 * 2 * * *",
    "0 0 0 * * *",
    "1-5,58 0/30 22-2/2 * * *",
    "30 */10 * * * SUN",
    "7 29-31 0-23 29-30 DEC *",
    "*/11 */11 */5 * * *",
)

_DAY_S = 86_400
_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)
_SHOWN = 10  # differences that are printed
_CHANGES_APART_S = 48 * 3_600
_OFFSET_MAX_S = 15 * 3_600
_YEARS = (1970, 2037)
_NEAR_S = 2 * _DAY_S
_BACK_EVERY = 100  # one draw in so many is asked for the last boundary before, too


@dataclass
class Report:
    """What a part has looked at, and what it found different."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    said: str = ""

    def __str__(self) -> str:
        counted = ", ".join(f"{count:,} {what}" for what, count in self.counts.items())
        lines = [f"{self.name}: {counted}{self.said}; {len(self.differences)} differences"]
        return "\n  ".join(lines + self.differences[:_SHOWN])


# --- premises


def check_premises() -> Report:
    """Clocks change less than 15 hours from UTC, and not twice within 48 hours, in every zone since 1970."""
    report = Report("premises")
    closest, widest = 1 << 60, 0
    for name in sorted(available_timezones()):
        changes = [change for change in _changes_in_file(name) if change[0] >= 0]
        report.counts.update({"zones": 1, "changes since 1970": len(changes)})
        for (at, _, _), (later, _, _) in pairwise(changes):
            closest = min(closest, later - at)
            if later - at < _CHANGES_APART_S:
                report.differences.append(f"{name}: changes at {at} and {later}")
        far = [at for at, before, after in changes if max(abs(before), abs(after)) >= _OFFSET_MAX_S]
        report.differences += [f"{name}: 15 hours or more from UTC at {at}" for at in far]
        widest = max([widest, *(after - before for _, before, after in changes if after - before < _DAY_S)])
    report.said = f", the closest two {closest / 3_600:g} hours apart, the widest gap {widest / 3_600:g} hours or a day"
    return report


def _changes_in_file(name: str) -> list[tuple[int, int, int]]:
    """(instant, offset before, offset from then on), from the part of a TZif file that has instants of 64 bits."""
    content = _zone_file(name)
    is_ut, is_std, leaps, times, kinds, chars = struct.unpack_from(">6l", content, 20)
    second_part = 44 + 5 * times + 6 * kinds + chars + 8 * leaps + is_std + is_ut
    *_, times, kinds, _ = struct.unpack_from(">6l", content, second_part + 20)
    at = second_part + 44
    instants = struct.unpack_from(f">{times}q", content, at)
    indexes = content[at + 8 * times : at + 9 * times]
    offsets = [struct.unpack_from(">l", content, at + 9 * times + 6 * kind)[0] for kind in range(kinds)]
    after = [offsets[index] for index in indexes]
    rows = zip(instants, [offsets[0], *after], after, strict=False)
    return [(instant, was, now) for instant, was, now in rows if was != now]


def _zone_file(name: str) -> bytes:
    for folder in TZPATH:
        if (path := Path(folder, name)).is_file():
            return path.read_bytes()
    return resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


# --- vectors


def check_vectors() -> Report:
    """What was worked out by hand. `star_next` is what Debian's cron would do instead, and we must not."""
    report = Report("vectors")
    kept = json.loads(VECTORS.read_text(encoding="utf-8"))
    for vector in kept["vectors"]:
        cron = parse(vector["expr"], vector["zone"])
        _check_vector(report, vector, cron, vector["from"])
        report.counts["hold"] += 1
    for vector in kept["every"]:
        every = parse(vector["expr"], "UTC", anchor_at=vector["anchor"])
        _check_vector(report, vector, every, vector["from"])
        report.counts["of @every"] += 1
    for vector in kept["invalid"]:
        report.counts["refused"] += 1
        try:
            parse(vector["expr"], "UTC", anchor_at=0)
            report.differences.append(f"{vector['expr']!r} is accepted: {vector['why']}")
        except Invalid:
            pass
    return report


def _check_vector(report: Report, vector: dict[str, Any], timetable: Cron | Every, at: int) -> None:
    anchor_at, name = vector.get("anchor"), f"{vector['expr']!r} in {timetable.tz}"
    expected = vector["next"]
    found = timetable.boundaries(at, expected[-1], limit=len(expected) + 1)
    if list(found) != expected:
        report.differences.append(f"{name} after {at}: {expected}, not {found}")
    if "star_next" in vector:
        report.counts["differ from Debian's text rule"] += 1
        if list(found)[: len(vector["star_next"])] == vector["star_next"]:
            report.differences.append(f"{name} after {at} follows the text of the field: {found}")
    for earlier, instant in zip([at, *expected], expected, strict=False):
        report.counts["instants"] += 1
        modelled = model.next_after(vector["expr"], timetable.tz, earlier, anchor_at=anchor_at)
        if modelled != instant:
            report.differences.append(f"{name} after {earlier}: {instant}, the model says {modelled}")
    if "prev" in vector and timetable.last_before(at) != vector["prev"]:
        report.differences.append(f"{name} before {at}: {vector['prev']}, not {timetable.last_before(at)}")


# --- the oracle: the definition, minute by minute

Clock = list[tuple[int, datetime]]  # each whole minute, and what the clock reads at it


def read_clock(zone: ZoneInfo, begin: int, end: int) -> Clock:
    """What the clock reads at every minute from `begin` to `end`. Changes must be at whole minutes, as since 1972."""
    assert begin % 60 == 0, "a walk begins with a minute"
    clock = [(at, datetime.fromtimestamp(at, zone).replace(tzinfo=None, fold=0)) for at in range(begin, end, 60)]
    assert all(wall.second == 0 for _, wall in clock), "the zone has an offset of whole minutes"
    return clock


def fires(expr: str, clock: Clock) -> list[int]:
    """Every boundary of the stretch, by the definition (CRN-7, CRN-8, CRN-9)."""
    text = _Text(expr)
    found: set[int] = set()
    shown: set[datetime] = set()
    before = clock[0][1] - _MINUTE
    for at, wall in clock:
        if not text.hourly and _MINUTE < wall - before <= _DAY and any(map(text.accepts, _between(before, wall))):
            found.add(at)
        if text.accepts(wall) and (text.hourly or wall not in shown):
            found.update(at + second for second in text.seconds)
        shown.add(wall)
        before = wall
    return sorted(found)


def _between(before: datetime, wall: datetime) -> Iterator[datetime]:
    while (before := before + _MINUTE) < wall:
        yield before


class _Text:
    """An expression as the oracle reads it: of every value of every field it is asked whether an item takes it in."""

    def __init__(self, expr: str) -> None:
        texts = _WORDS.get(expr, expr).upper().split()
        fields = [text.split(",") for text in (texts if len(texts) == 6 else ["0", *texts])]
        second, minute, hour, month_day, month, weekday = fields
        self.seconds = [value for value in range(60) if _takes(second, value, 0, 59)]
        self.minutes = {value for value in range(60) if _takes(minute, value, 0, 59)}
        self.hours = {value for value in range(24) if _takes(hour, value, 0, 23)}
        self.hourly = len(self.hours) == 24
        self.months = {value for value in range(1, 13) if _takes(month, value, 1, 12)}
        self.last_day = "L" in month_day
        self.month_days = {value for value in range(1, 32) if _takes(month_day, value, 1, 31)}
        self.odd = [item for item in weekday if "#" in item or item.endswith("L")]
        plain = [item for item in weekday if item not in self.odd]
        self.weekdays = {value % 7 for value in range(8) if _takes(plain, value, 0, 6)}
        self.day = cache(self._day)

    def accepts(self, wall: datetime) -> bool:
        return wall.minute in self.minutes and wall.hour in self.hours and self.day(wall.date())

    def _day(self, day: date) -> bool:
        of_month = day.day in self.month_days or (self.last_day and (day + _DAY).month != day.month)
        of_week = day.isoweekday() % 7 in self.weekdays or any(_nth(item, day) for item in self.odd)
        if day.month not in self.months:
            return False
        if len(self.month_days) == 31 or len(self.weekdays) == 7:
            return of_month and of_week
        return of_month or of_week


_WORDS = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0"}
_WORDS |= {"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_NAMES = {name: place for place, name in enumerate(_WEEKDAYS)} | {name: place for place, name in enumerate(_MONTHS, 1)}


def _number(text: str) -> int:
    return _NAMES[text] if text in _NAMES else int(text)


def _takes(items: Sequence[str], value: int, low: int, high: int) -> bool:
    """Whether the value lies in the span of an item, a whole number of steps from its beginning."""
    for item in items:
        span, _, step = item.partition("/")
        if span in ("*", "?", "L"):
            first, last = (low, high) if span != "L" else (high + 1, high + 1)
        else:
            first, last = _number(span.split("-")[0]), _number(span.split("-")[-1])
            last = high if step and "-" not in span else last
        gone = value - first if value >= first else value - first + high - low + 1
        inside = first <= value <= last if first <= last else value >= first or value <= last
        if inside and gone % int(step or 1) == 0:
            return True
    return False


def _nth(item: str, day: date) -> bool:
    """`5L`, `5#3`: the weekday is right, and no week more, or two weeks less, is in the month."""
    name, _, n = item.removesuffix("L").partition("#")
    if _number(name) % 7 != day.isoweekday() % 7:
        return False
    if not n:
        return (day + 7 * _DAY).month != day.month
    return sum((day - weeks * 7 * _DAY).month == day.month for weeks in range(5)) == int(n)


# --- the walk


def changes_of(zone: ZoneInfo, year: int) -> list[int]:
    """The instants of a year at which the clock is set, found by looking every hour, then every second."""
    begin = int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
    hours = [(hour, _ahead(zone, hour)) for hour in range(begin, begin + 366 * _DAY_S, 3_600)]
    return [
        next(at for at in range(hour, later + 1) if _ahead(zone, at) != ahead)
        for (hour, ahead), (later, ahead_later) in pairwise(hours)
        if ahead != ahead_later
    ]


def _ahead(zone: ZoneInfo, at: int) -> timedelta | None:
    return datetime.fromtimestamp(at, zone).utcoffset()


def check_walk(zones: Sequence[str], expressions: Sequence[str]) -> Report:
    """Walk all changes of the year of each zone; of a zone without any, an ordinary day of spring and of autumn."""
    report = Report("walk")
    for tz in zones:
        report.counts["zones"] += 1
        year = ZONES.get(tz, _YEARS[1])
        ordinary = [int(datetime(year, month, 1, tzinfo=UTC).timestamp()) for month in (3, 9)]
        for change in changes_of(ZoneInfo(tz), year) or ordinary:
            walk(report, tz, change, expressions)
    report.counts["expressions"] = len(expressions)
    return report


def walk(report: Report, tz: str, change: int, expressions: Sequence[str]) -> None:
    """Ask for the next boundary all through the days on which the clock is set at `change`."""
    zone = ZoneInfo(tz)
    clock = read_clock(zone, change - 3 * _DAY_S, change + 4 * _DAY_S)
    dates = {wall.date() for at, wall in clock if at in (change - 60, change)}
    minutes = [at for at, wall in clock if min(dates) <= wall.date() <= max(dates)]
    report.counts["days"] += len(dates)
    for expr in expressions:
        expected = fires(expr, clock)
        step = 60 if len(expr.split()) != 6 else 1
        _walk(report, parse(expr, tz), range(minutes[0], minutes[-1] + 60, step), expected, clock[-1][0])


def _walk(report: Report, cron: Cron | Every, instants: range, expected: list[int], end: int) -> None:
    place = bisect_right(expected, instants[0])
    for at in instants:
        while place < len(expected) and expected[place] <= at:
            place += 1
        found = cron.next_after(at)
        wanted = expected[place] if place < len(expected) else None
        if found != wanted and not (wanted is None and found is not None and found > end):
            report.differences.append(f"{cron.expr!r} in {cron.tz} after {at}: {wanted}, not {found}")
    report.counts["instants asked"] += len(instants)
    report.counts["boundaries"] += sum(instants[0] < fire <= instants[-1] for fire in expected)
    _walk_chain(report, cron, instants, expected)


def _walk_chain(report: Report, cron: Cron | Every, instants: range, expected: list[int]) -> None:
    """From boundary to boundary, and back."""
    inside = [fire for fire in expected if instants[0] < fire <= instants[-1]]
    for earlier, fire in list(pairwise(inside))[:: max(1, len(inside) // 50)]:
        report.counts["back"] += 1
        if cron.next_after(earlier) != fire or cron.last_before(fire) != earlier:
            report.differences.append(f"{cron.expr!r} in {cron.tz}: {earlier} and {fire} are not neighbours")


# --- at random

_SPAN = (0, int(datetime(2038, 1, 1, tzinfo=UTC).timestamp()))
_PLACES = 400  # zones and instants of a change; drawing new ones would take longer than the checks


def check_random(draws: int, seed: int) -> Report:
    """The implementation against the model, on expressions, zones and instants that are drawn."""
    rng = random.Random(seed)
    report = Report(f"random (seed {seed})")
    places = _places(rng)
    while report.counts["draws"] < draws:
        zone, near = rng.choice(places)
        expr, anchor_at = drawn_expression(rng), rng.randrange(*_SPAN)
        try:
            timetable = parse(expr, zone.key, anchor_at=anchor_at)
        except Invalid as refusal:
            report.counts["refused"] += 1
            if "never comes" not in refusal.remedy:
                report.differences.append(str(refusal))
            continue
        report.counts["draws"] += 1
        if rng.random() < 0.5:
            at = max(0, near + _beside(rng))
            report.counts["near a change"] += 1
        else:
            at = rng.randrange(*_SPAN)
        _check_draw(report, timetable, at, anchor_at)
    return report


def _check_draw(report: Report, timetable: Cron | Every, at: int, anchor_at: int) -> None:
    found = timetable.next_after(at)
    wanted = model.next_after(timetable.expr, timetable.tz, at, anchor_at=anchor_at)
    if found != wanted or (found is not None and found <= at):
        report.differences.append(f"{timetable.expr!r} in {timetable.tz} after {at}: {wanted}, not {found}")
    if report.counts["draws"] % _BACK_EVERY:
        return
    report.counts["back"] += 1
    last = timetable.last_before(at)
    wanted = model.last_before(timetable.expr, timetable.tz, at, anchor_at=anchor_at)
    if last != wanted:
        report.differences.append(f"{timetable.expr!r} in {timetable.tz} before {at}: {wanted}, not {last}")


def _places(rng: random.Random) -> list[tuple[ZoneInfo, int]]:
    """Zones with an instant at which their clock is set, or any instant; the odd zones come up more often."""
    names = sorted(available_timezones() - {"Factory", "localtime"})
    places = []
    for place in range(_PLACES):
        zone = ZoneInfo(rng.choice(list(ZONES)) if place % 4 == 0 else rng.choice(names))
        changes = changes_of(zone, rng.randint(*_YEARS))
        places.append((zone, rng.choice(changes) if changes else rng.randrange(*_SPAN)))
    return places


def _beside(rng: random.Random) -> int:
    """Seconds from a change: none or few, quarters of an hour and the second before, or anything up to two days."""
    quarters = rng.randint(-12, 12) * 900 - rng.randint(0, 1)
    return rng.choice((rng.randint(-2, 2), quarters, rng.randint(-_NEAR_S, _NEAR_S)))


def drawn_expression(rng: random.Random) -> str:
    """An expression of the whole dialect. It may name a date that never comes."""
    kind = rng.random()
    if kind < 0.04:
        return rng.choice(list(_WORDS))
    if kind < 0.06:
        return f"@every {rng.randint(1, 200)}{rng.choice('smhd')}"
    second = [_drawn(rng, 0, 59, 0.2)] if kind > 0.75 else []
    month_day = _drawn(rng, 1, 31, 0.5, odd=lambda: "L", whole="*?")
    weekday = _drawn(rng, 0, 7, 0.5, _WEEKDAYS, odd=lambda: _drawn_nth(rng), whole="*?")
    hour = _drawn(rng, 0, 23, 0.3) if rng.random() < 0.5 else _drawn(rng, 0, 4, 0.0)
    month = _drawn(rng, 1, 12, 0.7, _MONTHS)
    return " ".join([*second, _drawn(rng, 0, 59, 0.2), hour, month_day, month, weekday])


def _drawn(
    rng: random.Random,
    low: int,
    high: int,
    free: float,
    names: Sequence[str] = (),
    odd: Callable[[], str] | None = None,
    whole: str = "*",
) -> str:
    """One field: everything with the probability `free`, else a list of items, some of them the odd ones."""
    if rng.random() < free:
        return rng.choice(whole)
    count = rng.choice((1, 1, 1, 2, 3))
    return ",".join(odd() if odd and rng.random() < 0.2 else _drawn_item(rng, low, high, names) for _ in range(count))


def _drawn_item(rng: random.Random, low: int, high: int, names: Sequence[str]) -> str:
    first, last = rng.randint(low, high), rng.randint(low, high)
    if high == 31 and first > last:
        first, last = last, first
    size = 7 if names is _WEEKDAYS else high - low + 1
    step = f"/{rng.randint(1, size - 1)}" if rng.random() < 0.4 else ""
    kind = rng.random()
    if kind < 0.3 and step:
        return f"*{step}"
    if kind < 0.6:
        return f"{_written(rng, first, low, names)}-{_written(rng, last, low, names)}{step}"
    return f"{_written(rng, first, low, names)}{step}"


def _written(rng: random.Random, number: int, low: int, names: Sequence[str]) -> str:
    if names and rng.random() < 0.4:
        name = names[(number - low) % len(names)]
        return rng.choice((name, name.lower()))
    return rng.choice((str(number), f"{number:02}"))


def _drawn_nth(rng: random.Random) -> str:
    weekday = rng.choice((*_WEEKDAYS, *"01234567"))
    return rng.choice((f"{weekday}L", f"{weekday}#{rng.randint(1, 5)}"))


# --- the command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts and print what they covered. Answers the exit status."""
    reader = argparse.ArgumentParser(prog="python -m anser_spec.cronwalk", description="Hold cron against its rules.")
    reader.add_argument("--zones", nargs="*", default=list(ZONES), metavar="ZONE", help="to walk; default: the ten")
    reader.add_argument("--expressions", type=int, default=len(EXPRESSIONS), metavar="N", help="how many of the list")
    reader.add_argument("--random", type=int, default=200_000, metavar="N", help="draws against the model")
    reader.add_argument("--seed", type=int, default=0)
    asked = reader.parse_args(arguments)
    parts: list[Callable[[], Report]] = [
        check_premises,
        check_vectors,
        lambda: check_walk(asked.zones, EXPRESSIONS[: asked.expressions]),
        lambda: check_random(asked.random, asked.seed),
    ]
    different = 0
    for part in parts:
        begun = time.perf_counter()
        report = part()
        print(f"{report} ({time.perf_counter() - begun:.1f} s)", flush=True)
        different += len(report.differences)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
