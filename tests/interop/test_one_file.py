"""honker and Anser on one file: each takes up what the other left, and neither is fooled by the other's leases."""

from __future__ import annotations

from typing import Any

import pytest

import anser
from anser.ops import (
    Ack,
    Cancel,
    Claim,
    Enqueue,
    Fail,
    GetJob,
    Heartbeat,
    LockAcquire,
    LockRelease,
    LockRenew,
    NextClaimAt,
    ResultGet,
    ResultSave,
    ResultSweep,
    Retry,
    SweepExpired,
    encode,
)
from anser_models import Refused
from anser_spec.targets.honker.process import HonkerProcess
from tests.interop.conftest import Clock

LOST = Refused("lease_lost")
LONG_S = 3_600


def claimed(honker: HonkerProcess, worker: str = "h", n: int = 1) -> list[int]:
    """The ids that honker claims, for a long time."""
    jobs = honker.do(Claim(queues=("mail",), worker=worker, n=n, lease_s=LONG_S))
    return [job["id"] for job in jobs]


def word(id: int, worker: str = "h") -> dict[str, Any]:
    """Which lease honker speaks about; the fence is not told to it."""
    return {"queue": "mail", "id": id, "worker": worker, "fence": 1}


@pytest.mark.rule("STO-2")
def test_honker_claims_and_acks_what_anser_enqueued(mail: anser.Queue, honker: HonkerProcess) -> None:
    job = mail.enqueue({"to": "é"})

    assert claimed(honker) == [job.id]
    assert honker.do(Ack(**word(job.id))) is None

    assert mail.get_job(job.id) is None
    assert mail.count_jobs() == anser.Counts(pending=0, due=0, processing=0, dead=0)


@pytest.mark.rule("STO-2")
def test_anser_claims_and_acks_what_honker_enqueued(mail: anser.Queue, honker: HonkerProcess) -> None:
    id = honker.do(Enqueue(queue="mail", payload={"to": "é"}))

    job = mail.claim_one("a")
    assert job is not None
    assert (job.id, job.payload) == (id, {"to": "é"})
    job.ack()

    assert honker.do(GetJob(queue="mail", id=id)) is None
    assert isinstance(mail.get_job(id), anser.Finished)


@pytest.mark.rule("STO-2", "ORD-7")
def test_honker_takes_jobs_of_one_order_key_one_after_another_too(mail: anser.Queue, honker: HonkerProcess) -> None:
    done, failed, cancelled, last = (mail.enqueue(number, order_key="ann").id for number in range(4))

    assert claimed(honker, n=9) == [done]
    assert claimed(honker, n=9) == []
    honker.do(Ack(**word(done)))
    assert claimed(honker, n=9) == [failed]
    honker.do(Fail(**word(failed), error="no"))
    honker.do(Cancel(queue="mail", id=cancelled))

    assert taken_by_anser(mail) == last
    assert mail.claim_one("a") is None


@pytest.mark.rule("STO-2", "OUT-1")
def test_an_outbox_is_worked_on_by_both(db: anser.Database, honker: HonkerProcess) -> None:
    got: list[object] = []
    hooks = db.outbox("hooks", lambda message: got.append(message.payload))
    queue = "_outbox:hooks"

    ours = hooks.send({"from": "anser"})
    (taken,) = honker.do(Claim(queues=(queue,), worker="h", n=1, lease_s=LONG_S))
    honker.do(Ack(queue=queue, id=taken["id"], worker="h", fence=1))
    honker.do(Enqueue(queue=queue, payload={"from": "honker"}))

    assert taken["id"] == ours
    assert hooks.deliver_batch("a") == anser.Delivered(1, 0, 0)
    assert got == [{"from": "honker"}]


@pytest.mark.rule("STO-2", "CLM-1")
def test_both_take_jobs_by_priority_whoever_enqueued_them(mail: anser.Queue, honker: HonkerProcess) -> None:
    low = mail.enqueue(1, priority=-1).id
    plain = honker.do(Enqueue(queue="mail", payload=2))
    high = mail.enqueue(3, priority=5).id
    higher = honker.do(Enqueue(queue="mail", payload=4, priority=9))

    taken = [claimed(honker)[0], taken_by_anser(mail), claimed(honker)[0], taken_by_anser(mail)]

    assert taken == [higher, high, plain, low]


@pytest.mark.rule("STO-2", "JOB-2")
def test_both_leave_a_delayed_job_alone_until_it_is_due(mail: anser.Queue, honker: HonkerProcess, clock: Clock) -> None:
    ours = mail.enqueue(1, delay_s=LONG_S).id
    its = honker.do(Enqueue(queue="mail", payload=2, delay_s=LONG_S))

    early = claimed(honker, n=9), mail.claim_batch("a", 9)
    clock.ahead_s = LONG_S + 1
    late = [job.id for job in mail.claim_batch("a", 9)]

    assert early == ([], [])
    assert late == [ours, its]


@pytest.mark.rule("STO-2", "CLM-15")
def test_both_tell_the_same_next_deadline(mail: anser.Queue, honker: HonkerProcess) -> None:
    mail.enqueue(1, delay_s=LONG_S)
    honker.do(Enqueue(queue="mail", payload=2, delay_s=LONG_S - 60))

    assert mail.next_claim_at() == honker.do(NextClaimAt(queues=("mail",)))


@pytest.mark.rule("STO-2", "RET-1")
def test_a_job_that_one_puts_back_is_the_others_next_attempt(mail: anser.Queue, honker: HonkerProcess) -> None:
    id = mail.enqueue(1).id

    claimed(honker)
    honker.do(Retry(**word(id), delay_s=0, error="from honker"))
    second = mail.claim_one("a")
    assert second is not None
    second.retry(delay_s=0, error="from Anser")
    third = honker.do(Claim(queues=("mail",), worker="h", n=1, lease_s=LONG_S))

    assert second.attempts == 2
    assert [(job["id"], job["attempts"]) for job in third] == [(id, 3)]


@pytest.mark.rule("STO-2", "DED-3", "DED-4")
def test_anser_lists_and_requeues_what_honker_let_die(mail: anser.Queue, honker: HonkerProcess) -> None:
    failed = honker.do(Enqueue(queue="mail", payload=1))
    spent = honker.do(Enqueue(queue="mail", payload=2, max_attempts=1))
    claimed(honker, n=2)
    honker.do(Fail(**word(failed), error="broken"))
    honker.do(Retry(**word(spent), delay_s=0, error="again"))

    dead = {job.id: (job.last_error, job.reason) for job in mail.dead_list()}
    mail.dead_requeue(failed)

    assert dead == {failed: ("broken", None), spent: ("again", None)}
    assert claimed(honker, n=9) == [failed]


@pytest.mark.rule("STO-2", "DED-2")
def test_each_sweeps_what_expired_in_the_others_hands(mail: anser.Queue, honker: HonkerProcess, clock: Clock) -> None:
    clock.ahead_s = -60
    ours = mail.enqueue(1, expires_s=30).id
    swept_by_honker = honker.do(SweepExpired(queue="mail"))
    clock.ahead_s = 60
    its = honker.do(Enqueue(queue="mail", payload=2, expires_s=30))
    swept_by_anser = mail.sweep_expired()

    assert (swept_by_honker, swept_by_anser) == (1, 1)
    assert [(job.id, job.last_error) for job in mail.dead_list()] == [(ours, "expired"), (its, "expired")]


@pytest.mark.rule("STO-4", "CLM-8")
def test_a_claim_by_honker_ends_an_older_lease_even_of_the_same_worker(
    mail: anser.Queue, honker: HonkerProcess, clock: Clock
) -> None:
    clock.ahead_s = -60
    mail.enqueue(1)
    older = mail.claim_one("same", lease_s=30)
    assert older is not None

    taken_over = claimed(honker, worker="same")
    clock.ahead_s = 0

    assert taken_over == [older.id]
    for late_word in (older.ack, older.heartbeat, older.release, lambda: older.fail("late")):
        with pytest.raises(anser.LeaseLost):
            late_word()
    assert honker.do(Ack(**word(older.id, "same"))) is None


@pytest.mark.rule("STO-4", "CLM-7")
def test_every_claim_moves_the_fence_whoever_claims(mail: anser.Queue, honker: HonkerProcess) -> None:
    fences = []

    for turn in range(6):
        id = mail.enqueue(turn).id
        taken = claimed(honker)[0] if turn % 2 else taken_by_anser(mail)
        job = mail.get_job(taken)
        assert isinstance(job, anser.Job)
        assert job.lease is not None
        assert taken == id
        fences.append(job.lease.fence)

    assert fences == sorted(set(fences))


@pytest.mark.rule("STO-2", "CLM-2", "CLM-4")
def test_a_lease_of_honker_holds_until_it_lapses_and_then_is_ansers(
    mail: anser.Queue, honker: HonkerProcess, clock: Clock
) -> None:
    id = mail.enqueue(1).id
    claimed(honker)

    during = mail.claim_one("a")
    clock.ahead_s = LONG_S + 2
    after = mail.claim_one("a", lease_s=2 * LONG_S)

    assert during is None
    assert after is not None
    assert (after.id, after.attempts, after.row.lapses) == (id, 1, 1)
    assert honker.do(Ack(**word(id))) == LOST
    assert honker.do(Heartbeat(**word(id), lease_s=LONG_S)) == LOST
    after.ack()


@pytest.mark.rule("STO-2", "JOB-9")
def test_a_cancel_by_the_other_ends_the_lease(mail: anser.Queue, honker: HonkerProcess) -> None:
    ours, its = mail.enqueue(1).id, mail.enqueue(2).id
    held = mail.claim_one("a")
    assert held is not None
    claimed(honker)

    assert honker.do(Cancel(queue="mail", id=ours)) is True
    assert mail.cancel(its) is True

    with pytest.raises(anser.LeaseLost):
        held.ack()
    assert honker.do(Ack(**word(its))) == LOST


@pytest.mark.rule("STO-2", "STO-6")
def test_honker_sees_a_transaction_of_the_application_whole_or_not_at_all(
    db: anser.Database, mail: anser.Queue, honker: HonkerProcess
) -> None:
    with pytest.raises(ZeroDivisionError):
        enqueue_and_raise(db, mail)
    before = claimed(honker, n=9)
    with db.transaction() as tx:
        ids = [mail.enqueue(payload, tx=tx).id for payload in range(3)]

    assert before == []
    assert claimed(honker, n=9) == ids


@pytest.mark.rule("STO-2", "CLM-17")
def test_anser_buries_the_row_that_stops_honker(db: anser.Database, mail: anser.Queue, honker: HonkerProcess) -> None:
    with db.transaction() as tx:
        tx.execute("insert into _honker_live (queue, payload, priority) values ('mail', x'ff00', 9)")
    id = honker.do(Enqueue(queue="mail", payload=1))

    stopped = honker.do(Claim(queues=("mail",), worker="h", n=1, lease_s=LONG_S))
    freed = mail.claim_one("a")

    assert stopped == Refused("storage")
    assert freed is not None
    assert freed.id == id
    assert [job.payload for job in mail.dead_list()] == [b"\xff\x00"]


@pytest.mark.rule("LCK-1", "LCK-10", "STO-2")
def test_a_lock_of_honker_keeps_anser_out_until_it_is_released(db: anser.Database, honker: HonkerProcess) -> None:
    taken = honker.do(LockAcquire(lock="report", owner="h", ttl_s=LONG_S))

    with pytest.raises(anser.Conflict), db.lock("report", owner="a", ttl_s=LONG_S):
        pass
    held = db.lock_get("report")
    released = honker.do(LockRelease(lock="report", owner="h", fence=1))

    assert (taken, released) == (True, True)
    assert held is not None
    assert (held.owner, held.acquired_at, held.depth) == ("h", None, 1)
    with db.lock("report", owner="a", ttl_s=LONG_S) as mine:
        assert mine.fence > held.fence


@pytest.mark.rule("LCK-1", "LCK-10", "STO-2")
def test_a_lock_of_anser_keeps_honker_out_until_it_is_over(
    db: anser.Database, honker: HonkerProcess, clock: Clock
) -> None:
    with db.lock("report", owner="a", ttl_s=LONG_S) as mine:
        fence = mine.fence
        during = honker.do(LockAcquire(lock="report", owner="h", ttl_s=LONG_S))
        renewed = honker.do(LockRenew(lock="report", owner="h", fence=fence, ttl_s=LONG_S))
    after = honker.do(LockAcquire(lock="report", owner="h", ttl_s=LONG_S))
    clock.ahead_s = LONG_S + 1

    with db.lock("report", owner="a", ttl_s=LONG_S) as later:
        assert later.fence > fence

    assert (during, renewed, after) == (False, LOST, True)


def enqueue_and_raise(db: anser.Database, mail: anser.Queue) -> None:
    with db.transaction() as tx:
        mail.enqueue(1, tx=tx)
        raise ZeroDivisionError


def taken_by_anser(mail: anser.Queue) -> int:
    job = mail.claim_one("a")
    assert job is not None
    return job.id


# --- results


def save(id: int, value: Any, ttl_s: int = LONG_S) -> ResultSave:
    return ResultSave(**word(id), value=value, ttl_s=ttl_s)


@pytest.mark.rule("RES-4", "RES-11")
def test_anser_sees_what_honker_saved_when_honker_has_acked(mail: anser.Queue, honker: HonkerProcess) -> None:
    job = mail.enqueue(1)

    claimed(honker)
    honker.do(save(job.id, {"to": "é", "n": [1, None]}))
    before = mail.result_get(job.id)
    honker.do(Ack(**word(job.id)))

    assert before == anser.Result(anser.ResultState.WAITING)
    assert mail.wait_result(job.id, timeout_s=0) == {"to": "é", "n": [1, None]}


@pytest.mark.rule("RES-3", "RES-11")
def test_honker_sees_what_anser_saved_until_its_end(mail: anser.Queue, honker: HonkerProcess, clock: Clock) -> None:
    for result in ({"to": "é"}, None):
        id = honker.do(Enqueue(queue="mail", payload=1))
        job = mail.claim_one("a")
        assert job is not None
        job.ack(result=result, result_ttl_s=LONG_S)
        assert honker.do(ResultGet(queue="mail", id=id)) == encode(result)

    clock.ahead_s = -LONG_S
    past = mail.enqueue(1).id
    early = mail.claim_one("a")
    assert early is not None
    early.ack(result=1, result_ttl_s=LONG_S)
    assert honker.do(ResultGet(queue="mail", id=past)) is None
    clock.ahead_s = 0
    assert mail.result_get(past).state is anser.ResultState.DONE


@pytest.mark.rule("RES-6", "RES-10", "RES-11")
def test_a_wait_of_anser_ends_when_honker_lets_the_job_die(mail: anser.Queue, honker: HonkerProcess) -> None:
    job = mail.enqueue(1)

    claimed(honker)
    honker.do(Fail(**word(job.id), error="from honker"))

    with pytest.raises(anser.JobDead, match="from honker"):
        mail.wait_result(job.id)
    assert honker.do(ResultGet(queue="mail", id=job.id)) is None


@pytest.mark.rule("RES-2", "RES-11")
def test_each_takes_the_place_of_what_the_other_saved(mail: anser.Queue, honker: HonkerProcess) -> None:
    id = mail.enqueue(1).id
    job = mail.claim_one("a")
    assert job is not None

    job.result_save("first")
    honker.do(save(id, "second"))
    second = honker.do(ResultGet(queue="mail", id=id))
    job.ack(result="third")

    assert second == '"second"'
    assert honker.do(ResultGet(queue="mail", id=id)) == '"third"'
    assert mail.wait_result(id, timeout_s=0) == "third"


@pytest.mark.rule("RES-9", "RES-11")
def test_either_sweeps_what_the_other_saved_and_leaves_what_has_no_end(
    db: anser.Database, mail: anser.Queue, honker: HonkerProcess, clock: Clock
) -> None:
    ids = [mail.enqueue(n).id for n in range(3)]
    for id, ttl_s in zip(ids, (1, LONG_S, 0), strict=True):  # no time is for ever, in honker's eyes
        honker.do(save(id, id, ttl_s))

    job = mail.claim_one("a")
    assert job is not None
    clock.ahead_s = LONG_S
    swept_by_anser = db.result_sweep()
    clock.ahead_s = -LONG_S
    job.result_save(1, ttl_s=1)
    swept_by_honker = honker.do(ResultSweep())

    assert (swept_by_anser, swept_by_honker) == (2, 1)
    assert honker.do(ResultGet(queue="mail", id=ids[2])) == str(ids[2])


# --- events


@pytest.mark.rule("EVT-7")
def test_what_honker_does_is_told_as_an_event(
    mail: anser.Queue, honker: HonkerProcess, db: anser.Database, clock: Clock
) -> None:
    db.events.on()
    first = honker.do(Enqueue(queue="mail", payload=1, max_attempts=2))
    assert claimed(honker) == [first]
    honker.do(Retry(**word(first), delay_s=0, error="no"))
    assert claimed(honker) == [first]
    honker.do(Fail(**word(first), error="no"))
    second = mail.enqueue(2)
    assert claimed(honker) == [second.id]
    honker.do(Ack(**word(second.id)))

    events = db.events.read().events

    assert [(event.kind, event.job_id, event.attempts) for event in events] == [
        ("enqueued", first, 0),
        ("claimed", first, 1),
        ("retried", first, 1),
        ("claimed", first, 2),
        ("dead", first, 2),
        ("enqueued", second.id, 0),
        ("claimed", second.id, 1),
    ]
    assert [event.at is None for event in events] == [False, True, True, True, False, False, True]
    assert {event.worker for event in events if event.kind is anser.EventKind.CLAIMED} == {"h"}
