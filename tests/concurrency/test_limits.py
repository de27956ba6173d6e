"""Limits between processes: one window, and one slot, that several want at once."""

from __future__ import annotations

from multiprocessing.queues import Queue
from pathlib import Path

import pytest

import anser
from tests.concurrency.support import PATIENCE_S, SPAWN, joined, processes, take_turns, try_a_window


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "app.db")


@pytest.mark.rule("LIM-1")
def test_processes_that_try_one_window_pass_as_often_as_it_allows(path: str) -> None:
    start, told = SPAWN.Barrier(3), SPAWN.Queue()
    anser.open(path).close()

    with processes(try_a_window, *[(path, 40, 30, start, told) for _ in range(3)]) as started:
        allowed = [told.get(timeout=PATIENCE_S) for _ in range(3)]
        codes = joined(started)

    assert codes == [0, 0, 0]
    assert sum(allowed) == 40


@pytest.mark.rule("LIM-9", "LIM-11")
def test_processes_whose_jobs_want_one_slot_take_turns(path: str) -> None:
    start = SPAWN.Barrier(2)
    told: Queue[int] = SPAWN.Queue()
    with anser.open(path) as db:
        db.queue("mail").enqueue_many([1, 2])
        with db.transaction() as tx:
            tx.execute("create table room (inside integer)")
            tx.execute("insert into room values (0)")

    with processes(take_turns, *[(path, worker, 30, start, told) for worker in ("ann", "ben")]) as started:
        met = [told.get(timeout=PATIENCE_S) for _ in range(2)]
        codes = joined(started)

    assert codes == [0, 0]
    assert met == [0, 0]
    with anser.open(path) as db:
        assert db.limit_get("smtp") == 0
