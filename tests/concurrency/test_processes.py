"""Several processes on one file: opened at once, worked on at once, killed."""

from __future__ import annotations

import multiprocessing
import os
from itertools import chain
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import Claim, Enqueue
from tests.concurrency.support import (
    PATIENCE_S,
    SPAWN,
    claim_and_wait_for_the_end,
    count_up,
    joined,
    open_and_enqueue,
    processes,
    work_until_none_is_left,
)

NOW = 1_800_000_000


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "app.db")


def test_a_fresh_file_is_opened_by_all_who_open_it_at_once(tmp_path: Path) -> None:
    files, names = 25, ["ann", "ben", "cid"]
    start, told = SPAWN.Barrier(len(names)), SPAWN.Queue()

    with processes(open_and_enqueue, *[(str(tmp_path), files, name, start, told) for name in names]) as started:
        words = [told.get(timeout=PATIENCE_S) for _ in names]
        codes = joined(started)

    assert words == ["done"] * len(names)
    assert codes == [0] * len(names)
    for number in range(files):
        with anser.open(tmp_path / f"{number}.db") as db:
            jobs = db.queue("mail").list_jobs()
        assert sorted(job.payload for job in jobs) == sorted(f'"{name}"' for name in names)


@pytest.mark.rule("CLM-1", "JOB-1")
def test_each_job_is_handed_to_one_process(path: str) -> None:
    jobs, workers = 120, ["ann", "ben"]
    told: Queue[list[Any]] = SPAWN.Queue()
    with anser.open(path) as db:
        db.queue("mail").enqueue_many(range(jobs))

    with processes(work_until_none_is_left, *[(path, worker, told) for worker in workers]) as started:
        done = [told.get(timeout=PATIENCE_S) for _ in workers]
        codes = joined(started)

    assert codes == [0, 0]
    assert sorted(chain.from_iterable(done)) == list(range(jobs))
    with anser.open(path) as db:
        assert db.queue("mail").count_jobs() == anser.Counts(pending=0, due=0, processing=0, dead=0)


@pytest.mark.rule("STO-6", "STO-7")
def test_transactions_of_several_processes_stand_one_after_another(path: str) -> None:
    with anser.open(path) as db, db.transaction() as tx:
        tx.execute("create table counter (number integer)")
        tx.execute("insert into counter values (0)")

    with processes(count_up, (path, 60), (path, 60)) as started:
        codes = joined(started)

    assert codes == [0, 0]
    with anser.open(path) as db:
        payloads = [job.payload for job in db.queue("mail").list_jobs(limit=500)]
    assert payloads == [str(number) for number in range(120)]


@pytest.mark.rule("CLM-4")
def test_a_worker_that_is_killed_loses_its_lease_and_nothing_else(path: str) -> None:
    clock = anser.ManualClock(NOW)
    told: Queue[int] = SPAWN.Queue()
    with anser.open(path) as db:
        db.queue("mail").enqueue("hello")

    with processes(claim_and_wait_for_the_end, (path, told)) as (worker,):
        id = told.get(timeout=PATIENCE_S)
        worker.kill()
        worker.join(PATIENCE_S)

        with anser.open(path, clock=clock, busy_timeout_s=5) as db:
            queue = db.queue("mail")
            (left,) = queue.list_jobs()
            assert left.lease is not None
            clock.at = left.lease.expires_at
            before = queue.claim_one("heir")
            clock.advance(1)
            job = queue.claim_one("heir")

    assert left.id == id
    assert before is None
    assert job is not None
    assert (job.id, job.row.attempts, job.row.lapses, job.payload) == (id, 1, 1, "hello")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)  # which is not our worry here
def test_a_forked_child_is_told_to_open_the_file_itself(path: str) -> None:
    with anser.open(path) as db, db.transaction() as tx:
        context = multiprocessing.get_context("fork")
        told: Queue[list[str]] = context.Queue()
        child = context.Process(target=use_what_the_parent_opened, args=(db, tx, told), daemon=True)
        child.start()
        words = told.get(timeout=PATIENCE_S)
        child.join(PATIENCE_S)
        code = child.exitcode
        child.close()
        db.queue("mail").enqueue("from the parent", tx=tx)

    assert words == ["the database was opened before a fork: call anser.open in the child"] * 3
    assert code == 0
    with anser.open(path) as db:
        assert [job.payload for job in db.queue("mail").list_jobs()] == ['"from the parent"']


def use_what_the_parent_opened(db: anser.Database, tx: anser.Transaction, told: Queue[list[str]]) -> None:
    words = []
    for use in (
        lambda: db.run(Claim(queues=("mail",), worker="w", n=1, lease_s=9)),
        lambda: db.run(Enqueue(queue="mail", payload=1), tx),
        lambda: db.transaction().__enter__(),
    ):
        try:
            use()
        except anser.StorageError as error:
            words.append(str(error))
    told.put(words)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_that_opens_the_file_itself_takes_no_lock_from_its_parent(path: str) -> None:
    context = multiprocessing.get_context("fork")
    told: Queue[str] = context.Queue()

    with anser.open(path) as db, db.transaction() as tx:
        tx.execute("create table orders (id integer)")
        child = context.Process(target=open_and_try_to_write, args=(path, told), daemon=True)
        child.start()
        word = told.get(timeout=PATIENCE_S)
        child.join(PATIENCE_S)
        child.close()
        db.queue("mail").enqueue("from the parent", tx=tx)

    assert word == "busy"
    with anser.open(path) as db:
        assert [job.payload for job in db.queue("mail").list_jobs()] == ['"from the parent"']


def open_and_try_to_write(path: str, told: Queue[str]) -> None:
    with anser.open(path, busy_timeout_s=0.1) as db:
        try:
            db.queue("mail").enqueue("from the child")
        except anser.AnserError as error:
            told.put(error.code)
        else:
            told.put("written")
