"""The driver as a process: started with honker in its path, asked in JSON lines, ended by its own handle."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH

from anser.ops import Op
from anser_models import PROCESS_TZ, Refused
from anser_spec.targets.honker.rows import arguments_of

__all__ = ["DRIVER", "ROOT", "HonkerProcess", "Stopped", "refused"]

DRIVER = "anser_spec.drivers.honker"
ROOT = Path(__file__).parents[3]  # where the driver is found
ANSWER_TIMEOUT_S = 120
LEAVE_TIMEOUT_S = 10

CODES = {"internal": "storage"}  # the protocol's kinds of error that have another name as a refusal


class Stopped(Exception):
    """The driver's process ended, gave no answer in time, or refused what it never should."""


class HonkerProcess:
    """honker in a process of its own, with a file open.

    `by`: SQL `function`s, or `method`s of honker's queue. `tz`: the zone in which the process lives. `move_rows`: let
    honker have the machine's clock, and move the rows in time instead.
    """

    def __init__(
        self, directory: Path, path: Path, *, by: str = "function", tz: str = PROCESS_TZ, move_rows: bool = False
    ) -> None:
        self._process = _started(directory, tz)
        self._requests = 0
        try:
            self.ask("open", path=str(path), by=by, move_rows=move_rows)
            self.hello: dict[str, Any] = self.ask("hello")  # by then it knows whose clock it has
        except Stopped:
            self.close()
            raise

    def do(self, op: Op, now: int | None = None) -> Any:
        """honker's answer to an operation, or the refusal: at that instant on the rows that were loaded, or now on the
        file as it is."""
        arguments = arguments_of(op)
        return self._answer(op.name, arguments if now is None else {"now": now, **arguments})

    def ask(self, method: str, **params: Any) -> Any:
        """What a method of the driver gives that is no operation. Raises `Stopped`."""
        answer = self._answer(method, params)
        if isinstance(answer, Refused):
            raise Stopped(f"honker's driver refused {method}: {answer}")
        return answer

    def close(self) -> None:
        """Let it leave by itself; end it if it does not. Can be called again."""
        if self._process.stdin is None or self._process.stdin.closed:
            return
        try:
            self._process.communicate('{"method": "bye"}\n', timeout=LEAVE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def _answer(self, method: str, params: dict[str, Any]) -> Any:
        self._requests += 1
        request = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        response = json.loads(_exchanged(self._process, json.dumps(request)))
        return refused(response["error"]) if "error" in response else response["result"]


def refused(error: dict[str, Any]) -> Refused:
    """The refusal that an error of the protocol stands for."""
    kind = error["data"]["kind"]
    return Refused(CODES.get(kind, kind))


def _started(directory: Path, tz: str) -> subprocess.Popen[str]:
    path = os.pathsep.join((str(directory.resolve()), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "TZ": _zone_file(tz) or tz}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", DRIVER],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _zone_file(tz: str) -> str | None:
    """The file that Python reads the zone from, so that both go by the same rules; None where there is no such zone."""
    folders: list[Any] = [*map(Path, TZPATH), resources.files("tzdata") / "zoneinfo"]
    return next((str(folder / tz) for folder in folders if (folder / tz).is_file()), None)


def _exchanged(process: subprocess.Popen[str], request: str) -> str:
    assert process.stdin is not None, "it is a pipe"
    assert process.stdout is not None, "it is a pipe"
    try:
        process.stdin.write(request + "\n")
        process.stdin.flush()
    except (BrokenPipeError, ValueError):  # ValueError: it was closed by us
        raise Stopped(f"honker's process has ended with status {process.wait(LEAVE_TIMEOUT_S)}") from None
    if not select.select([process.stdout], [], [], ANSWER_TIMEOUT_S)[0]:
        process.kill()
        raise Stopped(f"honker's process gave no answer for {ANSWER_TIMEOUT_S} s and was ended")
    response = process.stdout.readline()
    if not response:
        raise Stopped(f"honker's process has ended with status {process.wait(LEAVE_TIMEOUT_S)}")
    return response
