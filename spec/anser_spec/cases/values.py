"""The values of a case: JSON and a little beyond it, and instants that are named from T."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["T", "all_arguments", "arguments_of", "instant_in"]

T = 1_800_000_000  # the instant that cases call T: Friday 2027-01-15 08:00:00 UTC

_INSTANT = re.compile(r"T([+-]\d+)?")
_ARGUMENT = re.compile(r" +([a-z_]+)=")
_SPECIAL = re.compile(r"hex:([0-9a-f]*)|nested:(\d+)|(\d+)\.\.(\d+)")
_TIMES = re.compile(r"\*(\d+)")


def all_arguments(text: str) -> dict[str, Any]:
    found, rest = arguments_of(text)
    if rest:
        raise ValueError(f"expected an argument at {rest!r}")
    return found


def arguments_of(text: str) -> tuple[dict[str, Any], str]:
    """Arguments `name=value` from the beginning of a text, and what follows them."""
    found: dict[str, Any] = {}
    while argument := _ARGUMENT.match(text):
        if argument[1] in found:
            raise ValueError(f"{argument[1]} is given twice")
        found[argument[1]], text = _value(text[argument.end() :])
    return found, text.strip()


def _value(text: str) -> tuple[Any, str]:
    if special := _SPECIAL.match(text):
        raw, depth, first, last = special.groups()
        rest = text[special.end() :]
        if raw is not None:
            return bytes.fromhex(raw), rest
        return (_nested(int(depth)) if depth else range(int(first), int(last) + 1)), rest
    value, end = json.JSONDecoder().raw_decode(text)
    if times := _TIMES.match(text, end):
        return value * int(times[1]), text[times.end() :]
    return value, text[end:]


def _nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def instant_in(value: Any) -> Any:
    """The value with each text `T+n` as the instant that it names."""
    if isinstance(value, str) and (instant := _INSTANT.fullmatch(value)):
        return T + int(instant[1] or 0)
    if isinstance(value, list):
        return [instant_in(item) for item in value]
    if isinstance(value, dict):
        return {name: instant_in(item) for name, item in value.items()}
    return value
