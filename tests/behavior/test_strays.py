"""Rows that a foreign hand left: what cannot mean anything is buried with its bytes, and stops nobody else."""

from __future__ import annotations

import inspect
import sqlite3
import sys
from contextlib import suppress
from typing import Any

import pytest

import anser
from anser.ops import Claim
from tests.behavior.support import NOW, claimed, lay_dead, lay_held, lay_live, raw, rows_in

DEEP = "[" * 100_000 + "]" * 100_000

# A payload that nobody can read, as it is bound and whether it is stored as text.
UNREADABLE: dict[str, tuple[str | bytes, bool]] = {
    "bytes": (b"\xff\x00", False),
    "bytes that would be JSON": (b'{"n": 1}', False),
    "no bytes": (b"", False),
    "text that is not UTF-8": (b'"caf\xe9"', True),
    "text with half a surrogate": (b'"\xed\xa0\x80"', True),
    "text with a byte that no text has": (b'"\xff"', True),
    "no JSON": ("hello", False),
    "nothing": ("", False),
    "white space": (" \n", False),
    "more than one value": ("1 2", False),
    "half an object": ('{"n": ', False),
    "a bare line end in a text": ('"two\nlines"', False),
    "levels without end": (DEEP, False),
    "a number without end": ("9" * 5_000, False),
    "a mark of byte order": ("\ufeff1", False),
}

# A column that holds what it cannot mean; everything else about the row is as it should be, and it is not due.
STRAYS: dict[str, dict[str, Any]] = {
    "run_at of text": {"run_at": "soon"},
    "run_at of bytes": {"run_at": b"\xff"},
    "run_at with a fraction": {"run_at": NOW + 99.5},
    "run_at beyond an integer": {"run_at": 1e300},
    "a state that nobody knows": {"state": "claimed"},
    "a state in capitals": {"state": "PENDING"},
    "a state of bytes": {"state": b"pending"},
    "a state that is not UTF-8": {"state": b"\xff"},
    "attempts with a fraction": {"attempts": 1.5},
    "attempts of text": {"attempts": "many"},
    "priority of text": {"priority": "high"},
    "priority with a fraction": {"priority": 0.5},
    "max_attempts of text": {"max_attempts": "many"},
    "created_at of text": {"created_at": "yesterday"},
    "expires_at of text": {"expires_at": "never"},
    "expires_at with a fraction": {"expires_at": NOW + 99.5},
    "a lease that ends in words": {"state": "processing", "worker_id": "w", "claim_expires_at": "never", "attempts": 1},
    "a lease that ends in a fraction": {"state": "processing", "claim_expires_at": NOW + 99.5, "attempts": 1},
}


def found_at(name: str) -> int:
    """Late, for a row that a claim finds at once; a column that the claim itself reads is seen when the row is due."""
    return NOW if name.split()[0] in ("attempts", "max_attempts", "created_at", "expires_at") else NOW + 99


def lay_payload(connection: sqlite3.Connection, id: int, payload: str | bytes, as_text: bool) -> None:
    lay_live(connection, id=id, payload=payload)
    if as_text:
        connection.execute("update _honker_live set payload = cast(payload as text) where id = ?", (id,))


def stored_payload(path: str, table: str, id: int) -> tuple[str, bytes]:
    with raw(path) as connection:
        row = connection.execute(f"select typeof(payload), cast(payload as blob) from {table} where id = ?", (id,))
        found: tuple[str, bytes] = row.fetchone()
        return found


def looked_at(queue: anser.Queue, id: int) -> None:
    """Every way to look; none may raise."""
    assert queue.get_job(id) is not None
    assert id in [job.id for job in queue.list_jobs()]
    assert queue.list_jobs(anser.State.PENDING) is not None
    assert queue.list_jobs(anser.State.PROCESSING) is not None
    assert queue.count_jobs() is not None
    assert queue.dead_list() == ()


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.rule("CLM-17", "DED-1")
def test_a_payload_that_nobody_can_read_is_buried_with_its_bytes_and_stops_nobody(
    mail: anser.Queue, path: str, name: str
) -> None:
    with raw(path) as connection:
        lay_live(connection, id=1, payload='"first"')
        lay_payload(connection, 2, *UNREADABLE[name])
        lay_live(connection, id=3, payload='"third"')
    before = stored_payload(path, "_honker_live", 2)
    looked_at(mail, 2)

    jobs = mail.claim_batch("w", 2)

    assert [job.payload for job in jobs] == ["first", "third"]
    (dead,) = mail.dead_list()
    assert (dead.id, dead.reason, dead.died_at) == (2, anser.Reason.UNREADABLE, NOW)
    assert stored_payload(path, "_honker_dead", 2) == before
    assert isinstance(dead.payload, bytes) is (before[0] == "blob" or UNREADABLE[name][1])


@pytest.mark.parametrize("name", STRAYS)
@pytest.mark.rule("CLM-17", "DED-1")
def test_a_row_that_cannot_mean_anything_is_buried_with_its_payload_and_stops_nobody(
    mail: anser.Queue, path: str, name: str
) -> None:
    with raw(path) as connection:
        lay_live(connection, id=1, payload='"first"')
        lay_live(
            connection, **{"id": 2, "payload": '{"n":1}', "run_at": found_at(name), "unique_key": "ann", **STRAYS[name]}
        )
        lay_live(connection, id=3, payload='"third"')
    looked_at(mail, 2)

    jobs = mail.claim_batch("w", 2)

    assert [job.payload for job in jobs] == ["first", "third"]
    (dead,) = mail.dead_list()
    assert (dead.id, dead.payload, dead.unique_key) == (2, '{"n":1}', "ann")
    assert (dead.reason, dead.died_at) == (anser.Reason.UNREADABLE, NOW)
    assert all(isinstance(number, int) for number in (dead.priority, dead.run_at, dead.attempts, dead.max_attempts))


@pytest.mark.parametrize("name", STRAYS)
@pytest.mark.rule("CLM-15")
def test_a_row_that_cannot_mean_anything_is_work_for_a_claim_now(mail: anser.Queue, path: str, name: str) -> None:
    with raw(path) as connection:
        lay_live(connection, **{"id": 1, "run_at": found_at(name), **STRAYS[name]})
    before = mail.next_claim_at()

    nothing = mail.claim_one("w")

    assert (before, nothing) == (NOW, None)
    assert mail.next_claim_at() is None


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.rule("CLM-15")
def test_an_unreadable_job_is_work_for_a_claim_when_it_is_due(
    mail: anser.Queue, path: str, clock: anser.ManualClock, name: str
) -> None:
    with raw(path) as connection:
        lay_payload(connection, 1, *UNREADABLE[name])
        connection.execute("update _honker_live set run_at = ?", (NOW + 10,))
    mail.claim_one("w")
    before = mail.next_claim_at(), mail.dead_list()
    clock.advance(10)

    mail.claim_one("w")

    assert before == (NOW + 10, ())
    assert (mail.next_claim_at(), len(mail.dead_list())) == (None, 1)


@pytest.mark.parametrize("name", [*STRAYS, *UNREADABLE])
@pytest.mark.rule("DED-8")
def test_a_row_that_cannot_mean_anything_can_be_cancelled(mail: anser.Queue, path: str, name: str) -> None:
    with raw(path) as connection:
        if name in STRAYS:
            lay_live(connection, **{"id": 1, **STRAYS[name]})
        else:
            lay_payload(connection, 1, *UNREADABLE[name])

    assert mail.cancel(1) is True
    ended = mail.get_job(1)
    assert isinstance(ended, anser.Finished)
    assert ended.state is anser.State.CANCELLED
    assert mail.next_claim_at() is None


@pytest.mark.parametrize("name", STRAYS)
@pytest.mark.rule("DED-4")
def test_a_stray_that_was_buried_can_start_over(mail: anser.Queue, path: str, name: str) -> None:
    with raw(path) as connection:
        lay_live(connection, **{"id": 1, "payload": '"hello"', **STRAYS[name]})
    mail.claim_one("w")

    mail.dead_requeue(1)

    job = claimed(mail)
    assert (job.id, job.payload, job.attempts) == (1, "hello", 1)


@pytest.mark.rule("CLM-17")
def test_strays_of_one_queue_are_nothing_to_another(db: anser.Database, mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        for id, columns in enumerate(STRAYS.values(), start=1):
            lay_live(connection, **{"id": id, "queue": "post", **columns})
    before = rows_in(path)

    assert (mail.next_claim_at(), mail.claim_one("w"), mail.count_jobs()) == (None, None, anser.Counts(0, 0, 0, 0))
    assert rows_in(path) == before


@pytest.mark.rule("CLM-6", "CLM-17")
def test_strays_without_end_are_buried_a_hundred_at_a_time_and_stop_nobody(
    db: anser.Database, mail: anser.Queue, path: str
) -> None:
    with raw(path) as connection:
        connection.execute("begin")
        for id in range(1, 251):
            lay_live(connection, id=id, state="claimed", priority=9)
        for id in range(251, 255):
            lay_live(connection, id=id)
        connection.execute("commit")

    claims = [db.run(Claim(queues=("mail",), worker="w", n=1, lease_s=60)) for _ in range(4)]

    assert [[job.id for job in jobs] for jobs in claims] == [[251], [252], [253], [254]]
    assert mail.count_jobs().dead == 250


@pytest.mark.rule("CLM-18")
def test_a_processing_row_without_a_lease_is_given_to_somebody(mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        lay_live(connection, id=1, state="processing", attempts=1)
        lay_live(connection, id=2, state="processing", worker_id="w", attempts=1, lapses=5)
        lay_live(connection, id=3)
    looked_at(mail, 1)
    before = mail.next_claim_at()

    jobs = mail.claim_batch("w", 5)

    assert before == NOW
    assert [(job.id, job.row.attempts, job.row.lapses) for job in jobs] == [(1, 1, 1), (3, 1, 0)]
    assert [(dead.id, dead.reason) for dead in mail.dead_list()] == [(2, anser.Reason.LAPSED)]


@pytest.mark.parametrize("text", ["NaN", '{"a": 1, "a": 2}', " 1\n", "[1e999]", '"\\ud800"'])
def test_what_python_reads_is_handed_out_whoever_wrote_it(mail: anser.Queue, path: str, text: str) -> None:
    with raw(path) as connection:
        lay_live(connection, id=1, payload=text)

    job = claimed(mail)

    assert job.row.payload == text
    assert job.payload is not None


@pytest.mark.parametrize(
    "columns",
    [
        {"worker_id": b"\xff"},
        {"last_error": b"\xff"},
        {"unique_key": b"\xff"},
        {"claimed_at": "yesterday"},
        {"lapses": "many"},
        {"max_lapses": "many"},
        {"fence": "high"},
        {"priority": 10**12},
        {"attempts": -(10**12)},
        {"run_at": -(2**63)},
        {"expires_at": 2**63 - 1},
        {"claim_expires_at": 2**63 - 1, "state": "processing"},
    ],
    ids=str,
)
def test_an_odd_column_raises_nowhere(mail: anser.Queue, path: str, columns: dict[str, Any]) -> None:
    with raw(path) as connection:
        lay_live(connection, **{"id": 1, **columns})
        lay_live(connection, id=2)

    looked_at(mail, 1)
    jobs = mail.claim_batch("w", 2)
    mail.next_claim_at()
    mail.sweep_expired()

    assert 2 in [job.id for job in jobs]
    for job in jobs:
        job.fail("no")
    for dead in mail.dead_list():
        mail.dead_requeue(dead.id)
    assert mail.count_jobs().dead == 0


def test_words_about_a_row_that_went_odd_in_work_are_heard(mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        for id in range(1, 5):
            lay_held(connection, fence=1, id=id, attempts=1.5, priority="high", payload=b"\xff")
        connection.execute("update _anser_fence set fence = 1")
    word: dict[str, Any] = {"queue": "mail", "worker": "w", "fence": 1}

    mail.database.run(anser.ops.Ack(id=1, **word))
    mail.database.run(anser.ops.Release(id=2, **word))
    mail.database.run(anser.ops.Retry(id=3, delay_s=0, **word))
    mail.database.run(anser.ops.Fail(id=4, error="no", **word))

    assert mail.claim_batch("w", 5) == []
    assert [dead.id for dead in mail.dead_list()] == [2, 3, 4]


# --- ids that were given twice


@pytest.mark.parametrize("forget", ["delete from sqlite_sequence", "update sqlite_sequence set seq = 0"])
@pytest.mark.rule("DED-7")
def test_no_job_is_lost_when_ids_are_given_twice(mail: anser.Queue, path: str, forget: str) -> None:
    mail.enqueue_many(range(6))
    for job in mail.claim_batch("w", 3):
        job.fail("first")
    for job in mail.claim_batch("w", 3):
        job.ack()
    with raw(path) as connection:
        connection.execute(forget)

    again = mail.enqueue_many(range(6))
    for job in mail.claim_batch("w", 6):
        job.fail("second")

    dead = mail.dead_list()
    assert [enqueued.id for enqueued in again] == [1, 2, 3, 4, 5, 6]
    assert sorted(job.last_error or "" for job in dead) == ["first"] * 3 + ["second"] * 6
    assert len({job.id for job in dead}) == 9
    assert mail.enqueue("next").id > max(job.id for job in dead)


@pytest.mark.rule("DED-7")
def test_a_dead_job_makes_way_also_where_the_sequence_is_gone(mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        lay_live(connection, id=1, expires_at=NOW)
        lay_dead(connection, id=1, queue="post", payload='"old"')
        lay_dead(connection, id=2)
        connection.execute("delete from sqlite_sequence")

    assert mail.sweep_expired() == 1

    with raw(path) as connection:
        found = connection.execute("select id, queue from _honker_dead order by id").fetchall()
    assert found == [(1, "mail"), (2, "mail"), (3, "post")]


def test_a_dead_job_is_not_requeued_over_a_live_one_with_its_id(mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        lay_live(connection, id=1, payload='"live"')
        lay_dead(connection, id=1, payload='"dead"')
    before = rows_in(path)

    with pytest.raises(anser.Conflict, match="a live job has the id 1 already"):
        mail.dead_requeue(1)

    assert rows_in(path) == before


@pytest.mark.rule("CLM-17")
@pytest.mark.parametrize(
    "damage",
    [
        "attempts = 'x', max_attempts = 'y'",
        "created_at = 5.5",
        "lapses = 0.5",
        "max_lapses = 'x'",
        "expires_at = 'never'",
    ],
)
def test_more_rows_of_the_line_without_sense_than_a_claim_buries_stop_nobody(
    db: anser.Database, mail: anser.Queue, path: str, damage: str
) -> None:
    mail.enqueue_many([1] * 150)
    good = mail.enqueue("good")
    with raw(path) as connection:
        connection.execute(f"update _honker_live set {damage} where id <= 150")

    first = db.run(Claim(queues=("mail",), worker="w", n=5, lease_s=60))
    buried = mail.count_jobs().dead
    second = db.run(Claim(queues=("mail",), worker="w", n=5, lease_s=60))

    assert (first, buried) == ((), 100)
    assert ([job.id for job in second], mail.count_jobs().dead) == ([good.id], 150)


@pytest.mark.rule("CLM-17")
def test_a_claimer_without_room_on_its_stack_buries_no_sound_job(mail: anser.Queue) -> None:
    payload: list[Any] = []
    for _ in range(90):
        payload = [payload]
    mail.enqueue(payload)

    def deep(levels: int) -> None:
        if levels:
            deep(levels - 1)
        else:
            mail.claim_one("w")

    with suppress(RecursionError):
        deep(sys.getrecursionlimit() - len(inspect.stack(0)) - 60)

    assert mail.count_jobs().dead == 0
    assert mail.count_jobs().pending + mail.count_jobs().processing == 1
