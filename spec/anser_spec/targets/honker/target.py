"""The published honker as a target of the suite: what it can be asked, and what it can hold and tell.

honker runs in a process of its own (`driver.py`): it carries an SQLite of its own, and two in one process undo each
other's file locks.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anser.ops import Op
from anser_models import EMPTY, Refused, World
from anser_spec.targets.honker.rows import (
    arguments_of,
    can,
    project,
    project_answer,
    rows_of,
    told,
    world_of,
)

__all__ = ["HonkerTarget", "Stopped"]

DRIVER = Path(__file__).with_name("driver.py")
ANSWER_TIMEOUT_S = 120
LEAVE_TIMEOUT_S = 10

CODES = {"internal": "storage"}  # the protocol's kinds of error that have another name as a refusal


class Stopped(Exception):
    """The driver's process ended, or gave no answer in time."""


class HonkerTarget:
    """A fresh file of honker's in a process of its own. `by`: SQL `function`s, or `method`s of honker's queue."""

    name = "honker"

    def __init__(self, directory: Path, *, by: str = "function") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="honker-")
        self._process = _started(directory)
        self._requests = 0
        hello = self._ask("hello", {})
        self.version: str = hello["version"]
        self.features: frozenset[str] = frozenset(hello["features"])
        self._ask("open", {"path": str(Path(self._folder.name, "honker.db")), "by": by})
        self.load(EMPTY, 0)

    # --- the target protocol

    def load(self, world: World, now: int) -> None:  # noqa: ARG002  # the driver keeps rows as the caller's clock tells them
        self._world = project(world)
        self._ask("load", {"rows": rows_of(self._world)})

    def apply(self, op: Op, now: int) -> Any:
        answer = self._answer(op.name, {"now": now, **arguments_of(op)})
        before, self._world = self._world, world_of(self._ask("snapshot", {}), self._world)
        return told(op, answer, before, self._world)

    def read(self) -> World:
        return self._world

    def close(self) -> None:
        """End the process and remove its file. Can be called again."""
        if self._process.poll() is None:
            _ended(self._process)
        self._folder.cleanup()

    # --- what it can hold, tell, and be asked

    def project(self, world: World) -> World:
        """The part of a world that honker's tables can hold."""
        return project(world)

    def project_answer(self, op: Op, answer: Any) -> Any:  # noqa: ARG002  # an answer shows its kind by itself
        """The part of an answer that honker can tell."""
        return project_answer(answer)

    def can(self, op: Op) -> bool:
        """Whether honker has the operation with these arguments. Wrong ones that it takes are among them."""
        return op.name in self.features and can(op)

    # --- many at once

    def steps(self, world: World, now: int, ops: Sequence[Op]) -> list[tuple[Any, World]]:
        """What each operation comes to from that world: its answer, and the world after it. Keeps nothing."""
        before = project(world)
        asked = [(op.name, arguments_of(op)) for op in ops]
        taken = self._ask("steps", {"now": now, "rows": rows_of(before), "ops": asked})
        results = []
        for op, step in zip(ops, taken, strict=True):
            after = before if step["rows"] is None else world_of(step["rows"], before)
            answer = _refused(step["error"]) if "error" in step else step["answer"]
            results.append((told(op, answer, before, after), after))
        return results

    # --- messages

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        answer = self._answer(method, params)
        if isinstance(answer, Refused):
            raise Stopped(f"honker's driver refused {method}: {answer}")
        return answer

    def _answer(self, method: str, params: dict[str, Any]) -> Any:
        self._requests += 1
        request = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        response = json.loads(_exchanged(self._process, json.dumps(request)))
        return _refused(response["error"]) if "error" in response else response["result"]


# --- the process


def _started(directory: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(directory.resolve())}
    return subprocess.Popen(
        [sys.executable, str(DRIVER)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _exchanged(process: subprocess.Popen[str], request: str) -> str:
    assert process.stdin is not None, "it is a pipe"
    assert process.stdout is not None, "it is a pipe"
    try:
        process.stdin.write(request + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        raise Stopped(f"honker's process has ended with status {process.wait(LEAVE_TIMEOUT_S)}") from None
    if not select.select([process.stdout], [], [], ANSWER_TIMEOUT_S)[0]:
        process.kill()
        raise Stopped(f"honker's process gave no answer for {ANSWER_TIMEOUT_S} s and was ended")
    response = process.stdout.readline()
    if not response:
        raise Stopped(f"honker's process has ended with status {process.wait(LEAVE_TIMEOUT_S)}")
    return response


def _ended(process: subprocess.Popen[str]) -> None:
    """Let it leave by itself; end it if it does not."""
    try:
        process.communicate('{"method": "bye"}\n', timeout=LEAVE_TIMEOUT_S)
    except (subprocess.TimeoutExpired, BrokenPipeError):
        process.kill()
        process.communicate()


def _refused(error: dict[str, Any]) -> Refused:
    kind = error["data"]["kind"]
    return Refused(CODES.get(kind, kind))
