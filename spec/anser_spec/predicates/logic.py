"""SQL's logic of three values in Python: the words in which the twin of a condition is written."""

from __future__ import annotations

from typing import Any

__all__ = ["Truth", "at_most", "below", "both", "either", "negated", "same", "typeof"]

Truth = bool | None  # SQL's third value, null, is None


def same(one: Any, other: Any) -> Truth:
    """`one = other`"""
    return None if one is None or other is None else bool(one == other)


def below(one: float | None, other: float | None) -> Truth:
    """`one < other`"""
    return None if one is None or other is None else one < other


def at_most(one: float | None, other: float | None) -> Truth:
    """`one <= other`"""
    return None if one is None or other is None else one <= other


def negated(part: Truth) -> Truth:
    """`not part`"""
    return None if part is None else not part


def both(*parts: Truth) -> Truth:
    """`part and part`: one false makes it false, whatever is unknown."""
    if any(part is False for part in parts):
        return False
    return None if any(part is None for part in parts) else True


def either(*parts: Truth) -> Truth:
    """`part or part`: one true makes it true, whatever is unknown."""
    return negated(both(*(negated(part) for part in parts)))


def typeof(value: object) -> str:
    """`typeof(value)`"""
    return {int: "integer", float: "real", str: "text", bytes: "blob", type(None): "null"}[type(value)]
