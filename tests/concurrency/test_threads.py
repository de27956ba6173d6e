"""Threads of one process: on one handle, on a foreign connection, in each other's way."""

from __future__ import annotations

import gc
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import anser

NOW = 1_800_000_000
THREADS = 8
PATIENCE_S = 60


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "app.db")


@pytest.fixture
def clock() -> anser.ManualClock:
    return anser.ManualClock(NOW)


@pytest.fixture
def db(path: str, clock: anser.ManualClock) -> Iterator[anser.Database]:
    with anser.open(path, clock=clock, synchronous="normal", busy_timeout_s=30) as db:
        yield db


@pytest.fixture
def mail(db: anser.Database) -> anser.Queue:
    return db.queue("mail")


def in_a_thread(run: Callable[[], Any]) -> Any:
    """What it answers or raises, from a thread that has ended by then."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(run).result(timeout=PATIENCE_S)


def at_once(run: Callable[[int], Any]) -> list[Any]:
    """What each of so many threads answers, that begin together."""
    start = threading.Barrier(THREADS)

    def begun(number: int) -> Any:
        start.wait(PATIENCE_S)
        return run(number)

    with ThreadPoolExecutor(max_workers=THREADS) as pool:
        return list(pool.map(begun, range(THREADS), timeout=PATIENCE_S))


@pytest.mark.rule("CLM-1", "JOB-1")
def test_each_job_is_handled_once_by_threads_that_share_a_handle(mail: anser.Queue) -> None:
    def work(number: int) -> list[Any]:
        done = []
        for turn in range(12):
            mail.enqueue([number, turn])
            with job_of(mail, f"w{number}") as job:
                done.append(job.payload)
        return done

    handled = list(chain.from_iterable(at_once(work)))

    assert sorted(handled) == [[number, turn] for number in range(THREADS) for turn in range(12)]
    assert mail.count_jobs() == anser.Counts(pending=0, due=0, processing=0, dead=0)


def job_of(queue: anser.Queue, worker: str) -> anser.ClaimedJob:
    """There is a job for each that enqueues one before it claims."""
    job = queue.claim_one(worker)
    assert job is not None
    return job


@pytest.mark.rule("CLM-7")
def test_fences_and_ids_are_given_once_whoever_asks(mail: anser.Queue) -> None:
    def work(number: int) -> list[tuple[int, int]]:
        ids = [mail.enqueue(turn).id for turn in range(10)]
        return [(id, job_of(mail, "w").lease.fence) for id in ids]

    pairs = list(chain.from_iterable(at_once(work)))

    assert sorted(id for id, _ in pairs) == list(range(1, 81))
    assert sorted(fence for _, fence in pairs) == list(range(1, 81))


@pytest.mark.rule("JOB-6")
def test_a_unique_key_makes_one_job_however_many_ask_at_once(mail: anser.Queue) -> None:
    answers = at_once(lambda number: mail.enqueue(number, unique_key="ann"))

    assert [answer.id for answer in answers] == [1] * THREADS
    assert sum(answer.created for answer in answers) == 1


def test_a_job_is_settled_from_another_thread_than_the_one_that_claimed_it(mail: anser.Queue) -> None:
    mail.enqueue("hello")
    job = job_of(mail, "w")

    in_a_thread(job.heartbeat)
    in_a_thread(job.ack)

    assert isinstance(mail.get_job(job.id), anser.Finished)


def test_a_transaction_of_one_thread_is_nothing_to_another(db: anser.Database, mail: anser.Queue) -> None:
    with db.transaction() as tx:
        mail.enqueue("not yet", tx=tx)
        seen = in_a_thread(mail.count_jobs)

    assert seen.pending == 0
    assert in_a_thread(mail.count_jobs).pending == 1


def test_a_transaction_may_be_ended_by_another_thread_than_the_one_that_began_it(
    db: anser.Database, mail: anser.Queue
) -> None:
    transaction = db.transaction()

    with ThreadPoolExecutor(max_workers=1) as pool:
        tx = pool.submit(transaction.__enter__).result(timeout=PATIENCE_S)
        in_a_thread(lambda: mail.enqueue("hello", tx=tx))
        in_a_thread(lambda: transaction.__exit__(None, None, None))
        after = pool.submit(mail.enqueue, "from the thread that began it").result(timeout=PATIENCE_S)

    assert after.created
    assert mail.count_jobs().pending == 2


def test_looks_do_not_wait_for_a_writer(db: anser.Database, mail: anser.Queue) -> None:
    mail.enqueue("hello")
    looks: list[Callable[[], Any]] = [
        lambda: mail.get_job(1),
        mail.list_jobs,
        mail.count_jobs,
        mail.next_claim_at,
        mail.dead_list,
    ]

    with db.transaction() as tx:
        tx.execute("delete from _honker_live")
        seen = [in_a_thread(look) for look in looks]

    assert [bool(answer) for answer in seen] == [True, True, True, True, False]


def test_a_thread_that_opens_the_file_does_not_wait_for_a_writer(db: anser.Database, path: str) -> None:
    def look() -> int:
        with anser.open(path, busy_timeout_s=0) as other:
            return other.queue("mail").count_jobs().pending

    with db.transaction() as tx:
        db.queue("mail").enqueue("hello", tx=tx)

        assert in_a_thread(look) == 0


def test_a_foreign_connection_of_another_thread_is_told_as_a_failure_of_the_database(
    mail: anser.Queue, path: str
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(anser.StorageError, match="SQLite objects created in a thread can only be used in that"):
            in_a_thread(lambda: mail.enqueue("hello", tx=connection))

        assert not connection.in_transaction
    assert mail.count_jobs().pending == 0


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_threads_that_have_ended_leave_no_connection_behind(mail: anser.Queue, path: str) -> None:
    for _ in range(40):
        in_a_thread(lambda: mail.enqueue("hello"))
    gc.collect()

    names = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd") if is_open(number)]

    assert names.count(path) <= 3  # this thread's, the last one's, and one that is about to be closed
    assert mail.count_jobs().pending == 40


def is_open(number: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{number}")


def test_a_handle_that_is_closed_is_closed_to_all_threads(db: anser.Database, mail: anser.Queue) -> None:
    closed, counted = threading.Event(), threading.Event()

    def work() -> None:
        mail.count_jobs()
        counted.set()
        closed.wait(PATIENCE_S)
        mail.count_jobs()

    with ThreadPoolExecutor(max_workers=1) as pool:
        later = pool.submit(work)
        counted.wait(PATIENCE_S)
        db.close()
        closed.set()

        with pytest.raises(anser.StorageError, match="the database is closed"):
            later.result(timeout=PATIENCE_S)


@pytest.mark.rule("STO-6")
def test_a_handle_is_closed_when_the_transactions_of_other_threads_are_over(
    db: anser.Database, mail: anser.Queue, path: str
) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with db.transaction() as tx:
            mail.enqueue("hello", tx=tx)
            inside.set()
            go_on.wait(PATIENCE_S)

    with ThreadPoolExecutor(max_workers=2) as pool:
        worker = pool.submit(work)
        inside.wait(PATIENCE_S)
        closer = pool.submit(db.close)
        still_closing = not wait([closer], timeout=0.1).done
        go_on.set()
        worker.result(timeout=PATIENCE_S)
        closer.result(timeout=PATIENCE_S)

    assert still_closing
    with anser.open(path) as again:
        assert again.queue("mail").count_jobs().pending == 1


def test_a_handle_that_is_closed_under_its_users_raises_only_typed_errors(path: str) -> None:
    for _ in range(5):
        db = anser.open(path, synchronous="normal", busy_timeout_s=30)
        closing_now = threading.Event()

        def work(number: int, db: anser.Database = db, closing_now: threading.Event = closing_now) -> str:
            try:
                for turn in range(10_000):
                    db.queue("mail").enqueue([number, turn])
                    if turn == 3:
                        closing_now.set()
            except anser.AnserError as error:
                return error.code
            return "never closed"

        with ThreadPoolExecutor(max_workers=3) as pool:
            workers = [pool.submit(work, number) for number in range(3)]
            closing_now.wait(PATIENCE_S)
            begun = time.monotonic()
            db.close()
            waited = time.monotonic() - begun
            codes = {worker.result(timeout=PATIENCE_S) for worker in workers}

        assert codes == {"storage"}
        assert waited < 5, "it waited for a connection that nobody used"


@pytest.mark.rule("EVT-1", "EVT-5")
def test_events_of_many_threads_have_no_gap_and_each_life_is_in_its_order(
    db: anser.Database, mail: anser.Queue
) -> None:
    db.events.on()

    def live(number: int) -> None:
        for each in range(10):
            mail.enqueue([number, each])
            for job in mail.claim_batch(f"w{number}", 1):
                job.ack()

    at_once(live)

    events = db.events.read().events
    lives: dict[int, list[str]] = {}
    for event in events:
        lives.setdefault(event.job_id, []).append(event.kind)
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert set(map(tuple, lives.values())) <= {("enqueued", "claimed", "acked"), ("enqueued",)}
    assert len(lives) == 10 * THREADS
