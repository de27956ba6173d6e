"""Windows of rate limits on one file: what one counts, the other meets."""

from __future__ import annotations

import pytest

import anser
from anser.ops import RateLimitSweep, RateLimitTry
from anser.types import PERIOD_MAX_S
from anser_spec.targets.honker.process import HonkerProcess
from tests.interop.conftest import Clock

SMS = RateLimitTry(key="sms", limit=3, per_s=PERIOD_MAX_S)  # a window whose edge no run of this test meets but once


@pytest.mark.rule("LIM-1", "LIM-3")
def test_each_meets_what_the_other_counted(db: anser.Database, honker: HonkerProcess) -> None:
    sms = db.rate_limit("sms", limit=3, per_s=PERIOD_MAX_S)

    answers = [sms.try_acquire().allowed, honker.do(SMS), sms.try_acquire().allowed, honker.do(SMS)]

    assert answers == [True, True, True, False]
    assert not sms.try_acquire().allowed


@pytest.mark.rule("LIM-3", "LIM-8")
def test_either_sweeps_the_windows_of_the_other(db: anser.Database, honker: HonkerProcess, clock: Clock) -> None:
    clock.ahead_s = -2 * PERIOD_MAX_S
    db.rate_limit("sms", limit=1, per_s=60).try_acquire()
    clock.ahead_s = 0

    swept = honker.do(RateLimitSweep(older_than_s=PERIOD_MAX_S))
    honker.do(SMS)
    clock.ahead_s = 2 * PERIOD_MAX_S

    assert swept == 1
    assert db.rate_limit_sweep(older_than_s=60) == 1
