"""Schedulers that run at the same time, in threads and processes: one leads, and each boundary is fired once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import anser
from anser.types import SCHEDULER_LOCK
from tests.concurrency.support import until

NOW = 1_800_000_000
THREADS = 4
PATIENCE_S = 30

LEADER = """
import sys, anser
anser.Scheduler(anser.open(sys.argv[1]), owner="other", ttl_s=2).run(lambda: False)
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "app.db")


@pytest.mark.rule("SCH-5")
def test_threads_that_tick_at_once_fire_each_boundary_once(path: str) -> None:
    clock = anser.ManualClock(NOW)
    with anser.open(path, clock=clock, synchronous="normal", busy_timeout_s=PATIENCE_S) as db:
        db.schedules.register("a", queue="mail", cron="@every 1s", tz="UTC", payload=1, misfire=anser.Misfire.ALL)
        clock.advance(200)

        def tick(_: int) -> list[int]:
            return [fired.fire_at for _ in range(4) for fired in db.schedules.tick().fired]

        with ThreadPoolExecutor(THREADS) as pool:
            fired = [at for ticked in pool.map(tick, range(THREADS)) for at in ticked]

        assert sorted(fired) == [NOW + second for second in range(1, 201)]
        assert db.queue("mail").count_jobs().pending == 200


@pytest.mark.rule("SCH-11")
def test_of_two_schedulers_that_run_one_fires_and_the_other_takes_over(path: str) -> None:
    stops = threading.Event(), threading.Event()
    with anser.open(path, busy_timeout_s=PATIENCE_S) as db, ThreadPoolExecutor(2) as pool:
        db.schedules.register("a", queue="mail", cron="@every 1s", tz="UTC", payload=1)
        schedulers = [anser.Scheduler(db, owner=owner) for owner in ("first", "second")]
        runs = [pool.submit(scheduler.run, stop.is_set) for scheduler, stop in zip(schedulers, stops, strict=True)]
        until(lambda: db.queue("mail").count_jobs().pending > 0, PATIENCE_S)
        leader = next(place for place, scheduler in enumerate(schedulers) if scheduler.leads)

        stops[leader].set()
        runs[leader].result(PATIENCE_S)
        until(lambda: schedulers[1 - leader].leads, PATIENCE_S)
        fired = db.queue("mail").count_jobs().pending
        until(lambda: db.queue("mail").count_jobs().pending > fired, PATIENCE_S)
        stops[1 - leader].set()
        runs[1 - leader].result(PATIENCE_S)

        jobs = db.queue("mail").count_jobs().pending
        there = db.schedules.get("a")
        assert there is not None
        assert (there.fires, db.lock_get(SCHEDULER_LOCK)) == (jobs, None)


@pytest.mark.rule("SCH-11")
def test_a_scheduler_whose_process_is_killed_is_followed_by_another(path: str) -> None:
    with anser.open(path, busy_timeout_s=PATIENCE_S) as db:
        db.schedules.register("a", queue="mail", cron="@every 1s", tz="UTC", payload=1)
        process = subprocess.Popen([sys.executable, "-c", LEADER, path])
        try:
            until(lambda: (lock := db.lock_get(SCHEDULER_LOCK)) is not None and lock.owner == "other", PATIENCE_S)
            scheduler = anser.Scheduler(db, owner="this", ttl_s=2)
            assert scheduler.tick() is None
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(PATIENCE_S)

        until(lambda: scheduler.tick() is not None, PATIENCE_S)

        until(lambda: (ticked := scheduler.tick()) is not None and bool(ticked.fired), PATIENCE_S)
