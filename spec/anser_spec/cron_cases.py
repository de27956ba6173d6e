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
from anser_models import PROCESS_TZ, Quirk, Refused, calendar_honker
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


def answer_of(asked: Next, *, quirks: frozenset[Quirk] | None) -> Any:
    """What the implementation's calendar says, or the model's with these quirks. The checks of arguments are one for
    both, but for what a quirk takes and refuses."""
    try:
        timetable = _parsed(asked, quirks or frozenset())
    except Invalid as refusal:
        return Refused(refusal.code, refusal.argument)
    if asked.count is None:
        return _shown(timetable, _before(asked, timetable, modelled=quirks is not None))
    found: list[str | None] = []
    at: int | None = asked.at
    while at is not None and len(found) < asked.count:
        at = timetable.next_after(at) if quirks is None else _modelled_after(asked, at, quirks)
        found.append(_shown(timetable, at))
    return found


def _parsed(asked: Next, quirks: frozenset[Quirk]) -> Cron | Every:
    """Of what only honker takes, a timetable that has no more than the zone."""
    expr = asked.expr
    if Quirk.E17_OTHER_DIALECT in quirks:
        if not calendar_honker.parses(expr):
            raise Invalid("expr", expr, "honker takes no such expression")
        expr = "* * * * *"
    return parse(expr, _zone(asked, quirks), anchor_at=asked.anchor_at)


def _zone(asked: Next, quirks: frozenset[Quirk]) -> str:
    return PROCESS_TZ if Quirk.D04_ZONE_OF_PROCESS in quirks else asked.tz


def _modelled_after(asked: Next, at: int, quirks: frozenset[Quirk]) -> int | None:
    if not quirks:
        return model.next_after(asked.expr, asked.tz, at, anchor_at=asked.anchor_at)
    anchor_at = asked.anchor_at or 0
    return calendar_honker.next_after(asked.expr, _zone(asked, quirks), at, anchor_at=anchor_at, quirks=quirks)


def _before(asked: Next, timetable: Cron | Every, *, modelled: bool) -> int | None:
    if modelled:
        return model.last_before(asked.expr, asked.tz, asked.at, anchor_at=asked.anchor_at)
    return timetable.last_before(asked.at)


def _shown(timetable: Cron | Every, at: int | None) -> str | None:
    return None if at is None else local(timetable, at).isoformat()
