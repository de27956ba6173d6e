"""Asking a probe, from the suite's own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["ask"]

TIMEOUT_S = 120


def ask(module: str, entry: str, *, path: Iterable[Path] = ()) -> tuple[bool, str] | None:
    """Whether the build of that module of probes has the defect, and by what that was seen; None without a probe.

    `path` goes before the process's import path. A probe that breaks off has shown nothing, and that is told.
    """
    environment = os.pathsep.join([*map(str, path), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    if entry not in _entries(module, environment):
        return None
    with tempfile.TemporaryDirectory(prefix="anser-probe-") as folder:
        answer = _run(module, environment, entry, str(Path(folder, "fresh.db")))
    return answer["present"], f"the probe: {answer['by']}" if answer["present"] else "the probe saw nothing wrong"


@cache
def _entries(module: str, environment: str) -> frozenset[str]:
    return frozenset(_run(module, environment))


def _run(module: str, environment: str, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the probe {module} {' '.join(arguments)} broke off: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.splitlines()[-1])
