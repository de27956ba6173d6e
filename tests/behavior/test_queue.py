"""A queue as its users hold it: defaults, options, and what each method answers."""

from __future__ import annotations

from typing import Any

import pytest

import anser
from tests.behavior.support import NOW, claimed, furnish, raw, rows_in


def job_of(queue: anser.Queue, id: int) -> anser.Job:
    job = queue.get_job(id)
    assert isinstance(job, anser.Job)
    return job


def dead_of(queue: anser.Queue, id: int) -> anser.Dead:
    job = queue.get_job(id)
    assert isinstance(job, anser.Dead)
    return job


# --- defaults and options


def test_a_job_gets_what_its_queue_says(db: anser.Database) -> None:
    queue = db.queue("mail", max_attempts=7, max_lapses=2, priority=-3, expires_s=90)

    job = job_of(queue, queue.enqueue("hello").id)

    assert (job.max_attempts, job.max_lapses, job.priority, job.expires_at) == (7, 2, -3, NOW + 90)


def test_a_queue_that_says_nothing_has_the_documented_defaults(mail: anser.Queue) -> None:
    job = job_of(mail, mail.enqueue("hello").id)

    assert (job.max_attempts, job.max_lapses, job.priority, job.expires_at) == (3, 5, 0, None)
    assert (mail.lease_s, mail.backoff) == (300, anser.Backoff(base=10, factor=2, cap=3_600, jitter="equal"))


@pytest.mark.rule("ERR-4")
def test_an_option_overrules_the_default_also_when_it_is_zero_or_none(db: anser.Database) -> None:
    queue = db.queue("mail", max_attempts=7, max_lapses=2, priority=-3, expires_s=90)

    job = job_of(queue, queue.enqueue("hello", max_attempts=1, max_lapses=0, priority=0, expires_s=None).id)

    assert (job.max_attempts, job.max_lapses, job.priority, job.expires_at) == (1, 0, 0, None)


def test_a_job_keeps_what_it_was_enqueued_with_whatever_its_reader_says(db: anser.Database) -> None:
    db.queue("mail", max_attempts=2, priority=4).enqueue("hello")
    reader = db.queue("mail", max_attempts=9, priority=0)

    job = claimed(reader)

    assert (job.row.max_attempts, job.row.priority, job.row.created_at) == (2, 4, NOW)


def test_a_job_waits_for_its_delay_or_its_instant(mail: anser.Queue) -> None:
    delayed = mail.enqueue("later", delay_s=60)
    dated = mail.enqueue("at nine", run_at=NOW + 90)

    assert job_of(mail, delayed.id).run_at == NOW + 60
    assert job_of(mail, dated.id).run_at == NOW + 90


@pytest.mark.parametrize(
    ("default", "value"),
    [
        ("lease_s", 0),
        ("lease_s", 1.5),
        ("max_attempts", 0),
        ("max_attempts", True),
        ("max_lapses", -1),
        ("priority", 1_001),
        ("priority", None),
        ("expires_s", 0),
        ("backoff", 5),
        ("backoff", "full"),
    ],
)
@pytest.mark.rule("ERR-5")
def test_a_wrong_default_is_refused_where_it_is_said(db: anser.Database, default: str, value: Any) -> None:
    with pytest.raises(anser.Invalid) as refusal:
        db.queue("mail", **{default: value})

    assert (refusal.value.argument, refusal.value.value) == (default, value)


@pytest.mark.parametrize("name", ["", "\n", "x" * 256, "\ud800", 5, None])
@pytest.mark.rule("ERR-6")
def test_a_queue_that_could_not_be_named_is_refused(db: anser.Database, name: Any) -> None:
    with pytest.raises(anser.Invalid, match=r"^queue = "):
        db.queue(name)


def test_an_option_that_does_not_exist_is_refused_by_name(mail: anser.Queue) -> None:
    with pytest.raises(anser.Invalid, match=r"^delay = 5: pass one of .*delay_s") as refusal:
        mail.enqueue("hello", delay=5)  # type: ignore[call-arg]  # the mistake of somebody without a type checker

    assert refusal.value.argument == "delay"
    assert mail.count_jobs().pending == 0


def test_to_name_a_queue_writes_nothing(db: anser.Database, path: str) -> None:
    before = rows_in(path)

    db.queue("a queue that nobody has used")

    assert rows_in(path) == before


@pytest.mark.rule("JOB-15")
def test_two_handles_of_one_name_are_one_queue(db: anser.Database) -> None:
    db.queue("mail").enqueue("hello")

    assert db.queue("mail").count_jobs().pending == 1
    assert db.queue("Mail").count_jobs().pending == 0


def test_handles_say_what_they_are(db: anser.Database, mail: anser.Queue) -> None:
    mail.enqueue("hello")

    assert repr(mail) == f"<Queue 'mail' in {db.path!r}>"
    assert repr(claimed(mail)) == f"<ClaimedJob 1 of 'mail' until {NOW + 300}>"


# --- jobs


def test_an_enqueue_says_whether_it_made_the_job(mail: anser.Queue) -> None:
    assert mail.enqueue("hello", unique_key="ann") == anser.Enqueued(1, created=True)
    assert mail.enqueue("again", unique_key="ann") == anser.Enqueued(1, created=False)


def test_a_batch_takes_any_payloads_and_one_set_of_options(mail: anser.Queue) -> None:
    answers = mail.enqueue_many(({"n": n} for n in range(3)), priority=2)

    assert answers == tuple(anser.Enqueued(id, created=True) for id in (1, 2, 3))
    assert [(job.payload, job.priority) for job in mail.list_jobs()] == [(f'{{"n":{n}}}', 2) for n in range(3)]


@pytest.mark.rule("JOB-8")
def test_a_batch_with_one_job_that_is_refused_leaves_nothing(mail: anser.Queue) -> None:
    with pytest.raises(anser.Invalid, match=r"^jobs\[1\]\.payload = nan"):
        mail.enqueue_many([1, float("nan"), 3])

    assert mail.list_jobs() == ()


def test_live_jobs_are_listed_in_pages(mail: anser.Queue) -> None:
    mail.enqueue_many(range(5))
    claimed(mail)

    first = mail.list_jobs(limit=2)
    second = mail.list_jobs(after_id=first[-1].id, limit=2)

    assert [job.id for job in first + second] == [1, 2, 3, 4]
    assert [job.id for job in mail.list_jobs(anser.State.PENDING)] == [2, 3, 4, 5]
    assert [job.id for job in mail.list_jobs(anser.State.PROCESSING)] == [1]


def test_the_jobs_of_each_state_are_counted(db: anser.Database, mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        furnish(connection)
    mail.enqueue("later", delay_s=1)

    assert mail.count_jobs() == anser.Counts(pending=7, due=5, processing=6, dead=3)
    assert db.queue("post").count_jobs() == anser.Counts(pending=0, due=0, processing=0, dead=1)


def test_a_job_is_looked_up_wherever_it_is(mail: anser.Queue, clock: anser.ManualClock) -> None:
    mail.enqueue_many(range(5))
    done, failed, held = mail.claim_batch("w", 3)
    clock.advance(1)
    done.ack()
    failed.fail("no such address")
    mail.cancel(5)

    assert mail.get_job(done.id) == anser.Finished(1, "mail", anser.State.DONE, 1, NOW + 1)
    assert (dead_of(mail, failed.id).reason, dead_of(mail, failed.id).last_error) == (
        anser.Reason.FAILED,
        "no such address",
    )
    assert job_of(mail, held.id).lease == held.lease
    assert job_of(mail, 4).state is anser.State.PENDING
    assert mail.get_job(5) == anser.Finished(5, "mail", anser.State.CANCELLED, 0, NOW + 1)
    assert mail.get_job(6) is None


def test_a_cancelled_job_is_taken_from_its_worker(mail: anser.Queue) -> None:
    mail.enqueue("hello")
    job = claimed(mail)

    assert mail.cancel(job.id) is True
    assert mail.cancel(job.id) is False
    with pytest.raises(anser.LeaseLost):
        job.ack()


def test_a_paused_queue_hands_out_nothing_and_a_claim_from_it_ends(mail: anser.Queue) -> None:
    mail.enqueue_many(range(2))
    job = claimed(mail)

    assert (mail.pause(), mail.pause()) == (True, False)
    assert mail.claim_batch("w", 5) == []
    assert mail.next_claim_at() is None
    job.ack()
    assert (mail.resume(), mail.resume()) == (True, False)
    assert claimed(mail).id == 2


# --- claims


def test_a_claim_holds_for_the_lease_of_its_queue_or_its_own(db: anser.Database) -> None:
    queue = db.queue("mail", lease_s=30)
    queue.enqueue_many(range(2))

    assert claimed(queue).lease == anser.Lease("w", 1, NOW, NOW + 30)
    assert claimed(queue, lease_s=5).lease == anser.Lease("w", 2, NOW, NOW + 5)


def test_a_batch_is_claimed_in_the_order_of_the_line(mail: anser.Queue) -> None:
    for priority in (0, 5, 1, 5):
        mail.enqueue(priority, priority=priority)

    jobs = mail.claim_batch("w", 3)

    assert [(job.id, job.payload) for job in jobs] == [(2, 5), (4, 5), (3, 1)]
    assert mail.claim_batch("w", 3)[0].id == 1
    assert mail.claim_batch("w", 3) == []
    assert mail.claim_one("w") is None


def test_a_queue_knows_when_there_is_work(mail: anser.Queue, clock: anser.ManualClock) -> None:
    assert mail.next_claim_at() is None

    mail.enqueue("later", delay_s=60)
    assert mail.next_claim_at() == NOW + 60

    mail.enqueue("now")
    assert mail.next_claim_at() == NOW

    claimed(mail, lease_s=10)
    assert mail.next_claim_at() == NOW + 11


def test_a_batch_is_acked_and_the_lost_are_left_out(mail: anser.Queue, clock: anser.ManualClock) -> None:
    mail.enqueue_many(range(3))
    jobs = mail.claim_batch("w", 2, lease_s=10) + mail.claim_batch("w", 1, lease_s=20)
    jobs[1].heartbeat(lease_s=20)
    clock.advance(11)

    assert mail.ack_batch(jobs) == (2, 3)
    assert job_of(mail, 1).state is anser.State.PROCESSING


def test_a_batch_of_two_workers_is_refused(mail: anser.Queue) -> None:
    mail.enqueue_many(range(2))
    jobs = [claimed(mail, "ann"), claimed(mail, "ben")]

    with pytest.raises(anser.Invalid, match=r"^jobs = \['ann', 'ben'\]: ack the jobs of one worker at a time"):
        mail.ack_batch(jobs)

    assert mail.count_jobs().processing == 2


def test_an_empty_batch_is_acked_by_doing_nothing(mail: anser.Queue) -> None:
    assert mail.ack_batch([]) == ()


# --- the dead


def test_the_dead_are_listed_requeued_and_forgotten(mail: anser.Queue, clock: anser.ManualClock) -> None:
    mail.enqueue_many(range(4))
    for job in mail.claim_batch("w", 4):
        job.fail("no")
        clock.advance(10)

    assert [job.id for job in mail.dead_list(limit=2)] == [1, 2]
    assert [job.id for job in mail.dead_list(after_id=2)] == [3, 4]
    mail.dead_requeue(2)
    assert claimed(mail).id == 2
    assert mail.dead_prune(older_than_s=20, limit=1) == 1
    assert [job.id for job in mail.dead_list()] == [3, 4]
    with pytest.raises(anser.NotFound, match="queue 'mail' has no dead job 1: see dead_list"):
        mail.dead_requeue(1)


def test_a_job_is_not_requeued_while_another_has_its_key(mail: anser.Queue) -> None:
    mail.enqueue("hello", unique_key="ann")
    claimed(mail).fail("no")
    mail.enqueue("again", unique_key="ann")

    with pytest.raises(anser.Conflict, match="job 2 holds the unique key 'ann': cancel it first"):
        mail.dead_requeue(1)

    assert mail.count_jobs() == anser.Counts(pending=1, due=1, processing=0, dead=1)


def test_expired_jobs_are_swept_within_the_limit(mail: anser.Queue, clock: anser.ManualClock) -> None:
    mail.enqueue_many(range(3), expires_s=5)
    clock.advance(5)

    assert mail.sweep_expired(limit=2) == 2
    assert mail.sweep_expired() == 1
    assert {job.reason for job in mail.dead_list()} == {anser.Reason.EXPIRED}


def test_a_key_for_several_payloads_is_refused_and_nothing_written(mail: anser.Queue) -> None:
    with pytest.raises(anser.Invalid, match=r"unique_key = 'k': one key is one job"):
        mail.enqueue_many([1, 2], unique_key="k")

    assert mail.count_jobs().pending == 0
    assert len(mail.enqueue_many([1], unique_key="k")) == 1


def test_a_look_and_an_upkeep_can_be_part_of_a_transaction(db: anser.Database, mail: anser.Queue) -> None:
    with db.transaction() as tx:
        mail.enqueue("hello", tx=tx)
        seen = (mail.count_jobs(tx=tx).pending, len(mail.list_jobs(tx=tx)), mail.dead_list(tx=tx))
        due_at = mail.next_claim_at(tx=tx)
        upkeep = (
            mail.sweep_expired(tx=tx),
            mail.dead_prune(older_than_s=0, tx=tx),
            mail.pause(tx=tx),
            mail.resume(tx=tx),
        )

    assert seen == (1, 1, ())
    assert due_at == NOW
    assert upkeep == (0, 0, True, True)
