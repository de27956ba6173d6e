"""What is asked of an argument: each check raises `Invalid` with the argument's name, its value and what to pass."""

from __future__ import annotations

from anser.errors import Invalid, shown
from anser.types import NAME_MAX_BYTES

__all__ = ["kind", "length", "name", "text", "utf8", "whole"]


def whole(argument: str, value: object, low: int, high: int) -> None:
    if type(value) is int and low <= value <= high:
        return  # nearly always, and a claim's worth of them is checked at once
    if isinstance(value, bool) or not isinstance(value, int):
        raise Invalid(argument, value, f"pass a whole number from {low} to {high}")
    if not low <= value <= high:
        raise Invalid(argument, value, f"it must lie from {low} to {high}")


def name(argument: str, value: object) -> None:
    text(argument, value, NAME_MAX_BYTES)
    if not value:
        raise Invalid(argument, value, "a name has at least one character")
    if isinstance(value, str) and not str.isprintable(value):  # an enum that is text has a `str()` of its own
        raise Invalid(argument, value, "a name is printable text, with no control characters")


def text(argument: str, value: object, max_bytes: int) -> None:
    if not isinstance(value, str):
        raise Invalid(argument, value, f"pass text, not {type(value).__name__}")
    size = utf8(argument, value)
    if size > max_bytes:
        raise Invalid(argument, value, f"it takes {size} bytes of UTF-8, the limit is {max_bytes}")


def utf8(argument: str, value: str) -> int:
    """Its length in UTF-8. A NUL is refused too: SQLite's own text functions end a text there."""
    if value.isascii():
        size = len(value)
    else:
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError:
            raise Invalid(argument, value, "it has a lone surrogate, which no UTF-8 text holds") from None
    if "\0" in value and argument != "payload":
        raise Invalid(argument, shown(value), "it has a NUL character, where SQLite's text functions end")
    return size


def kind(argument: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise Invalid(argument, value, f"pass {kind.__name__}(…) values")


def length(argument: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, tuple):
        raise Invalid(argument, value, "pass a tuple")
    if not low <= len(value) <= high:
        raise Invalid(argument, value, f"it has {len(value)} items, it must have from {low} to {high}")
