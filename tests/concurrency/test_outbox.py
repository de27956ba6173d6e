"""Messages that are delivered while others send, break, or hold the file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import anser
from tests.concurrency.support import PATIENCE_S, until

NOW = 1_000
ONCE = anser.Backoff(base=0, cap=0)


@pytest.fixture
def clock() -> anser.ManualClock:
    return anser.ManualClock(NOW)


@pytest.fixture
def db(tmp_path: Path, clock: anser.ManualClock) -> Iterator[anser.Database]:
    with anser.open(tmp_path / "app.db", synchronous="normal", busy_timeout_s=30, clock=clock) as db:
        yield db


@contextmanager
def running(outbox: anser.Outbox) -> Iterator[threading.Thread]:
    stop = threading.Event()
    thread = threading.Thread(target=outbox.run, args=("w", stop.is_set))
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join(PATIENCE_S)


@pytest.mark.rule("OUT-1")
def test_a_message_is_sent_if_its_transaction_commits(db: anser.Database) -> None:
    got: list[anser.OutboxMessage] = []
    hooks = db.outbox("hooks", got.append)

    with suppress(ValueError), db.transaction() as tx:
        hooks.send("never", tx=tx)
        raise ValueError
    with db.transaction() as tx:
        id = hooks.send({"order": 42}, tx=tx)

    assert hooks.deliver_batch("w") == anser.Delivered(1, 0, 0)
    assert got == [anser.OutboxMessage(id, None, {"order": 42}, 1)]
    assert hooks.deliver_batch("w") == anser.Delivered(0, 0, 0)
    assert isinstance(hooks.queue().get_job(id), anser.Finished)


@pytest.mark.rule("OUT-3")
def test_a_message_that_cannot_be_delivered_is_tried_again_and_then_dead(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    def down(message: anser.OutboxMessage) -> None:
        raise ConnectionError(f"attempt {message.attempts}")

    hooks = db.outbox("hooks", down, max_attempts=2)
    hooks.send(1)

    first = hooks.deliver_batch("w")
    at = hooks.queue().next_claim_at()
    clock.advance(10)
    second = hooks.deliver_batch("w")

    assert (first, second) == (anser.Delivered(0, 1, 0), anser.Delivered(0, 1, 0))
    assert at in range(NOW + 5, NOW + 11)
    (dead,) = hooks.queue().dead_list()
    assert (dead.reason, dead.last_error) == (anser.Reason.EXHAUSTED, "ConnectionError: attempt 2")


class Later:
    """Callables that no look at them tells from a function that delivers before it returns."""

    async def __call__(self, message: anser.OutboxMessage) -> None:
        raise AssertionError(message)

    def one_by_one(self, message: anser.OutboxMessage) -> Iterator[None]:
        yield
        raise AssertionError(message)


@pytest.mark.rule("OUT-2", "OUT-3")
@pytest.mark.parametrize("deliver", [Later(), lambda message: Later().one_by_one(message)], ids=["async", "generator"])
def test_what_has_not_run_has_delivered_nothing(db: anser.Database, deliver: Callable[..., object]) -> None:
    hooks = db.outbox("hooks", deliver, max_attempts=1)
    hooks.send(1)

    assert hooks.deliver_batch("w") == anser.Delivered(0, 1, 0)
    (dead,) = hooks.queue().dead_list()
    assert "TypeError: nothing was delivered" in str(dead.last_error)


@pytest.mark.rule("ERR-2", "OUT-2")
def test_a_function_that_delivers_later_is_refused(db: anser.Database) -> None:
    with pytest.raises(anser.Invalid, match="delivers before it returns"):
        db.outbox("hooks", Later().one_by_one)


@pytest.mark.rule("ERR-2", "OUT-1")
@pytest.mark.parametrize("destination", ["bank", 1, ["shop"]])
def test_a_destination_that_there_is_not_is_refused(db: anser.Database, destination: Any) -> None:
    with pytest.raises(anser.Invalid, match="destination"):
        db.outbox("hooks", {"shop": print}).send(1, destination=destination)


@pytest.mark.rule("OUT-3")
def test_the_wait_is_capped_at_every_attempt(db: anser.Database, clock: anser.ManualClock) -> None:
    def down(message: anser.OutboxMessage) -> None:
        raise ConnectionError

    hooks = db.outbox("hooks", down, max_attempts=100)
    hooks.send(1)

    for _ in range(99):
        assert hooks.deliver_batch("w").failed == 1
        at = hooks.queue().next_claim_at()
        assert at is not None
        assert at - clock.at <= 3_600
        clock.at = at


@pytest.mark.rule("OUT-4")
def test_a_message_that_cannot_be_delivered_holds_up_no_other(db: anser.Database) -> None:
    got: list[int] = []

    def picky(message: anser.OutboxMessage) -> None:
        if message.payload < 0:
            raise ValueError
        got.append(message.payload)

    hooks = db.outbox("hooks", {"shop": picky, "bank": picky})
    for number in (-1, 1):
        hooks.send(number, destination="shop")
        hooks.send(number, destination="shop", order_key="ann")
        hooks.send(number * 10, destination="bank")

    assert hooks.deliver_batch("w") == anser.Delivered(2, 3, 0)
    assert got == [1, 10]


@pytest.mark.rule("OUT-1", "OUT-4")
def test_each_destination_has_its_own_messages(db: anser.Database) -> None:
    shop: list[anser.OutboxMessage] = []
    bank: list[anser.OutboxMessage] = []
    hooks = db.outbox("hooks", {"shop": shop.append, "bank": bank.append})
    hooks.send(1, destination="shop")
    hooks.send(2, destination="bank")
    hooks.send(3, destination="shop")

    assert hooks.deliver_batch("w", 1) == anser.Delivered(2, 0, 0)
    assert hooks.deliver_batch("w") == anser.Delivered(1, 0, 0)

    assert [(message.destination, message.payload) for message in shop] == [("shop", 1), ("shop", 3)]
    assert [(message.destination, message.payload) for message in bank] == [("bank", 2)]
    assert hooks.queue("bank").name == "_outbox:hooks:bank"


@pytest.mark.rule("ORD-1", "OUT-2")
def test_messages_of_one_order_key_are_delivered_one_after_another_by_many(db: anser.Database) -> None:
    got: list[int] = []
    inside = threading.Lock()

    def deliver(message: anser.OutboxMessage) -> None:
        assert inside.acquire(blocking=False)
        got.append(message.payload)
        inside.release()

    hooks = db.outbox("hooks", deliver)
    for number in range(30):
        hooks.send(number, order_key="ann")

    threads = [threading.Thread(target=hooks.run, args=(f"w{n}", lambda: len(got) == 30)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)

    assert got == list(range(30))


@pytest.mark.rule("OUT-2")
def test_a_lease_is_kept_while_a_message_is_delivered_and_a_loss_is_told(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    def slow(message: anser.OutboxMessage) -> None:
        queue = hooks.queue()
        if message.payload == "slow":
            clock.at += 2
            until(lambda: ends(queue, message.id) == clock.at + 3, patience_s=15)
        else:
            queue.cancel(message.id)

    def ends(queue: anser.Queue, id: int) -> int | None:
        job = queue.get_job(id)
        return job.lease.expires_at if isinstance(job, anser.Job) and job.lease else None

    hooks = db.outbox("hooks", slow, lease_s=3)
    hooks.send("slow")
    hooks.send("cancelled")
    hooks.send("slow")

    assert hooks.deliver_batch("w") == anser.Delivered(2, 0, 1)


@pytest.mark.rule("OUT-4")
def test_the_loop_goes_on_whatever_comes(db: anser.Database) -> None:
    got: list[object] = []

    def deliver(message: anser.OutboxMessage) -> None:
        if message.payload == "bad":
            raise ValueError("bad")
        got.append(message.payload)

    hooks = db.outbox("hooks", deliver, backoff=ONCE, max_attempts=2)
    with running(hooks) as thread:
        hooks.send("bad")
        hooks.send(1)
        until(lambda: got == [1])
        with db.transaction() as tx:
            id = hooks.send("odd", tx=tx)
            tx.execute("update _honker_live set payload = '{not json' where id = ?", (id,))
        hooks.send(2)
        until(lambda: got == [1, 2])
        until(lambda: len(hooks.queue().dead_list()) == 2)
        assert thread.is_alive()

    assert not thread.is_alive()


@pytest.mark.rule("OUT-4")
@pytest.mark.rule("OUT-5")
def test_a_loop_that_is_told_to_stop_ends_its_message_and_takes_no_other(db: anser.Database) -> None:
    told = threading.Event()
    got: list[object] = []

    def deliver(message: anser.OutboxMessage) -> None:
        told.set()
        got.append(message.payload)

    outbox = db.outbox("mail", deliver)
    for number in range(3):
        outbox.send(number)

    outbox.run("w", told.is_set)

    assert got == [0]
    counts = outbox.queue().count_jobs()
    assert (counts.pending, counts.processing) == (2, 0)


@pytest.mark.rule("OUT-4")
def test_a_busy_file_is_waited_for(db: anser.Database, tmp_path: Path) -> None:
    got: list[object] = []
    with anser.open(tmp_path / "app.db", synchronous="normal", busy_timeout_s=0.01) as impatient:
        hooks = impatient.outbox("hooks", lambda message: got.append(message.payload))
        db.outbox("hooks", print).send(1)
        with db.transaction(), running(hooks) as thread:
            time.sleep(0.1)
            assert thread.is_alive()
        with running(hooks):
            until(lambda: got == [1])


def test_a_worker_that_is_interrupted_spends_nothing(db: anser.Database) -> None:
    def interrupted(message: anser.OutboxMessage) -> None:
        raise KeyboardInterrupt

    hooks = db.outbox("hooks", interrupted)
    id = hooks.send(1)

    with pytest.raises(KeyboardInterrupt):
        hooks.deliver_batch("w")

    job = hooks.queue().get_job(id)
    assert isinstance(job, anser.Job)
    assert (job.state, job.attempts) == (anser.State.PENDING, 0)


async def later(message: anser.OutboxMessage) -> None:
    """Whose work would never be done: nobody awaits it."""


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda db: db.outbox("", print), "name"),
        (lambda db: db.outbox("a:b", print), "name"),
        (lambda db: db.outbox("a\n", print), "queue"),
        (lambda db: db.outbox("a", None), "deliver"),
        (lambda db: db.outbox("a", {}), "deliver"),
        (lambda db: db.outbox("a", later), "deliver"),
        (lambda db: db.outbox("a", {"": print}), "destination"),
        (lambda db: db.outbox("a", {None: print, 1: print}), "destination"),
        (lambda db: db.outbox("a", print, lease_s=0), "lease_s"),
        (lambda db: db.outbox("a", print, max_attempts=0), "max_attempts"),
        (lambda db: db.outbox("a", print).send(1, destination="b"), "destination"),
        (lambda db: db.outbox("a", {"b": print}).send(1), "destination"),
        (lambda db: db.outbox("a", print).send(1, order_key=""), "order_key"),
        (lambda db: db.outbox("a", print).deliver_batch("w", 0), "n"),
    ],
)
@pytest.mark.rule("ERR-5")
def test_a_wrong_argument_is_refused(
    db: anser.Database, make: Callable[[anser.Database], object], argument: str
) -> None:
    with pytest.raises(anser.Invalid) as refusal:
        make(db)

    assert refusal.value.argument == argument


def test_an_outbox_tells_its_name(db: anser.Database) -> None:
    assert repr(db.outbox("hooks", print)) == f"<Outbox 'hooks' in {db.path!r}>"
