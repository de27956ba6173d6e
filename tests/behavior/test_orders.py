"""Jobs that run one after another, as their users meet them: in transactions, and when a foreign hand is at work."""

from __future__ import annotations

from contextlib import suppress

import pytest

import anser
from tests.behavior.support import NOW, raw


def claimed(mail: anser.Queue, n: int = 9) -> list[anser.ClaimedJob]:
    return mail.claim_batch("w", n)


def ids(jobs: list[anser.ClaimedJob]) -> list[int]:
    return [job.id for job in jobs]


@pytest.mark.rule("ORD-1", "ORD-2")
def test_the_jobs_of_one_key_are_handed_out_one_by_one(mail: anser.Queue) -> None:
    for number in range(3):
        mail.enqueue(number, order_key="ann")
    mail.enqueue("free")

    rounds = []
    while jobs := claimed(mail):
        rounds.append([job.payload for job in jobs])
        for job in jobs:
            job.ack()

    assert rounds == [[0, "free"], [1], [2]]


@pytest.mark.rule("ORD-1", "JOB-8")
def test_a_batch_of_one_key_is_a_line(mail: anser.Queue) -> None:
    mail.enqueue_many([1, 2, 3], order_key="ann")

    assert ids(claimed(mail)) == [1]


@pytest.mark.rule("ORD-2", "STO-6")
def test_an_ack_that_is_rolled_back_lets_nobody_go(db: anser.Database, mail: anser.Queue) -> None:
    mail.enqueue_many([1, 2], order_key="ann")
    (job,) = claimed(mail)

    with suppress(ValueError), db.transaction() as tx:
        job.ack(tx=tx)
        assert mail.count_jobs(tx=tx).due == 1
        raise ValueError

    assert mail.count_jobs() == anser.Counts(pending=1, due=0, processing=1, dead=0)
    job.ack()
    assert ids(claimed(mail)) == [2]


@pytest.mark.rule("ORD-3")
def test_a_body_that_raises_keeps_the_others_waiting(mail: anser.Queue, clock: anser.ManualClock) -> None:
    mail.enqueue_many([1, 2], order_key="ann")
    (job,) = claimed(mail)

    with suppress(ValueError), job:
        raise ValueError
    clock.advance(9)

    assert mail.next_claim_at() in range(NOW + 9, NOW + 11)
    clock.advance(1)
    assert ids(claimed(mail)) == [1]


@pytest.mark.rule("ORD-2", "CLM-17")
def test_a_job_that_cannot_be_read_lets_the_next_go(mail: anser.Queue, path: str) -> None:
    mail.enqueue_many([1, 2, 3], order_key="ann")
    with raw(path) as other:
        other.execute("update _honker_live set payload = '{not json' where id < 3")

    assert ids(claimed(mail)) == [3]
    assert [dead.id for dead in mail.dead_list()] == [1, 2]


@pytest.mark.rule("ORD-7")
def test_whoever_deletes_the_first_row_lets_the_next_go(mail: anser.Queue, path: str) -> None:
    mail.enqueue_many([1, 2, 3], order_key="ann", delay_s=5)
    with raw(path) as other:
        other.execute("delete from _honker_live where id in (1, 3)")

    assert [(job.id, job.run_at) for job in mail.list_jobs()] == [(2, NOW + 5)]


def test_a_place_is_gone_with_its_job(mail: anser.Queue, path: str) -> None:
    mail.enqueue_many([1, 2, 3], order_key="ann")
    mail.cancel(3)
    mail.cancel(1)
    (job,) = claimed(mail)
    job.fail("no")

    with raw(path) as other:
        assert other.execute("select count(*) from _anser_ordered").fetchone() == (0,)
    assert mail.enqueue(4, order_key="ann").id == 4
    assert ids(claimed(mail)) == [4]


@pytest.mark.rule("ORD-1")
def test_a_queue_has_no_order_key_for_all_its_jobs(db: anser.Database) -> None:
    with pytest.raises(TypeError, match="order_key"):
        db.queue("mail", order_key="ann")  # type: ignore[call-arg]  # a queue that is worked on one by one has one worker


@pytest.mark.rule("ORD-5")
def test_a_job_that_waits_is_judged_by_what_it_asked_for(mail: anser.Queue) -> None:
    first = mail.enqueue(1, order_key="ann", unique_key="k")

    with pytest.raises(anser.Invalid, match="expires_s"):
        mail.enqueue(2, order_key="ann", delay_s=5, expires_s=5)
    second = mail.enqueue(2, order_key="ann", delay_s=5, expires_s=6)

    assert mail.enqueue(3, order_key="ben", unique_key="k") == anser.Enqueued(first.id, created=False)
    assert [job.expires_at for job in mail.list_jobs() if job.id == second.id] == [NOW + 6]


@pytest.mark.rule("ORD-6")
def test_a_job_that_is_requeued_from_the_dead_waits_for_nobody(mail: anser.Queue) -> None:
    first = mail.enqueue(1, order_key="ann").id
    second = mail.enqueue(2, order_key="ann").id
    claimed(mail)[0].fail("no")

    mail.dead_requeue(first)

    assert ids(claimed(mail)) == [first, second]
