"""The published honker as a target of the suite: what it can be asked, and what it can hold and tell.

honker runs in a process of its own (`anser_spec.drivers.honker`): it carries an SQLite of its own, and two in one
process undo each other's file locks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anser.ops import Op
from anser_models import EMPTY, PROCESS_TZ, World
from anser_spec.probes.ask import ask
from anser_spec.targets.honker.families.schedules import in_zone
from anser_spec.targets.honker.process import ROOT, HonkerProcess, refused
from anser_spec.targets.honker.rows import (
    arguments_of,
    can,
    plain,
    project,
    project_answer,
    rows_of,
    told,
    world_of,
)

__all__ = ["HonkerTarget"]


class HonkerTarget:
    """A fresh file of honker's in a process of its own.

    `by`: SQL `function`s, or `method`s of honker's queue. `tz`: the zone in which the process lives. `move_rows`: let
    honker have the machine's clock, and move the rows in time instead.
    """

    name = "honker"

    def __init__(self, directory: Path, *, by: str = "function", tz: str = PROCESS_TZ, move_rows: bool = False) -> None:
        self._tz = tz
        self._folder = tempfile.TemporaryDirectory(prefix="honker-")
        self._directory = directory
        path = Path(self._folder.name, "honker.db")
        self._process = HonkerProcess(directory, path, by=by, tz=tz, move_rows=move_rows)
        self.version: str = self._process.hello["version"]
        self.features: frozenset[str] = frozenset(self._process.hello["features"])
        self.load(EMPTY, 0)

    def probe(self, entry: str) -> tuple[bool, str] | None:
        """Whether honker has the defect, by a program of its own; None without one."""
        return ask("anser_spec.probes.on_honker", entry, path=(self._directory.resolve(), ROOT))

    # --- the target protocol

    def load(self, world: World, now: int) -> None:  # noqa: ARG002  # the driver keeps rows in the caller's time
        """Let the driver begin with the part of that world that honker's tables can hold."""
        self._world = self.project(world)
        self._process.ask("load", rows=rows_of(self._world))

    def apply(self, op: Op, now: int) -> Any:
        """Do one operation, and keep what it leaves."""
        answer = self._process.do(op, now)
        after = world_of(self._process.ask("snapshot"), self._world)
        before, self._world = self._world, in_zone(after, self._tz)
        return told(op, answer, before, self._world)

    def read(self) -> World:
        """The rows after the last operation."""
        return self._world

    def close(self) -> None:
        """End the process and remove its file. Can be called again."""
        self._process.close()
        self._folder.cleanup()

    # --- what it can hold, tell, and be asked

    def project(self, world: World) -> World:
        """The part of a world that honker's tables can hold."""
        return in_zone(project(world), self._tz)

    def project_answer(self, op: Op, answer: Any) -> Any:  # noqa: ARG002  # an answer shows its kind by itself
        """The part of an answer that honker can tell."""
        return project_answer(answer)

    def can(self, op: Op) -> bool:
        """Whether honker has the operation with these arguments. Wrong ones that it takes are among them."""
        return op.name in self.features and can(op)

    def plain(self, op: Op) -> Op:
        """The operation without the arguments that honker lacks, as far as it means something without them."""
        return plain(op)

    # --- many at once

    def steps(self, world: World, now: int, ops: Sequence[Op]) -> list[tuple[Any, World]]:
        """What each operation comes to from that world: its answer, and the world after it. Keeps nothing."""
        before = self.project(world)
        asked = [(op.name, arguments_of(op)) for op in ops]
        taken = self._process.ask("steps", now=now, rows=rows_of(before), ops=asked)
        results = []
        for op, step in zip(ops, taken, strict=True):
            after = before if step["rows"] is None else in_zone(world_of(step["rows"], before), self._tz)
            answer = refused(step["error"]) if "error" in step else step["answer"]
            results.append((told(op, answer, before, after), after))
        return results
