"""Anser's own engine on SQLite as a target: a database in memory, or a file."""

from __future__ import annotations

import sqlite3
from importlib.metadata import version
from typing import Any

from anser.clock import ManualClock
from anser.engine.sqlite import Engine, prepare
from anser.errors import AnserError
from anser.ops import Op
from anser_models import Refused, World
from anser_spec.file import File
from anser_spec.probes.ask import ask
from anser_spec.targets import FEATURES

__all__ = ["SqliteTarget"]


class SqliteTarget:
    """One connection, a clock that the caller sets, and the refinement map.

    A world is laid down by the rows in which it differs from what was read last; what was not read is not relied on.
    """

    name = "sqlite"
    version = f"{version('anser')} on SQLite {sqlite3.sqlite_version}"
    features = FEATURES

    def __init__(self, path: str = ":memory:") -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        prepare(self.connection)
        self._clock = ManualClock(0)
        self._engine = Engine(self.connection, self._clock)
        self._file = File(self.connection)
        self._known: World | None = None

    def load(self, world: World, now: int) -> None:
        self._clock.at = now
        if self._known is None:
            self._file.fill(world)
        else:
            self._file.rewrite(self._known, world)
        self._known = world

    def apply(self, op: Op, now: int) -> Any:
        self._clock.at = now
        self._known = None
        try:
            return self._engine.run(op)
        except AnserError as refusal:
            return Refused(refusal.code, getattr(refusal, "argument", None))

    def read(self) -> World:
        self._known = self._file.abstract()
        return self._known

    def begin(self) -> None:
        self.connection.execute("begin immediate")

    def commit(self) -> None:
        self.connection.execute("commit")

    def rollback(self) -> None:
        self._known = None
        self.connection.execute("rollback")

    def probe(self, entry: str) -> tuple[bool, str] | None:
        """Whether Anser has the defect, by a program that uses it as an application does; None without one."""
        return ask("anser_spec.probes.on_anser", entry)

    def close(self) -> None:
        self.connection.close()
