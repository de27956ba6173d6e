"""The parts of a world, read from its own annotations, so that a new part needs no line in what only carries worlds."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from anser_models import World

__all__ = ["HINTS", "PART_OF", "first_field", "is_keyed_by_first"]

HINTS: dict[str, Any] = get_type_hints(World)


def first_field(row: Any) -> Any:
    """The row's value in its first field."""
    return getattr(row, fields(row)[0].name)


def is_keyed_by_first(hint: Any) -> bool:
    """Whether a part is a dictionary of rows whose first field is their key: an id, or a name."""
    if get_origin(hint) is not dict:
        return False
    key, kind = get_args(hint)
    return is_dataclass(kind) and get_type_hints(kind)[fields(kind)[0].name] is key


# Which part of the world a row belongs to, by its class.
PART_OF: dict[type, str] = {get_args(hint)[1]: part for part, hint in HINTS.items() if is_keyed_by_first(hint)}
