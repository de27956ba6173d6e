"""The calendar of `anser.cron` agrees with the model's, with a brute-force oracle, and with vectors made by hand.

The short form of `python -m anser_spec.cronwalk`. In UTC, where no clock changes, croniter has the same opinion.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from croniter import croniter  # type: ignore[import-untyped]  # it has no types

from anser.cron import Cron, parse
from anser.errors import Invalid
from anser_spec import cronwalk
from anser_spec.cronwalk import EXPRESSIONS, ZONES, Report

DRAWS = 3_000
UTC_DRAWS = 500
WALKED = 20  # of the expressions; the command walks them all
SIX_FIELDS = [expr for expr in EXPRESSIONS if len(expr.split()) == 6]
FIVE_FIELDS = [expr for expr in EXPRESSIONS if expr not in SIX_FIELDS]


def agreed(report: Report) -> bool:
    print(report)
    return report.differences == [] and report.counts.total() > 0


def test_no_clock_changes_twice_in_two_days_or_far_from_utc() -> None:
    assert agreed(cronwalk.check_premises())


@pytest.mark.rule("CRN-1", "CRN-2", "CRN-5", "CRN-10", "CRN-12")
def test_what_was_worked_out_by_hand_holds() -> None:
    assert agreed(cronwalk.check_vectors())


@pytest.mark.parametrize("tz", ZONES)
@pytest.mark.rule("CRN-7", "CRN-8", "CRN-9", "CRN-11", "CRN-13")
def test_every_minute_of_the_days_on_which_clocks_change_agrees_with_the_oracle(tz: str) -> None:
    assert agreed(cronwalk.check_walk([tz], FIVE_FIELDS[:WALKED]))


@pytest.mark.rule("CRN-7", "CRN-8", "CRN-9", "CRN-11")
def test_every_second_of_a_day_on_which_clocks_change_agrees_with_the_oracle() -> None:
    assert agreed(cronwalk.check_walk(["Australia/Lord_Howe"], SIX_FIELDS[:1]))


@pytest.mark.rule("CRN-7", "CRN-8", "CRN-9", "CRN-11", "CRN-13")
def test_what_is_drawn_agrees_with_the_model() -> None:
    assert agreed(cronwalk.check_random(DRAWS, seed=1))


@pytest.mark.rule("CRN-1", "CRN-5")
def test_in_utc_croniter_agrees_where_it_reads_the_same_dialect() -> None:
    rng = random.Random(3)
    compared = 0
    while compared < UTC_DRAWS:
        expr, begin = cronwalk.drawn_expression(rng), rng.randrange(1 << 31)
        if not read_alike(expr):
            continue
        start = datetime.fromtimestamp(begin, UTC)
        other = croniter(expr, start, second_at_beginning=True).get_next(datetime).timestamp()

        assert parse(expr, "UTC").next_after(begin) == other, (expr, begin)
        compared += 1


def read_alike(expr: str) -> bool:
    """croniter has no `@every`, no `5L`; it ANDs a `#`, takes a full list of days for a restriction, and a range of one
    for a whole cycle."""
    if any(mark in expr.upper() for mark in ("@EVERY", "#", "L", "7", "SUN", "-")):
        return False
    try:
        cron = parse(expr, "UTC")
    except Invalid:
        return False
    assert isinstance(cron, Cron)
    texts = expr.split()
    full = [(cron.days.every_month_day, texts[-3:][0]), (cron.days.every_weekday, texts[-1])]
    return len(texts) == 1 or all(text in ("*", "?") for every, text in full if every)
