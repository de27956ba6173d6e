"""Lay the published honker wheel into a folder: `python -m anser_spec.targets.honker.lay DIR [VERSION]`.

The folder is for PYTHONPATH of a process of its own; honker is never imported here, because it carries an
SQLite of its own, and two of them in one process undo each other's file locks. The wheel is built for a newer
C library than many machines have, but of its files only the bundled SQLite needs it: where that one cannot be
loaded, the machine's own takes its place.

Exit status: 0 laid (or was already), 3 this machine cannot run it. Why not stands in `DIR/why-not` too, so
that the tests that need honker can say it when they are skipped.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from anser_spec.targets.honker import PUBLISHED, WHY_NOT, missing

__all__ = ["CannotLay", "lay", "runs"]

CANNOT_EXIT = 3

_PIP_TIMEOUT_S = 300
_PROBE_TIMEOUT_S = 60

# Opening a file shows that the bundled SQLite loads; the statement, that it is new enough for honker's clock.
_PROBE = """
import os, tempfile, honker
with tempfile.TemporaryDirectory() as folder:
    db = honker.open(os.path.join(folder, "probe.db"))
    db.query("select unixepoch()")
    db.close()
"""

# Which file the machine's SQLite is in: the library's own, or else the one that Python is linked with.
_SYSTEM_SQLITE = """
import ctypes
try:
    ctypes.CDLL("libsqlite3.so.0")
except OSError:
    import sqlite3
with open("/proc/self/maps") as maps:
    files = {line.split()[-1] for line in maps if "libsqlite3" in line}
print(min(files, default=""))
"""


class CannotLay(Exception):
    """This machine cannot run the wheel; the text says why, and what would help."""


def lay(directory: Path, version: str = PUBLISHED) -> bool:
    """Make `directory` hold a honker that runs here. Answers False if it did already. Raises `CannotLay`."""
    why_not = directory / WHY_NOT
    if missing(directory, version) is None and runs(directory) is None:
        return False
    try:
        _install(directory, version)
        if runs(directory) is not None:
            _replace_sqlite(directory)
        failure = runs(directory)
        if failure is not None:
            raise CannotLay(f"honker {version} was laid into {directory} but does not run: {failure}")
    except CannotLay as reason:
        directory.mkdir(parents=True, exist_ok=True)
        why_not.write_text(f"{reason}\n", encoding="utf-8")
        raise
    why_not.unlink(missing_ok=True)
    return True


def runs(directory: Path) -> str | None:
    """None if a process with that PYTHONPATH can open a file with honker; else the last thing it said."""
    probe = _python("-c", _PROBE, timeout_s=_PROBE_TIMEOUT_S, path=directory)
    if probe.returncode == 0:
        return None
    return _last_line(probe)


def _install(directory: Path, version: str) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade", "--only-binary=:all:"]
    pip = _python(
        *("-m", "pip", "install", *options, "--target", str(directory), *_tags(), f"honker=={version}"),
        timeout_s=_PIP_TIMEOUT_S,
    )
    if pip.returncode != 0:
        machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        raise CannotLay(f"pip found no wheel of honker {version} for {machine}: {_last_line(pip)}")


def _tags() -> list[str]:
    """On Linux, ask for the wheel by its own tags: pip alone would not offer it beside an older C library."""
    if platform.system() != "Linux":
        return []
    tag = f"manylinux_2_38_{platform.machine()}"
    return ["--python-version", "3.11", "--implementation", "cp", "--abi", "abi3", "--platform", tag]


def _replace_sqlite(directory: Path) -> None:
    bundled = sorted(directory.glob("honker.libs/libsqlite3*.so*"))
    if not bundled:
        return
    found = _python("-c", _SYSTEM_SQLITE, timeout_s=_PROBE_TIMEOUT_S).stdout.strip()
    if not found:
        raise CannotLay(
            "the wheel's own SQLite needs a newer C library than this one, and there is no libsqlite3.so.0 to "
            "put in its place (this Python has SQLite built in): install your system's SQLite library, try again"
        )
    for library in bundled:
        shutil.copyfile(found, library)


def _python(*arguments: str, timeout_s: int, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run this Python on its own, with honker's folder in its path only where it is asked for."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        environment["PYTHONPATH"] = str(path.resolve())
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotLay(f"{' '.join(arguments[:3])} … took more than {timeout_s} s") from None


def _last_line(process: subprocess.CompletedProcess[str]) -> str:
    lines = (process.stderr or process.stdout).strip().splitlines()
    return lines[-1] if lines else f"exit status {process.returncode}, and not a word"


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 2:
        print("usage: python -m anser_spec.targets.honker.lay DIR [VERSION]", file=sys.stderr)
        return 2
    directory = Path(arguments[0])
    version = arguments[1] if len(arguments) == 2 else PUBLISHED
    try:
        fresh = lay(directory, version)
    except CannotLay as reason:
        print(f"honker: {reason}", file=sys.stderr)
        return CANNOT_EXIT
    print(f"honker {version} {'laid into' if fresh else 'is already in'} {directory}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
