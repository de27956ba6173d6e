"""The refinement map: which world a file holds, and how to make a file hold a world (STO-1).

It reads columns and knows nothing of what they mean to an operation. It reads honker's own files too: what they have no
column for takes the value that a column added by Anser has by default. A family is added by its module and a line here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anser_models import World
from anser_spec.file import (
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
    streams,
)
from anser_spec.file.table import Counter, Stored, Table, columns_of, fetched

__all__ = ["COUNTERS", "TABLES", "File", "abstract", "fill"]

TABLES: tuple[Table, ...] = (
    *orders.TABLES,  # first: the trigger on the live table is to find none of them
    *jobs.TABLES,
    *dead.TABLES,
    *locks.TABLES,
    *notifications.TABLES,
    *events.TABLES,
    *results.TABLES,
    *limits.TABLES,
    *schedules.TABLES,
    *streams.TABLES,
)
COUNTERS: tuple[Counter, ...] = (
    *jobs.COUNTERS,
    *leases.COUNTERS,
    *notifications.COUNTERS,
    *events.COUNTERS,
    *streams.COUNTERS,
)


def abstract(connection: sqlite3.Connection) -> World:
    """The world that the file holds. Within a transaction it is one snapshot; it begins none."""
    return File(connection).abstract()


def fill(connection: sqlite3.Connection, world: World) -> None:
    """Make the file hold exactly that world, in a transaction of its own, or within the caller's."""
    File(connection).fill(world)


class File:
    """A connection, and which tables and columns its file has: honker's, or honker's with Anser's additions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        with _plain(connection):
            self._tables = [
                Stored(table, columns) for table in TABLES if (columns := columns_of(connection, table.name))
            ]
            self._counters = [counter for counter in COUNTERS if columns_of(connection, counter.table)]
        asked = [f"exists (select 1 from {stored.table.name})" for stored in self._tables]
        asked += [f"({counter.read})" for counter in self._counters]
        self._overview = f"select {', '.join(asked)}"  # most tables are empty: to ask of all at once is much faster

    def abstract(self) -> World:
        """The world that the file holds."""
        with _plain(self._connection):
            (overview,) = fetched(self._connection, self._overview)
            parts: dict[str, Any] = {
                stored.table.part: stored.read(self._connection) if has_rows else stored.nothing()
                for stored, has_rows in zip(self._tables, overview, strict=False)
            }
            for counter, number in zip(self._counters, overview[len(self._tables) :], strict=True):
                parts[counter.part] = number
        return World(**parts)

    def fill(self, world: World) -> None:
        """Make the file hold exactly that world; what it has no column for is left out."""
        self._write(None, world)

    def rewrite(self, before: World, after: World) -> None:
        """Make a file that was last read as `before` hold `after` and nothing else, by the rows that need it."""
        if before != after or any(stored.hidden for stored in self._tables):
            self._write(before, after)

    def _write(self, before: World | None, after: World) -> None:
        alone = not self._connection.in_transaction
        if alone:
            self._connection.execute("begin immediate")
        try:
            self._silence(before)
            self._write_rows(before, after)
            self._write_counters(before, after)
            self._sound(after)
            if alone:
                self._connection.execute("commit")
        except BaseException:
            if alone and self._connection.in_transaction:
                self._connection.execute("rollback")
            raise
        for stored in self._tables:
            stored.hidden.clear()

    def _silence(self, before: World | None) -> None:
        for counter in self._counters:
            if before is None or getattr(before, counter.part):
                for statement in counter.silenced_by:
                    self._connection.execute(statement)

    def _sound(self, after: World) -> None:
        for counter in self._counters:
            if getattr(after, counter.part):
                for statement in counter.sounded_by:
                    self._connection.execute(statement)

    def _write_rows(self, before: World | None, after: World) -> None:
        """All that leaves goes before anything comes, so that no key is held twice on the way."""
        from_what = [(stored, self._before(stored.table.moved_by, before, after)) for stored in self._tables]
        for stored, known in from_what:
            stored.forget(self._connection, known, after)
        for stored, known in from_what:
            stored.write(self._connection, known, after)

    def _write_counters(self, before: World | None, after: World) -> None:
        """The counters go last: the rows written before may have moved them."""
        for counter in self._counters:
            known = self._before(counter.moved_by, before, after)
            if known is None or _differs(known, after, counter.part):
                for statement in counter.write:
                    self._connection.execute(statement, {"number": getattr(after, counter.part)})

    def _before(self, moved_by: str | None, before: World | None, after: World) -> World | None:
        """What the file is known to hold of what rows of `moved_by` may move: nothing, where some are written."""
        hidden = any(stored.hidden for stored in self._tables if stored.table.part == moved_by)
        moved = before is not None and moved_by is not None and (hidden or _differs(before, after, moved_by))
        return None if moved else before


def _differs(before: World, after: World, part: str) -> bool:
    return bool(getattr(before, part) != getattr(after, part))


@contextmanager
def _plain(connection: sqlite3.Connection) -> Iterator[None]:
    """Texts are read as `str`, whatever the caller's connection makes of them."""
    text_factory = connection.text_factory
    connection.text_factory = str
    try:
        yield
    finally:
        connection.text_factory = text_factory
