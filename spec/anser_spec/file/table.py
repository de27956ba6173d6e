"""What a family tells the refinement map: its tables and counters, each as a part of the world.

Nothing here knows what a column means. A column or a table that honker's files lack is read as its default and not
written, so that one description serves both formats, and older files of either.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

from anser_models import EMPTY, World

__all__ = ["Counter", "Row", "Stored", "Table", "columns_of", "fetched", "fields_of"]

Row = dict[str, Any]
Part = dict[Any, Any] | frozenset[Any]

UNDERSTOOD_MAX = 4_096  # rows whose values are kept: a search reads the same few again and again
COLUMNS_OF = "select name from pragma_table_info(?)"


def fields_of(value: Any) -> Row:
    """The fields of a value, as a row of columns that have their names."""
    return {name: getattr(value, name) for name in value.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table whose rows are `part` of the world: a dictionary of values by key, or a set of keys.

    `columns` are the table's own; each of `added`, which honker's tables lack, stands with the SQL of what it is there.
    A column of `raw` may hold bytes that are no text, one of `enums` holds a word. A row becomes a value by `value`,
    from the columns as keywords, and a value a row by `row`. Where rows of the part `moved_by` are written, all of this
    table are taken out and put in anew, since a trigger of the file may have moved them.
    """

    name: str
    part: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    added: Mapping[str, str] = field(default_factory=dict)
    raw: tuple[str, ...] = ()
    enums: Mapping[str, type[StrEnum]] = field(default_factory=dict)
    moved_by: str | None = None
    value: Callable[..., Any]
    row: Callable[[Any], Row] = fields_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A number that is `part` of the world, 0 without its table. Rows of the part `moved_by` may move it.

    Where rows set something off while the number is not 0, that is `silenced_by` these statements before rows are laid
    down, and `sounded_by` those afterwards.
    """

    part: str
    table: str
    read: str
    write: tuple[str, ...]  # statements that may name :number
    moved_by: str
    silenced_by: tuple[str, ...] = ()
    sounded_by: tuple[str, ...] = ()


class Stored:
    """A table as it is in one file: the statements for the columns that are there."""

    def __init__(self, table: Table, there: frozenset[str]) -> None:
        self.table = table
        self.hidden: set[Any] = set()  # keys of rows that were read and hold more than their values show
        self._understood = lru_cache(UNDERSTOOD_MAX)(self._understand)
        self._names = (*table.columns, *table.added)
        self._read = _read(table, there)
        self._write = _write(table, there)
        self._forget = f"delete from {table.name} where {' and '.join(f'{name} = ?' for name in table.key)}"
        self._forget_all = f"delete from {table.name}"

    def read(self, connection: sqlite3.Connection) -> Part:
        """The part of the world that the table holds."""
        self.hidden.clear()
        found: dict[Any, Any] = {}
        for columns in fetched(connection, self._read):
            key, value, hides = self._understood(columns)
            found[key] = value
            if hides:
                self.hidden.add(key)
        return frozenset(found) if isinstance(getattr(EMPTY, self.table.part), frozenset) else found

    def nothing(self) -> Part:
        """The part of the world that it holds when it has no row."""
        self.hidden.clear()
        return frozenset() if isinstance(getattr(EMPTY, self.table.part), frozenset) else {}

    def forget(self, connection: sqlite3.Connection, before: World | None, after: World) -> None:
        """Delete the rows of `before` that `after` has not, or has otherwise; all that there are without a `before`."""
        if before is None:
            connection.execute(self._forget_all)
            return
        kept = self._rows(after)
        for key, value in self._rows(before).items():
            if kept.get(key) != value or key in self.hidden:
                connection.execute(self._forget, key if len(self.table.key) > 1 else (key,))

    def write(self, connection: sqlite3.Connection, before: World | None, after: World) -> None:
        """Insert the rows of `after` that `before` has not, or has otherwise."""
        there = {} if before is None else self._rows(before)
        for key, value in self._rows(after).items():
            if there.get(key) != value or key in self.hidden:
                row = dict(self.table.row(value))
                row |= {f"{name}_as_text": _is_bad_text(row[name]) for name in self.table.raw}
                connection.execute(self._write, row)

    def _understand(self, columns: tuple[Any, ...]) -> tuple[Any, Any, bool]:
        """A row's key, its value, and whether it holds more than the value shows."""
        row = self._row(columns)
        value = self.table.value(**row)
        return _key(self.table, row), value, self.table.row(value) != row

    def _row(self, columns: tuple[Any, ...]) -> Row:
        row = dict(zip(self._names, columns, strict=False))
        for name, stored_as in zip(self.table.raw, columns[len(self._names) :], strict=True):
            row[name] = _text_or_bytes(stored_as, row[name])
        for name, word in self.table.enums.items():
            row[name] = None if row[name] is None else word(row[name])
        return row

    def _rows(self, world: World) -> dict[Any, Any]:
        part: Part = getattr(world, self.table.part)
        return part if isinstance(part, dict) else {key: key for key in part}


def columns_of(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of the columns that the table has in this file; none where there is no such table."""
    return frozenset(name for (name,) in fetched(connection, COLUMNS_OF, table))


def fetched(connection: sqlite3.Connection, statement: str, *given: object) -> list[tuple[Any, ...]]:
    """The rows as plain tuples, whatever the caller's connection makes of rows."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(statement, given).fetchall()


def _read(table: Table, there: frozenset[str]) -> str:
    """A raw column is read as bytes, beside the class it is stored in: no driver can fetch text that is no UTF-8."""
    sources = [f"cast({name} as blob)" if name in table.raw else name for name in table.columns]
    sources += [name if name in there else default for name, default in table.added.items()]
    sources += [f"typeof({name})" for name in table.raw]
    return f"select {', '.join(sources)} from {table.name} order by {', '.join(table.key)}"


def _write(table: Table, there: frozenset[str]) -> str:
    """What the file has no column for is left out."""
    names = (*table.columns, *(name for name in table.added if name in there))
    places = [f"iif(:{n}_as_text, cast(:{n} as text), :{n})" if n in table.raw else f":{n}" for n in names]
    return f"insert into {table.name} ({', '.join(names)}) values ({', '.join(places)})"


def _key(table: Table, row: Row) -> Any:
    """What the world knows the row by: a tuple where it has several columns."""
    return row[table.key[0]] if len(table.key) == 1 else tuple(row[name] for name in table.key)


def _text_or_bytes(stored_as: str, raw: bytes) -> str | bytes:
    if stored_as != "text":
        return raw
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _is_bad_text(value: str | bytes | None) -> bool:
    """Whether bytes are laid down as text: those that are no UTF-8 are, as the harder case."""
    if not isinstance(value, bytes):
        return False
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
