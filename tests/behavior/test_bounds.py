"""What one operation does is bounded, and the bound is where model and file say it is.

Each step is done by both, from the world that the file holds, and the answers and the worlds after it are compared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

import anser
from anser.ops import Ack, AckBatch, Cancel, Claim, DeadPrune, Enqueue, Fail, Op, SweepExpired
from anser.types import BURIED_MAX, HISTORY_IDS, SETTLED_MAX, Held
from anser_models import Refused, step
from anser_spec.file import abstract
from tests.behavior.support import NOW, claimed, lay_dead, lay_held, lay_live, raw

CROWD = 250  # two and a half times the bound of a claim


class Both:
    """A file and the model of it, which do everything together."""

    def __init__(self, db: anser.Database, connection: sqlite3.Connection) -> None:
        self.db = db
        self.connection = connection

    def run(self, op: Op) -> Any:
        """Do the operation on both; they agree on the answer and on every row."""
        world, expected = step(abstract(self.connection), op, self.db.clock())
        try:
            answer = self.db.run(op)
        except anser.AnserError as refusal:
            answer = Refused(refusal.code, getattr(refusal, "argument", None))

        assert answer == expected
        assert abstract(self.connection) == world
        return answer


@pytest.fixture
def both(db: anser.Database, path: str) -> Iterator[Both]:
    with raw(path) as connection:
        yield Both(db, connection)


def claim(n: int = 1, *queues: str) -> Claim:
    return Claim(queues=queues or ("mail",), worker="w", n=n, lease_s=60)


def crowd(connection: sqlite3.Connection, size: int = CROWD, **columns: Any) -> None:
    """So many rows of one kind in front of the line."""
    connection.execute("begin")
    for _ in range(size):
        if columns.get("state") == "processing":
            lay_held(connection, **{"fence": 1, "priority": 9, **columns})
        else:
            lay_live(connection, priority=9, **columns)
    connection.execute("update _anser_fence set fence = 1")
    connection.execute("commit")


def dead_of(queue: anser.Queue) -> int:
    return queue.count_jobs().dead


PAST_SAVING: dict[str, dict[str, Any]] = {
    "expired": {"expires_at": NOW},
    "exhausted": {"attempts": 3},
    "unreadable": {"payload": b"\xff"},
}


@pytest.mark.parametrize("kind", PAST_SAVING)
@pytest.mark.rule("CLM-6")
def test_a_claim_buries_a_hundred_and_leaves_the_rest_to_the_next(both: Both, mail: anser.Queue, kind: str) -> None:
    crowd(both.connection, **PAST_SAVING[kind])
    mail.enqueue("behind them all")

    buried = [0]
    taken = []
    for _ in range(3):
        taken.append(both.run(claim()))
        buried.append(dead_of(mail))

    assert buried == [0, BURIED_MAX, 2 * BURIED_MAX, CROWD]
    assert [[job.id for job in jobs] for jobs in taken] == [[], [], [CROWD + 1]]


@pytest.mark.parametrize("kind", PAST_SAVING)
@pytest.mark.rule("CLM-6")
def test_a_claim_of_many_takes_what_stands_between_those_it_buries(both: Both, mail: anser.Queue, kind: str) -> None:
    for _ in range(30):
        crowd(both.connection, size=7, **PAST_SAVING[kind])
        mail.enqueue("between", priority=9)

    jobs = [both.run(claim(n=1_000)), both.run(claim(n=1_000)), both.run(claim(n=1_000))]

    assert [len(taken) for taken in jobs] == [14, 14, 2]
    assert dead_of(mail) == 210


@pytest.mark.rule("CLM-6")
def test_a_claim_that_has_what_was_asked_for_buries_nobody_behind(both: Both, mail: anser.Queue) -> None:
    mail.enqueue_many(range(3), priority=10)
    crowd(both.connection, size=20, expires_at=NOW)

    both.run(claim(n=3))

    assert dead_of(mail) == 0


@pytest.mark.rule("CLM-6", "CLM-13")
def test_the_bound_is_one_for_all_queues_of_a_claim(both: Both, db: anser.Database, mail: anser.Queue) -> None:
    crowd(both.connection, size=80, expires_at=NOW)
    crowd(both.connection, size=80, queue="post", expires_at=NOW)
    mail.enqueue("behind them all")

    first, second = both.run(claim(1, "mail", "post")), both.run(claim(1, "mail", "post"))

    assert (first, len(second)) == ((), 1)
    assert dead_of(mail) + dead_of(db.queue("post")) == 160


def test_a_user_who_claims_does_not_see_the_bound(both: Both, mail: anser.Queue) -> None:
    crowd(both.connection, expires_at=NOW)
    mail.enqueue("behind them all")

    assert claimed(mail).payload == "behind them all"
    assert dead_of(mail) == CROWD


def test_a_user_who_claims_from_a_crowd_that_is_past_saving_gets_nothing_and_an_end(
    both: Both, mail: anser.Queue
) -> None:
    crowd(both.connection, expires_at=NOW)
    crowd(both.connection, state="claimed")
    crowd(both.connection, state="processing", lapses=5, claim_expires_at=NOW - 1)

    assert mail.claim_batch("w", 5) == []
    assert mail.count_jobs() == anser.Counts(pending=0, due=0, processing=0, dead=3 * CROWD)
    assert mail.next_claim_at() is None


@pytest.mark.parametrize("end", [NOW - 1, None])
@pytest.mark.rule("CLM-16")
def test_a_claim_settles_a_hundred_lapsed_leases(both: Both, mail: anser.Queue, end: int | None) -> None:
    crowd(both.connection, state="processing", claim_expires_at=end)

    jobs = [both.run(claim(n=1_000)) for _ in range(4)]

    assert [len(taken) for taken in jobs] == [SETTLED_MAX, SETTLED_MAX, CROWD - 2 * SETTLED_MAX, 0]
    assert {job.lapses for taken in jobs for job in taken} == {1}


@pytest.mark.rule("CLM-16")
def test_leases_without_an_end_are_settled_before_those_that_lapsed_and_the_longest_lapsed_first(both: Both) -> None:
    crowd(both.connection, size=60, state="processing", claim_expires_at=NOW - 1)
    crowd(both.connection, size=60, state="processing", claim_expires_at=NOW - 2)
    crowd(both.connection, size=60, state="processing", claim_expires_at=None)

    taken = both.run(claim(n=1_000))

    assert sorted(job.id for job in taken) == [*range(61, 101), *range(121, 181)]


@pytest.mark.rule("CLM-16")
def test_lapsed_jobs_past_saving_are_buried_within_the_same_bound(both: Both, mail: anser.Queue) -> None:
    crowd(both.connection, state="processing", lapses=5, claim_expires_at=NOW - 1)
    mail.enqueue("behind them all")

    taken = [both.run(claim()) for _ in range(3)]

    assert [len(jobs) for jobs in taken] == [1, 0, 0]
    assert dead_of(mail) == CROWD


@pytest.mark.rule("DED-2")
def test_a_sweep_buries_as_many_as_it_is_told(both: Both, mail: anser.Queue, clock: anser.ManualClock) -> None:
    crowd(both.connection, size=30, expires_at=NOW)
    crowd(both.connection, size=30, expires_at=NOW - 1, state="processing", claim_expires_at=NOW - 1)
    crowd(both.connection, size=30, expires_at=NOW - 1, state="processing")

    answers = [both.run(SweepExpired(queue="mail", limit=limit)) for limit in (1, 40, 40, 40)]

    assert answers == [1, 40, 19, 0]


@pytest.mark.rule("DED-6")
def test_a_prune_forgets_as_many_as_it_is_told_the_first_died_first(both: Both, mail: anser.Queue) -> None:
    for id in range(1, 11):
        lay_dead(both.connection, id=id, died_at=NOW - id)
    both.connection.execute("update _anser_fence set fence = 0")
    mail.enqueue("so that ids were given")
    both.connection.execute("update sqlite_sequence set seq = 11")

    answers = [both.run(DeadPrune(queue="mail", older_than_s=3, limit=5)) for _ in range(3)]

    assert answers == [5, 3, 0]
    assert [job.id for job in mail.dead_list()] == [1, 2]


# --- history


def lay_history(connection: sqlite3.Connection, *ids: int) -> None:
    for id in ids:
        connection.execute("insert into _anser_finished values (?, 'mail', 'done', 1, ?)", (id, NOW))


def history(connection: sqlite3.Connection) -> list[int]:
    return [id for (id,) in connection.execute("select id from _anser_finished order by id")]


@pytest.mark.rule("JOB-11")
def test_history_reaches_back_a_hundred_thousand_ids(both: Both, mail: anser.Queue) -> None:
    lay_history(both.connection, 1, 2, 3)
    mail.enqueue("so that there is a sequence")
    both.run(Cancel(queue="mail", id=4))
    both.connection.execute("delete from _anser_finished where id = 4")
    both.connection.execute("update sqlite_sequence set seq = ?", (HISTORY_IDS - 1,))

    seen = []
    for id in range(HISTORY_IDS, HISTORY_IDS + 5):
        assert both.run(Enqueue(queue="mail", payload=1)).id == id
        both.run(Cancel(queue="mail", id=id))
        seen.append([id for id in history(both.connection) if id < HISTORY_IDS])

    assert seen == [[1, 2, 3], [1, 2, 3], [2, 3], [3], []]


@pytest.mark.rule("JOB-11")
def test_history_shrinks_by_two_for_each_job_that_ends(both: Both, mail: anser.Queue) -> None:
    lay_history(both.connection, *range(1, 11))
    mail.enqueue("so that there is a sequence")
    both.connection.execute("delete from _honker_live")
    both.connection.execute("update sqlite_sequence set seq = ?", (5 * HISTORY_IDS,))
    mail.enqueue_many(range(5))

    jobs = both.run(claim(n=3))
    both.run(Ack(queue="mail", id=jobs[0].id, worker="w", fence=1))
    after_ack = history(both.connection)
    both.run(AckBatch(queue="mail", worker="w", held=tuple(Held(job.id, 1) for job in jobs[1:])))
    after_batch = history(both.connection)
    both.run(Cancel(queue="mail", id=jobs[-1].id + 1))
    after_cancel = history(both.connection)

    assert [id for id in after_ack if id < HISTORY_IDS] == list(range(3, 11))
    assert [id for id in after_batch if id < HISTORY_IDS] == list(range(7, 11))
    assert [id for id in after_cancel if id < HISTORY_IDS] == [9, 10]


@pytest.mark.rule("JOB-11", "DED-7")
def test_the_last_ids_that_there_are_work_like_others(both: Both, mail: anser.Queue) -> None:
    mail.enqueue("so that there is a sequence")
    both.run(Cancel(queue="mail", id=1))
    both.connection.execute("update sqlite_sequence set seq = ?", (2**63 - 3,))

    assert both.run(Enqueue(queue="mail", payload=1)) == anser.Enqueued(2**63 - 2, created=True)
    (job,) = both.run(claim())
    both.run(Fail(queue="mail", id=job.id, worker="w", fence=1, error="no"))
    assert both.run(Enqueue(queue="mail", payload=1)) == anser.Enqueued(2**63 - 1, created=True)
    with pytest.raises(anser.StorageError, match="database or disk is full"):
        mail.enqueue("there are no more ids")
