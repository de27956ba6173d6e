"""The line `cron` of a case: boundaries that an expression has in a zone, after or before an instant.

    cron expr="30 2 * * *" tz="America/New_York" after="2025-03-08T12:00:00-05:00" -> ["2025-03-09T03:00:00-04:00"]

As many boundaries are asked for as the answer lists; `null` says that there are no more. With `before` the answer is
one boundary. `anchor_at` is where `@every` counts from. Instants are civil times with their offset; the answer's
offsets must be those of the zone's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from anser.cron import Cron, Every, local, parse
from anser.errors import Invalid
from anser_models import Refused
from anser_models import calendar as model

__all__ = ["CRON", "Next", "answer_of", "read_next"]

CRON = "cron"  # the word of the line, and the feature of a target whose calendar is that of `anser.cron`


@dataclass(frozen=True, slots=True)
class Next:
    """What is asked of a calendar: `count` boundaries later than `at`, or, for None, the one before it."""

    line: int
    said: str
    expr: str
    tz: str
    at: int
    count: int | None
    anchor_at: int | None
    expected: Any


def read_next(line: int, said: str, arguments: dict[str, Any], expected: Any) -> Next:
    """The line from its arguments. Raises ValueError and KeyError for one that cannot be read."""
    expr, tz = arguments.pop("expr"), arguments.pop("tz")
    anchor_at = _instant(arguments.pop("anchor_at")) if "anchor_at" in arguments else None
    if sorted(arguments) not in (["after"], ["before"]):
        raise ValueError("cron takes expr, tz, perhaps anchor_at, and one of after and before")
    [(word, instant)] = arguments.items()
    count = None
    if word == "after":
        count = len(expected) if isinstance(expected, list) else 1
    return Next(line, said, expr, tz, _instant(instant), count, anchor_at, expected)


def _instant(text: str) -> int:
    there = datetime.fromisoformat(text)
    if there.tzinfo is None:
        raise ValueError(f"{text!r} has no offset")
    return int(there.timestamp())


def answer_of(asked: Next, *, modelled: bool) -> Any:
    """What the implementation's calendar says, or the model's. The checks of arguments are one for both."""
    try:
        timetable = parse(asked.expr, asked.tz, anchor_at=asked.anchor_at)
    except Invalid as refusal:
        return Refused(refusal.code, refusal.argument)
    if asked.count is None:
        return _shown(timetable, _before(asked, timetable, modelled=modelled))
    found: list[str | None] = []
    at: int | None = asked.at
    while at is not None and len(found) < asked.count:
        at = _after(asked, timetable, at, modelled=modelled)
        found.append(_shown(timetable, at))
    return found


def _after(asked: Next, timetable: Cron | Every, at: int, *, modelled: bool) -> int | None:
    if modelled:
        return model.next_after(asked.expr, asked.tz, at, anchor_at=asked.anchor_at)
    return timetable.next_after(at)


def _before(asked: Next, timetable: Cron | Every, *, modelled: bool) -> int | None:
    if modelled:
        return model.last_before(asked.expr, asked.tz, asked.at, anchor_at=asked.anchor_at)
    return timetable.last_before(asked.at)


def _shown(timetable: Cron | Every, at: int | None) -> str | None:
    return None if at is None else local(timetable, at).isoformat()
