"""Clocks: whole epoch seconds, from one place."""

from __future__ import annotations

import time

import anser
from anser.clock import system_clock


def test_the_system_clock_gives_the_second_that_is_running() -> None:
    before = time.time()
    now = system_clock()
    after = time.time()

    assert type(now) is int
    assert int(before) <= now <= after


def test_a_manual_clock_stands_still_until_it_is_told() -> None:
    clock = anser.ManualClock(1_000)

    assert [clock(), clock()] == [1_000, 1_000]
    clock.advance(5)
    assert clock() == 1_005
    clock.advance(-10)
    assert clock() == clock.at == 995
    clock.at = 7
    assert clock() == 7
