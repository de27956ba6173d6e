"""A counterexample as a value and as a file: a start world, steps, and what differed after the last of them.

The file is JSON that a person can read and shorten by hand:

    {"target": "sqlite", "quirks": [], "start": {…}, "steps": [[1000, "claim", {…}], [1000, "rollback"]], "found": "…"}
"""

from __future__ import annotations

import json
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from anser.ops import Op, from_json, to_json
from anser_models import Quirk, World
from anser_spec.parts import HINTS, first_field, is_keyed_by_first

__all__ = ["MARKS", "Mark", "Witness", "load", "world_from_json", "world_to_json"]

MARKS = ("begin", "commit", "rollback")


@dataclass(frozen=True, slots=True)
class Mark:
    """One step: an operation at an instant, or the begin or end of a transaction of the caller's."""

    now: int
    act: Op | str


@dataclass(frozen=True, slots=True)
class Witness:
    """How to see a disagreement again."""

    target: str
    quirks: frozenset[Quirk]
    start: World
    steps: tuple[Mark, ...]
    found: str

    def save(self, path: Path) -> Path:
        """Write the file, its folder too where it is missing. Answers its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text() + "\n", encoding="utf-8")
        return path

    def text(self) -> str:
        """The file's text: one step a line."""
        fields = {
            "target": self.target,
            "quirks": sorted(quirk.name for quirk in self.quirks),
            "start": world_to_json(self.start),
            "steps": [_mark_to_json(mark) for mark in self.steps],
            "found": self.found,
        }
        return "{\n" + ",\n".join(f'  "{name}": {_laid_out(value)}' for name, value in fields.items()) + "\n}"


def load(path: Path) -> Witness:
    """The witness that a file tells of. Raises ValueError for a file that is not one."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Witness(
            found["target"],
            frozenset(Quirk[name] for name in found["quirks"]),
            world_from_json(found["start"]),
            tuple(_mark_from_json(step) for step in found["steps"]),
            found["found"],
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a saved counterexample: {error!r}") from None


def world_to_json(world: World) -> dict[str, Any]:
    """A world as plain JSON values; rows as lists, by key."""
    return {part: _part_to_json(hint, getattr(world, part)) for part, hint in HINTS.items()}


def world_from_json(found: dict[str, Any]) -> World:
    """The world that `world_to_json` wrote. A part that the file does not tell of, as an older one, is empty."""
    return World(**{part: _part_from_json(hint, found[part]) for part, hint in HINTS.items() if part in found})


def _part_to_json(hint: Any, part: Any) -> Any:
    if isinstance(part, dict):
        items = sorted(part.items())
        return [to_json(row) for _, row in items] if is_keyed_by_first(hint) else to_json(items)
    return sorted(part) if isinstance(part, frozenset) else part


def _part_from_json(hint: Any, found: Any) -> Any:
    if get_origin(hint) is dict:
        of_key, of_row = get_args(hint)
        if is_keyed_by_first(hint):
            rows = [_value(of_row, row) for row in found]
            return {first_field(row): row for row in rows}
        return {_value(of_key, key): _value(of_row, row) for key, row in found}
    return _value(hint, found)


def _value(hint: Any, found: Any) -> Any:
    """A value of that annotation, of what `to_json` made of it."""
    if isinstance(found, dict) and set(found) == {"hex"}:
        return bytes.fromhex(found["hex"])
    if isinstance(hint, UnionType):
        return None if found is None else _value(get_args(hint)[0], found)
    if get_origin(hint) in (tuple, frozenset):
        of_item, *_ = get_args(hint)
        return get_origin(hint)(_value(of_item, item) for item in found)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        kind: Any = hint
        return kind(**{name: _value(hints[name], value) for name, value in found.items()})
    return hint(found) if isinstance(hint, type) and issubclass(hint, StrEnum) else found


def _mark_to_json(mark: Mark) -> list[Any]:
    if isinstance(mark.act, str):
        return [mark.now, mark.act]
    return [mark.now, mark.act.name, to_json(mark.act)]


def _mark_from_json(step: list[Any]) -> Mark:
    now, name, *arguments = step
    if name in MARKS:
        return Mark(now, name)
    return Mark(now, from_json(name, arguments[0]))


def _laid_out(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value)
    return "[\n" + ",\n".join(f"    {json.dumps(item)}" for item in value) + "\n  ]"
