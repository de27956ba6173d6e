"""Wrong arguments, each of every operation: refused by name with the value and a remedy, and nothing is written."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import fields, replace
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import OPS, Enqueue, GetJob, Op
from anser.types import (
    DELAY_MAX_S,
    INSTANT_MAX,
    INTEGER_MAX,
    LEASE_MAX_S,
    NOTIFICATIONS_KEEP_MAX,
    Held,
    Misfire,
    Overlap,
    State,
)
from tests.behavior.support import READS, WRITES, furnish, raw, rows_in

GOOD: dict[str, Op] = {op.name: op for op in [*reversed(WRITES.values()), *READS.values()]}


class Unspeakable:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


NO_TEXT = [5, 0, True, 1.5, b"mail", ["mail"], ("mail",), Unspeakable()]
NO_UTF_8 = ["\ud800", "a\udfffb", "NUL \0"]
WRONG_NAMES = [*NO_TEXT, *NO_UTF_8, None, "", "x" * 256, "é" * 128, "two\nlines", "tab\t", "\x7f", "\x85", "\u2028"]
NO_NUMBER = [True, False, 1.0, 0.5, float("nan"), float("inf"), "1", b"1", [1], 1j, Unspeakable()]
HUGE = [2**63, -(2**63) - 1, 10**400]

# What each argument takes: a whole number from … to …, a name, a text of so many bytes, a tuple of so many items.
ID, FENCE, LEASE = (1, INTEGER_MAX), (1, INTEGER_MAX), (1, LEASE_MAX_S)
LIMIT, AFTER, DELAY = (1, 10_000), (0, INTEGER_MAX), (0, DELAY_MAX_S)
WORD: dict[str, Any] = {"queue": "name", "id": ID, "worker": "name", "fence": FENCE}
LOCK_WORD: dict[str, Any] = {"lock": "name", "owner": "name", "fence": FENCE}
READER: dict[str, Any] = {"consumer": "reader", "group": "reader"}  # the name of one, and None for the other
TAKES: dict[str, dict[str, Any]] = {
    "enqueue": {
        "queue": "name",
        "payload": "any",
        "run_at": (0, INSTANT_MAX, None),
        "delay_s": (*DELAY, None),
        "priority": (-1_000, 1_000),
        "max_attempts": (1, 1_000_000),
        "max_lapses": (0, 1_000_000),
        "expires_s": (1, DELAY_MAX_S, None),
        "unique_key": [512, None],
        "order_key": [512, None],
    },
    "enqueue_many": {"jobs": {10_000}},
    "cancel": {"queue": "name", "id": ID},
    "get_job": {"queue": "name", "id": ID},
    "list_jobs": {"queue": "name", "state": "state", "after_id": AFTER, "limit": LIMIT},
    "count_jobs": {"queue": "name"},
    "queue_pause": {"queue": "name"},
    "queue_resume": {"queue": "name"},
    "claim": {"queues": {1, 100}, "worker": "name", "n": (1, 1_000), "lease_s": LEASE},
    "next_claim_at": {"queues": {1, 100}},
    "ack": {**WORD, "result": "any", "result_ttl_s": (1, DELAY_MAX_S, None)},
    "ack_batch": {"queue": "name", "worker": "name", "held": {10_000}},
    "heartbeat": {**WORD, "lease_s": LEASE},
    "release": {**WORD, "delay_s": (*DELAY, None)},
    "retry": {**WORD, "delay_s": DELAY, "error": [65_536, None]},
    "fail": {**WORD, "error": [65_536]},
    "sweep_expired": {"queue": "name", "limit": LIMIT},
    "dead_list": {"queue": "name", "after_id": AFTER, "limit": LIMIT},
    "dead_requeue": {"queue": "name", "id": ID},
    "dead_prune": {"queue": "name", "older_than_s": DELAY, "limit": LIMIT},
    "lock_acquire": {"lock": "name", "owner": "name", "ttl_s": LEASE},
    "lock_renew": {**LOCK_WORD, "ttl_s": LEASE},
    "lock_release": LOCK_WORD,
    "lock_get": {"lock": "name"},
    "lock_list": {"after_name": [255], "limit": LIMIT},
    "lock_sweep": {"limit": LIMIT},
    "notify": {"channel": "name", "payload": "any"},
    "notification_read": {"channel": "name", "after_id": AFTER, "limit": LIMIT},
    "notification_last": {"channel": "name"},
    "notification_prune": {
        "channel": "name or none",
        "keep": (0, NOTIFICATIONS_KEEP_MAX, None),
        "older_than_s": (*DELAY, None),
        "limit": LIMIT,
    },
    "events_on": {"keep": (1, 1_000_000)},
    "events_off": {},
    "event_read": {"after_id": AFTER, "limit": LIMIT},
    "event_prune": {"older_than_s": DELAY, "limit": LIMIT},
    "queue_list": {"after_queue": [255], "limit": LIMIT},
    "stats": {},
    "result_save": {**WORD, "value": "any", "ttl_s": (1, DELAY_MAX_S)},
    "result_get": {"queue": "name", "id": ID},
    "result_sweep": {"limit": LIMIT},
    "result_prune": {"older_than_s": DELAY, "limit": LIMIT},
    "rate_limit_try": {"key": "name", "limit": (1, 1_000_000), "per_s": (1, 2_592_000)},
    "token_bucket_try": {"key": "name", "limit": (1, 1_000_000), "per_s": (1, 2_592_000), "n": (1, 2)},
    "rate_limit_sweep": {"older_than_s": DELAY, "limit": LIMIT},
    "limit_acquire": {"key": "name", **WORD, "limit": (1, 10_000)},
    "limit_release": {"key": "name", **WORD},
    "limit_get": {"key": "name"},
    "limit_sweep": {"limit": LIMIT},
    "schedule_register": {
        "schedule": "name",
        "queue": "name",
        "cron": "cron",
        "tz": "tz",
        "payload": "any",
        "priority": (-1_000, 1_000),
        "max_attempts": (1, 1_000_000),
        "max_lapses": (0, 1_000_000),
        "expires_s": (1, DELAY_MAX_S, None),
        "misfire": "misfire",
        "grace_s": DELAY,
        "overlap": "overlap",
        "jitter_s": (0, 86_400),
        "start_at": (0, INSTANT_MAX, None),
        "end_at": (0, INSTANT_MAX, None),
        "max_fires": (1, INTEGER_MAX, None),
    },
    "schedule_update": {"schedule": "name", "changes": "changes"},
    "schedule_unregister": {"schedule": "name"},
    "schedule_pause": {"schedule": "name"},
    "schedule_resume": {"schedule": "name"},
    "schedule_run_now": {"schedule": "name"},
    "schedule_get": {"schedule": "name"},
    "schedule_list": {"after_name": [255], "limit": LIMIT},
    "schedule_soonest": {},
    "schedule_tick": {"owner": "name", "fence": FENCE, "limit": LIMIT},
    "schedule_adopt": {
        "schedule": "name",
        "cron": ["cron", None],
        "tz": "tz",
        "misfire": "misfire",
        "grace_s": DELAY,
        "overlap": "overlap",
    },
    "stream_publish": {"topic": "name", "payload": "any", "key": [512, None]},
    "stream_read_since": {"topic": "name", "offset": AFTER, "limit": LIMIT},
    "stream_save_offset": {"topic": "name", "consumer": "name", "offset": AFTER},
    "stream_get_offset": {"topic": "name", "consumer": "name"},
    "stream_lag": {"topic": "name", **READER},
    "stream_forget": {"topic": "name", **READER},
    "stream_trim": {"topic": "name", "keep": (0, INTEGER_MAX, None), "older_than_s": (*DELAY, None), "limit": LIMIT},
    "stream_claim": {"topic": "name", "group": "name", "worker": "name", "n": (1, 1_000), "lease_s": LEASE},
    "stream_ack": {"topic": "name", "group": "name", "worker": "name", "held": {10_000}},
}
WRONG_CRONS = [*NO_TEXT, *NO_UTF_8, "", "* * * *", "* * * * * * *", "60 * * * *", "0 0 30 2 *", "@every", "é * * * *"]
WRONG_ZONES = [*NO_TEXT, *NO_UTF_8, None, "", "Mars/Base", "America", "../UTC", "localtime", "x" * 256]
# What an argument of a kind of its own does not take, and what it takes.
KINDS_WRONG: dict[str, list[Any]] = {
    "state": ["dead", "Pending", "", 5, True, State.DEAD, State.DONE, ["pending"], Unspeakable()],
    "cron": [*WRONG_CRONS, None],
    "tz": WRONG_ZONES,
    "misfire": ["", "All", "never", None, 5, ["all"], Unspeakable()],
    "overlap": ["", "Allow", "never", None, 5, ["skip"], Unspeakable()],
    "changes": [None, 5, "queue", ["queue"], {"schedule": "b"}, {"anchor_at": 1}, {5: 1}, Unspeakable()],
}
KINDS_RIGHT: dict[str, list[Any]] = {
    "state": [None, State.PENDING, State.PROCESSING, "pending", "processing"],
    "cron": ["* * * * *", " 0  0\t* * MON-FRI ", "*/5 * * * * *", "@Daily", "@every 999999999d"],
    "tz": ["UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+12"],
    "misfire": ["all", "latest", "skip", *Misfire],
    "overlap": ["allow", "skip", *Overlap],
    "changes": [{}, {"queue": "post", "payload": None, "expires_s": None}, {"misfire": "all"}],
}
ARGUMENTS = [(name, argument) for name, takes in TAKES.items() for argument in takes if takes[argument] != "any"]


def wrong_values(name: str, argument: str) -> list[Any]:
    takes = TAKES[name][argument]
    if takes == "name":
        return WRONG_NAMES
    if takes in ("name or none", "reader"):
        return [value for value in WRONG_NAMES if value is not None]
    if takes == ["cron", None]:
        return WRONG_CRONS
    if isinstance(takes, str):
        return KINDS_WRONG[takes]
    if isinstance(takes, list):
        nothing = [None] if None not in takes else []
        empty = [""] if argument in ("unique_key", "order_key") else []
        return [*NO_TEXT, *NO_UTF_8, *nothing, *empty, "x" * (takes[0] + 1), "é" * (takes[0] // 2 + 1)]
    if isinstance(takes, set):
        return wrong_tuples(name, argument)
    low, high, *none = takes
    return [*NO_NUMBER, *HUGE, *([] if none else [None]), low - 1, high + 1]


def wrong_tuples(name: str, argument: str) -> list[Any]:
    no_tuple = [None, 5, "mail", ["mail"], {"mail": 1}, iter(()), Unspeakable()]
    if argument == "queues":
        twice = [("mail", "mail")] if name == "claim" else []  # to look at one twice does no harm
        return [*no_tuple, *twice, (), tuple(map(str, range(101)))]
    if argument == "held":
        return [*no_tuple, (Held(1, 1),) * 10_001]
    return [*no_tuple, (Enqueue(queue="mail", payload=1),) * 10_001]


def right_values(name: str, argument: str) -> list[Any]:
    """The bounds, and what is odd but right."""
    takes = TAKES[name][argument]
    if takes == "reader" and getattr(GOOD[name], argument) is None:
        return [None]
    if takes in ("name", "name or none", "reader"):
        return [
            *([None] if takes == "name or none" else []),
            "a",
            " ",
            "x" * 255,
            "é" * 127,
            "😀",
            "'; drop table _honker_live; --",
        ]
    if takes == ["cron", None]:
        return [None, *KINDS_RIGHT["cron"]]
    if isinstance(takes, str):
        return KINDS_RIGHT[takes]
    if isinstance(takes, list):
        return ["x" * takes[0], "é" * (takes[0] // 2), "\n\t\x7f\u2028", *takes[1:]]
    if argument == "queues":
        return [("a",), tuple(map(str, range(100)))]
    if argument == "held":
        return [(), (Held(1, 1),) * 100]
    return [()] if argument == "jobs" else list(takes)


@pytest.fixture
def furnished(db: anser.Database, path: str) -> str:
    """The path of a file with a job in every place."""
    with raw(path) as connection:
        furnish(connection)
    return path


def refusal_of(run: Callable[..., object], *arguments: Any, **options: Any) -> anser.Invalid:
    with pytest.raises(anser.Invalid) as refusal:
        run(*arguments, **options)
    return refusal.value


def changed(name: str, **arguments: Any) -> Op:
    """The good operation of that name with other arguments, whatever its type says to them."""
    return replace(GOOD[name], **arguments)


def test_the_table_of_arguments_leaves_none_out() -> None:
    declared = {name: [field.name for field in fields(op)] for name, op in OPS.items()}

    assert {name: sorted(takes) for name, takes in TAKES.items()} == {
        name: sorted(arguments) for name, arguments in declared.items()
    }


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
@pytest.mark.rule("ERR-1", "ERR-4", "ERR-5", "ERR-6", "ERR-7")
def test_a_wrong_argument_is_refused_by_name_and_nothing_is_written(
    db: anser.Database, furnished: str, name: str, argument: str
) -> None:
    before = rows_in(furnished)

    for value in wrong_values(name, argument):
        refusal = refusal_of(db.run, changed(name, **{argument: value}))

        assert refusal.argument == argument
        assert str(refusal).startswith(f"{argument} = ")
        assert len(refusal.remedy) > 10
    assert rows_in(furnished) == before


@pytest.mark.parametrize("name", ["claim", "next_claim_at"])
@pytest.mark.rule("ERR-6")
def test_a_wrong_name_among_queues_is_refused_by_its_place(db: anser.Database, name: str) -> None:
    for value in WRONG_NAMES:
        refusal = refusal_of(db.run, changed(name, queues=("mail", value)))

        assert refusal.argument == "queues[1]"


@pytest.mark.parametrize("field", ["id", "fence"])
@pytest.mark.rule("ERR-5")
def test_a_wrong_number_among_leases_is_refused_by_its_place(db: anser.Database, furnished: str, field: str) -> None:
    before = rows_in(furnished)

    for value in [*NO_NUMBER, *HUGE, None, 0, -1]:
        wrong: dict[str, Any] = {"id": 4, "fence": 2, field: value}
        held = (Held(3, 1), Held(**wrong))
        refusal = refusal_of(db.run, changed("ack_batch", held=held))

        assert refusal.argument == f"held[1].{field}"
    assert rows_in(furnished) == before


@pytest.mark.parametrize("item", [None, 5, (4, 2), {"id": 4, "fence": 2}, Unspeakable()])
@pytest.mark.rule("ERR-5")
def test_what_is_no_lease_among_leases_is_refused_by_its_place(
    db: anser.Database, furnished: str, item: object
) -> None:
    before = rows_in(furnished)

    refusal = refusal_of(db.run, changed("ack_batch", held=(Held(3, 1), item)))

    assert refusal.argument == "held[1]"
    assert rows_in(furnished) == before


@pytest.mark.parametrize("item", [None, 5, {"queue": "mail", "payload": 1}, GetJob(queue="mail", id=1), Unspeakable()])
@pytest.mark.rule("ERR-5", "JOB-8")
def test_what_is_no_job_in_a_batch_is_refused_by_its_place(db: anser.Database, furnished: str, item: object) -> None:
    before = rows_in(furnished)

    refusal = refusal_of(db.run, changed("enqueue_many", jobs=(Enqueue(queue="mail", payload=1), item)))

    assert refusal.argument == "jobs[1]"
    assert rows_in(furnished) == before


@pytest.mark.parametrize(
    ("argument", "value"), [("queue", ""), ("run_at", 1.0), ("priority", None), ("max_attempts", 0), ("payload", {1})]
)
@pytest.mark.rule("JOB-8")
def test_a_wrong_argument_in_a_batch_is_refused_by_its_place(
    db: anser.Database, furnished: str, argument: str, value: object
) -> None:
    before = rows_in(furnished)
    good = Enqueue(queue="mail", payload=1)
    wrong = replace(good, **{argument: value})  # type: ignore[arg-type]  # which is the point

    refusal = refusal_of(db.run, changed("enqueue_many", jobs=(good, good, wrong)))

    assert refusal.argument == f"jobs[2].{argument}"
    assert rows_in(furnished) == before


def test_a_job_is_due_at_an_instant_or_after_a_while_not_both(mail: anser.Queue) -> None:
    refusal = refusal_of(mail.enqueue, "hello", run_at=0, delay_s=0)

    assert (refusal.argument, refusal.remedy) == ("delay_s", "give run_at or delay_s, not both")


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
@pytest.mark.rule("ERR-5", "ERR-6", "ERR-7")
def test_the_bounds_of_an_argument_are_accepted(db: anser.Database, furnished: str, name: str, argument: str) -> None:
    for value in right_values(name, argument):
        try:
            db.run(changed(name, **{argument: value}))
        except (anser.LeaseLost, anser.NotFound, anser.Conflict):
            continue  # the file says no, the argument is fine


# --- the face


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda queue: queue.claim_one(""), "worker"),
        (lambda queue: queue.claim_one(None), "worker"),
        (lambda queue: queue.claim_one("w", lease_s=0), "lease_s"),
        (lambda queue: queue.claim_one("w", lease_s=1.0), "lease_s"),
        (lambda queue: queue.claim_batch("w", 0), "n"),
        (lambda queue: queue.claim_batch("w", True), "n"),
        (lambda queue: queue.claim_batch("w", 1_001), "n"),
        (lambda queue: queue.cancel("1"), "id"),
        (lambda queue: queue.get_job(1.0), "id"),
        (lambda queue: queue.list_jobs("dead"), "state"),
        (lambda queue: queue.list_jobs(limit=0), "limit"),
        (lambda queue: queue.list_jobs(after_id=-1), "after_id"),
        (lambda queue: queue.sweep_expired(limit=None), "limit"),
        (lambda queue: queue.dead_list(limit=10_001), "limit"),
        (lambda queue: queue.dead_requeue(0), "id"),
        (lambda queue: queue.dead_prune(older_than_s=-1), "older_than_s"),
        (lambda queue: queue.enqueue(1, priority=0.5), "priority"),
        (lambda queue: queue.enqueue_many([1, 2], max_attempts=0), "jobs[0].max_attempts"),
    ],
)
def test_a_method_refuses_a_wrong_argument_by_its_own_name(
    mail: anser.Queue, path: str, call: Callable[[anser.Queue], object], argument: str
) -> None:
    mail.enqueue("hello")
    before = rows_in(path)

    refusal = refusal_of(call, mail)

    assert refusal.argument == argument
    assert rows_in(path) == before


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda job: job.heartbeat(lease_s=0), "lease_s"),
        (lambda job: job.heartbeat(lease_s=1.0), "lease_s"),
        (lambda job: job.retry(delay_s=-1), "delay_s"),
        (lambda job: job.retry(delay_s=0.5), "delay_s"),
        (lambda job: job.retry(error=5), "error"),
        (lambda job: job.fail(0), "error"),
        (lambda job: job.release(delay_s=True), "delay_s"),
    ],
)
def test_a_word_with_a_wrong_argument_leaves_the_job_in_hand(
    mail: anser.Queue, call: Callable[[anser.ClaimedJob], object], argument: str
) -> None:
    mail.enqueue("hello")
    job = mail.claim_batch("w", 1)[0]

    refusal = refusal_of(call, job)

    assert refusal.argument == argument
    assert mail.get_job(job.id) == job.row
    assert not job.settled


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        (
            "path",
            [None, 5, True, "", ":memory:", "file:app.db", "file:app.db?mode=memory", b"app.db", "a\0b", ["app.db"]],
        ),
        ("synchronous", [None, "", "off", "FULL", 2, True, ["full"], "full; drop table jobs"]),
        ("busy_timeout_s", [None, "5", True, -1, -0.001, 3_601, float("nan"), float("inf"), [5]]),
        ("clock", [None, 5, "now"]),
    ],
)
def test_a_file_is_not_opened_with_a_wrong_argument(tmp_path: Path, argument: str, values: list[Any]) -> None:
    for value in values:
        options = {"path": tmp_path / "app.db", argument: value}
        refusal = refusal_of(anser.open, **options)

        assert refusal.argument == argument
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("busy_timeout_s", [0, 0.5, 3_600])
@pytest.mark.parametrize("synchronous", ["normal", "full", "extra"])
def test_a_file_is_opened_with_each_right_argument(tmp_path: Path, busy_timeout_s: float, synchronous: Any) -> None:
    with anser.open(tmp_path / "app.db", synchronous=synchronous, busy_timeout_s=busy_timeout_s) as db:
        assert db.queue("mail").enqueue("hello").created


def test_a_path_may_be_any_path_object(tmp_path: Path) -> None:
    class Place:
        def __fspath__(self) -> str:
            return str(tmp_path / "app.db")

    with anser.open(Place()) as db:
        assert db.path == str(tmp_path / "app.db")


@pytest.mark.parametrize("stop", [threading.Event(), None, True])
def test_a_stop_that_cannot_be_asked_is_refused(db: anser.Database, stop: Any) -> None:
    with pytest.raises(anser.Invalid, match=r"stop = .*: pass a function"):
        anser.Scheduler(db).run(stop)
    with pytest.raises(anser.Invalid, match=r"stop = .*: pass a function"):
        db.outbox("webhooks", print).run("worker-1", stop)


@pytest.mark.parametrize("payloads", [5, None, "abc", b"abc", {"a": 1}])
def test_payloads_that_are_no_list_are_refused(mail: anser.Queue, payloads: Any) -> None:
    with pytest.raises(anser.Invalid, match=r"payloads = .*: pass a list of payloads"):
        mail.enqueue_many(payloads)


@pytest.mark.rule("ERR-6")
def test_a_name_that_is_an_enum_is_judged_by_its_text(db: anser.Database) -> None:
    class Name(str, Enum):  # noqa: UP042  # a StrEnum tells its value, this one its name
        ODD = "mail\n"

    with pytest.raises(anser.Invalid, match="printable"):
        db.queue(Name.ODD)


@pytest.mark.rule("JOB-14")
def test_a_dict_that_tells_each_reader_something_else_is_refused(mail: anser.Queue) -> None:
    class Odd(dict[str, int]):
        def items(self) -> Any:
            raise ValueError("not today")

    with pytest.raises(anser.Invalid, match="cannot be written as JSON"):
        mail.enqueue(Odd(a=1))
