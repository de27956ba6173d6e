"""One operation: how honker is asked, and what its answer comes to in the protocol's words. Knows none by name."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from anser_spec.drivers.honker.rows import Table, moved

honker: Any = importlib.import_module("honker")

Arguments = dict[str, Any]
Outcome = dict[str, Any]  # {"answer": …} or {"error": …}

FAILURE_CODE = -32000


class Lost(Exception):
    """What was said to be held is not, by honker's answer."""


def as_it_is(raw: Any, by_s: int) -> Any:  # noqa: ARG001  # every answer is told so, and this one has no instants
    return raw


def yes_or_no(raw: Any, by_s: int) -> bool:  # noqa: ARG001  # as above
    return bool(raw)


def held(raw: Any, by_s: int) -> bool:  # noqa: ARG001  # as above
    """True, or `Lost`: the answer 0 says that it does not hold."""
    if not raw:
        raise Lost
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An operation that honker has.

    `by_function` takes a transaction, `by_method` the database; it is None where honker has no method that answers
    as much. `tell` makes of honker's answer ours, whose instants are later by the seconds that it is given. `instants`
    are the arguments that are ones. `needs_clock`: it means something only where honker's clock can be set.
    """

    by_function: Callable[[Any, Arguments], Any]
    by_method: Callable[[Any, Arguments], Any] | None = None
    tell: Callable[[Any, int], Any] = as_it_is
    instants: frozenset[str] = frozenset()
    needs_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What a family has in honker: tables, operations by name, and which kind an error is by the words it says."""

    tables: tuple[Table, ...] = ()
    calls: Mapping[str, Call]
    kinds: Mapping[str, str] = field(default_factory=dict)


def function(name: str, order: str = "", *, answers_json: bool = False) -> Callable[[Any, Arguments], Any]:
    """A SQL function of honker's, and the order in which it takes the arguments; lists go as JSON."""
    words = order.split()
    statement = f"select {name}({','.join('?' * len(words))}) as answer"

    def call(tx: Any, given: Arguments) -> Any:
        values = [json.dumps(given[word]) if isinstance(given[word], list) else given[word] for word in words]
        raw = tx.query(statement, values)[0]["answer"]
        return json.loads(raw) if answers_json and raw else raw

    return call


def queue_method(name: str, order: str = "") -> Callable[[Any, Arguments], Any]:
    """A method of honker's queue, whose name and length of lease are the queue's own."""
    words = order.split()

    def call(db: Any, given: Arguments) -> Any:
        queue = honker.Queue(db, given.get("queue", "queue"), visibility_timeout_s=given.get("lease_s", 1))
        return getattr(queue, name)(*(given[word] for word in words))

    return call


def done(
    name: str, call: Call, ask: Callable[[Arguments], Any], given: Arguments, shift_s: int, kinds: Mapping[str, str]
) -> Outcome:
    """What an operation comes to, asked with its arguments later by `shift_s` and told earlier by as much."""
    try:
        raw = ask(moved(given, call.instants, shift_s))
    except (OverflowError, TypeError, ValueError) as error:
        return failure("invalid", str(error))
    except RuntimeError as error:  # the one kind that honker raises, whatever it or SQLite refuses
        return failure(next((kind for words, kind in kinds.items() if words in str(error)), "internal"), str(error))
    try:
        return {"answer": call.tell(raw, -shift_s)}
    except Lost:
        return failure("lease_lost", f"{name} answered {raw!r}")


def failure(kind: str, text: str) -> Outcome:
    return {"error": {"code": FAILURE_CODE, "message": text, "data": {"kind": kind}}}


def broke(outcome: Outcome) -> bool:
    """Whether honker raised: then its own transaction would have been rolled back. A lost lease is an answer."""
    return "error" in outcome and outcome["error"]["data"]["kind"] != "lease_lost"
