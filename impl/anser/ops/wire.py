"""Operations and answers as plain JSON, for case files, replays and the driver protocol."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from anser.errors import Invalid
from anser.ops.base import Op
from anser.ops.families import OPS

__all__ = ["from_json", "to_json"]


def to_json(value: Any) -> Any:
    """A value of `types` or `ops` as plain JSON values; bytes as {"hex": …}. A payload stays the text that it is."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    return value


def from_json(name: str, arguments: dict[str, Any]) -> Op:
    """The operation of that name from plain JSON arguments. Raises `Invalid` for a name or a field it does not have."""
    if name not in list(OPS):
        raise Invalid("op", name, f"pass one of {', '.join(sorted(OPS))}")
    return OPS[name].read(arguments)
