"""Limits as their users hold them: windows, buckets, and slots that jobs have while they work."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anser
from anser.ops import TokenBucketTry
from anser_models import EMPTY, step
from tests.behavior.support import NOW, claimed, raw, rows_in

# --- windows and buckets


@pytest.mark.rule("LIM-1", "LIM-2")
def test_a_window_lets_so_many_pass_and_tells_when_the_next_one_begins(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    sms = db.rate_limit("sms", limit=2, per_s=60)
    clock.advance(59)

    answers = [sms.try_acquire() for _ in range(3)]
    clock.advance(1)

    assert answers == [
        anser.Allowance(True, 1, None),
        anser.Allowance(True, 0, None),
        anser.Allowance(False, 0, NOW + 60),
    ]
    assert sms.try_acquire() == anser.Allowance(True, 1, None)


@pytest.mark.rule("LIM-4", "LIM-5")
def test_who_waits_as_long_as_a_bucket_says_has_the_tokens(db: anser.Database, clock: anser.ManualClock) -> None:
    bucket = db.token_bucket("api", limit=3, per_s=7)
    bucket.try_acquire(3)

    for n in (1, 2, 3, 1, 3):
        refused = bucket.try_acquire(n)
        assert refused.retry_at is not None
        clock.advance(refused.retry_at - 1 - clock())
        assert not bucket.try_acquire(n).allowed
        clock.advance(1)
        assert bucket.try_acquire(n).allowed


@pytest.mark.rule("LIM-1", "LIM-4")
def test_what_is_allowed_in_a_transaction_counts_only_if_it_is_committed(db: anser.Database, path: str) -> None:
    def body() -> None:
        with db.transaction() as tx:
            assert db.rate_limit("sms", limit=1, per_s=60).try_acquire(tx=tx).allowed
            assert db.token_bucket("api", limit=1, per_s=60).try_acquire(tx=tx).allowed
            raise ValueError("no")

    before = rows_in(path)

    with pytest.raises(ValueError, match="no"):
        body()

    assert rows_in(path) == before
    assert db.token_bucket("api", limit=1, per_s=60).try_acquire().allowed


@pytest.mark.rule("LIM-1", "LIM-4")
def test_a_try_that_is_refused_writes_nothing(db: anser.Database, path: str) -> None:
    sms, api = db.rate_limit("sms", limit=1, per_s=60), db.token_bucket("api", limit=1, per_s=60)
    assert (sms.try_acquire().allowed, api.try_acquire().allowed) == (True, True)
    before = rows_in(path)

    assert (sms.try_acquire().allowed, api.try_acquire().allowed) == (False, False)
    assert rows_in(path) == before


@pytest.mark.rule("ERR-2")
def test_a_limit_that_no_try_could_meet_is_refused_when_it_is_made(db: anser.Database, path: str) -> None:
    before = rows_in(path)

    with pytest.raises(anser.Invalid, match=r"^limit = 0"):
        db.rate_limit("sms", limit=0, per_s=60)
    with pytest.raises(anser.Invalid, match=r"^per_s = 0"):
        db.token_bucket("api", limit=1, per_s=0)
    with pytest.raises(anser.Invalid, match=r"^n = 4: the bucket never has more than its limit of 3"):
        db.token_bucket("api", limit=3, per_s=1).try_acquire(4)

    assert rows_in(path) == before


@pytest.mark.rule("LIM-4", "LIM-6")
@given(
    limit=st.integers(1, 9),
    per_s=st.integers(1, 20),
    steps=st.lists(st.tuples(st.integers(-3, 12), st.integers(1, 9)), max_size=40),
)
@settings(max_examples=300, deadline=None, database=None)
def test_no_stretch_of_time_sees_more_tokens_than_the_bound(
    limit: int, per_s: int, steps: list[tuple[int, int]]
) -> None:
    world, now, latest = EMPTY, NOW, 0
    taken: list[tuple[int, int]] = []
    for by_s, n in steps:
        now += by_s
        world, answer = step(world, TokenBucketTry(key="k", limit=limit, per_s=per_s, n=min(n, limit)), now)
        if answer.allowed:
            latest = max(latest, now)  # a clock that goes back stands still for the bucket
            taken.append((latest, min(n, limit)))

    for (first, _), (last, _) in combinations_with_replacement(taken, 2):
        tokens = sum(n for at, n in taken if first <= at <= last)
        assert tokens <= limit + (last - first) * limit // per_s


@pytest.mark.rule("LIM-8")
def test_a_swept_file_has_neither_old_windows_nor_full_buckets(
    db: anser.Database, path: str, clock: anser.ManualClock
) -> None:
    db.rate_limit("sms", limit=1, per_s=60).try_acquire()
    db.token_bucket("api", limit=1, per_s=60).try_acquire()
    clock.advance(100)

    assert db.rate_limit_sweep(older_than_s=100) == 0
    assert db.rate_limit_sweep(older_than_s=99) == 2
    assert (rows_in(path)["_honker_rate_limits"], rows_in(path)["_anser_buckets"]) == ([], [])


# --- slots


@pytest.mark.rule("LIM-9", "LIM-11")
def test_a_job_has_its_slot_for_the_body_and_the_next_one_has_it_after(db: anser.Database, mail: anser.Queue) -> None:
    mail.enqueue_many([1, 2])
    first, second = claimed(mail), claimed(mail)

    with first.limit("smtp", limit=1) as slot:
        assert db.limit_get("smtp") == 1
        assert not second.limit("smtp", limit=1).acquire()
        assert slot.acquire()

    assert db.limit_get("smtp") == 0
    assert second.limit("smtp", limit=1).acquire()


@pytest.mark.rule("LIM-9")
def test_a_body_is_not_entered_while_all_slots_are_taken_and_the_job_can_be_released(
    mail: anser.Queue, clock: anser.ManualClock
) -> None:
    mail.enqueue_many([1, 2])
    first, second = claimed(mail), claimed(mail)
    assert first.limit("smtp", limit=1).acquire()

    with pytest.raises(anser.Conflict, match="all 1 slots of 'smtp' are taken"), second.limit("smtp", limit=1):
        pytest.fail("the body was entered")

    assert second.release(delay_s=5) == clock() + 5
    job = mail.get_job(second.id)
    assert isinstance(job, anser.Job)
    assert job.attempts == 0


@pytest.mark.rule("LIM-9")
def test_a_job_that_finds_all_slots_taken_waits_by_the_backoff_and_spends_no_attempt(
    mail: anser.Queue, clock: anser.ManualClock
) -> None:
    mail.enqueue_many([1, 2], max_attempts=1)
    first, second = claimed(mail), claimed(mail)
    assert first.limit("smtp", limit=1).acquire()

    with pytest.raises(anser.Conflict), second, second.limit("smtp", limit=1):
        pytest.fail("the body was entered")

    job = mail.get_job(second.id)
    assert isinstance(job, anser.Job)
    assert (job.state, job.attempts, job.last_error) == ("pending", 0, None)
    low, high = mail.backoff.bounds_s(1)
    assert low <= job.run_at - clock() <= high


def test_a_body_that_meets_another_conflict_spends_its_attempt(db: anser.Database, mail: anser.Queue) -> None:
    mail.enqueue(1, max_attempts=1)

    with db.lock("report", ttl_s=60), pytest.raises(anser.Conflict), claimed(mail) as job, db.lock("report", ttl_s=60):
        pytest.fail("the body was entered")

    assert isinstance(mail.get_job(job.id), anser.Dead)


@pytest.mark.rule("LIM-10")
@pytest.mark.parametrize("end", ["ack", "fail", "retry", "release", "cancel", "lapse"])
def test_a_slot_is_over_with_its_lease_however_that_ends(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock, end: str
) -> None:
    mail.enqueue(1)
    job = claimed(mail, lease_s=10)
    job.limit("smtp", limit=1).acquire()

    ends: dict[str, Callable[[], object]] = {
        "ack": job.ack,
        "fail": lambda: job.fail("no"),
        "retry": job.retry,
        "release": job.release,
        "cancel": lambda: mail.cancel(job.id),
        "lapse": lambda: clock.advance(11),
    }
    ends[end]()

    assert db.limit_get("smtp") == 0


@pytest.mark.rule("LIM-10", "LIM-11")
def test_a_stale_worker_does_not_give_back_what_the_next_lease_has(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock
) -> None:
    mail.enqueue_many([1, 2])
    stale = claimed(mail, lease_s=10)
    slot = stale.limit("smtp", limit=1)
    slot.acquire()
    clock.advance(11)
    fresh = next(job for job in mail.claim_batch("w", 2) if job.id == stale.id)
    assert fresh.limit("smtp", limit=1).acquire()

    for _ in range(2):
        with pytest.raises(anser.LeaseLost):
            slot.release()

    assert db.limit_get("smtp") == 1


@pytest.mark.rule("LIM-10")
def test_a_body_that_lost_its_lease_is_told_at_its_end(mail: anser.Queue, clock: anser.ManualClock) -> None:
    def come_too_late() -> None:
        clock.advance(11)
        raise ValueError("no")

    mail.enqueue_many([1, 2])
    quiet, broken = claimed(mail, lease_s=10), claimed(mail, lease_s=10)

    with pytest.raises(anser.LeaseLost), quiet.limit("smtp", limit=2):
        clock.advance(11)
    clock.advance(-11)
    with pytest.raises(ValueError, match="no") as raised, broken.limit("smtp", limit=2):
        come_too_late()

    assert any("the slot of 'smtp' was not given back" in note for note in raised.value.__notes__)


@pytest.mark.rule("LIM-11")
def test_a_body_that_settles_its_job_has_given_the_slot_back(db: anser.Database, mail: anser.Queue) -> None:
    mail.enqueue(1)

    with claimed(mail) as job, job.limit("smtp", limit=1):
        job.ack()

    assert db.limit_get("smtp") == 0


@pytest.mark.rule("LIM-10", "STO-4")
def test_a_claim_by_another_binding_ends_the_slot(
    db: anser.Database, mail: anser.Queue, path: str, clock: anser.ManualClock
) -> None:
    mail.enqueue(1)
    job = claimed(mail, lease_s=10)
    job.limit("smtp", limit=1).acquire()
    clock.advance(11)

    with raw(path) as connection:
        connection.execute(
            "update _honker_live set worker_id = 'w', attempts = attempts + 1, claim_expires_at = ?", (NOW + 60,)
        )

    assert db.limit_get("smtp") == 0


@pytest.mark.rule("LIM-12")
def test_slots_do_not_pile_up_where_nobody_sweeps(db: anser.Database, mail: anser.Queue, path: str) -> None:
    mail.enqueue_many(range(50))

    for job in mail.claim_batch("w", 50):
        assert job.limit("smtp", limit=1).acquire()
        job.ack()

    left = len(rows_in(path)["_anser_slots"])
    assert left <= 2
    assert db.limit_sweep() == left
