"""Operations as values: plain JSON and back, and what is no operation."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

import anser
from anser.ops import (
    OPS,
    AckBatch,
    Claim,
    Enqueue,
    EnqueueMany,
    Heartbeat,
    ListJobs,
    Op,
    decode,
    encode,
    from_json,
    to_json,
)
from anser.types import Counts, Dead, Finished, Held, Job, Lease, Reason, Settled, State
from tests.behavior.support import READS, WRITES

EXAMPLES: list[Op] = [
    *WRITES.values(),
    *READS.values(),
    Enqueue(
        queue="é😀", payload={"n": [1, 2.5, None, True, "\x00"]}, run_at=0, priority=-5, expires_s=9, unique_key="k"
    ),
    EnqueueMany(jobs=()),
    AckBatch(queue="mail", worker="w", held=()),
    ListJobs(queue="mail", state=State.PROCESSING, after_id=7, limit=1),
    Claim(queues=("a", "b"), worker="w", n=1, lease_s=1),
]


def sent(value: Any) -> Any:
    """As another process would receive it."""
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("op", EXAMPLES, ids=lambda op: op.name)
def test_an_operation_comes_back_from_json_as_it_was(op: Op) -> None:
    arguments = to_json(op)

    back = from_json(op.name, sent(arguments))

    assert back == op
    assert type(back) is type(op)
    assert sorted(arguments) == sorted(field.name for field in fields(op))


def test_the_examples_leave_no_operation_out() -> None:
    assert {op.name for op in EXAMPLES} == set(OPS)


def test_an_operation_says_whether_it_writes() -> None:
    assert {name for name, op in OPS.items() if op.writes} == {op.name for op in WRITES.values()}
    assert {name for name, op in OPS.items() if not op.writes} == set(READS)


def test_an_operation_has_the_name_of_its_class_and_cannot_be_changed() -> None:
    op = Claim(queues=("mail",), worker="w", n=1, lease_s=1)

    assert OPS["claim"] is Claim
    with pytest.raises(FrozenInstanceError):
        op.n = 2  # type: ignore[misc]  # which is the point
    with pytest.raises(TypeError):
        Claim(("mail",), "w", 1, 1)  # type: ignore[call-arg]  # arguments are named


def test_a_state_comes_back_as_a_state_and_another_word_is_left_to_be_refused() -> None:
    known = from_json("list_jobs", {"queue": "mail", "state": "pending"})
    other = from_json("list_jobs", {"queue": "mail", "state": "asleep"})

    assert isinstance(known, ListJobs)
    assert known.state is State.PENDING
    known.check()
    with pytest.raises(anser.Invalid, match=r"^state = 'asleep'"):
        other.check()


def test_defaults_need_not_be_said() -> None:
    assert from_json("enqueue", {"queue": "mail", "payload": None}) == Enqueue(queue="mail", payload=None)


@pytest.mark.parametrize("name", ["", "Enqueue", "no such", "check", None, 5, [], {}])
def test_an_unknown_operation_is_refused_with_the_known_ones(name: Any) -> None:
    with pytest.raises(anser.Invalid) as refusal:
        from_json(name, {})

    assert refusal.value.argument == "op"
    assert "ack, ack_batch, cancel" in refusal.value.remedy


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("claim", {"queues": ["mail"], "worker": "w", "n": 1, "lease_s": 1, "lease": 2}),
        ("claim", {"queues": ["mail"]}),
        ("claim", {}),
        ("claim", None),
        ("claim", 5),
        ("claim", "ab"),
        ("enqueue", {"queue": "mail"}),
        ("enqueue_many", {}),
        ("enqueue_many", {"jobs": None}),
        ("enqueue_many", {"jobs": [5]}),
        ("enqueue_many", {"jobs": ["ab"]}),
        ("enqueue_many", {"jobs": [{"queue": "mail", "payload": 1, "delay": 5}]}),
        ("ack_batch", {"queue": "mail", "worker": "w"}),
        ("ack_batch", {"queue": "mail", "worker": "w", "held": 5}),
        ("ack_batch", {"queue": "mail", "worker": "w", "held": [[1, 2]]}),
        ("ack_batch", {"queue": "mail", "worker": "w", "held": [{"id": 1}]}),
        ("ack_batch", {"queue": "mail", "worker": "w", "held": [{"id": 1, "fence": 1, "worker": "w"}]}),
    ],
)
def test_arguments_that_are_missing_or_of_no_field_are_refused(name: str, arguments: Any) -> None:
    with pytest.raises(anser.Invalid) as refusal:
        from_json(name, arguments)

    assert refusal.value.argument == "op"


@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    [
        ("claim", {"queues": "mail", "worker": "w", "n": 1, "lease_s": 1}, "queues"),
        ("claim", {"queues": ["mail"], "worker": "w", "n": 1.0, "lease_s": 1}, "n"),
        ("ack", {"queue": "mail", "id": True, "worker": "w", "fence": 1}, "id"),
        ("enqueue_many", {"jobs": [{"queue": "mail", "payload": 1}, {"queue": 5, "payload": 1}]}, "jobs[1].queue"),
        ("ack_batch", {"queue": "mail", "worker": "w", "held": [{"id": "1", "fence": 1}]}, "held[0].id"),
    ],
)
def test_values_of_a_wrong_kind_are_read_and_then_refused_by_name(
    name: str, arguments: dict[str, Any], argument: str
) -> None:
    op = from_json(name, arguments)

    with pytest.raises(anser.Invalid) as refusal:
        op.check()

    assert refusal.value.argument == argument


def test_arguments_are_not_changed_by_being_read() -> None:
    arguments = {"queues": ["mail"], "worker": "w", "n": 1, "lease_s": 1}

    from_json("claim", arguments)

    assert arguments == {"queues": ["mail"], "worker": "w", "n": 1, "lease_s": 1}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        ((1, 2), [1, 2]),
        (b"\xff\x00", {"hex": "ff00"}),
        (Held(1, 2), {"id": 1, "fence": 2}),
        (Settled(State.DEAD, None), {"state": "dead", "run_at": None}),
        (Counts(1, 2, 3, 4), {"pending": 1, "due": 2, "processing": 3, "dead": 4}),
        (
            Finished(1, "mail", State.DONE, 2, 3),
            {"id": 1, "queue": "mail", "state": "done", "attempts": 2, "ended_at": 3},
        ),
    ],
)
def test_an_answer_is_plain_json(value: Any, plain: Any) -> None:
    assert sent(to_json(value)) == plain


def test_a_job_is_plain_json_with_its_lease_within() -> None:
    lease = Lease("w", 1, None, 9)
    job = Job(1, "mail", b"\xff", State.PROCESSING, 0, 5, 1, 3, 0, 5, 5, None, None, None, lease)
    dead = Dead(1, "mail", "1", 0, 5, 1, 3, 0, 5, 5, None, Reason.EXPIRED, None, 9)

    plain = sent(to_json((job, dead)))

    assert plain[0]["lease"] == {"worker": "w", "fence": 1, "claimed_at": None, "expires_at": 9}
    assert (plain[0]["payload"], plain[0]["state"]) == ({"hex": "ff"}, "processing")
    assert plain[1]["reason"] == "expired"


def test_an_operation_without_checks_says_so() -> None:
    class Nothing(Op):
        name = "nothing"

    with pytest.raises(NotImplementedError, match="Nothing has no checks"):
        Nothing().check()


def test_a_word_about_a_lease_is_checked_before_what_it_says() -> None:
    with pytest.raises(anser.Invalid, match=r"^fence = 0"):
        Heartbeat(queue="mail", id=1, worker="w", fence=0, lease_s=0).check()


# --- payloads as text


@pytest.mark.parametrize("value", [None, True, 0, -1.5, "é\n\x00", [1, [2]], {"b": 1, "a": {"c": None}}])
def test_what_is_encoded_is_decoded(value: Any) -> None:
    assert decode(encode(value)) == value
    assert " " not in encode(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "hello",
        "1 2",
        "{",
        "[" * 100_000,
        "1" * 5_000,
        "\ufeff1",
        '"\n"',
        b"1",
        b"\xff",
        "'one'",
        "nan",
        "\x00",
    ],
)
def test_what_is_no_json_text_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whatever it says: a claim only asks whether it can be read
        decode(text)


@pytest.mark.parametrize(("text", "value"), [(" 1\n", 1), ("\t[1]\r\n", [1]), ('{"a":1,"a":2}', {"a": 2}), ("-0", 0)])
def test_reading_is_as_lenient_as_pythons_reader(text: str, value: Any) -> None:
    assert decode(text) == value


def test_a_text_with_more_white_space_than_jsons_is_no_json() -> None:
    with pytest.raises(ValueError, match="the payload is not JSON"):
        decode("\u00a01")
