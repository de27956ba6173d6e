"""What was expected beside what came, and how both are told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from anser.errors import shown
from anser.ops import to_json
from anser_models import Refused, World
from anser_spec.cases.values import T
from anser_spec.judge import world_difference

__all__ = ["Different", "compared", "plain", "same_world", "told"]

_FAR_S = 100_000_000  # how far from T a number of a message is still shown as an instant


@dataclass(frozen=True, slots=True)
class Different:
    """Where an answer or a row is not what the line says."""

    expected: Any
    got: Any
    path: str = ""


def same_world(world: World, before: World) -> Different | None:
    return None if world == before else Different(*world_difference(before, world))


def plain(value: Any) -> Any:
    return json.loads(json.dumps(to_json(value)))


def compared(expected: Any, got: Any, path: str) -> Different | None:
    """An object has at least the fields expected, a list exactly the items, and true is not 1."""
    if isinstance(expected, dict) and isinstance(got, dict):
        missing = [name for name in expected if name not in got]
        if missing:
            return Different(f"a field {missing[0]}", got, path)
        pairs = [(expected[name], got[name], f"{path}.{name}") for name in expected]
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = [(*pair, f"{path}[{place}]") for place, pair in enumerate(zip(expected, got, strict=True))]
    else:
        same = type(expected) is type(got) and expected == got
        return None if same else Different(expected, got, path.lstrip("."))
    return next((found for pair in pairs if (found := compared(*pair))), None)


def told(value: Any) -> str:
    if value is ...:
        return "any answer but a refusal"
    if isinstance(value, Refused):
        return " ".join(["refused", value.code, *([value.argument] if value.argument else [])])
    try:
        return json.dumps(_with_instants(to_json(value)), ensure_ascii=False)
    except (TypeError, ValueError):
        return shown(value)


def _with_instants(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value - T) <= _FAR_S:
        return f"T{value - T:+d}"
    if isinstance(value, list):
        return [_with_instants(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_instants(item) for name, item in value.items()}
    return value
