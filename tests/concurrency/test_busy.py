"""The write lock: waited for, given up on, let go of. The only tests whose point is how long something takes."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import OPS, Claim, Enqueue
from anser_spec.probes.others import begin_in_another_process
from tests.behavior.support import READS, WRITES, furnish, raw, rows_in

NOW = 1_800_000_000
HELD_S = 0.3  # how long a lock is held that is waited for


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "app.db")


@pytest.fixture
def furnished(path: str) -> str:
    """The path of a file with a job in every place."""
    anser.open(path).close()
    with raw(path) as connection:
        furnish(connection)
    return path


@contextmanager
def locked(path: str, let_go_after_s: float | None = None) -> Iterator[None]:
    """The write lock is held by another connection, to the end of the block or for a while."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("begin immediate")
        other.execute("update _anser_fence set fence = fence")
        timer = threading.Timer(let_go_after_s or 0, lambda: other.execute("commit"))
        if let_go_after_s is not None:
            timer.start()
        try:
            yield
        finally:
            if let_go_after_s is not None:
                timer.join()
            if other.in_transaction:
                other.execute("rollback")


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.rule("ERR-3", "ERR-1")
def test_an_operation_that_waited_too_long_is_busy_and_wrote_nothing(furnished: str, name: str) -> None:
    before = rows_in(furnished)

    with anser.open(furnished, clock=lambda: NOW, busy_timeout_s=0.02) as db:
        with locked(furnished), pytest.raises(anser.Busy, match="another connection held the write lock too long"):
            db.run(WRITES[name])
        after = rows_in(furnished)
        db.run(WRITES[name])

    assert after == before
    assert rows_in(furnished) != before


@pytest.mark.parametrize("name", READS)
@pytest.mark.rule("STO-8", "JOB-16")
def test_a_look_is_never_busy_and_touches_nothing(furnished: str, name: str) -> None:
    before = rows_in(furnished)

    with anser.open(furnished, clock=lambda: NOW, busy_timeout_s=0) as db, locked(furnished):
        assert db.run(READS[name]) is not None

    assert rows_in(furnished) == before
    assert {op.name for op in [*WRITES.values(), *READS.values()]} == set(OPS)


@pytest.mark.rule("ERR-3")
def test_a_transaction_that_cannot_begin_is_busy_and_may_be_tried_again(furnished: str) -> None:
    with anser.open(furnished, busy_timeout_s=0.02) as db:
        with locked(furnished), pytest.raises(anser.Busy):
            db.transaction().__enter__()

        with db.transaction() as tx:
            tx.execute("insert into orders values (1)")

    assert len(rows_in(furnished)["orders"]) == 1


def test_an_operation_waits_as_long_as_it_was_told(furnished: str) -> None:
    with anser.open(furnished, busy_timeout_s=0.25) as db, locked(furnished):
        begun = time.monotonic()
        with pytest.raises(anser.Busy):
            db.queue("mail").pause()
        waited = time.monotonic() - begun

    assert 0.2 <= waited < 5


@pytest.mark.parametrize("op", [Enqueue(queue="mail", payload=1), Claim(queues=("mail",), worker="w", n=1, lease_s=9)])
def test_an_operation_gets_the_lock_that_is_let_go_of(furnished: str, op: Any) -> None:
    with anser.open(furnished, clock=lambda: NOW, busy_timeout_s=30) as db, locked(furnished, let_go_after_s=HELD_S):
        assert db.run(op)


@pytest.mark.parametrize("level", [None, "", "DEFERRED", "IMMEDIATE", "EXCLUSIVE"])
@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.rule("STO-6")
def test_a_joined_connection_waits_as_its_owner_told_it(furnished: str, level: Any, begun: bool) -> None:
    with (
        anser.open(furnished, busy_timeout_s=0) as db,
        raw(furnished, isolation_level=level, timeout=30) as connection,
        locked(furnished, let_go_after_s=HELD_S),
    ):
        if begun:
            connection.execute("begin deferred")
        assert db.queue("mail").enqueue("hello", tx=connection).created


@pytest.mark.rule("STO-7")
def test_an_operation_that_waited_acts_on_the_time_after_its_wait(furnished: str) -> None:
    clock = anser.ManualClock(NOW)
    waiting = threading.Event()

    def enqueue() -> None:
        with anser.open(furnished, clock=clock, busy_timeout_s=30) as db:
            waiting.set()
            db.queue("post").enqueue("hello")

    with raw(furnished) as other:
        other.execute("begin immediate")
        thread = threading.Thread(target=enqueue)
        thread.start()
        waiting.wait(30)
        time.sleep(HELD_S)  # by now it waits for the lock; if it does not yet, the test only says less
        clock.advance(60)
        other.execute("commit")
        thread.join(30)

    with anser.open(furnished, clock=clock) as db:
        (job,) = db.queue("post").list_jobs()
    assert (job.created_at, job.run_at) == (NOW + 60, NOW + 60)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt, also in a run that was started in the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
@pytest.mark.rule("ERR-1")
def test_a_signal_that_ends_the_wait_for_the_lock_leaves_no_lock(furnished: str, interruptible: None) -> None:
    before = rows_in(furnished)

    with anser.open(furnished, clock=lambda: NOW, busy_timeout_s=30) as db:
        with locked(furnished, let_go_after_s=2 * HELD_S):
            alarm = threading.Timer(HELD_S, signal.raise_signal, (signal.SIGINT,))
            alarm.start()
            with pytest.raises(KeyboardInterrupt):
                db.queue("mail").enqueue("hello")
            alarm.join()
        after = rows_in(furnished)
        with anser.open(furnished, busy_timeout_s=0) as other:
            other.queue("mail").pause()

        assert after == before
        assert db.queue("mail").enqueue("hello").created


@pytest.mark.rule("ERR-3")
def test_a_job_whose_ack_was_busy_is_still_in_hand(furnished: str) -> None:
    with anser.open(furnished, clock=lambda: NOW, busy_timeout_s=0.02) as db:
        queue = db.queue("post")
        queue.enqueue("hello")
        job = queue.claim_one("w")
        assert job is not None
        with locked(furnished), pytest.raises(anser.Busy):
            job.ack()

        job.ack()

        assert isinstance(queue.get_job(job.id), anser.Finished)


@pytest.mark.rule("STO-9")
def test_what_else_the_process_opens_of_the_file_takes_no_lock_away(path: str) -> None:
    with anser.open(path) as db:
        with db.transaction() as tx:
            db.queue("mail").enqueue_many(range(100), tx=tx)
            with closing(sqlite3.connect(path)) as beside:
                beside.execute("select count(*) from _honker_live").fetchall()
            anser.open(path).close()
            taken = begin_in_another_process(path)

        assert not taken
        assert db.queue("mail").count_jobs().pending == 100


@pytest.mark.rule("STO-10")
def test_a_transaction_that_is_left_open_elsewhere_is_joined_by_nobody(path: str) -> None:
    with anser.open(path, busy_timeout_s=0.02) as db, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(anser.Busy):
            db.queue("mail").enqueue("lost?")
        other.execute("rollback")

        db.queue("mail").enqueue("kept")

        assert db.queue("mail").count_jobs().pending == 1
