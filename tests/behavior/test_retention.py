"""Upkeep: what is over is kept as long as the policy says, in every queue, and nobody waits for it."""

from __future__ import annotations

from typing import Any

import pytest

import anser
from anser.ops import QueueList
from anser.retention import BOUNDED, CHORES
from anser_spec.rulebook import RULES
from tests.behavior.support import NOW, lay_dead, lay_live, lay_lock, raw, rows_in

DAY_S = 86_400
NOTHING = {chore.field: 0 for chore in CHORES}


def fill(path: str, *, at: int = NOW, times: int = 1, queue: str = "mail") -> None:
    """So many rows of each kind that the policy knows, over at that instant."""
    with raw(path) as connection:
        for number in range(times):
            lay_dead(connection, queue=queue, died_at=at)
            lay_live(connection, queue=queue, expires_at=at, run_at=at)
            lay_lock(connection, f"{queue} {number}", expires_at=at)
            connection.execute(
                "insert into _anser_events (kind, queue, job_id, attempts, at) values ('enqueued', ?, 1, 0, ?)",
                (queue, at),
            )
            connection.execute(
                "insert into _honker_notifications (channel, payload, created_at) values (?, '1', ?)", (queue, at)
            )
            for expires_at in (at, None):
                connection.execute(
                    "insert into _honker_results (job_id, queue, value, created_at, expires_at) "
                    "select coalesce(max(job_id), 0) + 1, ?, '1', ?, ? from _honker_results",
                    (queue, at, expires_at),
                )
            connection.execute(
                "insert into _honker_stream (topic, payload, created_at) values (?, '1', ?)", (queue, at)
            )
            connection.execute("insert into _honker_rate_limits values (?, ?, 1)", (f"{queue} {number}", at))
            connection.execute("insert into _anser_slots values (?, 999, 9)", (f"{queue} {number}",))


def left(path: str) -> dict[str, int]:
    """How many rows each table has that a chore is about."""
    rows = rows_in(path)
    return {chore.field: sum(len(rows[table]) for table in chore.tables) for chore in CHORES}


@pytest.mark.rule("RTN-3")
def test_the_default_policy_keeps_the_dead_for_thirty_days_and_what_was_told_for_seven(
    db: anser.Database, path: str, clock: anser.ManualClock
) -> None:
    fill(path)

    clock.at = NOW + 7 * DAY_S - 1
    assert db.maintain() == anser.Maintained(
        {**NOTHING, "expired_jobs": 1, "locks": 1, "results": 1, "slots": 1}, more=False
    )
    clock.at = NOW + 7 * DAY_S
    assert db.maintain().rows == {**NOTHING, "events_s": 1, "notifications_s": 1}
    clock.at = NOW + 30 * DAY_S - 1
    assert db.maintain().rows == NOTHING
    clock.at = NOW + 30 * DAY_S
    assert db.maintain().rows == {**NOTHING, "dead_s": 1, "streams_s": 1, "results_s": 1}
    clock.at = NOW + 31 * DAY_S + 1
    assert db.maintain().rows["rate_limits_s"] == 1


@pytest.mark.rule("RTN-3")
def test_four_hundred_days_later_nothing_is_left(db: anser.Database, path: str, clock: anser.ManualClock) -> None:
    fill(path, times=3)
    db.maintain()

    clock.at = NOW + 400 * DAY_S
    db.maintain()

    assert left(path) == dict.fromkeys(left(path), 0)


@pytest.mark.rule("RTN-3")
def test_every_queue_is_kept_to_the_policy(db: anser.Database, path: str, clock: anser.ManualClock) -> None:
    for queue in ("mail", "post", "\N{SNOWMAN}", "x" * 255):
        fill(path, queue=queue)

    clock.at = NOW + 31 * DAY_S + 1

    assert db.maintain().rows == dict.fromkeys(NOTHING, 4)


@pytest.mark.rule("RTN-1")
@pytest.mark.rule("RTN-3")
@pytest.mark.parametrize(
    "name", ["'m' || char(10)", "'n' || char(0)", "hex(zeroblob(900))", "cast(x'6dff' as text)", "x'6d'"]
)
def test_a_queue_of_another_binding_that_has_no_name_here_keeps_nothing_from_its_upkeep(
    db: anser.Database, path: str, clock: anser.ManualClock, name: str
) -> None:
    """honker takes any text for a name: such a queue is honker's own to work off."""
    fill(path)
    fill(path, queue="zeal")
    with raw(path) as connection:
        connection.execute(f"insert into _honker_live (queue, payload, expires_at) values ({name}, '1', 1)")
        connection.execute(f"insert into _honker_stream (topic, payload, created_at) values ({name}, '1', {NOW})")

    assert db.run(QueueList(limit=1)) == ("mail",)
    assert db.run(QueueList(after_queue="mail")) == ("zeal",)
    clock.at = NOW + 31 * DAY_S + 1
    assert db.maintain(limit=1).rows == {**dict.fromkeys(NOTHING, 2), "streams_s": 3}
    assert db.stats()[0].rows == 1


@pytest.mark.rule("RTN-3")
@pytest.mark.parametrize("field", [chore.field for chore in CHORES])
def test_a_field_that_is_none_or_false_leaves_its_table_alone(
    db: anser.Database, path: str, clock: anser.ManualClock, field: str
) -> None:
    fill(path)
    clock.at = NOW + 400 * DAY_S
    without: dict[str, Any] = {field: None if field.endswith("_s") else False}

    done = db.maintain(anser.Retention(**without))

    assert done.rows[field] == 0
    assert all(rows for other, rows in done.rows.items() if other != field)
    assert left(path)[field] >= 1


@pytest.mark.rule("RTN-4")
def test_upkeep_stops_after_its_batches_and_says_that_there_is_more(db: anser.Database, path: str) -> None:
    fill(path, times=7)

    first = db.maintain(anser.Retention(events_s=0, notifications_s=0), limit=2, batches=2)
    rest = db.maintain(anser.Retention(events_s=0, notifications_s=0), limit=2)

    assert first == anser.Maintained({**NOTHING, "expired_jobs": 4}, more=True)
    assert rest == anser.Maintained(
        {**NOTHING, "expired_jobs": 3, "locks": 7, "events_s": 7, "notifications_s": 7, "results": 7, "slots": 7},
        more=False,
    )


@pytest.mark.rule("RTN-4")
def test_each_batch_is_a_transaction_of_its_own(db: anser.Database, path: str) -> None:
    fill(path, times=4)
    commits = []

    with raw(path) as other:

        def tick() -> int:
            commits.append(len(other.execute("select id from _honker_live").fetchall()))
            return NOW

        with anser.open(path, clock=tick) as watched:
            watched.maintain(anser.Retention(locks=False), limit=1)

    assert {4, 3, 2, 1, 0} <= set(commits)


@pytest.mark.rule("ERR-2", "RTN-4")
@pytest.mark.parametrize("policy", [{"dead_s": 1}, anser.Retention, 30 * DAY_S, False])
def test_what_is_no_policy_is_refused(db: anser.Database, path: str, policy: Any) -> None:
    fill(path)
    before = rows_in(path)

    with pytest.raises(anser.Invalid) as refusal:
        db.maintain(policy)

    assert refusal.value.argument == "retention"
    assert rows_in(path) == before


@pytest.mark.rule("RTN-4")
@pytest.mark.parametrize(
    ("policy", "argument"),
    [
        ({"dead_s": -1}, "dead_s"),
        ({"dead_s": 1.0}, "dead_s"),
        ({"events_s": True}, "events_s"),
        ({"events_s": 3_155_760_001}, "events_s"),
        ({"locks": 1}, "locks"),
        ({"expired_jobs": None}, "expired_jobs"),
    ],
)
def test_a_wrong_policy_is_refused_before_anything_is_done(
    db: anser.Database, path: str, policy: dict[str, Any], argument: str
) -> None:
    fill(path)
    before = rows_in(path)

    with pytest.raises(anser.Invalid) as refusal:
        db.maintain(anser.Retention(**policy))

    assert refusal.value.argument == argument
    assert rows_in(path) == before


@pytest.mark.rule("RTN-4")
@pytest.mark.parametrize(("bounds", "argument"), [({"batches": 0}, "batches"), ({"limit": 0}, "limit")])
def test_wrong_bounds_are_refused(db: anser.Database, path: str, bounds: dict[str, Any], argument: str) -> None:
    fill(path)
    before = rows_in(path)

    with pytest.raises(anser.Invalid) as refusal:
        db.maintain(**bounds)

    assert refusal.value.argument == argument
    assert rows_in(path) == before


def test_a_policy_has_a_chore_for_each_of_its_fields() -> None:
    assert [chore.field for chore in CHORES] == list(anser.Retention.__dataclass_fields__)


@pytest.mark.rule("RTN-3", "STR-10")
def test_what_a_group_has_pending_outlives_the_policy(db: anser.Database, path: str, clock: anser.ManualClock) -> None:
    stream = db.stream("t")
    for number in range(3):
        stream.publish(number)
    claimed = stream.group("g").claim("w", n=1, lease_s=60)

    clock.at = NOW + 400 * DAY_S
    db.maintain()

    assert [offset for _, offset, *_ in rows_in(path)["_honker_stream"]] == [one.entry.offset for one in claimed] == [1]


@pytest.mark.rule("RTN-6")
def test_each_table_of_a_file_is_held_by_a_chore_or_bounded_by_something(db: anser.Database, path: str) -> None:
    held = {table for chore in CHORES for table in chore.tables}
    tables = {table for table in rows_in(path) if table.startswith(("_anser_", "_honker_"))}

    assert held | BOUNDED.keys() == tables
    assert held.isdisjoint(BOUNDED)
    assert {table.table for table in db.stats()} == tables


@pytest.mark.rule("RTN-6")
def test_the_rule_tells_what_holds_each_table_and_the_default() -> None:
    lines = (RULES / "retention.md").read_text("utf-8").splitlines()
    told = [tuple(cell.strip(" `") for cell in line.split("|")[1:-1]) for line in lines if line.startswith("| `")]

    held = [(table, chore.field, default_of(chore.field)) for chore in CHORES for table in chore.tables]
    assert sorted(told) == sorted([*held, *((table, bound, "") for table, bound in BOUNDED.items())])


def default_of(field: str) -> str:
    """As a person says it."""
    value = getattr(anser.Retention(), field)
    return "yes" if value is True else f"{value // DAY_S} days"


@pytest.mark.rule("RTN-2")
def test_what_a_file_holds_is_told_table_by_table(db: anser.Database, path: str) -> None:
    fill(path, times=2)

    told = {table.table: (table.rows, table.oldest_at) for table in db.stats() if table.rows}

    assert told == {
        "_honker_live": (2, NOW),
        "_honker_dead": (2, NOW),
        "_honker_locks": (2, NOW),
        "_anser_events": (2, NOW),
        "_honker_notifications": (2, NOW),
        "_honker_results": (4, NOW),
        "_honker_rate_limits": (2, NOW),
        "_anser_slots": (2, None),
        "_honker_stream": (2, NOW),
        "_anser_fence": (1, None),
        "_anser_format": (1, None),
    }
