"""Leases that are kept in the background while a body runs: locks by their renewals, jobs by their heartbeats."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import anser
from anser.keeper import aside
from anser.ops import LockAcquire
from tests.concurrency.support import PATIENCE_S, until

NOW = 1_000
OFTEN_S = 0.001


@pytest.fixture
def clock() -> anser.ManualClock:
    return anser.ManualClock(NOW)


@pytest.fixture
def db(tmp_path: Path, clock: anser.ManualClock) -> Iterator[anser.Database]:
    with anser.open(tmp_path / "app.db", synchronous="normal", busy_timeout_s=30, clock=clock) as db:
        yield db


def threads(name: str) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(name)]


# --- locks


@pytest.mark.rule("LCK-6", "LCK-7")
def test_a_lock_is_renewed_while_its_body_runs_and_no_longer(db: anser.Database, clock: anser.ManualClock) -> None:
    with db.lock("report", ttl_s=30, renew_s=OFTEN_S) as held:
        for _ in range(3):
            clock.at += 29
            until(lambda: held.expires_at == clock.at + 30)
        assert threads("anser-lock report")
        assert not held.lost

    assert db.lock_get("report") is None
    assert not threads("anser-lock")


@pytest.mark.rule("LCK-5")
def test_a_body_is_told_when_a_renewal_is_refused_and_its_end_reports_it(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    def body() -> None:
        with db.lock("report", owner="ann", ttl_s=30, renew_s=OFTEN_S) as held:
            clock.at += 30
            assert db.run(LockAcquire(lock="report", owner="ben", ttl_s=30)).fence == 2
            clock.at -= 30  # by the clock it would still have it
            until(lambda: held.lost)

    with pytest.raises(anser.LeaseLost, match="is not held by 'ann'"):
        body()


def test_a_lock_entered_within_itself_is_renewed_until_the_outer_body_ends(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    lock = db.lock("report", ttl_s=30, renew_s=OFTEN_S)

    with lock:
        with lock:
            assert len(threads("anser-lock")) == 1
        clock.at += 29
        until(lambda: lock.expires_at == clock.at + 30)

    assert not threads("anser-lock")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_body_that_raises_ends_its_renewals(db: anser.Database, error: type[BaseException]) -> None:
    with pytest.raises(error), db.lock("report", ttl_s=30, renew_s=OFTEN_S):
        raise error

    assert db.lock_get("report") is None
    assert not threads("anser-lock")


def test_an_event_loop_goes_on_while_a_lock_is_entered_and_left(db: anser.Database) -> None:
    ticks: list[int] = []

    async def ticking() -> None:
        while True:
            ticks.append(1)
            await asyncio.sleep(OFTEN_S)

    async def body() -> bool:
        other = asyncio.create_task(ticking())
        lock = db.lock("report", ttl_s=30, renew_s=OFTEN_S)
        writing = threading.Event()
        writer = threading.Thread(target=hold_the_file, args=(db, writing))
        writer.start()
        await asyncio.to_thread(writing.wait, PATIENCE_S)
        async with lock:
            seen = len(ticks) > 10
            with pytest.raises(anser.Conflict):
                async with db.lock("report", ttl_s=30):
                    pass
        other.cancel()
        writer.join()
        return seen

    assert asyncio.run(body())
    assert db.lock_get("report") is None


def hold_the_file(db: anser.Database, writing: threading.Event) -> None:
    with db.transaction():
        writing.set()
        time.sleep(0.1)


@pytest.mark.parametrize("times", [1, 3])
def test_a_task_that_is_cancelled_as_it_enters_leaves_no_lock(db: anser.Database, times: int) -> None:
    async def entering(lock: anser.NamedLock) -> None:
        async with lock:
            await asyncio.sleep(PATIENCE_S)

    async def cancelled() -> None:
        writing = threading.Event()
        writer = threading.Thread(target=hold_the_file, args=(db, writing))
        writer.start()
        await asyncio.to_thread(writing.wait, PATIENCE_S)
        task = asyncio.create_task(entering(db.lock("report", ttl_s=30, renew_s=OFTEN_S)))
        for _ in range(times):
            await asyncio.sleep(OFTEN_S)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        writer.join()

    asyncio.run(cancelled())

    assert db.lock_get("report") is None
    assert not threads("anser-lock")


def test_a_loop_that_is_shut_down_as_a_task_enters_leaves_no_lock(db: anser.Database) -> None:
    writing = threading.Event()
    writer = threading.Thread(target=hold_the_file, args=(db, writing))
    lock = db.lock("report", ttl_s=30, renew_s=OFTEN_S)

    async def left() -> asyncio.Task[anser.NamedLock]:
        writer.start()
        await asyncio.to_thread(writing.wait, PATIENCE_S)
        task = asyncio.create_task(lock.__aenter__())
        await asyncio.sleep(OFTEN_S)
        return task

    task = asyncio.run(left())
    writer.join()

    assert task.cancelled()
    assert db.lock_get("report") is None
    assert not threads("anser-lock")


def test_what_could_not_be_taken_back_is_noted_on_the_cancellation() -> None:
    began, go_on = threading.Event(), threading.Event()

    def say() -> None:
        began.set()
        go_on.wait(PATIENCE_S)

    def take_back() -> None:
        raise anser.Busy("held too long")

    async def cancelled() -> None:
        task = asyncio.create_task(aside(say, take_back=take_back))
        await asyncio.to_thread(began.wait, PATIENCE_S)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError) as error:
            await task
        assert error.value.__notes__ == ["what was said was not taken back: held too long"]

    asyncio.run(cancelled())


def test_what_was_said_beside_the_loop_and_refused_is_not_taken_back() -> None:
    began, go_on = threading.Event(), threading.Event()
    taken_back: list[int] = []

    def say() -> None:
        began.set()
        go_on.wait(PATIENCE_S)
        raise anser.Conflict("taken")

    async def cancelled() -> None:
        task = asyncio.create_task(aside(say, take_back=lambda: taken_back.append(1)))
        await asyncio.to_thread(began.wait, PATIENCE_S)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert taken_back == []


# --- jobs


@pytest.mark.rule("CLM-11")
def test_a_job_is_kept_by_heartbeats_while_its_body_runs(db: anser.Database, clock: anser.ManualClock) -> None:
    mail = db.queue("mail", lease_s=30)
    mail.enqueue(1)
    job = mail.claim_one("w")
    assert job is not None

    with job, job.heartbeat_every(OFTEN_S) as beat:
        for _ in range(3):
            clock.at += 29
            until(lambda: job.lease.expires_at == clock.at + 30)
        assert not beat.lost.is_set()

    assert mail.count_jobs() == anser.Counts(0, 0, 0, 0)
    assert not threads("anser-heartbeat")


@pytest.mark.rule("CLM-8")
def test_a_body_whose_job_was_cancelled_is_told(db: anser.Database) -> None:
    mail = db.queue("mail", lease_s=30)
    mail.enqueue(1)
    job = mail.claim_one("w")
    assert job is not None

    def body() -> None:
        with job, job.heartbeat_every(OFTEN_S, lease_s=60) as beat:
            mail.cancel(job.id)
            assert beat.lost.wait(PATIENCE_S)

    with pytest.raises(anser.LeaseLost):
        body()


@pytest.mark.parametrize(("every_s", "lease_s"), [(0, None), (30, None), (60, 60), (float("nan"), None), ("1", 60)])
@pytest.mark.rule("ERR-5")
def test_heartbeats_that_would_come_too_late_are_refused(
    db: anser.Database, every_s: float, lease_s: int | None
) -> None:
    mail = db.queue("mail", lease_s=30)
    mail.enqueue(1)
    job = mail.claim_one("w")
    assert job is not None

    with pytest.raises(anser.Invalid) as refusal:
        job.heartbeat_every(every_s, lease_s=lease_s)

    assert refusal.value.argument == "every_s"
