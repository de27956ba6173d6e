"""The grid: what SQLite, the twin and the model say of every combination of the values tried."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from anser_spec.predicates.condition import AnyCondition, Given, values_of

__all__ = ["Grid", "differences", "grid"]

_COLUMN = re.compile(r"(?<![:.'\w])[a-z_]+\b(?![.'(])")
_PARAMETER = re.compile(r":([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Grid:
    """Every combination of the values of the columns and of the parameters that are named."""

    columns: tuple[str, ...]
    rows: tuple[Any, ...]
    parameters: tuple[str, ...]
    givens: tuple[Given, ...]


def grid(condition: AnyCondition, text: str) -> Grid:
    """The grid of what the condition names, as the table tells it or as `text`."""
    told = _inside(" ".join((text, condition.text, condition.within.text if condition.within else "")), condition)
    row, parameter = condition.table.row, condition.table.given
    named, given = set(_COLUMN.findall(told)), set(_PARAMETER.findall(told))
    values = {name: usual for name, usual in {**values_of(row), **condition.values}.items() if name in named}
    parameters = {name: usual for name, usual in values_of(parameter).items() if name in given}
    return Grid(
        tuple(values),
        tuple(row(**dict(zip(values, point, strict=True))) for point in product(*values.values())),
        tuple(parameters),
        tuple(parameter(**dict(zip(parameters, point, strict=True))) for point in product(*parameters.values())),
    )


def _inside(text: str, condition: AnyCondition) -> str:
    """The condition with parameters in place of what it reads outside of its row."""
    for outside, parameter in condition.table.given.OUTSIDE.items():
        text = text.replace(outside, parameter)
    return text


def differences(connection: sqlite3.Connection, condition: AnyCondition, text: str) -> Iterator[str]:
    """Where, on the grid, SQLite says something else of `text` than the twin does, or the twin than the model."""
    tried = grid(condition, text)
    _fill(connection, condition.table.name, tried)
    for given in tried.givens:
        parameters = {name: getattr(given, name) for name in tried.parameters}
        answers = connection.execute(
            f"select {_inside(text, condition)} from grid order by place", parameters
        ).fetchall()
        for row, (answer,) in zip(tried.rows, answers, strict=True):
            said = bool(answer) if isinstance(answer, int) else answer
            twin = condition.twin(row, given)
            if said != twin:
                yield f"SQLite says {said}, the twin {twin}, of {_point(tried, row, given)}"
            if not condition.agrees(row, given):
                yield f"the twin says {twin}, the model {condition.model(row, given)}, of {_point(tried, row, given)}"


def _point(tried: Grid, row: object, given: Given) -> str:
    columns = [f"{name} = {getattr(row, name)!r}" for name in tried.columns]
    return ", ".join(columns + [f":{name} = {getattr(given, name)!r}" for name in tried.parameters])


def _fill(connection: sqlite3.Connection, table: str, tried: Grid) -> None:
    """A table `grid` of the rows, its columns of the types that the condition's own table has."""
    types = dict(connection.execute("select name, type from pragma_table_info(?)", (table,)))
    columns = "".join(f", {name} {types.get(name, '')}" for name in tried.columns)
    places = ", ?" * len(tried.columns)
    connection.execute("drop table if exists grid")
    connection.execute(f"create table grid (place integer primary key{columns})")
    connection.executemany(
        f"insert into grid values (null{places})",
        [[getattr(row, name) for name in tried.columns] for row in tried.rows],
    )
