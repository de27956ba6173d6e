"""A payload as the JSON text that the file holds: written strictly, read leniently."""

from __future__ import annotations

import json
import re
from typing import Any

from anser.errors import Invalid
from anser.ops.checks import utf8
from anser.types import DEPTH_MAX, INTEGER_MAX, INTEGER_MIN, PAYLOAD_MAX_BYTES

__all__ = ["decode", "decode_or_raw", "encode", "encoded"]

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # the stub lacks it; it is what `decode` comes to
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(r"[\[\]{}]")
_READ_DEPTH_MAX = 500  # deeper, and Python's own reader may fail on any stack
_WHITE_SPACE = " \t\n\r"  # JSON's own


def encode(payload: Any) -> str:
    """The compact JSON text of a payload, as the file holds it (JOB-14).

    Raises `Invalid` for what some binding could not read back: NaN and the infinities, a lone surrogate, a key that is
    not text, an integer beyond 64 bits, more than `DEPTH_MAX` levels, more than `PAYLOAD_MAX_BYTES` bytes of UTF-8.
    """
    _json(payload, 0)
    try:
        text = _ENCODER.encode(payload)
    except (TypeError, ValueError) as error:  # a dict of the caller's own may tell each of its readers something else
        raise Invalid(
            "payload", payload, f"it cannot be written as JSON ({error}): pass a plain dict or list"
        ) from None
    size = len(text) if text.isascii() else len(text.encode("utf-8"))
    if size > PAYLOAD_MAX_BYTES:
        raise Invalid(
            "payload", payload, f"its JSON takes {size} bytes, the limit is {PAYLOAD_MAX_BYTES}: store a reference"
        )
    return text


def encoded(argument: str, value: Any) -> str:
    """As `encode`, for a value that is another argument than the payload: a refusal names that one."""
    try:
        return encode(value)
    except Invalid as refusal:
        raise Invalid(argument, refusal.value, refusal.remedy) from None


def decode(payload: str | bytes) -> Any:
    """The value of a stored payload. Raises ValueError for one that is not JSON text.

    Reading is as lenient as Python's reader: a NaN that another binding wrote is read.
    """
    if isinstance(payload, bytes):
        raise ValueError("the payload is not UTF-8 text")
    text = payload.strip(_WHITE_SPACE)
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("the payload is not JSON") from None
    except RecursionError:
        if _depth(text) <= _READ_DEPTH_MAX:
            raise  # the payload is sound: it is the caller's own stack that has no room left
        raise ValueError("the payload is nested too deeply") from None
    if end < len(text):
        raise ValueError("the payload goes on after its value")
    return value


def decode_or_raw(payload: str | bytes) -> Any:
    """As `decode`; what is no JSON is the text or bytes that it is."""
    try:
        return decode(payload)
    except ValueError:
        return payload


def _depth(text: str) -> int:
    """How deep lists and objects are nested in a JSON text."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _json(value: Any, depth: int) -> None:
    if value is None or value is True or value is False:
        return
    if isinstance(value, str):
        if not value.isascii():
            utf8("payload", value)
    elif isinstance(value, int):
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            raise Invalid("payload", value, "integers end at 64 bits in other bindings: pass text")
    elif isinstance(value, float):
        if value - value != 0.0:  # NaN and the infinities, the only floats for which this holds
            raise Invalid("payload", value, "JSON has no NaN and no infinities: pass None or text")
    elif isinstance(value, (dict, list, tuple)):
        _nested(value, depth + 1)
    else:
        raise Invalid(
            "payload", value, f"{type(value).__name__} is not JSON: pass a dict, list, text, number, bool or None"
        )


def _nested(value: dict[Any, Any] | list[Any] | tuple[Any, ...], depth: int) -> None:
    if depth > DEPTH_MAX:
        raise Invalid("payload", value, f"it is nested more than {DEPTH_MAX} levels deep: flatten it")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise Invalid("payload", key, "a key of a JSON object is text")
            if not key.isascii():
                utf8("payload", key)
        value = list(value.values())
    for item in value:
        _json(item, depth)
