"""What processes of these tests do: functions of a path that a fresh interpreter can import.

Processes are spawned, never forked, but where a fork is what the test is about; each is ended by its own handle.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import SpawnProcess
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from typing import Any

import anser
from anser.types import PERIOD_MAX_S

SPAWN = multiprocessing.get_context("spawn")
PATIENCE_S = 60  # far more than anything here takes; who waits longer waits for ever


def until(true: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.001)


@contextmanager
def processes(work: Callable[..., None], *arguments: tuple[Any, ...]) -> Iterator[list[SpawnProcess]]:
    """A process for each tuple of arguments. Whoever has not ended by then is ended."""
    started = [SPAWN.Process(target=work, args=given, daemon=True) for given in arguments]
    try:
        for process in started:
            process.start()
        yield started
    finally:
        for process in started:
            if process.is_alive():
                process.kill()
            process.join()
            process.close()


def joined(started: list[SpawnProcess]) -> list[int | None]:
    """Their exit codes, when they have ended by themselves."""
    for process in started:
        process.join(PATIENCE_S)
    return [process.exitcode for process in started]


def open_and_enqueue(folder: str, files: int, name: str, start: Barrier, told: Queue[str]) -> None:
    """Open each file at the same moment as everybody else, and leave a job in it."""
    for number in range(files):
        start.wait(PATIENCE_S)
        try:
            with anser.open(f"{folder}/{number}.db", busy_timeout_s=30) as db:
                db.queue("mail").enqueue(name)
        except BaseException as error:
            told.put(f"{number}: {type(error).__name__}: {error}")
            raise
    told.put("done")


def work_until_none_is_left(path: str, worker: str, told: Queue[list[Any]]) -> None:
    """Claim and ack whatever there is."""
    done = []
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        queue = db.queue("mail")
        while jobs := queue.claim_batch(worker, 3):
            for job in jobs:
                done.append(job.payload)
                job.ack()
    told.put(done)


def ack_too_late(path: str, told: Queue[list[str]]) -> None:
    """Hold a job until its lease is over, and only then say what it came to."""
    refused = []
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        job = db.queue("mail").claim_one("slow", lease_s=1)
        assert job is not None
        SPAWN.Event().wait(2.5)
        for say in (job.result_save, lambda value: job.ack(result=value)):
            try:
                say("slow")
            except anser.LeaseLost as refusal:
                refused.append(refusal.code)
    told.put(refused)


def count_up(path: str, times: int) -> None:
    """Read a number, and write the next one, in one transaction with a job."""
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        for _ in range(times):
            with db.transaction() as tx:
                (number,) = tx.execute("select number from counter").fetchone()
                db.queue("mail").enqueue(number, tx=tx)
                tx.execute("update counter set number = ?", (number + 1,))


def claim_and_wait_for_the_end(path: str, told: Queue[int]) -> None:
    """Hold a job, and a second one in a transaction that is never committed."""
    db = anser.open(path, busy_timeout_s=30)
    job = db.queue("mail").claim_one("doomed", lease_s=30)
    assert job is not None
    with db.transaction() as tx:
        db.queue("mail").enqueue("never committed", tx=tx)
        told.put(job.id)
        SPAWN.Event().wait(PATIENCE_S)


def notify_many(path: str, name: str, times: int, start: Barrier, keep: int | None = None) -> None:
    """Tell a number after another, each after one that is rolled back; with `keep`, all but so many are forgotten."""
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        start.wait(PATIENCE_S)
        for number in range(times):
            with suppress(ZeroDivisionError), db.transaction() as tx:
                db.notify("orders", [name, "rolled back"], tx=tx)
                raise ZeroDivisionError
            with db.transaction() as tx:
                db.notify("orders", [name, number], tx=tx)
                if keep is not None:
                    db.notification_prune(keep=keep, tx=tx)


def listen_and_tell(path: str, times: int, start: Barrier, told: Queue[list[Any]]) -> None:
    """Hear so many messages, and put what they say."""
    with anser.open(path, busy_timeout_s=30) as db:
        listener = db.listen("orders", timeout_s=PATIENCE_S)
        start.wait(PATIENCE_S)
        heard = (listener.hear(timeout_s=PATIENCE_S) for _ in range(times))
        told.put([one.payload for one in heard if isinstance(one, anser.Message)])


def try_a_window(path: str, limit: int, times: int, start: Barrier, told: Queue[int]) -> None:
    """Try so often, and tell how often it was allowed."""
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        window = db.rate_limit("sms", limit=limit, per_s=PERIOD_MAX_S)
        start.wait(PATIENCE_S)
        told.put(sum(window.try_acquire().allowed for _ in range(times)))


def take_turns(path: str, worker: str, times: int, start: Barrier, told: Queue[int]) -> None:
    """Have the one slot so often, and tell how often somebody else was inside then."""
    met = had = 0
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        job = db.queue("mail").claim_one(worker)
        assert job is not None
        slot = job.limit("smtp", limit=1)
        start.wait(PATIENCE_S)
        while had < times:
            if not slot.acquire():
                continue
            had += 1
            with db.transaction() as tx:
                (inside,) = tx.execute("update room set inside = inside + 1 returning inside").fetchone()
                met += inside - 1
            with db.transaction() as tx:
                tx.execute("update room set inside = inside - 1")
            slot.release()
        job.ack()
    told.put(met)


def publish_many(path: str, publisher: str, times: int) -> None:
    """Publish so many entries, each in a transaction of its own."""
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        for number in range(times):
            db.stream("news").publish([publisher, number])


def share_until_all_are_acked(path: str, worker: str, entries: int, told: Queue[list[int]]) -> None:
    """Claim and ack in a group until so many entries were published and none is left; some are given up at once."""
    done: list[int] = []
    with anser.open(path, synchronous="normal", busy_timeout_s=30) as db:
        news = db.stream("news")
        group = news.group("g")
        subscription = news.subscribe(offset=entries - 1)  # it waits for the last entry, and for lapses
        while subscription.hear(timeout_s=0.02) is None or news.lag(group="g"):
            claimed = group.claim(worker, 3, lease_s=1)
            kept = [entry for entry in claimed if entry.deliveries > 1 or entry.offset % 10]
            done += group.ack(kept)
            subscription = news.subscribe(offset=entries - 1)
    told.put(done)


def claim_entries_and_wait_for_the_end(path: str, told: Queue[list[int]]) -> None:
    """Hold entries of a group, one of them acked in a transaction that is never committed."""
    db = anser.open(path, busy_timeout_s=30)
    claimed = db.stream("news").group("g").claim("doomed", 2, lease_s=30)
    with db.transaction() as tx:
        claimed[0].ack(tx=tx)
        told.put([entry.offset for entry in claimed])
        SPAWN.Event().wait(PATIENCE_S)
