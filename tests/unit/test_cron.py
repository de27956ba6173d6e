"""Cron expressions as values: what is read, what is refused and how, which boundary is next, and `anser cron next`."""

from __future__ import annotations

import json
import time
from datetime import datetime
from itertools import pairwise

import pytest
from click.testing import CliRunner, Result

from anser.cli import main
from anser.cron import EXPR_MAX_CHARS, MACROS, Cron, Every, explain, local, parse
from anser.errors import Invalid
from anser.types import INSTANT_MAX

NEW_YORK = "America/New_York"
NINE = "0 9 * * MON-FRI"
YEAR_9000 = 221_845_392_000


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def refusal(expr: object, tz: object = "UTC", anchor_at: int | None = None) -> Invalid:
    with pytest.raises(Invalid) as refused:
        parse(expr, tz, anchor_at=anchor_at)  # type: ignore[arg-type]  # what is no text is refused, too
    return refused.value


# --- what is read


@pytest.mark.parametrize(
    ("expr", "same"),
    [
        ("0-23/1 * * * *", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 * * * *"),
        ("5 0-23 * * *", "5 * * * *"),
        ("0 0 * * sun,Mon", "0 0 * * 0,1"),
        ("0 0 * * 7", "0 0 * * 0"),
        ("0 0 * * 0-7", "0 0 * * *"),
        ("0 0 * * 7-1", "0 0 * * 0,1"),
        ("0 0 * * 7-7", "0 0 * * 7"),
        ("0 0 * * 7/2", "0 0 * * 0,2,4,6"),
        ("0 0 * * 7-3/2", "0 0 * * 0,2"),
        ("0 0 * * 5-7/2", "0 0 * * 5,7"),
        ("0 0 * * FRI-SUN", "0 0 * * 5-7"),
        ("0 0 * JAN-MAR/2,JUL *", "0 0 * 1,3,7 *"),
        ("0 0 * NOV-FEB *", "0 0 * 1,2,11,12 *"),
        ("0 22-2/2 * * *", "0 0,2,22 * * *"),
        ("50-10/5 * * * *", "50,55,0,5,10 * * * *"),
        ("5/15 * * * *", "5,20,35,50 * * * *"),
        ("5-5 * * * *", "5 * * * *"),
        ("*,5 * * * *", "* * * * *"),
        ("0 0 ? * ?", "0 0 * * *"),
        ("0 0 L,15 * *", "0 0 15,l * *"),
        ("0 0 * * FRIL,fri#1", "0 0 * * 5#1,5L"),
        ("0 0 0 * * *", "0 0 * * *"),
        ("\t0  0 * * *  ", "0 0 * * *"),
        *MACROS.items(),
    ],
)
@pytest.mark.rule("CRN-1", "CRN-2")
def test_two_texts_that_accept_the_same_times_are_equal(expr: str, same: str) -> None:
    assert parse(expr, "UTC") == parse(same, "UTC")


def test_other_times_or_another_zone_make_another_schedule() -> None:
    assert len({parse("0 9 * * *", "UTC"), parse("0 9 * * 1", "UTC"), parse("0 9 * * *", "Europe/Paris")}) == 3


def test_the_text_is_kept_as_it_was_written() -> None:
    assert parse("  0 9 * * Mon-FRI ", "UTC").expr == "0 9 * * Mon-FRI"


# --- what is refused


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        ("0 0 *", "it has 3"),
        ("* * * * * * *", "it has 7 (years and comments"),
        ("60 * * * *", "minute 60: it must lie from 0 to 59"),
        ("* 24 * * *", "hour 24"),
        ("0 0 32 * *", "day-of-month 32"),
        ("0 0 * 0 *", "month 0"),
        ("0 0 * * 8", "day-of-week 8"),
        ("60 0 0 * * *", "second 60: it must lie from 0 to 59 (of six fields the first is the second)"),
        ("2030 0 0 1 1 *", "of six fields the first is the second"),
        ("MON * * * *", "minute MON: write a number"),
        ("0 0 * MON *", "names are JAN"),
        ("0 0 * JULY *", "names have three letters"),
        ("*/90 * * * *", "write @every 90m"),
        ("0 */24 * * *", "write @every 24h"),
        ("*/60 * * * * *", "write @every 60s"),
        ("0 0 */31 * *", "from 1 to 30"),
        ("*/001 * * * *", "from 1 to 59"),
        ("0/ * * * *", "a step is a number"),
        ("0 0 LW * *", "no W"),
        ("0 0 L-3 * *", "no L-n"),
        ("0 0 * * L", "5L is the month's last Friday"),
        ("0 0 * * LFRI", "the weekday comes first"),
        ("0 0 * * 5#6", "#1 to #5"),
        ("0 0 * * 5#0", "#1 to #5"),
        ("0 0 * * MON-WED#2", "one weekday with one #"),
        ("0 0 28-3 * *", "write 28-31,1-3"),
        ("H * * * *", "write the number"),
        ("?/2 * * * *", "? stands for a whole day field"),
        ("123 * * * *", "two digits"),
        ("1,,2 * * * *", "the list is empty"),
        ("-5 * * * *", "write *, a number from 0 to 59"),
        ("@reboot", "there are @yearly"),
        ("@every 5", "one of s, m, h, d"),
        ("@every 0s", "a number from 1"),
        ("@every 1h30m", "as @every 90m"),
        ("TZ=UTC 0 0 * * *", "pass it as tz"),
        ("0 0 * * *\n", "printable ASCII"),
        ("0\u00a00 * * *", "printable ASCII"),
        ("\u0665 * * * *", "printable ASCII"),
        ("0 0 30 2 *", "day-of-month 30 never comes in February"),
        ("0 0 31 4,6 ?", "day-of-month 31 never comes in April, June"),
        ("0" * (EXPR_MAX_CHARS + 1), "the limit is 256"),
        (5, "pass text"),
        (None, "pass text"),
    ],
)
@pytest.mark.rule("CRN-3", "CRN-4")
def test_a_refused_expression_is_told_with_its_field_and_what_to_write(expr: object, said: str) -> None:
    refused = refusal(expr)

    assert refused.argument == "expr"
    assert said in str(refused)
    assert "\n" not in str(refused)


@pytest.mark.parametrize("expr", ["0 0 30 2 0", "0 0 30 2 1#5", "0 0 31 4,5 *", "0 0 30,L 2 *", "0 0 29 2 *"])
@pytest.mark.rule("CRN-4")
def test_a_date_that_comes_at_all_is_accepted(expr: str) -> None:
    assert parse(expr, "UTC").next_after(0) is not None


@pytest.mark.parametrize(
    "tz",
    [
        *("", "Mars/Olympus", "europe/paris", "localtime", "Factory", "right/UTC", "posixrules", "America", "../UTC"),
        *("/etc/localtime", "UTC\0", "+02:00", "A" * 10_000, "\ud800", None, 5),
    ],
)
@pytest.mark.rule("CRN-6")
def test_what_is_no_zone_of_the_world_is_refused(tz: object) -> None:
    assert refusal("0 0 * * *", tz).argument == "tz"


@pytest.mark.rule("CRN-6")
def test_a_zone_that_is_nearly_right_is_named() -> None:
    assert "did you mean Europe/Paris?" in str(refusal("0 0 * * *", "Europe/Pari"))


def test_the_first_wrong_argument_is_told() -> None:
    assert refusal("nothing", "nowhere").argument == "expr"
    assert refusal("@every 5m", "nowhere").argument == "tz"
    assert refusal("@every 5m", "UTC").argument == "anchor_at"
    assert refusal("@every 5m", "UTC", -1).argument == "anchor_at"


# --- which boundary is next


@pytest.mark.parametrize("instant", [-1, INSTANT_MAX + 1, 1.5, True, "0", None])
def test_an_instant_is_whole_seconds_within_the_years(instant: int) -> None:
    cron = parse(NINE, NEW_YORK)

    for ask in (cron.next_after, cron.last_before):
        with pytest.raises(Invalid, match=r"^at = "):
            ask(instant)
    with pytest.raises(Invalid, match=r"^until = "):
        cron.boundaries(0, instant, limit=1)


@pytest.mark.rule("CRN-11")
def test_the_boundaries_of_a_stretch_begin_after_it_does_and_end_with_it() -> None:
    cron = parse("0 * * * *", "UTC")

    assert cron.boundaries(3_600, 10_800, limit=9) == (7_200, 10_800)
    assert cron.boundaries(3_600, 10_799, limit=9) == (7_200,)
    assert cron.boundaries(3_600, 10_800, limit=1) == (7_200,)
    assert cron.boundaries(10_800, 3_600, limit=9) == ()


@pytest.mark.parametrize("limit", [0, 10_001, True, 1.0])
def test_the_number_of_boundaries_has_a_limit(limit: int) -> None:
    with pytest.raises(Invalid, match=r"^limit = "):
        parse(NINE, NEW_YORK).boundaries(0, 1, limit=limit)


@pytest.mark.rule("CRN-13")
@pytest.mark.parametrize("expr", ["* * * * * *", "5-7,40-58 * * * * *", "*/7 * * * *", "0 */5 * * SUN", "0 0 1 1 *"])
def test_the_boundary_before_the_next_is_the_one_before(expr: str) -> None:
    cron = parse(expr, NEW_YORK)
    first, *others = cron.boundaries(at("2025-03-09T01:59:50-05:00"), INSTANT_MAX, limit=40)

    for boundary in others:
        assert cron.last_before(boundary) == first
        assert cron.last_before(boundary - 1) in (first, cron.last_before(first))
        assert cron.last_before(boundary + 1) == boundary
        first = boundary


@pytest.mark.rule("CRN-7", "CRN-8", "CRN-9")
def test_a_daily_schedule_fires_once_on_each_date_and_an_hourly_one_each_hour() -> None:
    for zone in (NEW_YORK, "Europe/Dublin", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago"):
        daily = parse("30 2 * * *", zone).boundaries(at("2024-01-01T00:00:00+00:00"), INSTANT_MAX, limit=366)
        hourly = parse("0 * * * *", zone).boundaries(at("2024-01-01T00:00:00+00:00"), INSTANT_MAX, limit=8_760)

        assert len({local(parse("@daily", zone), boundary).date() for boundary in daily}) == 366
        assert {later - earlier for earlier, later in pairwise(hourly)} <= {1_800, 3_600, 5_400}


@pytest.mark.rule("CRN-10")
def test_every_keeps_the_phase_of_its_anchor() -> None:
    every = parse("@every 10m", NEW_YORK, anchor_at=1_000)

    assert isinstance(every, Every)
    assert every.boundaries(0, 2_300, limit=9) == (1_600, 2_200)
    assert every.next_after(1_600) == 2_200
    assert every.next_after(1_599) == 1_600
    assert every.last_before(2_200) == 1_600
    assert every.last_before(1_600) is None


@pytest.mark.rule("CRN-10")
def test_other_expressions_take_no_notice_of_an_anchor() -> None:
    assert parse(NINE, NEW_YORK, anchor_at=5) == parse(NINE, NEW_YORK)


@pytest.mark.rule("CRN-12")
def test_schedules_end_with_the_year_9000() -> None:
    for timetable in (parse("* * * * *", "Pacific/Kiritimati"), parse("@every 1s", "UTC", anchor_at=0)):
        assert timetable.next_after(YEAR_9000 - 1) == YEAR_9000
        assert timetable.next_after(YEAR_9000) is None
        assert timetable.next_after(INSTANT_MAX) is None
        assert timetable.last_before(INSTANT_MAX) == YEAR_9000


@pytest.mark.rule("CRN-12")
@pytest.mark.parametrize("tz", ["UTC", "Pacific/Apia", "Antarctica/Troll"])
def test_the_rarest_date_is_found_in_bounded_time(tz: str) -> None:
    cron = parse("59 59 23 * 2 MON#5", tz)
    begun = time.perf_counter()

    found = cron.next_after(at("2072-03-01T00:00:00+00:00"))

    assert found is not None
    assert local(cron, found).isoformat().startswith("2112-02-29T23:59:59")
    assert time.perf_counter() - begun < 1


# --- in words


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        ("* * * * *", "every minute, every day"),
        ("* * * * * *", "every second, every day"),
        ("*/15 * * * *", "every 15 minutes of every hour, every day"),
        ("30 * * * *", "at minute 30 of every hour, every day"),
        ("0 9 * * MON-FRI", "at 09:00, on Monday to Friday"),
        ("15 0 9,17 * * 7", "at 09:00:15 and 17:00:15, on Sunday"),
        ("*/5 9-17 * * *", "every 5 minutes of hour 9 to 17, every day"),
        ("*/10 30 2 * * *", "at 02:30:00, 02:30:10, 02:30:20, 02:30:30, 02:30:40 and 02:30:50, every day"),
        ("*/10 * 2 * * *", "every 10 seconds of hour 2, every day"),
        ("15 * * * * *", "at second 15 of every minute, every day"),
        ("5 3 * * * *", "at second 5 of minute 3 of every hour, every day"),
        ("0 0 L * *", "at 00:00, on the last day of the month"),
        ("0 0 1,15 1-3 *", "at 00:00, on day 1 and 15 of the month, in January to March"),
        ("0 0 13 * 5#2,SUNL", "on day 13 of the month or on the last Sunday of the month or on the second Friday"),
        ("0 0 * * 6,0,1", "on Monday, Saturday and Sunday"),
    ],
)
def test_a_schedule_is_told_in_words(expr: str, words: str) -> None:
    assert words in explain(parse(expr, NEW_YORK))


def test_the_words_tell_what_a_change_of_the_clocks_does() -> None:
    assert "goes on in real time" in explain(parse("0 0-23 * * *", NEW_YORK))
    assert "fires when they go on" in explain(parse("0 2 * * *", NEW_YORK))
    assert "every 5400 seconds, counted from 2025-03-01T00:00:00-05:00" in explain(
        parse("@every 90m", NEW_YORK, anchor_at=at("2025-03-01T00:00:00-05:00"))
    )


# --- the command


def ran(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["cron", "next", *arguments])


def test_the_command_lists_instants_for_programs() -> None:
    answer = ran("30 2 * * *", "--tz", NEW_YORK, "--after", str(at("2025-03-08T12:00:00-05:00")), "--count=2", "--json")

    assert answer.exit_code == 0
    assert json.loads(answer.stdout) == {
        "next": [at("2025-03-09T03:00:00-04:00"), at("2025-03-10T02:30:00-04:00")],
    }


def test_the_command_explains_a_schedule_to_people() -> None:
    answer = ran(NINE, "--tz", "Europe/Paris", "--after", str(at("2025-03-28T09:00:00+01:00")), "--count", "1")

    first, second = answer.stdout.splitlines()
    assert first.startswith(f"{NINE}: at 09:00, on Monday to Friday, by the clocks of Europe/Paris.")
    assert second == f"2025-03-31T09:00:00+02:00  {at('2025-03-31T09:00:00+02:00')}"


def test_the_command_begins_with_now() -> None:
    before = int(time.time())
    first, second = json.loads(ran("* * * * * *", "--tz", "UTC", "--count", "2", "--json").stdout)["next"]

    assert before < first <= int(time.time()) + 1
    assert second == first + 1


def test_the_command_says_when_there_are_no_more() -> None:
    answer = ran("@yearly", "--tz", "UTC", "--after", str(YEAR_9000))

    assert answer.stdout.splitlines()[1:] == ["and no more within 41 years"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("0 25 * * *", "--tz", "UTC"), "expr = '0 25 * * *': hour 25"),
        (("0 0 * * *\n", "--tz", "UTC"), "expr = '0 0 * * *\\n'"),
        (("0 0 * * *", "--tz", "Mars/Olympus"), "tz = 'Mars/Olympus'"),
        (("0 0 * * *", "--tz", "UTC", "--after=-1"), "at = -1"),
    ],
)
def test_a_refused_argument_is_one_line_and_status_2(arguments: tuple[str, ...], said: str) -> None:
    answer = ran(*arguments)

    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert len(answer.stderr.splitlines()) == 1
    assert said in answer.stderr


def test_the_zone_is_asked_for() -> None:
    assert ran("0 0 * * *").exit_code == 2


def test_a_cron_is_what_an_expression_becomes() -> None:
    assert isinstance(parse(NINE, NEW_YORK), Cron)
