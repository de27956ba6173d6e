"""A file of honker's, done to at any instant.

Every operation can say what time it is, and honker's clock stands there meanwhile (`clock`). Where that clock cannot be
set, or is not to be, it is the machine's, and the stored instants are moved instead: the rows are put into the file
later by `real second - wanted now`, the operation runs, the rows are read back earlier by the same, all within one
second of the machine; if that second ended meanwhile, all of it is done again. So either way a boundary second is
exact, and nobody waits. Schedules need the clock: an instant that a cron expression names is none of its any more when
it is moved. An operation that names no instant is done in real time, on the file as it is.

Two ways to do an operation (`open`, `by`): `function` calls honker's SQL functions inside the transaction that puts
and reads the rows; `method` calls the methods of honker's queue, each with the transaction that it makes itself. Both
come to the same. What honker raises is rolled back, as its own methods do; a caller who catches the error inside his
transaction, or has autocommit, is left with what was done up to there (D11, E03), which is not looked at here.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Outcome, broke, done, failure, honker
from anser_spec.drivers.honker.clock import Clock, NoClock
from anser_spec.drivers.honker.families import CALLS, KINDS, TABLES
from anser_spec.drivers.honker.rows import Rows, SecondOver, empty, put, real_second, taken_back

PROTOCOL = 1
SECONDS_MAX = 100  # a second may end under an operation now and then; a hundred in a row mean that it hangs


class Undo(Exception):
    """Leaves a transaction without a trace."""


class Driver:
    """A file of honker's, and the rows in it as the caller's clock tells them."""

    def __init__(self) -> None:
        self.db: Any = None
        self.by_method = False
        self.rows: Rows = empty(TABLES)
        self.clock: Clock | None = None
        with contextlib.suppress(NoClock):
            self.clock = Clock(Path(honker.__file__).parents[1])
        self.moves_rows = self.clock is None

    def hello(self) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "implementation": "honker",
            "version": importlib.metadata.version("honker"),
            "language": "python",
            "clock": "shifted" if self.moves_rows else "settable",
            "format": "honker",
            "features": sorted(name for name, call in CALLS.items() if not (call.needs_clock and self.moves_rows)),
        }

    def open(self, path: str, by: str = "function", *, move_rows: bool = False) -> None:
        self.db = honker.open(path)
        self.db.queue("queue")  # the first queue makes the tables
        self.by_method = by == "method"
        self.moves_rows = move_rows or self.clock is None

    def load(self, rows: Rows) -> None:
        self.rows = rows

    def snapshot(self) -> Rows:
        return self.rows

    def apply(self, name: str, now: int | None, arguments: Arguments) -> Outcome:
        """Do one operation on the rows, and keep what it leaves; without an instant, on the file as it is."""
        if now is None:
            return self._as_it_is(name, arguments)
        attempt = self._by_method if self._has_method(name) else self._by_function
        for _ in range(SECONDS_MAX):
            with contextlib.suppress(SecondOver), self._standing(now):
                outcome, rows = attempt(name, now, arguments)
                self.rows = rows or self.rows
                return outcome
        return failure("internal", f"{SECONDS_MAX} seconds in a row ended under {name}")

    def steps(self, now: int, rows: Rows, ops: list[tuple[str, Arguments]]) -> list[Outcome]:
        """Do each operation on these rows, and keep none: its outcome, with the rows where they changed."""
        outcomes: list[Outcome] = []
        with self._standing(now), contextlib.suppress(Undo), self.db.transaction() as tx:
            for _ in range(SECONDS_MAX):
                second = put(tx, TABLES, rows, now)
                with contextlib.suppress(SecondOver):
                    for name, arguments in ops[len(outcomes) :]:
                        outcomes.append(undone(tx, now, rows, second, name, arguments))
                    raise Undo
        return outcomes

    @contextlib.contextmanager
    def _standing(self, now: int) -> Iterator[None]:
        if self.clock is None or self.moves_rows:
            yield
            return
        self.clock.stand(now)
        try:
            yield
        finally:
            self.clock.stand(None)

    def boundaries(self, asked: list[tuple[str, int]]) -> list[int | None]:
        """The first boundary of each expression after an instant, in the zone of this process; None is refused."""
        with self.db.transaction() as tx:
            return [boundary(tx, expr, at) for expr, at in asked]

    def _has_method(self, name: str) -> bool:
        return self.by_method and CALLS[name].by_method is not None

    def _as_it_is(self, name: str, arguments: Arguments) -> Outcome:
        if self._has_method(name):
            return by_method(self.db, name, arguments, 0)
        with contextlib.suppress(Undo), self.db.transaction() as tx:
            outcome: Outcome = by_function(tx, name, arguments, 0)
            if broke(outcome):
                raise Undo
        return outcome

    def _by_function(self, name: str, now: int, arguments: Arguments) -> tuple[Outcome, Rows | None]:
        with contextlib.suppress(Undo), self.db.transaction() as tx:
            second = put(tx, TABLES, self.rows, now)
            outcome = by_function(tx, name, arguments, second - now)
            rows = taken_back(tx, TABLES, self.rows, now, second)
            if broke(outcome):
                raise Undo
            return outcome, rows
        return outcome, None

    def _by_method(self, name: str, now: int, arguments: Arguments) -> tuple[Outcome, Rows | None]:
        with self.db.transaction() as tx:
            second = put(tx, TABLES, self.rows, now)
        outcome = by_method(self.db, name, arguments, second - now)
        with self.db.transaction() as tx:
            return outcome, taken_back(tx, TABLES, self.rows, now, second)


def undone(tx: Any, now: int, rows: Rows, second: int, name: str, arguments: Arguments) -> Outcome:
    """Do an operation on rows that were put, and leave no trace of it. Raises `SecondOver`."""
    tx.execute("savepoint step")
    try:
        changes = total_changes(tx)
        outcome = by_function(tx, name, arguments, second - now)
        unchanged = broke(outcome) or changes == total_changes(tx)
        if real_second(tx) != second:
            raise SecondOver
        return {**outcome, "rows": None if unchanged else taken_back(tx, TABLES, rows, now, second)}
    finally:
        tx.execute("rollback to step")
        tx.execute("release step")


def boundary(tx: Any, expr: str, at: int) -> int | None:
    with contextlib.suppress(RuntimeError):  # it refuses the expression, or finds no boundary
        return int(tx.query("select honker_cron_next_after(?, ?) as at", [expr, at])[0]["at"])
    return None


def total_changes(tx: Any) -> int:
    return int(tx.query("select total_changes() as changes")[0]["changes"])


def by_function(tx: Any, name: str, arguments: Arguments, shift_s: int) -> Outcome:
    call = CALLS[name]
    return done(name, call, lambda given: call.by_function(tx, given), arguments, shift_s, KINDS)


def by_method(db: Any, name: str, arguments: Arguments, shift_s: int) -> Outcome:
    call, method = CALLS[name], CALLS[name].by_method
    assert method is not None, "asked for only where there is one"
    return done(name, call, lambda given: method(db, given), arguments, shift_s, KINDS)
