"""A claimed job: its words, and what a `with` block says for its user when the body ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

import anser
from tests.behavior.support import NOW, claimed, raw

ALWAYS_7_S = anser.Backoff(base=7, factor=1, cap=7, jitter="none")


@pytest.fixture
def patient(db: anser.Database) -> anser.Queue:
    """A queue whose backoff is 7 seconds, exactly."""
    return db.queue("mail", backoff=ALWAYS_7_S)


@pytest.fixture
def job(patient: anser.Queue) -> anser.ClaimedJob:
    patient.enqueue({"to": "ann"})
    return claimed(patient)


def live(job: anser.ClaimedJob) -> anser.Job:
    found = job.queue.get_job(job.id)
    assert isinstance(found, anser.Job)
    return found


def dead(job: anser.ClaimedJob) -> anser.Dead:
    found = job.queue.get_job(job.id)
    assert isinstance(found, anser.Dead)
    return found


def ended(job: anser.ClaimedJob) -> anser.State:
    found = job.queue.get_job(job.id)
    assert isinstance(found, anser.Finished)
    return found.state


# --- what it is


def test_a_claimed_job_shows_its_payload_attempt_and_lease(job: anser.ClaimedJob) -> None:
    assert (job.id, job.payload, job.attempts) == (1, {"to": "ann"}, 1)
    assert job.lease == anser.Lease("w", 1, NOW, NOW + 300)
    assert job.row == live(job)


def test_a_payload_that_its_handler_changed_is_whole_at_the_next_look(job: anser.ClaimedJob) -> None:
    job.payload["to"] = "ben"

    assert job.payload == {"to": "ann"}


@pytest.mark.parametrize(
    "payload", [None, True, 0, -1.5, "", "text", [], {}, [1, [2, {"three": [None]}]], 2**63 - 1, -(2**63)]
)
def test_a_payload_comes_back_as_it_was_enqueued(mail: anser.Queue, payload: Any) -> None:
    mail.enqueue(payload)

    back = claimed(mail).payload

    assert back == payload
    assert type(back) is type(payload)


# --- words


def test_a_heartbeat_moves_the_end_of_the_lease(job: anser.ClaimedJob, clock: anser.ManualClock) -> None:
    clock.advance(100)

    assert job.heartbeat() == NOW + 400
    assert job.lease == anser.Lease("w", 1, NOW, NOW + 400) == live(job).lease
    assert job.heartbeat(lease_s=5) == NOW + 105


@pytest.mark.rule("RET-1", "RET-3")
def test_a_retry_waits_for_the_backoff_or_for_what_it_says(job: anser.ClaimedJob) -> None:
    assert job.retry() == anser.Settled(anser.State.PENDING, NOW + 7)

    job.queue.enqueue("another")
    another = claimed(job.queue)
    assert another.retry(delay_s=0, error="once more") == anser.Settled(anser.State.PENDING, NOW)
    assert live(another).last_error == "once more"


def test_the_last_retry_is_the_death_of_the_job(patient: anser.Queue) -> None:
    patient.enqueue("hello", max_attempts=1)
    job = claimed(patient)

    assert job.retry(error="no answer") == anser.Settled(anser.State.DEAD, None)
    assert (dead(job).reason, dead(job).last_error) == (anser.Reason.EXHAUSTED, "no answer")


def test_a_release_spends_nothing(job: anser.ClaimedJob) -> None:
    assert job.release(delay_s=5) == NOW + 5
    assert (live(job).attempts, live(job).lease) == (0, None)


@pytest.mark.parametrize("error", [None, 5, b"no", False])
def test_a_failure_says_why_in_words(job: anser.ClaimedJob, error: Any) -> None:
    with pytest.raises(anser.Invalid, match=r"^error = "):
        job.fail(error)

    assert live(job).lease == job.lease


@pytest.mark.rule("CLM-8")
def test_every_word_about_a_lost_lease_is_refused_and_changes_nothing(
    job: anser.ClaimedJob, clock: anser.ManualClock
) -> None:
    clock.advance(301)
    taken_over = claimed(job.queue)

    for word in (
        lambda: job.ack(),
        lambda: job.retry(),
        lambda: job.fail("no"),
        lambda: job.release(),
        lambda: job.heartbeat(),
    ):
        with pytest.raises(anser.LeaseLost, match="job 1 of queue 'mail' is not held by 'w' with fence 1"):
            word()

    assert live(taken_over) == taken_over.row
    assert job.lease.expires_at == NOW + 300


# --- odd errors


def test_an_error_that_the_file_cannot_hold_is_told_so_that_it_can(job: anser.ClaimedJob) -> None:
    job.fail("a NUL \0 and a lone \ud800 surrogate")

    assert dead(job).last_error == "a NUL \\0 and a lone \\ud800 surrogate"


def test_an_error_that_is_too_long_is_cut_at_a_character_and_says_so(job: anser.ClaimedJob) -> None:
    job.fail("é" * 50_000)

    told = dead(job).last_error
    assert told is not None
    assert told.endswith("é… (100000 bytes in all)")
    assert 65_530 <= len(told.encode()) <= 65_536


# --- as a context manager


def test_a_body_that_ends_acks_its_job(job: anser.ClaimedJob) -> None:
    with job as same:
        assert same is job

    assert ended(job) is anser.State.DONE


def test_a_body_that_raises_puts_its_job_back_with_the_error(job: anser.ClaimedJob) -> None:
    with pytest.raises(ValueError, match="no such address"), job:
        raise ValueError("no such address")

    assert (live(job).state, live(job).run_at, live(job).attempts) == (anser.State.PENDING, NOW + 7, 1)
    assert live(job).last_error == "ValueError: no such address"


def test_a_body_that_raises_in_its_last_attempt_ends_its_job(patient: anser.Queue) -> None:
    patient.enqueue("hello", max_attempts=1)
    job = claimed(patient)

    with pytest.raises(ValueError, match="no"), job:
        raise ValueError("no")

    assert (dead(job).reason, dead(job).last_error) == (anser.Reason.EXHAUSTED, "ValueError: no")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, GeneratorExit])
def test_a_body_that_is_stopped_puts_its_job_back_and_spends_nothing(
    job: anser.ClaimedJob, stop: type[BaseException]
) -> None:
    with pytest.raises(stop), job:
        raise stop

    assert (live(job).state, live(job).run_at, live(job).attempts) == (anser.State.PENDING, NOW, 0)
    assert live(job).last_error is None


def test_a_generator_that_is_closed_puts_its_job_back(job: anser.ClaimedJob) -> None:
    def working() -> Iterator[int]:
        with job:
            yield 1
            yield 2

    steps = working()
    next(steps)
    steps.close()  # type: ignore[attr-defined]  # a generator, whatever its signature says

    assert (live(job).state, live(job).attempts) == (anser.State.PENDING, 0)


@pytest.mark.parametrize(
    ("settle", "place"),
    [
        (lambda job: job.ack(), "done"),
        (lambda job: job.retry(delay_s=99), "pending"),
        (lambda job: job.fail("no"), "dead"),
        (lambda job: job.release(delay_s=99), "pending"),
    ],
)
def test_a_job_that_the_body_settled_is_left_as_it_is(job: anser.ClaimedJob, settle: Any, place: str) -> None:
    with job:
        settle(job)

    found = job.queue.get_job(job.id)
    assert isinstance(found, anser.Job | anser.Finished | anser.Dead)
    assert ("dead" if isinstance(found, anser.Dead) else found.state) == place


def test_a_job_that_the_body_settled_is_left_as_it_is_also_when_the_body_raises(job: anser.ClaimedJob) -> None:
    def body() -> None:
        with job:
            job.retry(delay_s=99, error="first")
            raise ValueError("later")

    with pytest.raises(ValueError, match="later") as raised:
        body()

    assert (live(job).run_at, live(job).last_error) == (NOW + 99, "first")
    assert not hasattr(raised.value, "__notes__")


def test_a_lease_that_was_lost_shows_when_the_body_ends(job: anser.ClaimedJob, clock: anser.ManualClock) -> None:
    with pytest.raises(anser.LeaseLost), job:
        clock.advance(301)

    assert live(job).state is anser.State.PROCESSING


def test_the_error_of_a_body_is_never_hidden_by_a_lost_lease(job: anser.ClaimedJob, clock: anser.ManualClock) -> None:
    def body() -> None:
        with job:
            clock.advance(301)
            raise ValueError("the cause")

    with pytest.raises(ValueError, match="the cause") as raised:
        body()

    (note,) = raised.value.__notes__
    assert note.startswith("job 1 of queue 'mail' was not put back: job 1 of queue 'mail' is not held by 'w'")


def test_the_error_of_a_body_is_never_hidden_by_a_locked_file(job: anser.ClaimedJob, path: str) -> None:
    with raw(path) as other:
        other.execute("begin immediate")
        with pytest.raises(ValueError, match="the cause") as raised, job:
            raise ValueError("the cause")

    (note,) = raised.value.__notes__
    assert "was not put back: another connection held the write lock too long" in note


def test_the_error_of_a_body_is_never_hidden_by_its_own_text(job: anser.ClaimedJob) -> None:
    class Speechless(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    with pytest.raises(Speechless), job:
        raise Speechless

    assert live(job).last_error == "Speechless"


def test_a_body_that_raises_odd_or_endless_text_puts_its_job_back(job: anser.ClaimedJob) -> None:
    with pytest.raises(ValueError, match="x"), job:
        raise ValueError("\0\ud800" + "x" * 200_000)

    told = live(job).last_error
    assert told is not None
    assert told.startswith("ValueError: \\0\\ud800xxx")
    assert told.endswith("bytes in all)")


# --- as a part of the caller's transaction


@pytest.fixture
def orders(db: anser.Database, path: str) -> str:
    with raw(path) as connection:
        connection.execute("create table orders (id integer primary key)")
    return "select count(*) from orders"


def counted(path: str, orders: str) -> int:
    with raw(path) as connection:
        return int(connection.execute(orders).fetchone()[0])


def test_effects_and_ack_are_committed_together(
    db: anser.Database, job: anser.ClaimedJob, path: str, orders: str
) -> None:
    with job, db.transaction() as tx:
        tx.execute("insert into orders values (1)")
        job.ack(tx=tx)
        with raw(path) as other:
            assert other.execute("select count(*) from _honker_live").fetchone() == (1,)

    assert counted(path, orders) == 1
    assert ended(job) is anser.State.DONE


def test_effects_and_ack_vanish_together(db: anser.Database, job: anser.ClaimedJob, path: str, orders: str) -> None:
    def body() -> None:
        with job, db.transaction() as tx:
            tx.execute("insert into orders values (1)")
            job.ack(tx=tx)
            raise ValueError("after the ack")

    with pytest.raises(ValueError, match="after the ack"):
        body()

    assert counted(path, orders) == 0
    assert (live(job).state, live(job).last_error) == (anser.State.PENDING, "ValueError: after the ack")


def test_a_lost_lease_rolls_the_jobs_own_writes_back(
    db: anser.Database, job: anser.ClaimedJob, clock: anser.ManualClock, path: str, orders: str
) -> None:
    def body() -> None:
        with job, db.transaction() as tx:
            tx.execute("insert into orders values (1)")
            job.ack(tx=tx)

    clock.advance(301)
    taken_over = claimed(job.queue)

    with pytest.raises(anser.LeaseLost) as raised:
        body()

    assert counted(path, orders) == 0
    assert live(taken_over) == taken_over.row
    assert len(raised.value.__notes__) == 1


def test_a_word_that_was_committed_is_not_taken_back_by_a_later_error(
    db: anser.Database, job: anser.ClaimedJob, path: str, orders: str
) -> None:
    def body() -> None:
        with job:
            with db.transaction() as tx:
                tx.execute("insert into orders values (1)")
                job.ack(tx=tx)
            raise ValueError("later")

    with pytest.raises(ValueError, match="later") as raised:
        body()

    assert counted(path, orders) == 1
    assert ended(job) is anser.State.DONE
    assert "was not put back" in raised.value.__notes__[0]


def test_words_join_any_connection_of_the_application(
    patient: anser.Queue, path: str, clock: anser.ManualClock
) -> None:
    patient.enqueue_many(range(4))
    acked, retried, failed, released = patient.claim_batch("w", 4)
    with raw(path) as connection:
        connection.execute("begin")
        acked.ack(tx=connection)
        retried.retry(tx=connection)
        failed.fail("no", tx=connection)
        released.release(tx=connection)
        connection.execute("rollback")

    assert [live(job) for job in (acked, retried, failed, released)] == [
        job.row for job in (acked, retried, failed, released)
    ]


def test_a_word_is_not_said_alone_inside_a_transaction_of_its_thread(db: anser.Database, job: anser.ClaimedJob) -> None:
    with db.transaction(), pytest.raises(anser.Invalid, match=r"^tx = None: a transaction is open in this thread"):
        job.ack()

    assert live(job) == job.row


def test_a_body_whose_own_statement_fails_puts_its_job_back(
    db: anser.Database, job: anser.ClaimedJob, orders: str
) -> None:
    with pytest.raises(sqlite3.IntegrityError), job, db.transaction() as tx:
        tx.execute("insert into orders values (1), (1)")

    assert live(job).last_error == "IntegrityError: UNIQUE constraint failed: orders.id"


def test_a_body_that_ends_its_process_has_failed_its_attempt(job: anser.ClaimedJob) -> None:
    with pytest.raises(SystemExit), job:
        raise SystemExit(3)

    assert (live(job).state, live(job).attempts, live(job).last_error) == (anser.State.PENDING, 1, "SystemExit: 3")
    assert live(job).run_at > NOW


def test_an_ack_that_was_rolled_back_puts_the_job_back_although_the_body_ended_well(
    db: anser.Database, job: anser.ClaimedJob
) -> None:
    with job, suppress(ZeroDivisionError), db.transaction() as tx:
        job.ack(tx=tx)
        raise ZeroDivisionError

    assert (live(job).state, live(job).last_error) == (
        anser.State.PENDING,
        "the transaction that settled the job was rolled back",
    )


def test_a_job_acked_in_a_batch_is_settled_for_its_body_too(job: anser.ClaimedJob) -> None:
    with job:
        assert job.queue.ack_batch(another for another in [job]) == (job.id,)

    assert isinstance(job.queue.get_job(job.id), anser.Finished)


@pytest.mark.parametrize("jobs", [[1], [None], "ab"])
def test_a_batch_of_something_else_is_refused_by_place(mail: anser.Queue, jobs: Any) -> None:
    with pytest.raises(anser.Invalid, match=r"jobs\[0\] = .*: pass jobs that were claimed from 'mail'"):
        mail.ack_batch(jobs)


def test_an_error_that_cannot_be_changed_is_the_callers_all_the_same(job: anser.ClaimedJob) -> None:
    @dataclass(frozen=True)
    class Frozen(Exception):
        code: int

    def body() -> None:
        with job:
            job.queue.cancel(job.id)
            raise Frozen(7)

    with pytest.raises(Frozen):
        body()


@pytest.mark.rule("CLM-18", "STO-2")
@pytest.mark.parametrize("leave", ["release", "retry", "lapse"])
def test_a_job_that_is_put_back_leaves_no_word_of_its_lease_in_the_file(
    job: anser.ClaimedJob, clock: anser.ManualClock, path: str, leave: str
) -> None:
    if leave == "lapse":
        clock.advance(job.queue.lease_s + 1)
        job.queue.enqueue("first", priority=9)
        job.queue.claim_one("another")
    else:
        getattr(job, leave)()

    with raw(path) as connection:
        columns = "state, worker_id, claim_expires_at, claimed_at"
        row = connection.execute(f"select {columns} from _honker_live where id = ?", (job.id,)).fetchone()
    assert tuple(row) == ("pending", None, None, None)


def test_a_pause_says_since_when(mail: anser.Queue, path: str) -> None:
    mail.pause()

    with raw(path) as connection:
        assert [tuple(row) for row in connection.execute("select * from _anser_paused")] == [("mail", NOW)]
