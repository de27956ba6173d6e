"""What honker's tables hold of a world, and what its answers tell: the two ways between values and rows.

Put together from `families`; knows no table and no operation by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anser.ops import Op, to_json
from anser.types import INTEGER_MAX, INTEGER_MIN
from anser_models import Refused, World
from anser_spec.targets.honker.families import FAMILIES
from anser_spec.targets.honker.families.base import Asking, Part, Rows, Said

__all__ = ["arguments_of", "can", "plain", "project", "project_answer", "rows_of", "told", "world_of"]

PARTS: tuple[Part, ...] = tuple(part for family in FAMILIES for part in family.parts)
ASKING: dict[type[Op], Asking] = {kind: asking for family in FAMILIES for kind, asking in family.asking.items()}
ANSWERS: dict[type, Callable[[Any], Any]] = {kind: held for family in FAMILIES for kind, held in family.answers.items()}
BY_ITS_FIELDS = Asking()


# --- operations


def can(op: Op) -> bool:
    """Whether honker has the operation with these arguments. Wrong ones that it takes are among them."""
    return _fits(op) and _asking(op).can(op)


def plain(op: Op) -> Op:
    """The operation without the arguments that honker lacks."""
    return replace(op, **_asking(op).plain(op))


def _fits(op: Op) -> bool:
    """Whether every number of the operation fits into a column, and its payload can be written as JSON."""
    try:
        values = arguments_of(op).values()
    except (TypeError, ValueError, IndexError):
        return False
    return all(not isinstance(value, int) or INTEGER_MIN <= value <= INTEGER_MAX for value in values)


def arguments_of(op: Op) -> dict[str, Any]:
    """The arguments as the driver takes them."""
    return {**to_json(op), **_asking(op).arguments(op)}


def told(op: Op, answer: Any, before: World, after: World) -> Any:
    """honker's answer as a value of `anser.types`."""
    return answer if isinstance(answer, Refused) else _asking(op).told(Said(op, answer, before, after))


def _asking(op: Op) -> Asking:
    return ASKING.get(type(op), BY_ITS_FIELDS)


def project_answer(answer: Any) -> Any:
    """The part of an answer that honker can tell: of a refusal its kind, and not the argument."""
    if isinstance(answer, Refused):
        return Refused(answer.code)
    if isinstance(answer, tuple):
        return tuple(project_answer(part) for part in answer)
    held = ANSWERS.get(type(answer))
    return answer if held is None else held(answer)


# --- worlds


def project(world: World) -> World:
    """The part of a world that honker's tables can hold."""
    return World(**{part.field: part.held(world) for part in PARTS})


def rows_of(world: World) -> Rows:
    """The world as the driver takes it."""
    return {name: rows for part in PARTS for name, rows in part.rows(world).items()}


def world_of(rows: Rows, before: World) -> World:
    """The world that the driver found, with what of the one that was loaded honker cannot tell."""
    return World(**{part.field: part.value(rows, before) for part in PARTS})
