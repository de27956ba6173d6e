"""Rows of honker's tables, into a file and back, moved to the machine's second and from it. Knows no table by name."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
Rows = dict[str, Any]  # the rows of each table by its name, and the last number given by a counter's; caller's clock


class SecondOver(Exception):
    """The machine's second ended under an operation: it is to be done again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of honker's: `_honker_` and the name. Its rows are read in the order of the key.

    `texts` are the columns whose value may be a blob, or text that is no UTF-8; `counter` is the word under which the
    last number is told that the table has given, where it gives each once.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    instants: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    counter: str | None = None


def empty(tables: Sequence[Table]) -> Rows:
    return {table.name: [] for table in tables} | {table.counter: 0 for table in tables if table.counter}


def real_second(tx: Any) -> int:
    return int(tx.query("select unixepoch() as second")[0]["second"])


def put(tx: Any, tables: Sequence[Table], rows: Rows, now: int) -> int:
    """Let the file hold these rows and no others, `now` being the machine's second, which is the answer."""
    second = real_second(tx)
    for table in tables:
        tx.execute(f"delete from _honker_{table.name}")
        names = ", ".join(table.columns)
        for row in rows[table.name]:
            marks, values = _stored(table, row, second - now)
            tx.execute(f"insert into _honker_{table.name} ({names}) values ({marks})", values)
        if table.counter is not None:
            tx.execute(f"delete from sqlite_sequence where name = '_honker_{table.name}'")
            last = [rows[table.counter]]
            tx.execute(f"insert into sqlite_sequence (name, seq) values ('_honker_{table.name}', ?)", last)
    return second


def taken_back(tx: Any, tables: Sequence[Table], before: Rows, now: int, second: int) -> Rows | None:
    """The rows in the file, or None if they are those before. Raises `SecondOver` if they cannot be trusted."""
    after: Rows = {}
    for table in tables:
        after[table.name] = [_found(table, row, now - second) for row in tx.query(_select(table))]
        if table.counter is not None:
            sequence = f"select seq from sqlite_sequence where name = '_honker_{table.name}'"
            after[table.counter] = tx.query(sequence)[0]["seq"]
    if real_second(tx) != second:
        raise SecondOver
    return None if after == before else after


def moved(values: Row, instants: Collection[str], by_s: int) -> Row:
    """The same values, those instants later by `by_s` seconds."""
    return {name: value + by_s if name in instants and value is not None else value for name, value in values.items()}


def _stored(table: Table, row: Row, shift_s: int) -> tuple[str, list[Any]]:
    """The places and values of an insert. Bytes that are no UTF-8 are laid down as text, the harder case."""
    values = moved(row, table.instants, shift_s)
    marks = dict.fromkeys(values, "?")
    for name in table.texts:
        if isinstance(values[name], dict):
            raw = values[name] = bytes.fromhex(values[name]["hex"])
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError:
                marks[name] = "cast(? as text)"
    return ", ".join(marks.values()), list(values.values())


def _select(table: Table) -> str:
    """A text is read as bytes beside its type: what is not UTF-8 would come out as an empty one."""
    read = [f"cast({name} as blob) as {name}" if name in table.texts else name for name in table.columns]
    read += [f"typeof({name}) as type_of_{name}" for name in table.texts]
    return f"select {', '.join(read)} from _honker_{table.name} order by {', '.join(table.key)}"


def _found(table: Table, row: Row, shift_s: int) -> Row:
    values = moved(row, table.instants, shift_s)
    for name in table.texts:
        raw = bytes(values[name])
        values[name] = {"hex": raw.hex()}
        if values.pop(f"type_of_{name}") == "text":
            with contextlib.suppress(UnicodeDecodeError):
                values[name] = raw.decode("utf-8")
    return values
