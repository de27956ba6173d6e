"""Waiting for a commit, and saying a word in the background."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

import anser
from anser.engine.sqlite import Watch
from anser.keeper import Keeper
from anser.wake import Wake
from tests.concurrency.support import PATIENCE_S, SPAWN, processes, until, work_until_none_is_left

SHORT_S = 0.05
LONG_S = 20


@pytest.fixture
def db(tmp_path: Path) -> Iterator[anser.Database]:
    with anser.open(tmp_path / "app.db", synchronous="normal", busy_timeout_s=30) as db:
        yield db


def other(db: anser.Database) -> anser.Queue:
    """The same queue through a handle of its own, as another process has it."""
    return anser.open(db.path, synchronous="normal", busy_timeout_s=30).queue("mail")


def test_a_commit_after_the_mark_is_not_missed(db: anser.Database) -> None:
    mark = db.wake.mark()

    other(db).enqueue(1)

    assert db.wake.wait(mark, timeout_s=0) is True


def test_a_commit_of_the_same_handle_wakes_too(db: anser.Database) -> None:
    mark = db.wake.mark()

    db.queue("mail").enqueue(1)

    assert db.wake.wait(mark, timeout_s=0) is True


def test_without_a_commit_the_wait_ends_with_its_time(db: anser.Database) -> None:
    assert db.wake.wait(db.wake.mark(), timeout_s=SHORT_S) is False


def test_what_is_rolled_back_wakes_nobody(db: anser.Database) -> None:
    mark = db.wake.mark()

    with closing(sqlite3.connect(db.path)) as connection:
        db.queue("mail").enqueue(1, tx=connection)
        connection.rollback()

    assert db.wake.wait(mark, timeout_s=SHORT_S) is False


def test_many_waiters_are_woken_by_one_commit_and_the_thread_ends_with_them(db: anser.Database) -> None:
    mark = db.wake.mark()

    with ThreadPoolExecutor(max_workers=20) as pool:
        waiting = [pool.submit(db.wake.wait, mark, PATIENCE_S) for _ in range(20)]
        other(db).enqueue(1)

        assert all(each.result(PATIENCE_S) for each in waiting)
    until(lambda: not any(thread.name == "anser-wake" for thread in threading.enumerate()))


def test_another_process_wakes_who_waits(db: anser.Database) -> None:
    db.queue("mail").enqueue(1)
    mark = db.wake.mark()
    told = SPAWN.Queue()

    with processes(work_until_none_is_left, (db.path, "w", told)):
        assert db.wake.wait(mark, timeout_s=PATIENCE_S) is True
        assert told.get(timeout=PATIENCE_S) == [1]


def test_a_commit_during_a_look_is_followed_by_another_look(db: anser.Database) -> None:
    def looks() -> Callable[[], int | None]:
        """The first look is as if nothing was there, and something is committed before its end."""
        found = iter((None, 2))

        def look() -> int | None:
            number = next(found)
            if number is None:
                other(db).enqueue(1)
            return number

        return look

    began = time.monotonic()
    assert db.wake.until(looks(), LONG_S) == 2
    assert asyncio.run(db.wake.until_async(looks(), LONG_S)) == 2
    assert time.monotonic() - began < LONG_S  # neither has waited for its last look


def test_what_is_not_found_in_time_is_none_after_a_last_look(db: anser.Database) -> None:
    looks: list[int] = []

    def look() -> None:
        looks.append(1)

    assert db.wake.until(look, SHORT_S) is None
    assert asyncio.run(db.wake.until_async(look, SHORT_S)) is None
    assert len(looks) == 4
    assert db.wake.until(look, 0) is None
    assert len(looks) == 5


def test_a_file_that_is_busy_at_a_look_wakes_all_and_is_looked_at_again() -> None:
    """SQLite recovers a log after a crash, and keeps readers out meanwhile."""
    looks = []

    class Recovering:
        def moved(self) -> bool:
            looks.append(1)
            if len(looks) == 3:
                raise anser.Busy("the log is being recovered")
            return len(looks) > 5

        def close(self) -> None: ...

    wake = Wake(cast(Callable[[], Watch], Recovering))
    mark = wake.mark()

    assert wake.wait(mark, LONG_S)
    assert wake.wait(mark, LONG_S)


def test_closing_wakes_who_waits(db: anser.Database) -> None:
    mark = db.wake.mark()

    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = pool.submit(db.wake.wait, mark, None)
        db.close()

        assert waiting.result(PATIENCE_S) is True


def test_an_event_loop_goes_on_while_some_wait(db: anser.Database) -> None:
    async def both() -> tuple[list[bool], bool]:
        mark = db.wake.mark()
        waiting = [asyncio.create_task(db.wake.wait_async(mark, PATIENCE_S)) for _ in range(50)]
        in_vain = await db.wake.wait_async(mark, SHORT_S)
        other(db).enqueue(1)
        return await asyncio.gather(*waiting), in_vain

    woken, in_vain = asyncio.run(both())

    assert all(woken)
    assert len(woken) == 50
    assert in_vain is False


def test_a_task_that_is_cancelled_waits_no_more(db: anser.Database) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(db.wake.wait_async(db.wake.mark(), None))
        await asyncio.sleep(SHORT_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    until(lambda: not any(thread.name == "anser-wake" for thread in threading.enumerate()))


def test_a_keeper_says_its_word_until_it_is_refused() -> None:
    said: list[int] = []

    def word() -> None:
        said.append(1)
        if len(said) == 2:
            raise anser.Busy("another moment")
        if len(said) == 4:
            raise anser.LeaseLost("gone")

    keeper = Keeper(word, 0.001, "test")
    keeper.start()

    assert keeper.lost.wait(PATIENCE_S)
    keeper.stop()
    assert len(said) == 4
    assert str(keeper.error) == "gone"


def test_a_keeper_that_is_stopped_says_no_more() -> None:
    said: list[int] = []
    keeper = Keeper(lambda: said.append(1), 0.001, "test")
    keeper.start()
    until(lambda: len(said) > 2)

    keeper.stop()
    before = len(said)
    time.sleep(SHORT_S)

    assert len(said) == before
    assert not keeper.lost.is_set()
