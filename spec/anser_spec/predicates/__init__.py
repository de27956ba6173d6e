"""Every condition by which a statement decides, held against the model's own predicate.

A condition stands here with a twin: the same text in Python, in SQL's logic of three values. The grid shows that SQLite
and the twin say the same of every combination of small values, and the twin and the model too; CrossHair shows the
latter for every integer (`anser_spec.contracts`). Together: the statement decides as the model does.

The table is bound to the statements: the conditions are cut out of their texts, so a `where` that is changed, added or
taken away fails until the table says it too. Nothing here knows order or effect: that is for the transitions.

A family is a module with its part of the table; beside its statements stand its rows, its parameters and its model.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from types import ModuleType
from typing import TypeVar

from anser.engine.sqlite import prepare
from anser.sql import STATEMENTS
from anser_spec.predicates import (
    claims,
    dead,
    events,
    jobs,
    leases,
    limits,
    locks,
    notifications,
    orders,
    results,
    schedules,
    stats,
    storage,
)
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, values_of
from anser_spec.predicates.grid import Grid, differences, grid
from anser_spec.predicates.texts import conditions
from anser_spec.trace import seen

__all__ = [
    "FAMILIES",
    "NO_DECISION",
    "TABLE",
    "AnyCondition",
    "Condition",
    "Given",
    "Grid",
    "Table",
    "check",
    "conditions",
    "differences",
    "grid",
    "unbound",
    "values_of",
]

FAMILIES: tuple[ModuleType, ...] = (
    jobs,
    claims,
    leases,
    dead,
    locks,
    notifications,
    events,
    stats,
    results,
    limits,
    orders,
    schedules,
    storage,
)

Told = TypeVar("Told")


def _collected(parts: list[dict[str, Told]]) -> dict[str, Told]:
    whole = {name: told for part in parts for name, told in part.items()}
    assert len(whole) == sum(map(len, parts)), "two families tell of one statement"
    return whole


# The conditions of each statement, in the order in which they begin in its text.
TABLE: dict[str, tuple[AnyCondition, ...]] = _collected([family.TABLE for family in FAMILIES])

# Statements whose `where` decides nothing: its text, and why.
NO_DECISION: dict[str, tuple[str, str]] = _collected([family.NO_DECISION for family in FAMILIES])


def unbound(statements: Mapping[str, str] = STATEMENTS) -> list[str]:
    """Where the table and the texts of the statements differ, a line a statement."""
    told = {name: tuple(condition.text for condition in row) for name, row in TABLE.items()}
    told |= {name: (text,) for name, (text, _) in NO_DECISION.items()}
    found = {name: conditions(text) for name, text in statements.items()}
    return [
        f"{name}: the statement decides by {found.get(name, ())}, the table tells {told.get(name, ())}"
        for name in sorted(told.keys() | found.keys())
        if told.get(name, ()) != found.get(name, ())
    ]


def check(statements: Mapping[str, str] = STATEMENTS) -> list[str]:
    """Every problem: where table and texts differ, and where a condition decides otherwise on the grid.

    A rule counts as seen by each condition that cites it and has no problem.
    """
    problems = unbound(statements)
    placed = {
        (text, condition): name
        for name, row in TABLE.items()
        for text, condition in zip(conditions(statements.get(name, "")), row, strict=False)
    }
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        prepare(connection)
        for (text, condition), name in placed.items():
            found = _first_difference(connection, condition, text)
            problems += [f"{name}: {text}: {found}"] if found else []
            for rule in condition.rules if found is None else ():
                seen(rule, "predicates")
    finally:
        connection.close()
    return problems


def _first_difference(connection: sqlite3.Connection, condition: AnyCondition, text: str) -> str | None:
    try:
        return next(differences(connection, condition, text), None)
    except sqlite3.Error as error:
        return str(error)
