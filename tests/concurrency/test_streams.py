"""Publishers, consumers and the workers of a group, in threads, event loops and processes of their own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import pytest

import anser
from tests.concurrency.support import (
    PATIENCE_S,
    SPAWN,
    claim_entries_and_wait_for_the_end,
    joined,
    processes,
    publish_many,
    share_until_all_are_acked,
)

NOW = 1_800_000_000
EACH = 40


@pytest.fixture
def db(tmp_path: Path) -> Iterator[anser.Database]:
    with anser.open(tmp_path / "app.db", synchronous="normal", busy_timeout_s=30) as db:
        yield db


def read(subscription: anser.Subscription, times: int) -> list[anser.Entry]:
    found = (subscription.hear(timeout_s=PATIENCE_S) for _ in range(times))
    return [one for one in found if isinstance(one, anser.Entry)]


@pytest.mark.rule("STR-1", "STR-2")
def test_a_consumer_misses_nothing_of_what_several_processes_publish_meanwhile(db: anser.Database) -> None:
    publishers = ["ann", "ben"]

    with processes(publish_many, *[(db.path, publisher, EACH) for publisher in publishers]) as started:
        entries = read(db.stream("news").subscribe("c"), EACH * len(publishers))
        codes = joined(started)

    assert codes == [0, 0]
    assert [entry.offset for entry in entries] == list(range(1, EACH * len(publishers) + 1))
    for publisher in publishers:
        assert [entry.payload[1] for entry in entries if entry.payload[0] == publisher] == list(range(EACH))


@pytest.mark.rule("STR-6", "STR-7", "STR-8")
def test_each_entry_is_acked_by_one_process_of_a_group_while_some_lapse(db: anser.Database) -> None:
    workers = ["w1", "w2", "w3"]
    told: Queue[list[int]] = SPAWN.Queue()

    with (
        processes(share_until_all_are_acked, *[(db.path, worker, EACH, told) for worker in workers]) as started,
        processes(publish_many, (db.path, "ann", EACH)) as publishing,
    ):
        done = [told.get(timeout=PATIENCE_S) for _ in workers]
        codes = joined(started) + joined(publishing)

    assert codes == [0] * 4
    assert sorted(chain.from_iterable(done)) == list(range(1, EACH + 1))
    assert db.stream("news").lag(group="g") == 0


@pytest.mark.rule("STR-7")
def test_what_a_worker_that_is_killed_had_in_hand_is_given_again(tmp_path: Path) -> None:
    path, clock = str(tmp_path / "app.db"), anser.ManualClock(NOW)
    told: Queue[list[int]] = SPAWN.Queue()
    with anser.open(path) as db:
        for n in range(3):
            db.stream("news").publish(n)

    with processes(claim_entries_and_wait_for_the_end, (path, told)) as (worker,):
        held = told.get(timeout=PATIENCE_S)
        worker.kill()
        worker.join(PATIENCE_S)

    with anser.open(path, clock=clock, busy_timeout_s=5) as db, db.transaction() as tx:
        ((ends_at,),) = tx.execute("select distinct expires_at from _anser_stream_pending").fetchall()
    clock.at = ends_at
    with anser.open(path, clock=clock) as db:
        group = db.stream("news").group("g")
        new = group.claim("heir", 9)
        clock.advance(1)
        again = group.claim("heir", 9)

    assert [entry.offset for entry in new] == [3]
    assert [(entry.offset, entry.deliveries) for entry in again] == [(offset, 2) for offset in held]


@pytest.mark.rule("STR-2", "STR-12")
def test_a_thread_that_waits_is_woken_by_the_commit_and_its_place_is_saved_before(db: anser.Database) -> None:
    news = db.stream("news")
    news.publish("before")
    subscription = news.subscribe("c", save_every_s=60)
    assert [entry.payload for entry in read(subscription, 1)] == ["before"]

    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting = pool.submit(read, subscription, 1)
        while not news.get_offset("c"):
            pass
        news.publish("now")
        entries = waiting.result(PATIENCE_S)

    assert [entry.payload for entry in entries] == ["now"]


@pytest.mark.rule("STR-2", "STR-12")
def test_an_event_loop_goes_on_while_some_wait_for_an_entry(db: anser.Database) -> None:
    news = db.stream("news")

    async def one(consumer: str) -> Any:
        async with news.subscribe(consumer) as subscription:
            return await anext(aiter(subscription))

    async def several() -> list[Any]:
        waiting = [asyncio.create_task(one(f"c{n}")) for n in range(10)]
        await asyncio.sleep(0.01)
        news.publish("hello")
        return await asyncio.gather(*waiting)

    entries = asyncio.run(several())

    assert [entry.payload for entry in entries] == ["hello"] * 10
    assert [news.get_offset(f"c{n}") for n in range(10)] == [1] * 10


@pytest.mark.rule("STR-12")
def test_an_event_loop_goes_on_while_a_place_waits_to_be_saved(db: anser.Database) -> None:
    """Whoever holds the file here ends that on the loop: one that stood still would wait for itself."""
    for n in range(3):
        db.stream("news").publish(n)

    async def read_beside_a_writer(news: anser.Stream) -> list[Any]:
        loop = asyncio.get_running_loop()
        found: list[Any] = []
        async with news.subscribe("c", save_every_s=0, timeout_s=0) as subscription:
            with closing(sqlite3.connect(db.path, isolation_level=None)) as other:
                async for entry in subscription:
                    found.append(entry)
                    other.execute("begin immediate")
                    loop.call_later(0.05, other.execute, "rollback")
        return found

    with anser.open(db.path, busy_timeout_s=2) as patient:
        entries = asyncio.run(read_beside_a_writer(patient.stream("news")))

    assert [entry.payload for entry in entries] == [0, 1, 2]
    assert db.stream("news").get_offset("c") == 3
