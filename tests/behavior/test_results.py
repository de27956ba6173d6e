"""Results as their users see them: saved with the ack, looked up, waited for, and what ends a wait."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest

import anser
from anser.ops import ResultSave
from anser.types import DELAY_MAX_S, RESULT_TTL_S
from tests.behavior.support import NOW, claimed, lay_result, raw, rows_in

SAVED, DONE, WAITING = anser.ResultState.SAVED, anser.ResultState.DONE, anser.ResultState.WAITING


@pytest.fixture
def job(mail: anser.Queue) -> anser.ClaimedJob:
    mail.enqueue("hello")
    return claimed(mail)


def stored(path: str) -> list[tuple[Any, ...]]:
    """The results in the file: id, value, end."""
    with raw(path) as connection:
        return connection.execute("select job_id, value, expires_at from _honker_results order by job_id").fetchall()


# --- saving


@pytest.mark.rule("RES-3", "RES-4")
def test_a_job_that_is_acked_with_a_result_leaves_it(
    mail: anser.Queue, job: anser.ClaimedJob, clock: anser.ManualClock
) -> None:
    before = mail.result_get(job.id)

    job.ack(result={"sent": [1, None]}, result_ttl_s=60)

    assert before == anser.Result(WAITING)
    assert mail.result_get(job.id) == anser.Result(SAVED, value='{"sent":[1,null]}')
    assert mail.wait_result(job.id) == {"sent": [1, None]}
    clock.advance(60)
    assert mail.result_get(job.id) == anser.Result(DONE)


@pytest.mark.rule("RES-3", "RES-8")
def test_a_result_is_kept_for_a_week_unless_something_else_is_said(
    mail: anser.Queue, job: anser.ClaimedJob, path: str
) -> None:
    saved_until = job.result_save("half")
    job.ack(result=None)

    assert RESULT_TTL_S == 7 * 24 * 3_600
    assert saved_until == NOW + RESULT_TTL_S
    assert stored(path) == [(job.id, "null", NOW + RESULT_TTL_S)]
    assert mail.wait_result(job.id) is None


@pytest.mark.rule("RES-2")
def test_a_result_that_was_saved_on_the_way_is_left_by_an_ack_without_one(
    mail: anser.Queue, job: anser.ClaimedJob
) -> None:
    with job:
        job.result_save({"rows": 1}, ttl_s=60)
        job.result_save({"rows": 2}, ttl_s=60)
        assert not job.settled

    assert mail.wait_result(job.id) == {"rows": 2}


@pytest.mark.rule("RES-3", "STO-6")
def test_result_end_and_the_callers_own_writes_are_one_transaction(
    db: anser.Database, mail: anser.Queue, job: anser.ClaimedJob, path: str
) -> None:
    def body() -> None:
        with db.transaction() as tx:
            tx.execute("create table orders (id integer)")
            job.ack(result=1, tx=tx)
            raise ValueError("mine")

    before = rows_in(path)
    with pytest.raises(ValueError, match="mine"):
        body()
    assert rows_in(path) == before

    with db.transaction() as tx:
        job.ack(result=2, tx=tx)
    assert mail.wait_result(job.id) == 2


@pytest.mark.rule("RES-3", "STO-6", "ERR-1")
def test_a_refused_ack_that_is_caught_leaves_no_result_in_the_callers_transaction(
    db: anser.Database, job: anser.ClaimedJob, clock: anser.ManualClock, path: str
) -> None:
    clock.at = job.lease.expires_at + 1

    with db.transaction() as tx:
        with pytest.raises(anser.LeaseLost, match=f"job {job.id} of queue 'mail' is not held by 'w' with fence 1"):
            job.ack(result=1, tx=tx)
        with pytest.raises(anser.LeaseLost):
            job.result_save(1, tx=tx)

    assert stored(path) == []
    assert not job.settled


@pytest.mark.rule("RES-3")
def test_a_lease_that_ends_between_two_looks_at_the_clock_leaves_nothing_half(mail: anser.Queue, path: str) -> None:
    """In a caller's own transaction each operation reads the clock: an ack with a result is one of them, not two."""
    mail.enqueue("hello")
    job = claimed(mail, lease_s=1)
    looks = iter((NOW + 1, NOW + 2))

    with anser.open(path, clock=lambda: next(looks)) as late, raw(path) as connection:
        other = anser.ClaimedJob(late.queue("mail"), job.row)
        connection.execute("begin immediate")
        other.ack(result=1, tx=connection)
        connection.execute("commit")

    assert stored(path) == [(job.id, "1", NOW + 1 + RESULT_TTL_S)]
    assert mail.wait_result(job.id) == 1


@pytest.mark.parametrize("value", [object(), {1, 2}, nan, "\ud800", {1: 2}, b"bytes"])
@pytest.mark.rule("RES-8")
def test_a_result_that_is_no_json_is_refused_and_the_job_is_put_back_as_with_any_error(
    mail: anser.Queue, job: anser.ClaimedJob, path: str, value: object
) -> None:
    with pytest.raises(anser.Invalid) as refusal, job:
        job.ack(result=value)

    (left,) = mail.list_jobs()
    assert refusal.value.argument == "result"
    assert (left.state, left.attempts, left.last_error) == (anser.State.PENDING, 1, f"Invalid: {refusal.value}")
    assert stored(path) == []


@pytest.mark.parametrize(
    ("say", "argument"),
    [
        (lambda job: job.ack(result=1, result_ttl_s=0), "result_ttl_s"),
        (lambda job: job.ack(result=1, result_ttl_s=0.9), "result_ttl_s"),
        (lambda job: job.ack(result=1, result_ttl_s=DELAY_MAX_S + 1), "result_ttl_s"),
        (lambda job: job.ack(result_ttl_s=60), "result_ttl_s"),
        (lambda job: job.result_save(1, ttl_s=0), "ttl_s"),
        (lambda job: job.result_save(1, ttl_s=None), "ttl_s"),
        (lambda job: job.result_save({1}), "value"),
        (lambda job: job.queue.result_get(0), "id"),
        (lambda job: job.queue.wait_result(0), "id"),
        (lambda job: job.queue.wait_result(1, timeout_s=-1), "timeout_s"),
        (lambda job: job.queue.wait_result(1, timeout_s=nan), "timeout_s"),
        (lambda job: job.queue.wait_result(1, timeout_s=inf), "timeout_s"),
        (lambda job: job.queue.wait_result(1, timeout_s=True), "timeout_s"),
        (lambda job: job.queue.wait_result(1, timeout_s="1"), "timeout_s"),
        (lambda job: job.queue.database.result_sweep(limit=0), "limit"),
    ],
)
@pytest.mark.rule("ERR-5", "RES-8")
def test_a_wrong_argument_is_refused_by_name_and_nothing_is_written(
    job: anser.ClaimedJob, path: str, say: Callable[[anser.ClaimedJob], object], argument: str
) -> None:
    before = rows_in(path)

    with pytest.raises(anser.Invalid) as refusal:
        say(job)

    assert refusal.value.argument == argument
    assert rows_in(path) == before


# --- waiting


def told(mail: anser.Queue, id: int, way: str) -> Any:
    """What a wait of no time answers: both ways are one."""
    if way == "wait_result":
        return mail.wait_result(id, timeout_s=0)
    return asyncio.run(mail.await_result(id, timeout_s=0))


both_ways = pytest.mark.parametrize("way", ["wait_result", "await_result"])


@both_ways
@pytest.mark.rule("RES-10")
def test_a_wait_for_a_job_that_died_ends_with_its_error(mail: anser.Queue, job: anser.ClaimedJob, way: str) -> None:
    job.fail("no such address")

    with pytest.raises(anser.JobDead, match=f"job {job.id} of queue 'mail' is dead: no such address") as raised:
        told(mail, job.id, way)

    assert raised.value.error == "no such address"


@both_ways
@pytest.mark.rule("RES-10")
def test_a_wait_for_a_cancelled_job_ends(mail: anser.Queue, job: anser.ClaimedJob, way: str) -> None:
    job.result_save(1)
    mail.cancel(job.id)

    with pytest.raises(anser.JobCancelled, match="was cancelled"):
        told(mail, job.id, way)


@both_ways
@pytest.mark.rule("RES-5", "RES-10")
def test_a_wait_for_a_job_without_a_result_ends(
    mail: anser.Queue, job: anser.ClaimedJob, clock: anser.ManualClock, way: str
) -> None:
    job.ack(result=1, result_ttl_s=60)
    clock.advance(60)

    with pytest.raises(anser.ResultMissing, match="is done and has no result"):
        told(mail, job.id, way)
    with pytest.raises(anser.ResultMissing, match="job 99 of queue 'mail' is not known"):
        told(mail, 99, way)


@both_ways
@pytest.mark.rule("RES-7", "RES-10")
def test_a_wait_in_another_queue_ends(db: anser.Database, job: anser.ClaimedJob, way: str) -> None:
    job.ack(result=1)

    with pytest.raises(anser.ResultMissing, match="queue 'post' is not known"):
        told(db.queue("post"), job.id, way)


@both_ways
@pytest.mark.rule("RES-10")
def test_a_wait_ends_when_its_time_is_over(mail: anser.Queue, job: anser.ClaimedJob, way: str) -> None:
    with pytest.raises(anser.ResultTimeout, match="is not done yet") as raised:
        told(mail, job.id, way)

    assert isinstance(raised.value, TimeoutError)


@pytest.mark.rule("RES-10")
def test_a_wait_inside_the_threads_own_transaction_is_refused(
    db: anser.Database, mail: anser.Queue, job: anser.ClaimedJob
) -> None:
    """It would wait for what it keeps from being written."""
    with db.transaction(), pytest.raises(anser.Invalid, match="a transaction is open in this thread"):
        mail.wait_result(job.id)


# --- other bindings, sweeping


@pytest.mark.parametrize("value", ["{not json", b"\xff", b"1"])
@pytest.mark.rule("RES-11")
def test_a_result_that_cannot_be_read_ends_the_wait_with_that(mail: anser.Queue, path: str, value: Any) -> None:
    with raw(path) as connection:
        lay_result(connection, 7, queue=None, value=value, expires_at=None)

    found = mail.result_get(7)

    assert found == anser.Result(SAVED, value=value)
    with pytest.raises(anser.ResultError, match="the result of job 7 of queue 'mail' cannot be read") as raised:
        mail.wait_result(7)
    assert raised.value.code == "result"


@pytest.mark.rule("RES-4", "RES-11")
def test_what_another_binding_saved_is_seen_when_the_job_is_done(
    mail: anser.Queue, job: anser.ClaimedJob, path: str
) -> None:
    with raw(path) as honker:
        honker.execute("insert into _honker_results (job_id, value, expires_at) values (?, ?, null)", (job.id, "[7]"))
        before = mail.result_get(job.id)
        honker.execute("delete from _honker_live where id = ?", (job.id,))

    assert before == anser.Result(WAITING)
    assert mail.wait_result(job.id) == [7]


@pytest.mark.rule("RES-11", "STO-5")
def test_results_of_an_older_file_are_kept_and_seen(path: str) -> None:
    with raw(path) as honker:
        honker.execute(
            "create table _honker_results (job_id integer primary key, value text, created_at integer, "
            "expires_at integer)"
        )
        honker.execute("insert into _honker_results values (7, '1', 5, null)")

    with anser.open(path) as db:
        assert db.queue("mail").wait_result(7) == 1
        assert db.run(ResultSave.read(held(db))) > NOW
    assert [id for id, _, _ in stored(path)] == [7, 8]


def held(db: anser.Database) -> dict[str, Any]:
    """A word about a job with the id 8."""
    with sqlite3.connect(db.path) as connection:
        connection.execute("insert into sqlite_sequence (name, seq) values ('_honker_live', 7)")
    queue = db.queue("mail")
    queue.enqueue("hello")
    job = claimed(queue)
    return {"queue": "mail", "id": job.id, "worker": "w", "fence": job.lease.fence, "value": 1, "ttl_s": DELAY_MAX_S}


@pytest.mark.rule("RES-9")
def test_results_that_are_over_are_swept_and_the_others_are_left(
    db: anser.Database, clock: anser.ManualClock, path: str
) -> None:
    with raw(path) as connection:
        for id, left_s in ((1, 10), (2, 20), (3, 30)):
            lay_result(connection, id, expires_at=NOW + left_s)
        lay_result(connection, 4, queue=None, expires_at=None)
    clock.advance(20)

    swept = db.result_sweep(limit=1), db.result_sweep()

    assert swept == (1, 1)
    assert [id for id, _, _ in stored(path)] == [3, 4]


@pytest.mark.rule("RES-12")
def test_results_without_an_end_are_pruned_by_their_age(db: anser.Database, path: str) -> None:
    with raw(path) as connection:
        for job_id, age_s in ((1, 9), (2, 8), (3, 10)):
            lay_result(connection, job_id, queue=None, created_at=NOW - age_s, expires_at=None)
        lay_result(connection, 4, created_at=NOW - 99)

    pruned = db.result_prune(older_than_s=9, limit=1), db.result_prune(older_than_s=9)

    assert pruned == (1, 1)
    assert [id for id, _, _ in stored(path)] == [2, 4]
