"""Notifications as their users tell and hear them: in a transaction, from now on, after an id, and too late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import anser
from tests.behavior.support import NOW, raw, rows_in

HONKER_NOTIFY = "insert into _honker_notifications (channel, payload) values (?, ?)"
HONKER_PRUNE = """
delete from _honker_notifications
where id <= (select id from _honker_notifications order by id desc limit 1 offset ?)
"""


def heard(listener: anser.Listener) -> list[Any]:
    """All that there is to hear now: payloads, and what was lost."""
    return [one if isinstance(one, anser.Lost) else one.payload for one in listener]


def listen(db: anser.Database, channel: str = "orders", after_id: int | None = None) -> anser.Listener:
    return db.listen(channel, after_id=after_id, timeout_s=0)


# --- told, and heard


@pytest.mark.rule("NTF-1", "NTF-2")
def test_a_listener_hears_what_is_told_from_now_on(db: anser.Database) -> None:
    db.notify("orders", "before")

    listener = listen(db)
    ids = [db.notify("orders", {"n": n}) for n in range(2)]
    db.notify("users", "elsewhere")

    messages = list(listener)
    assert messages == [
        anser.Message(anser.Notification(id, "orders", f'{{"n":{n}}}', NOW)) for n, id in enumerate(ids)
    ]
    assert listener.after_id == ids[-1]
    assert list(listener) == []


@pytest.mark.rule("NTF-2")
def test_a_listener_that_names_an_id_hears_what_came_after_it(db: anser.Database) -> None:
    first, _, _ = (db.notify("orders", n) for n in range(3))

    assert heard(listen(db, after_id=0)) == [0, 1, 2]
    assert heard(listen(db, after_id=first)) == [1, 2]


@pytest.mark.rule("NTF-2")
def test_a_listener_that_comes_back_goes_on_where_it_was(db: anser.Database) -> None:
    first = listen(db)
    for n in range(3):
        db.notify("orders", n)
    taken = next(iter(first))

    later = listen(db, after_id=first.after_id)

    assert isinstance(taken, anser.Message)
    assert (taken.id, taken.channel, taken.created_at, taken.payload) == (1, "orders", NOW, 0)
    assert heard(later) == [1, 2]
    assert heard(first) == [1, 2]


@pytest.mark.rule("NTF-2")
def test_more_than_a_page_is_heard_in_order_and_once(db: anser.Database) -> None:
    listener = listen(db)
    with db.transaction() as tx:
        for n in range(250):
            db.notify("orders", n, tx=tx)

    assert heard(listener) == list(range(250))


def test_each_listener_hears_everything(db: anser.Database) -> None:
    listeners = [listen(db) for _ in range(3)]

    db.notify("orders", 1)

    assert [heard(listener) for listener in listeners] == [[1]] * 3


@pytest.mark.rule("NTF-2")
def test_an_event_loop_hears_the_same(db: anser.Database) -> None:
    async def run() -> list[Any]:
        listener = listen(db)
        db.notify("orders", 1)
        first = await listener.hear_async()
        db.notify("orders", 2)
        return [first, *[one async for one in listener], await listener.hear_async(timeout_s=0)]

    first, second, nothing = asyncio.run(run())

    assert (first.payload, second.payload, nothing) == (1, 2, None)


# --- commit and rollback


@pytest.mark.rule("NTF-3", "STO-6")
def test_what_is_told_in_a_transaction_is_heard_when_it_is_committed(db: anser.Database) -> None:
    listener = listen(db)

    with db.transaction() as tx:
        tx.execute("create table orders (id integer primary key)")
        db.notify("orders", 1, tx=tx)
        with anser.open(db.path) as other:
            during = heard(other.listen("orders", after_id=0, timeout_s=0))

    assert during == []
    assert heard(listener) == [1]


@pytest.mark.rule("NTF-3", "STO-6")
def test_what_was_rolled_back_was_never_told(db: anser.Database, path: str) -> None:
    listener = listen(db)
    before = rows_in(path)

    with suppress(ZeroDivisionError), db.transaction() as tx:
        db.notify("orders", "never", tx=tx)
        raise ZeroDivisionError

    assert heard(listener) == []
    assert rows_in(path) == before
    db.notify("orders", "after it")
    assert heard(listener) == ["after it"]


@pytest.mark.rule("NTF-3", "STO-6")
def test_the_applications_own_connection_tells_with_its_commit(db: anser.Database, path: str) -> None:
    listener = listen(db)
    with raw(path, isolation_level="DEFERRED") as connection:
        db.notify("orders", 1, tx=connection)
        during = heard(listener)
        connection.commit()

    assert during == []
    assert heard(listener) == [1]


@pytest.mark.rule("ERR-1", "NTF-1")
def test_what_is_no_json_is_refused_and_the_transaction_goes_on(db: anser.Database) -> None:
    listener = listen(db)

    with db.transaction() as tx:
        db.notify("orders", 1, tx=tx)
        with pytest.raises(anser.Invalid, match="payload"):
            db.notify("orders", {1, 2}, tx=tx)

    assert heard(listener) == [1]


def test_a_listener_within_a_transaction_of_its_thread_is_told_to_wait_outside(db: anser.Database) -> None:
    listener = listen(db)

    with db.transaction(), pytest.raises(anser.Invalid, match="a transaction is open in this thread"):
        listener.hear(timeout_s=0)


def test_a_listener_to_a_closed_database_is_told_so(path: str) -> None:
    with anser.open(path) as db:
        listener = db.listen("orders")

    with pytest.raises(anser.StorageError, match="closed"):
        next(iter(listener))


# --- what is lost


@pytest.mark.rule("NTF-4")
def test_a_slow_listener_is_told_once_what_it_lost_and_then_what_is_left(db: anser.Database) -> None:
    listener = listen(db)
    for n in range(5):
        db.notify("orders", n)

    assert db.notification_prune(keep=2) == 3

    assert heard(listener) == [anser.Lost("orders", 0, 3), 3, 4]
    assert heard(listener) == []


@pytest.mark.rule("NTF-4")
def test_a_listener_who_has_heard_it_all_lost_nothing(db: anser.Database) -> None:
    listener = listen(db)
    db.notify("orders", 1)
    before = heard(listener)

    db.notification_prune(older_than_s=0)
    db.notify("orders", 2)

    assert before == [1]
    assert heard(listener) == [2]


@pytest.mark.rule("NTF-4")
def test_a_loss_is_told_though_nothing_is_left(db: anser.Database) -> None:
    listener = listen(db)
    db.notify("orders", 1)
    db.notification_prune(keep=0)

    assert heard(listener) == [anser.Lost("orders", 0, 1)]
    assert heard(listener) == []
    db.notify("orders", 2)
    db.notification_prune(keep=0)
    assert heard(listener) == [anser.Lost("orders", 0, 2)]


@pytest.mark.rule("NTF-4", "NTF-8")
def test_a_loss_among_more_than_a_page_is_told_once(db: anser.Database, path: str) -> None:
    for n in range(150):
        db.notify("orders", n)
    with raw(path) as connection:
        connection.execute("delete from _honker_notifications where id = 140")

    assert heard(listen(db, after_id=0)) == [
        anser.Lost("orders", 0, 140),
        *(n for n in range(150) if n != 139),
    ]


@pytest.mark.rule("NTF-4")
def test_what_is_pruned_on_another_channel_is_lost_by_nobody_here(db: anser.Database) -> None:
    listener = listen(db)
    db.notify("orders", 1)
    db.notify("users", 2)

    db.notification_prune(channel="users", keep=0)

    assert heard(listener) == [1]


@pytest.mark.rule("NTF-4", "STO-6")
def test_a_pruning_that_was_rolled_back_lost_nothing(db: anser.Database) -> None:
    listener = listen(db)
    db.notify("orders", 1)

    with suppress(ZeroDivisionError), db.transaction() as tx:
        db.notification_prune(keep=0, tx=tx)
        raise ZeroDivisionError

    assert heard(listener) == [1]


@pytest.mark.rule("NTF-5")
def test_a_listener_that_begins_when_all_is_gone_lost_nothing(db: anser.Database) -> None:
    id = db.notify("orders", 1)
    db.notification_prune(keep=0)

    listener = listen(db)
    db.notify("orders", 2)

    assert listener.after_id == id == 1
    assert heard(listener) == [2]
    assert db.notification_last("orders") == 2


@pytest.mark.rule("NTF-6", "NTF-7", "NTF-8")
def test_the_methods_read_and_prune_as_the_operations_do(db: anser.Database, clock: anser.ManualClock) -> None:
    for n in range(4):
        db.notify("orders", n)
        clock.advance(1)

    page = db.notification_read("orders", after_id=1, limit=2)
    pruned = db.notification_prune(channel="orders", older_than_s=3, limit=1), db.notification_prune(keep=1, limit=9)

    assert [one.id for one in page.notifications] == [2, 3]
    assert pruned == (1, 2)
    assert db.notification_read("orders", after_id=0) == anser.Heard(
        (anser.Notification(4, "orders", "3", NOW + 3),), lost_through_id=3
    )


# --- another binding


@pytest.mark.rule("NTF-9", "NTF-10")
def test_what_another_binding_told_is_heard_as_it_stands(db: anser.Database, path: str) -> None:
    listener = listen(db)
    with raw(path) as connection:
        for payload in ('{"n": 1}', "NaN", "{not json", b"\xff\x00"):
            connection.execute(HONKER_NOTIFY, ("orders", payload))
    db.notify("orders", 5)

    one, nan, text, raw_bytes, five = heard(listener)

    assert (one, text, raw_bytes, five) == ({"n": 1}, "{not json", b"\xff\x00", 5)
    assert nan != nan


@pytest.mark.rule("NTF-4", "NTF-10")
def test_what_another_binding_pruned_is_told_as_lost(db: anser.Database, path: str) -> None:
    listener, elsewhere = listen(db), listen(db, "users")
    db.notify("users", 1)
    db.notify("orders", 2)
    db.notify("orders", 3)

    with raw(path) as connection:
        connection.execute(HONKER_PRUNE, (1,))

    assert heard(listener) == [anser.Lost("orders", 0, 2), 3]
    assert heard(elsewhere) == [anser.Lost("users", 0, 1)]


@pytest.mark.rule("NTF-4", "NTF-10")
def test_all_that_is_deleted_at_once_is_told_as_lost(db: anser.Database, path: str) -> None:
    for n in range(3):
        db.notify("orders", n)

    with raw(path) as connection:
        connection.execute("delete from _honker_notifications")

    assert heard(listen(db, after_id=0)) == [anser.Lost("orders", 0, 3)]


@pytest.mark.rule("NTF-8", "NTF-9")
@pytest.mark.parametrize("channel", ["", b"\xff", 5])
def test_a_channel_that_nobody_can_name_is_pruned_like_any(db: anser.Database, path: str, channel: object) -> None:
    with raw(path) as connection:
        connection.execute(HONKER_NOTIFY, (channel, "1"))
        connection.execute("update _honker_notifications set created_at = 'long ago'")
    db.notify("orders", 2)

    assert db.notification_prune(older_than_s=0) == 1
    assert db.notification_prune(keep=0) == 1
    with raw(path) as connection:
        assert connection.execute("select count(*) from _honker_notifications").fetchone() == (0,)


# --- arguments


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda db: db.listen(""), "channel"),
        (lambda db: db.listen("orders", after_id=-1), "after_id"),
        (lambda db: db.listen("orders", timeout_s=-1), "timeout_s"),
        (lambda db: db.listen("orders", timeout_s=float("nan")), "timeout_s"),
        (lambda db: db.listen("orders", timeout_s=True), "timeout_s"),
        (lambda db: db.listen("orders").hear(timeout_s="1"), "timeout_s"),
        (lambda db: db.notify("a\n", 1), "channel"),
        (lambda db: db.notification_prune(), "older_than_s"),
        (lambda db: db.notification_prune(older_than_s=-1), "older_than_s"),
        (lambda db: db.notification_prune(keep=1, limit=0), "limit"),
        (lambda db: db.notification_read("orders", after_id=True), "after_id"),
    ],
)
@pytest.mark.rule("ERR-5", "ERR-6")
def test_a_wrong_argument_is_refused_by_its_own_name(
    db: anser.Database, call: Callable[[anser.Database], object], argument: str
) -> None:
    with pytest.raises(anser.Invalid) as refusal:
        call(db)

    assert refusal.value.argument == argument


def test_what_is_shown_of_a_listener_says_where_it_is(db: anser.Database, path: str) -> None:
    assert repr(listen(db, after_id=7)) == f"<Listener to 'orders' after 7 in {path!r}>"
