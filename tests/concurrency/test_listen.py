"""Listeners and those who tell, in threads, event loops and processes of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import anser
from tests.concurrency.support import (
    PATIENCE_S,
    SPAWN,
    joined,
    listen_and_tell,
    notify_many,
    processes,
)

SHORT_S = 0.05


@pytest.fixture
def db(tmp_path: Path) -> Iterator[anser.Database]:
    with anser.open(tmp_path / "app.db", synchronous="normal", busy_timeout_s=30) as db:
        yield db


def payload_of(heard: anser.Message | anser.Lost | None) -> Any:
    assert isinstance(heard, anser.Message)
    return heard.payload


@pytest.mark.rule("NTF-3")
def test_a_thread_that_waits_is_woken_by_the_commit(db: anser.Database) -> None:
    listener = db.listen("orders")

    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = pool.submit(listener.hear, timeout_s=PATIENCE_S)
        db.notify("orders", "now")

        assert payload_of(waiting.result(PATIENCE_S)) == "now"


@pytest.mark.rule("NTF-3")
def test_who_waits_is_not_told_before_the_commit_nor_after_a_rollback(db: anser.Database) -> None:
    listener = db.listen("orders")

    with ThreadPoolExecutor(max_workers=1) as pool:
        with db.transaction() as tx:
            db.notify("orders", "committed", tx=tx)
            early = pool.submit(listener.hear, timeout_s=SHORT_S).result(PATIENCE_S)
        late = pool.submit(listener.hear, timeout_s=PATIENCE_S).result(PATIENCE_S)
        with suppress(ZeroDivisionError), db.transaction() as tx:
            db.notify("orders", "rolled back", tx=tx)
            raise ZeroDivisionError
        never = pool.submit(listener.hear, timeout_s=SHORT_S).result(PATIENCE_S)

    assert early is None
    assert payload_of(late) == "committed"
    assert never is None


def test_a_commit_that_tells_nothing_here_lets_the_listener_wait_on(db: anser.Database) -> None:
    listener = db.listen("orders")

    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = pool.submit(listener.hear, timeout_s=PATIENCE_S)
        db.queue("mail").enqueue(1)
        db.notify("users", "elsewhere")
        db.notify("orders", "here")

        assert payload_of(waiting.result(PATIENCE_S)) == "here"


def test_a_loop_ends_when_nothing_comes_and_can_be_begun_again(db: anser.Database) -> None:
    listener = db.listen("orders", timeout_s=SHORT_S)

    first = list(listener)
    db.notify("orders", 1)
    second = [payload_of(heard) for heard in listener]

    assert (first, second) == ([], [1])


def test_closing_the_database_ends_the_wait_with_an_error(db: anser.Database) -> None:
    listener = db.listen("orders")

    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = pool.submit(listener.hear)
        db.close()

        with pytest.raises(anser.StorageError, match="closed"):
            waiting.result(PATIENCE_S)


@pytest.mark.rule("NTF-2")
def test_an_event_loop_hears_what_a_thread_tells_and_goes_on_meanwhile(db: anser.Database) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    async def run() -> list[Any]:
        ticking = asyncio.create_task(tick())
        heard = []
        teller = threading.Thread(target=lambda: [db.notify("orders", n) for n in range(20)])
        listener = db.listen("orders", timeout_s=PATIENCE_S)
        teller.start()
        async for message in listener:
            heard.append(payload_of(message))
            if len(heard) == 20:
                break
        await listener.hear_async(timeout_s=SHORT_S)
        ticking.cancel()
        teller.join()
        return heard

    assert asyncio.run(run()) == list(range(20))
    assert ticks > 0


def test_a_task_that_is_cancelled_while_it_listens_has_missed_nothing(db: anser.Database) -> None:
    async def run() -> Any:
        listener = db.listen("orders")
        task = asyncio.create_task(listener.hear_async())
        await asyncio.sleep(SHORT_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        db.notify("orders", 1)
        return await listener.hear_async(timeout_s=PATIENCE_S)

    assert payload_of(asyncio.run(run())) == 1


@pytest.mark.rule("NTF-1", "NTF-2", "NTF-3")
def test_processes_hear_each_others_notifications_whole_in_order_and_once(db: anser.Database) -> None:
    """Two tell, half of it rolled back; two listen, and hear the same in one order."""
    each, tellers = 60, ["ann", "ben"]
    start, told = SPAWN.Barrier(2 * len(tellers)), SPAWN.Queue()

    with (
        processes(listen_and_tell, *[(db.path, each * len(tellers), start, told) for _ in tellers]) as listening,
        processes(notify_many, *[(db.path, name, each, start) for name in tellers]) as telling,
    ):
        heard = [told.get(timeout=PATIENCE_S) for _ in tellers]
        codes = joined(telling) + joined(listening)

    assert codes == [0] * 4
    assert heard[0] == heard[1]
    for name in tellers:
        assert [n for who, n in heard[0] if who == name] == list(range(each))


@pytest.mark.rule("NTF-4")
def test_a_listener_beside_a_pruning_process_hears_or_is_told_it_lost(db: anser.Database) -> None:
    """Each id is heard once, or lies where the listener was told that it lost something."""
    listener, told = db.listen("orders", timeout_s=PATIENCE_S), 200
    start = SPAWN.Barrier(1)
    unheard = set(range(1, told + 1))
    last = 0

    with processes(notify_many, (db.path, "ann", told, start, 3)) as telling:
        for heard in listener:
            if isinstance(heard, anser.Lost):
                last = max(last, heard.through_id)
                unheard -= set(range(heard.after_id + 1, heard.through_id + 1))
            else:
                last = heard.id
                unheard.discard(heard.id)
            if last == told:
                break
        codes = joined(telling)

    assert codes == [0]
    assert unheard == set()
