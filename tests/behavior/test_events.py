"""Events: who tells them, when they are true, and what a file pays that tells none."""

from __future__ import annotations

from contextlib import suppress

import pytest

import anser
from tests.behavior.support import NOW, claimed, raw, rows_in

HONKER_ENQUEUE = "insert into _honker_live (queue, payload, run_at, created_at) values ('mail', '1', ?, ?)"
HONKER_CLAIM = """
update _honker_live
set state = 'processing', worker_id = 'h', claim_expires_at = ?, attempts = attempts + 1
where id = (select min(id) from _honker_live where state = 'pending')
"""
HONKER_RETRY = """
update _honker_live set state = 'pending', run_at = ?, worker_id = null, claim_expires_at = null
where state = 'processing'
"""
HONKER_BURY = """
insert into _honker_dead (id, queue, payload, attempts, last_error, created_at, died_at)
select id, queue, payload, attempts, 'no', created_at, ? from _honker_live
"""


def kinds(db: anser.Database) -> list[str]:
    return [event.kind for event in db.events.read().events]


@pytest.mark.rule("EVT-2")
def test_an_event_is_committed_and_rolled_back_with_its_transition(db: anser.Database, mail: anser.Queue) -> None:
    db.events.on()

    with suppress(ZeroDivisionError), db.transaction() as tx:
        mail.enqueue(1, tx=tx)
        assert len(db.events.read(tx=tx).events) == 1
        raise ZeroDivisionError
    with db.transaction() as tx:
        mail.enqueue(1, tx=tx)

    assert db.events.read() == anser.EventPage(
        (anser.Event(1, anser.EventKind.ENQUEUED, "mail", 1, 0, None, None, NOW),), None
    )


@pytest.mark.rule("EVT-1", "EVT-2")
def test_a_body_that_raises_tells_what_became_of_its_job(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock
) -> None:
    mail.enqueue(1, max_attempts=1)
    db.events.on()

    clock.at += 1
    with pytest.raises(ZeroDivisionError), claimed(mail):
        raise ZeroDivisionError

    claim, death = db.events.read().events
    assert (claim.kind, claim.worker, claim.at) == ("claimed", "w", NOW + 1)
    assert (death.kind, death.reason, death.attempts) == ("dead", anser.Reason.EXHAUSTED, 1)


@pytest.mark.rule("EVT-3")
def test_a_file_that_tells_no_events_has_nothing_in_it_that_could(db: anser.Database, path: str) -> None:
    def triggers() -> set[str]:
        with raw(path) as connection:
            return {
                name
                for (name,) in connection.execute(
                    "select name from sqlite_master where type = 'trigger' and name glob '_anser_event*'"
                )
            }

    before = triggers()
    db.events.on()
    telling = triggers()
    db.events.off()

    assert (before, triggers()) == (set(), set())
    assert len(telling) == 6


@pytest.mark.rule("EVT-3")
def test_events_are_told_by_all_handles_of_the_file_once_that_is_committed(
    db: anser.Database, mail: anser.Queue, path: str, clock: anser.ManualClock
) -> None:
    with anser.open(path, clock=clock) as other:
        other.queue("mail").enqueue("before")
        with suppress(ZeroDivisionError), db.transaction() as tx:
            db.events.on(tx=tx)
            raise ZeroDivisionError
        other.queue("mail").enqueue("still before")
        db.events.on()
        other.queue("mail").enqueue("told")
        other.events.off()
        mail.enqueue("not told any more")

    assert [event.job_id for event in db.events.read().events] == [3]


@pytest.mark.rule("EVT-7")
def test_what_another_binding_does_is_told_as_far_as_its_rows_tell(
    db: anser.Database, mail: anser.Queue, path: str
) -> None:
    db.events.on()

    with raw(path) as honker:
        honker.execute(HONKER_ENQUEUE, (NOW - 1, NOW - 1))
        honker.execute(HONKER_CLAIM, (NOW + 60,))
        honker.execute("update _honker_live set claim_expires_at = ?", (NOW + 90,))
        honker.execute(HONKER_RETRY, (NOW + 5,))
        honker.execute(HONKER_BURY, (NOW + 1,))
        honker.execute("delete from _honker_live")
    mail.enqueue(2)

    told = [(event.kind, event.job_id, event.attempts, event.worker, event.at) for event in db.events.read().events]
    assert told == [
        ("enqueued", 1, 0, None, NOW - 1),
        ("claimed", 1, 1, "h", None),
        ("retried", 1, 1, None, None),
        ("dead", 1, 1, None, NOW + 1),
        ("enqueued", 2, 0, None, NOW),
    ]


@pytest.mark.rule("EVT-1", "EVT-7")
def test_the_instant_of_a_put_back_is_not_given_to_that_of_another_binding(
    db: anser.Database, mail: anser.Queue, path: str
) -> None:
    db.events.on()
    mail.enqueue(1)
    with raw(path) as honker:
        honker.execute(HONKER_CLAIM, (NOW + 60,))
        honker.execute(HONKER_RETRY, (NOW,))

    claimed(mail).release()

    assert [(event.kind, event.at) for event in db.events.read(after_id=2).events] == [
        ("retried", None),
        ("claimed", NOW),
        ("released", NOW),
    ]


@pytest.mark.rule("EVT-1")
def test_rows_that_mean_nothing_are_told_and_stop_nobody(db: anser.Database, mail: anser.Queue, path: str) -> None:
    db.events.on()
    with raw(path) as connection:
        connection.execute(HONKER_ENQUEUE, ("soon", NOW))
        connection.execute("update _honker_live set attempts = 'many'")

    assert mail.claim_one("w") is None

    assert kinds(db) == ["enqueued", "dead"]
    assert db.events.read().events[1].reason is anser.Reason.UNREADABLE


@pytest.mark.rule("EVT-4")
def test_a_file_never_holds_more_events_than_it_was_asked_to(db: anser.Database, mail: anser.Queue, path: str) -> None:
    db.events.on(keep=3)

    for number in range(10):
        mail.enqueue(number)
        assert len(rows_in(path)["_anser_events"]) == min(number + 1, 3)

    assert db.events.read().lost_through_id == 7
    assert [event.id for event in db.events.read().events] == [8, 9, 10]


@pytest.mark.rule("EVT-5")
def test_a_reader_that_reads_on_from_the_last_id_sees_each_event_once(db: anser.Database, mail: anser.Queue) -> None:
    db.events.on()
    for number in range(7):
        mail.enqueue(number)

    seen: list[int] = []
    while page := db.events.read(after_id=seen[-1] if seen else 0, limit=3).events:
        seen += [event.id for event in page]

    assert seen == list(range(1, 8))


@pytest.mark.rule("EVT-6")
def test_ids_go_on_after_all_events_were_forgotten(db: anser.Database, mail: anser.Queue) -> None:
    db.events.on()
    mail.enqueue(1)

    assert db.events.prune(older_than_s=0) == 1
    mail.enqueue(2)

    page = db.events.read()
    assert (page.lost_through_id, [event.id for event in page.events]) == (1, [2])


def test_the_log_shows_whose_it_is(db: anser.Database, path: str) -> None:
    assert repr(db.events) == f"<EventLog of {path!r}>"
