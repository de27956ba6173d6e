"""Streams as a program holds them: what is published, who reads all of it, and workers who share it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

import anser
from tests.behavior.support import NOW, raw, rows_in

SHORT_S = 0.01


@pytest.fixture
def news(db: anser.Database) -> anser.Stream:
    return db.stream("news")


def payloads(subscription: anser.Subscription) -> list[Any]:
    """All that is there now."""
    found = []
    while (entry := subscription.hear(timeout_s=0)) is not None:
        assert isinstance(entry, anser.Entry)
        found.append(entry.payload)
    return found


# --- published and read


@pytest.mark.rule("STR-1", "STR-2")
def test_what_is_published_is_read_in_order_with_its_key_and_instant(
    news: anser.Stream, clock: anser.ManualClock
) -> None:
    first = news.publish({"to": "é"}, key="ann")
    clock.advance(5)
    second = news.publish([1])

    seen = list(news.subscribe(timeout_s=0))

    assert [(one.offset, one.topic, one.key, one.created_at, one.payload) for one in seen] == [  # type: ignore[union-attr]  # nothing was trimmed
        (first, "news", "ann", NOW, {"to": "é"}),
        (second, "news", None, NOW + 5, [1]),
    ]


@pytest.mark.rule("STR-1", "STO-6")
def test_an_entry_is_there_when_the_transaction_commits_and_never_if_it_does_not(
    db: anser.Database, news: anser.Stream
) -> None:
    with suppress(ZeroDivisionError), db.transaction() as tx:
        news.publish("never", tx=tx)
        raise ZeroDivisionError
    with db.transaction() as tx:
        news.publish("now", tx=tx)

    assert payloads(news.subscribe()) == ["now"]


@pytest.mark.rule("STR-2")
def test_an_entry_that_nobody_can_read_is_given_as_it_is_and_stops_no_other(news: anser.Stream, path: str) -> None:
    with raw(path) as connection:
        connection.execute("insert into _honker_stream (topic, payload) values ('news', '{not json'), ('news', x'ff')")
    news.publish("sound")

    assert payloads(news.subscribe()) == ["{not json", b"\xff", "sound"]


@pytest.mark.rule("STR-3")
def test_a_subscription_is_told_once_what_was_trimmed_and_goes_on_with_what_is_left(news: anser.Stream) -> None:
    offsets = [news.publish(n) for n in range(4)]
    subscription = news.subscribe("c")
    assert isinstance(subscription.hear(timeout_s=0), anser.Entry)
    late = news.subscribe("late")

    news.trim(keep=1)

    told = [late.hear(timeout_s=0) for _ in range(3)]
    assert told[0] == anser.TrimmedUnseen("news", 0, offsets[2])
    assert isinstance(told[1], anser.Entry)
    assert (told[1].payload, told[2]) == (3, None)


@pytest.mark.rule("STR-9", "STR-10", "STR-11")
def test_a_group_keeps_what_it_has_pending_until_it_is_forgotten(
    db: anser.Database, news: anser.Stream, clock: anser.ManualClock
) -> None:
    for n in range(3):
        news.publish(n)
    (held,) = news.group("g").claim("w")
    clock.advance(100)

    assert news.trim(older_than_s=100) == 2
    assert news.lag(group="g") == 1
    assert news.forget(group="g")
    assert news.trim(keep=0) == 1
    with pytest.raises(anser.LeaseLost):
        held.ack()


# --- a consumer's place


@pytest.mark.rule("STR-4")
def test_a_place_can_be_saved_with_what_was_made_of_the_entry(db: anser.Database, news: anser.Stream) -> None:
    offset = news.publish("x")
    with suppress(ZeroDivisionError), db.transaction() as tx:
        news.save_offset("c", offset, tx=tx)
        raise ZeroDivisionError
    before = news.get_offset("c")
    with db.transaction() as tx:
        assert news.save_offset("c", offset, tx=tx)

    assert (before, news.get_offset("c"), news.save_offset("c", offset)) == (0, offset, False)


@pytest.mark.rule("STR-12")
def test_who_saw_all_and_waits_has_saved_its_place(news: anser.Stream) -> None:
    for n in range(3):
        news.publish(n)
    subscription = news.subscribe("c", save_every_s=60)

    seen = payloads(subscription)

    assert seen == [0, 1, 2]
    assert news.get_offset("c") == 3
    assert payloads(news.subscribe("c")) == []


@pytest.mark.rule("STR-12")
def test_who_stops_after_an_entry_sees_it_never_again(news: anser.Stream) -> None:
    for n in range(3):
        news.publish(n)

    with news.subscribe("c", save_every_s=60) as subscription:
        for entry in subscription:
            assert isinstance(entry, anser.Entry)
            if entry.payload == 1:
                break

    assert news.get_offset("c") == 2
    assert payloads(news.subscribe("c")) == [2]


@pytest.mark.rule("STR-12")
def test_an_entry_whose_reader_breaks_off_is_seen_again_and_those_before_it_are_not(news: anser.Stream) -> None:
    for n in range(3):
        news.publish(n)

    with suppress(ZeroDivisionError), news.subscribe("c", save_every_s=60) as subscription:
        for entry in subscription:
            assert isinstance(entry, anser.Entry)
            if entry.payload == 1:
                raise ZeroDivisionError

    assert news.get_offset("c") == 1
    assert payloads(news.subscribe("c")) == [1, 2]


@pytest.mark.rule("STR-12")
def test_a_place_is_saved_after_each_entry_where_that_is_asked_for_and_not_before(news: anser.Stream) -> None:
    for n in range(3):
        news.publish(n)
    often, seldom = news.subscribe("often", save_every_s=0), news.subscribe("seldom", save_every_s=60)

    places = [(often.hear(timeout_s=0), news.get_offset("often"))[1] for _ in range(3)]
    rare = [(seldom.hear(timeout_s=0), news.get_offset("seldom"))[1] for _ in range(3)]

    assert places == [0, 1, 2]
    assert rare == [0, 0, 0]


@pytest.mark.rule("STR-12")
def test_without_a_consumer_nothing_is_written(news: anser.Stream, path: str) -> None:
    news.publish(1)
    before = rows_in(path)

    with news.subscribe(timeout_s=0) as subscription:
        assert len(list(subscription)) == 1

    assert rows_in(path) == before


@pytest.mark.rule("STR-12")
def test_an_event_loop_reads_on_and_its_place_is_saved_at_the_end(news: anser.Stream) -> None:
    for n in range(2):
        news.publish(n)

    async def read() -> list[Any]:
        async with news.subscribe("c", save_every_s=60, timeout_s=SHORT_S) as subscription:
            return [one.payload async for one in subscription if isinstance(one, anser.Entry)]

    assert asyncio.run(read()) == [0, 1]
    assert news.get_offset("c") == 2


@pytest.mark.rule("STR-4")
@pytest.mark.parametrize("place", ["1.5", "-5"])
def test_a_place_that_is_none_is_the_beginning_and_gives_way_to_the_next(
    news: anser.Stream, db: anser.Database, place: str
) -> None:
    """Only a foreign hand can write one."""
    for n in range(3):
        news.publish(n)
    with raw(db.path) as connection:
        connection.execute(f"insert into _honker_stream_consumers values ('c', 'news', {place})")

    assert news.lag(consumer="c") == 3
    assert payloads(news.subscribe("c")) == [0, 1, 2]
    assert news.get_offset("c") == 3


def test_a_subscription_from_an_offset_does_not_ask_where_its_consumer_was(news: anser.Stream) -> None:
    for n in range(3):
        news.publish(n)
    news.save_offset("c", 3)

    assert payloads(news.subscribe("c", offset=1)) == [1, 2]
    assert news.get_offset("c") == 3


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("offset", {"offset": -1}),
        ("save_every_s", {"save_every_s": -1}),
        ("save_every_s", {"save_every_s": None}),
        ("timeout_s", {"timeout_s": "1"}),
        ("consumer", {"consumer": ""}),
    ],
)
def test_a_subscription_refuses_a_wrong_argument_by_its_name(
    news: anser.Stream, argument: str, options: dict[str, Any]
) -> None:
    with pytest.raises(anser.Invalid) as refusal:
        news.subscribe(**options)

    assert refusal.value.argument == argument


@pytest.mark.parametrize("make", [lambda db: db.stream(""), lambda db: db.stream("news").group("")])
def test_a_topic_and_a_group_have_names(db: anser.Database, make: Any) -> None:
    with pytest.raises(anser.Invalid):
        make(db)


# --- a group


@pytest.mark.rule("STR-6", "STR-8")
def test_workers_of_a_group_share_and_another_group_sees_all(news: anser.Stream) -> None:
    for n in range(4):
        news.publish(n)
    group = news.group("g")

    ann, ben = group.claim("ann", 2), group.claim("ben", 9)

    assert [entry.payload for entry in ann] == [0, 1]
    assert [entry.payload for entry in ben] == [2, 3]
    assert [entry.payload for entry in news.group("h").claim("ann", 9)] == [0, 1, 2, 3]
    assert group.ack(ann) == (1, 2)
    assert news.lag(group="g") == 2


@pytest.mark.rule("STR-7", "STR-8")
def test_an_entry_that_lapsed_is_given_again_and_its_first_worker_has_no_word(
    news: anser.Stream, clock: anser.ManualClock
) -> None:
    news.publish("x", key="k")
    group = news.group("g")
    (first,) = group.claim("w", lease_s=10)
    clock.at = first.expires_at
    none = group.claim("w")
    clock.advance(1)

    (again,) = group.claim("w")

    assert none == []
    assert (again.offset, again.key, again.payload, again.deliveries) == (1, "k", "x", 2)
    with pytest.raises(anser.LeaseLost):
        first.ack()
    again.ack()
    with pytest.raises(anser.LeaseLost):
        again.ack()


@pytest.mark.rule("STR-8", "STO-6")
def test_the_effect_of_an_entry_is_had_once(db: anser.Database, news: anser.Stream, clock: anser.ManualClock) -> None:
    with db.transaction() as tx:
        tx.execute("create table done (payload text)")
    news.publish("x")
    (late,) = news.group("g").claim("ann", lease_s=1)
    clock.advance(2)
    (again,) = news.group("g").claim("ben")

    for entry in (late, again):
        with suppress(anser.LeaseLost), db.transaction() as tx:
            tx.execute("insert into done values (?)", (f"{entry.payload} by {entry.worker}",))
            entry.ack(tx=tx)

    with db.transaction() as tx:
        assert tx.execute("select payload from done").fetchall() == [("x by ben",)]


def test_entries_of_two_workers_are_not_acked_together(news: anser.Stream) -> None:
    for n in range(2):
        news.publish(n)
    group = news.group("g")
    both = [*group.claim("ann"), *group.claim("ben")]

    with pytest.raises(anser.Invalid, match="ack those of one worker at a time"):
        group.ack(both)

    assert group.ack([]) == ()
    assert news.lag(group="g") == 2


def test_a_group_acks_only_what_was_claimed_from_it(db: anser.Database, news: anser.Stream) -> None:
    news.publish(1)
    (entry,) = news.group("g").claim("w")

    nothing: Any = 1
    for group, wrong in ((news.group("h"), entry), (db.stream("other").group("g"), entry), (news.group("g"), nothing)):
        with pytest.raises(anser.Invalid, match=r"entries\[0\]"):
            group.ack([wrong])
    assert news.lag(group="g") == 1
