"""What can be seen of a file and of this process's SQLite without changing either: for `anser.doctor`."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from anser.engine.sqlite import FORMAT, mapped, read_format
from anser.sql import STATEMENTS

__all__ = ["FORMAT", "VERSION", "Seen", "libraries", "locks_hold", "look"]

VERSION = sqlite3.sqlite_version_info
BUSY_TIMEOUT_S = 5.0
PROBE_TIMEOUT_S = 30
PROBLEMS_MAX = 20

_MAPS = Path("/proc/self/maps")
_LIBRARY = re.compile(r"libsqlite3[^/]*$")

# What another process does: whether it gets the write lock. It has nothing of Anser's, so that only SQLite is tried.
_PROBE = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    other.execute("begin immediate")
    other.execute("rollback")
    print("had")
except sqlite3.OperationalError as error:
    print("refused" if "locked" in str(error) else error)
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a file found. `strays` is None where the file has not been prepared."""

    journal_mode: str
    format: int | None
    tables: tuple[str, ...]
    strays: int | None
    bad_schedules: tuple[str, ...]
    damage: tuple[str, ...]


def look(path: str, *, integrity: bool) -> Seen:
    """Read what the file is, and every page of it if `integrity`. Raises `FormatError` or `StorageError`."""
    with closing(_connected(path)) as connection:
        try:
            ((journal_mode,),) = connection.execute("pragma journal_mode").fetchall()
            format = read_format(connection)
            tables = tuple(name for (name,) in connection.execute(STATEMENTS["doctor_tables"]))
            strays = None if format != FORMAT else connection.execute(STATEMENTS["doctor_strays"]).fetchone()[0]
            bad = (
                tuple(name for (name,) in connection.execute(STATEMENTS["doctor_schedules"]))
                if format == FORMAT
                else ()
            )
        except sqlite3.Error as error:
            raise mapped(error, path) from error
        return Seen(journal_mode, format, tables, strays, bad, _damage(connection) if integrity else ())


def _damage(connection: sqlite3.Connection) -> tuple[str, ...]:
    """What is wrong with the pages; a file may be so broken that it cannot be told in full."""
    try:
        found = connection.execute(f"pragma integrity_check({PROBLEMS_MAX})").fetchall()
    except sqlite3.DatabaseError as error:
        return (str(error),)
    return tuple(str(text) for (text,) in found if text != "ok")


def locks_hold(path: str) -> str | None:
    """Try whether another process is kept out while this one has the write lock; None if it is, else what happened.

    Nothing is written. Raises `Busy` while others keep the lock.
    """
    with closing(_connected(path)) as connection:
        try:
            connection.execute("begin immediate")
        except sqlite3.Error as error:
            raise mapped(error) from error
        try:
            done = subprocess.run(
                [sys.executable, "-c", _PROBE, path],
                capture_output=True,
                text=True,
                timeout=PROBE_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"another process could not be asked: {error}"
        finally:
            connection.execute("rollback")
    told = done.stdout.strip() or done.stderr.strip()
    return None if told == "refused" else told


def libraries() -> tuple[str, ...]:
    """The SQLite libraries that this process has loaded, where the system tells."""
    try:
        lines = _MAPS.read_text("utf-8").splitlines()
    except OSError:
        return ()
    files = {line.split(maxsplit=5)[5] for line in lines if len(line.split(maxsplit=5)) > 5}
    return tuple(sorted(file for file in files if _LIBRARY.search(file)))


def _connected(path: str) -> sqlite3.Connection:
    """A connection that reads every text, also one that is no UTF-8: it is looked at because it may be sick."""
    try:
        connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    except sqlite3.Error as error:
        raise mapped(error, path) from error
    connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
    return connection
