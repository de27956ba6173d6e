"""Results while others work: who waits is woken, whoever it is that saves, and who comes too late saves none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import pytest

import anser
from tests.concurrency.support import PATIENCE_S, SPAWN, ack_too_late, joined, processes

NOW = 1_800_000_000
WAITERS = 12


@pytest.fixture
def clock() -> anser.ManualClock:
    return anser.ManualClock(NOW)


@pytest.fixture
def db(tmp_path: Path, clock: anser.ManualClock) -> Iterator[anser.Database]:
    with anser.open(tmp_path / "app.db", clock=clock, synchronous="normal", busy_timeout_s=30) as db:
        yield db


@pytest.fixture
def mail(db: anser.Database) -> anser.Queue:
    return db.queue("mail")


def claimed(queue: anser.Queue, worker: str) -> anser.ClaimedJob:
    job = queue.claim_one(worker)
    assert job is not None, "a job is due"
    return job


@pytest.mark.rule("RES-10")
def test_all_who_wait_for_a_job_have_its_result_when_it_is_acked(db: anser.Database, mail: anser.Queue) -> None:
    id = mail.enqueue("hello").id

    with ThreadPoolExecutor(WAITERS) as pool, anser.open(db.path, clock=db.clock) as other:
        waiting = [pool.submit(mail.wait_result, id, timeout_s=PATIENCE_S) for _ in range(WAITERS)]
        job = claimed(other.queue("mail"), "w")
        job.result_save("half")
        job.ack(result="whole")

        assert [each.result(PATIENCE_S) for each in waiting] == ["whole"] * WAITERS


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (lambda job: job.fail("no"), anser.JobDead),
        (lambda job: job.retry(delay_s=0, error="no"), anser.JobDead),
        (lambda job: job.queue.cancel(job.id), anser.JobCancelled),
        (lambda job: job.ack(), anser.ResultMissing),
    ],
)
@pytest.mark.rule("RES-10")
def test_a_wait_ends_with_the_job_also_where_there_is_no_result(
    mail: anser.Queue, end: Callable[[anser.ClaimedJob], object], error: type[anser.ResultError]
) -> None:
    id = mail.enqueue("hello", max_attempts=1).id

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(mail.wait_result, id, timeout_s=PATIENCE_S)
        end(claimed(mail, "w"))

        with pytest.raises(error):
            waiting.result(PATIENCE_S)


@pytest.mark.rule("RES-10")
def test_a_wait_goes_on_while_the_job_is_retried(mail: anser.Queue) -> None:
    id = mail.enqueue("hello").id

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(mail.wait_result, id, timeout_s=PATIENCE_S)
        claimed(mail, "w").retry(delay_s=0, error="again")
        claimed(mail, "w").release()
        claimed(mail, "w").ack(result=2)

        assert waiting.result(PATIENCE_S) == 2


@pytest.mark.rule("RES-10")
def test_an_event_loop_goes_on_while_its_tasks_wait(db: anser.Database, mail: anser.Queue) -> None:
    ids = [enqueued.id for enqueued in mail.enqueue_many(range(WAITERS))]

    def work() -> None:
        with anser.open(db.path, clock=db.clock, busy_timeout_s=30) as other:
            for _ in ids:
                job = claimed(other.queue("mail"), "w")
                job.ack(result=job.payload * 10)

    async def all_of_them() -> list[Any]:
        waiting = [asyncio.create_task(mail.await_result(id, timeout_s=PATIENCE_S)) for id in ids]
        await asyncio.to_thread(work)
        return await asyncio.gather(*waiting)

    assert asyncio.run(all_of_them()) == [payload * 10 for payload in range(WAITERS)]


@pytest.mark.rule("RES-10")
def test_a_wait_ends_when_the_database_is_closed(db: anser.Database, mail: anser.Queue) -> None:
    id = mail.enqueue("hello").id

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(mail.wait_result, id)
        db.close()

        with pytest.raises(anser.StorageError, match="closed"):
            waiting.result(PATIENCE_S)


@pytest.mark.rule("RES-3", "RES-4")
def test_nobody_sees_a_job_done_before_its_result_is_there(db: anser.Database, mail: anser.Queue) -> None:
    ids = [enqueued.id for enqueued in mail.enqueue_many(range(60))]
    seen: set[anser.ResultState] = set()
    stop = threading.Event()

    def look() -> None:
        with anser.open(db.path, clock=db.clock) as other:
            queue = other.queue("mail")
            while not stop.is_set():
                seen.update(queue.result_get(id).state for id in ids)

    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(look)
        for _ in ids:
            claimed(mail, "w").ack(result=1)
        stop.set()
        looking.result(PATIENCE_S)

    assert seen <= {anser.ResultState.WAITING, anser.ResultState.SAVED}
    assert {mail.result_get(id).state for id in ids} == {anser.ResultState.SAVED}


@pytest.mark.rule("RES-1", "RES-3", "CLM-8")
def test_of_two_who_think_that_they_hold_a_job_one_leaves_the_result(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock
) -> None:
    """Round after round the late worker and its heir say their last word at the same moment."""
    for _ in range(30):
        id = mail.enqueue("hello").id
        late = claimed(mail, "w")
        clock.at = late.lease.expires_at + 1
        heir = claimed(mail, "w")
        start = threading.Barrier(2)

        def last_word(job: anser.ClaimedJob, start: threading.Barrier = start) -> int | None:
            start.wait(PATIENCE_S)
            try:
                job.result_save([job.lease.fence, "half"])
                job.ack(result=job.lease.fence)
            except anser.LeaseLost:
                return None
            return job.lease.fence

        with ThreadPoolExecutor(2) as pool:
            said = list(pool.map(last_word, (late, heir), timeout=PATIENCE_S))

        assert said == [None, heir.lease.fence]
        assert mail.wait_result(id, timeout_s=0) == heir.lease.fence


@pytest.mark.rule("RES-1", "RES-10", "CLM-8")
def test_a_process_that_comes_too_late_leaves_no_result_and_who_waits_has_the_heirs(tmp_path: Path) -> None:
    path = str(tmp_path / "app.db")
    told: Queue[list[str]] = SPAWN.Queue()
    with anser.open(path) as db:
        mail = db.queue("mail")
        id = mail.enqueue("hello").id

        with processes(ack_too_late, (path, told)) as (slow,), ThreadPoolExecutor(1) as pool:
            until_held(mail, id)
            waiting = pool.submit(mail.wait_result, id, timeout_s=PATIENCE_S)
            until_claimed(mail).ack(result="heir")
            found = waiting.result(PATIENCE_S)
            refused = told.get(timeout=PATIENCE_S)
            codes = joined([slow])

        assert (found, refused, codes) == ("heir", ["lease_lost", "lease_lost"], [0])
        assert mail.wait_result(id, timeout_s=0) == "heir"


def until_held(queue: anser.Queue, id: int) -> None:
    """Wait for the process that claims it."""

    def look() -> bool | None:
        job = queue.get_job(id)
        return True if isinstance(job, anser.Job) and job.lease is not None else None

    assert queue.database.wake.until(look, PATIENCE_S)


def until_claimed(queue: anser.Queue) -> anser.ClaimedJob:
    """Wait for a lease to run out, second by second: no commit tells of that."""
    pause = threading.Event()
    for _ in range(PATIENCE_S):
        job = queue.claim_one("heir")
        if job is not None:
            return job
        pause.wait(0.2)
    raise AssertionError("no lease ran out")
