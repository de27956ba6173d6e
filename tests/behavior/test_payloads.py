"""Payloads: what comes back as it was, and what is refused because some reader of JSON could not read it."""

from __future__ import annotations

import enum
import json
import sys
from collections import OrderedDict, defaultdict, namedtuple
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

import anser
from tests.behavior.support import claimed, raw, rows_in

LEVELS_MAX = 100
BYTES_MAX = 1_048_576


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Word(str):
    __slots__ = ()


class Unspeakable:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


Point = namedtuple("Point", "x y")


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value


def endless_list() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


def endless_dict() -> Any:
    value: dict[str, Any] = {}
    value["in"] = [value, value]
    return value


def stored(path: str) -> list[tuple[str, str]]:
    with raw(path) as connection:
        return connection.execute("select typeof(payload), payload from _honker_live order by id").fetchall()


# --- what comes back


@pytest.mark.parametrize(
    "payload",
    [
        None,
        False,
        0,
        -1,
        2**63 - 1,
        -(2**63),
        0.1,
        -0.0,
        5e-324,
        sys.float_info.max,
        "",
        "é",
        "😀 ✈ 日本語 \u202eright to left",
        "two\nlines\tand a tab",
        "\u2028 and \u2029 end a line in some languages",
        "a NUL \x00 inside",
        "".join(map(chr, range(0x20))),
        "\x7f\x80\x85\xa0\ufeff\ufffe\uffff",
        '"quoted" and \\ and </script>',
        "\U0010ffff",
        {"": ""},
        {"\x00": "\x00", "é": 1, "__proto__": 2},
        [[], {}, [[]], [None]],
        {"z": 1, "a": 2, "m": [{"b": 1, "a": 2}]},
        [1e308, 1e-308, 123456789.123456789],
    ],
)
@pytest.mark.rule("JOB-14")
def test_a_payload_comes_back_as_it_was(mail: anser.Queue, payload: Any) -> None:
    mail.enqueue(payload)

    back = claimed(mail).payload

    assert back == payload
    assert repr(back) == repr(payload)  # which also tells 1 from True and 1.0, and the order of keys


@pytest.mark.parametrize(
    ("payload", "back"),
    [
        ((1, (2,)), [1, [2]]),
        (Point(1, 2), [1, 2]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (defaultdict(int, a=1), {"a": 1}),
        (Word("word"), "word"),
        ({Word("key"): Word("value")}, {"key": "value"}),
        (Level.HIGH, 3),
        (anser.State.DONE, "done"),
    ],
)
@pytest.mark.rule("JOB-14")
def test_a_payload_of_a_kind_of_json_comes_back_as_that_kind(mail: anser.Queue, payload: Any, back: Any) -> None:
    mail.enqueue(payload)

    found = claimed(mail).payload

    assert found == back
    assert json.dumps(found) == json.dumps(back)
    assert type(found) is type(back)


@pytest.mark.rule("JOB-14")
def test_a_payload_is_stored_as_compact_text(mail: anser.Queue, path: str) -> None:
    mail.enqueue({"to": "é😀", "n": [1, 2.5, None, True], "nul": "\x00"})

    assert stored(path) == [("text", '{"to":"é😀","n":[1,2.5,null,true],"nul":"\\u0000"}')]


@pytest.mark.rule("JOB-14")
def test_a_payload_may_be_a_hundred_levels_deep(mail: anser.Queue) -> None:
    mail.enqueue(nested(LEVELS_MAX))

    assert claimed(mail).payload == nested(LEVELS_MAX)


@pytest.mark.parametrize("character", ["x", "é", "😀", '"', "\x00"])
@pytest.mark.rule("JOB-14")
def test_a_payload_may_be_a_mebibyte_long_and_no_byte_more(mail: anser.Queue, path: str, character: str) -> None:
    each = len(json.dumps(character, ensure_ascii=False).encode()) - 2
    longest = character * ((BYTES_MAX - 2) // each)
    longest += "x" * (BYTES_MAX - 2 - each * len(longest))

    mail.enqueue(longest)
    with pytest.raises(anser.Invalid, match=f"its JSON takes {BYTES_MAX + 1} bytes, the limit is {BYTES_MAX}"):
        mail.enqueue(longest + "x")

    assert [len(text.encode()) for _, text in stored(path)] == [BYTES_MAX]
    assert claimed(mail).payload == longest


# --- what is refused


@pytest.mark.parametrize(
    "payload",
    [
        float("nan"),
        float("inf"),
        float("-inf"),
        {"deep": [{"in": float("nan")}]},
        2**63,
        -(2**63) - 1,
        [10**5_000],
        "\ud800",
        "\udfff after \ud800",
        ["fine", {"x": "a\udc00b"}],
        {"\ud800": 1},
        {1: "one"},
        {None: 1},
        {True: 1},
        {("a",): 1},
        {"fine": {b"bytes": 1}},
        b"bytes",
        bytearray(b"bytes"),
        {1, 2},
        frozenset(),
        (n for n in range(3)),
        range(3),
        1j,
        Decimal("1.5"),
        datetime(2027, 1, 15, 8),
        Colour.RED,
        object(),
        Unspeakable(),
        [Unspeakable()],
        {Unspeakable(): 1},
        nested(LEVELS_MAX + 1),
        nested(100_000),
        endless_list(),
        endless_dict(),
    ],
    ids=lambda payload: type(payload).__name__,
)
@pytest.mark.rule("JOB-14", "ERR-1")
def test_a_payload_that_some_reader_could_not_read_is_refused(mail: anser.Queue, path: str, payload: Any) -> None:
    before = rows_in(path)

    with pytest.raises(anser.Invalid) as refusal:
        mail.enqueue(payload)

    assert refusal.value.argument == "payload"
    assert len(str(refusal.value)) < 300, "a refusal is for people, however large its value is"
    assert rows_in(path) == before
    assert mail.enqueue("hello").created


@pytest.mark.rule("ERR-2")
def test_a_payload_is_looked_at_after_all_other_arguments(mail: anser.Queue) -> None:
    with pytest.raises(anser.Invalid, match=r"^priority = "):
        mail.enqueue(float("nan"), priority=5_000)
