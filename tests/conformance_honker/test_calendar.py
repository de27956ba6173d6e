"""When honker's schedules fire is what the model's calendar of its quirk says: in each zone, around each change.

A process lives in one zone, which is how honker's expressions get theirs (D04).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from anser_models import calendar, calendar_honker
from anser_spec.cronwalk import ZONES, changes_of
from anser_spec.targets.honker.process import HonkerProcess

DRAWS = 20
AROUND_S = 90_000  # a day and an hour
FAR_AT = 1 << 32
HOUR_S = 3_600

EXPRESSIONS = (
    *("* * * * *", "*/15 * * * *", "30 * * * *", "30 2 * * *", "0 2 * * *", "0 3 * * *", "30 1 * * *", "0 1 * * *"),
    *("0 0 * * *", "0 12 * * *", "59 59 1 * * *", "15,45 30 0-3 * * *", "0 */2 * * *", "*/7 22-23 * * *"),
    *("0 0 13 * 5", "0 0 29 2 *", "0 0 29 2 1", "5/15 * * * *", "45 23 * * 6", "0 0 1 * 0-3", "*/10 * * * * *"),
    *("@every 7m", "@every 100d"),
)
TAKEN = (
    *("5/15 * * * *", "*/100 * * * *", "+5 * * * *", "*/+5 * * * *", "005 * * * *", "5/100 * * * *", "*,5 * * * *"),
    *(" *\t*\n* * * ", "*\u00a0* * * *", "1-5/2 * * * *", "1-+5 * * * *", "5-5 * * * *", "* * * * * *", "0 0 29 2 1"),
    *("@every1s", "@every 01s", "@every  5m ", " @every\t2h", "@every 1d", "@every 9999999999d"),
)
REFUSED = (
    *(
        "",
        "* * *",
        "* * * * * * *",
        "0 0 * * 7",
        "0 0 * * mon",
        "0 0 * jan *",
        "60 * * * *",
        "5-3 * * * *",
        "*/0 * * * *",
    ),
    *("1,,2 * * * *", "*-5 * * * *", "-5 * * * *", "5- * * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * 0 *"),
    *(
        "*/5/2 * * * *",
        "1-2-3 * * * *",
        "5/x * * * *",
        "1/0 * * * *",
        "0 0 l * *",
        "0 0 ? * *",
        "0 0 * * 5#3",
        "٣ * * * *",
    ),
    *("@daily", "@hourly", "@every", "@every 5", "@every s", "@every 0s", "@every 1w", "@every 1S", "@EVERY 1s"),
    *("@every +1s", "@every 1 s", "@every 1.5s", "@every 1s 2s", "99999999999 * * * *", "*/99999999999 * * * *"),
    *("@every 99999999999999999999s", "@every 9223372036854775807s", "0 0 31 2,4 *"),
)


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def answers(directory: Path, folder: Path, tz: str, asked: list[tuple[str, int]]) -> list[int | None]:
    process = HonkerProcess(directory, folder / "calendar.db", tz=tz)
    try:
        found: list[int | None] = process.ask("boundaries", asked=asked)
    finally:
        process.close()
    return found


def around_changes(tz: str, draw: random.Random) -> Iterator[int]:
    years = range(ZONES[tz] - 1, ZONES[tz] + 2)
    for change in (change for year in years for change in changes_of(ZoneInfo(tz), year)):
        yield from (change + hour * HOUR_S + second for hour in (-2, -1, 0, 1) for second in (-1, 0, 1))
        yield from (change + draw.randrange(-AROUND_S, AROUND_S) for _ in range(DRAWS))


@pytest.mark.parametrize("tz", ZONES)
def test_around_every_change_of_a_zone_honker_fires_as_the_quirk_says(directory: Path, tmp_path: Path, tz: str) -> None:
    draw = random.Random(tz)
    instants = [*around_changes(tz, draw), *(draw.randrange(FAR_AT) for _ in range(DRAWS))]
    asked = [(expr, instant) for expr in EXPRESSIONS for instant in instants]

    found = answers(directory, tmp_path, tz, asked)

    assert [
        (expr, instant, boundary)
        for (expr, instant), boundary in zip(asked, found, strict=True)
        if boundary != calendar_honker.next_after(expr, tz, instant)
    ] == []


def test_what_honker_takes_and_refuses_is_what_the_quirk_says(directory: Path, tmp_path: Path) -> None:
    instants = (at("2027-01-15T08:00:07Z"), 0, FAR_AT)
    asked = [(expr, instant) for expr in (*TAKEN, *REFUSED) for instant in instants]

    found = answers(directory, tmp_path, "UTC", asked)

    assert found == [calendar_honker.next_after(expr, "UTC", instant) for expr, instant in asked]
    assert {expr for (expr, _), boundary in zip(asked, found, strict=True) if boundary is None} == set(REFUSED)


@pytest.mark.parametrize(
    ("expr", "asked_at", "right", "honkers"),
    [
        pytest.param(
            *("*/15 * * * *", "2026-11-01T00:50-04:00", "2026-11-01T01:00-04:00", "2026-11-01T01:00-05:00"),
            id="E15-the-first-pass-is-left-out",
        ),
        pytest.param(
            *("30 * * * *", "2027-03-14T01:45-05:00", "2027-03-14T03:30-04:00", "2027-03-14T03:00-04:00"),
            id="E16-off-its-minute",
        ),
        pytest.param(
            *("0 0 13 * 5", "2027-01-01T12:00-05:00", "2027-01-08T00:00-05:00", "2027-08-13T00:00-04:00"),
            id="E17-both-day-fields",
        ),
        pytest.param(
            *("5/15 * * * *", "2027-01-01T12:05-05:00", "2027-01-01T12:20-05:00", "2027-01-01T13:05-05:00"),
            id="E17-the-step-does-nothing",
        ),
    ],
)
def test_where_honker_fires_otherwise_than_is_right(
    directory: Path, tmp_path: Path, expr: str, asked_at: str, right: str, honkers: str
) -> None:
    tz = "America/New_York"

    assert calendar.next_after(expr, tz, at(asked_at)) == at(right)
    assert answers(directory, tmp_path, tz, [(expr, at(asked_at))]) == [at(honkers)]


def test_one_expression_means_another_instant_in_each_process(directory: Path, tmp_path: Path) -> None:
    """D04; a zone that does not exist is UTC."""
    asked = [("0 3 * * *", at("2027-01-15T00:00Z"))]
    zones = ("UTC", "America/New_York", "Asia/Kolkata", "Nowhere/Land")

    found = {tz: answers(directory, tmp_path, tz, asked) for tz in zones}

    assert found == {
        "UTC": [at("2027-01-15T03:00Z")],
        "America/New_York": [at("2027-01-15T08:00Z")],
        "Asia/Kolkata": [at("2027-01-15T21:30Z")],
        "Nowhere/Land": [at("2027-01-15T03:00Z")],
    }
