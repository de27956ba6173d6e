"""What is wrong with a file, or with the process that works on it, before it shows as lost work.

It changes nothing: a file that lacks Anser's tables is not prepared, and one in another journal mode stays in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike

from anser.engine import examine
from anser.engine.examine import FORMAT, Seen
from anser.errors import AnserError, Invalid
from anser.retention import BOUNDED, CHORES

__all__ = ["Finding", "Level", "diagnose"]

# SQLite 3.7.0 to 3.51.2 may lose commits when two connections reset the write-ahead log at the same moment.
WAL_RESET_FIXED = ((3, 51, 3), (3, 53, 0))  # on the branch 3.51, and for all
BRANCH_ENDS = (3, 52, 0)


class Level(StrEnum):
    """How bad it is: `error` for what loses work or stops it, `warning` for what will matter some day."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check came to; the text says what was seen and, where that is bad, what to do."""

    check: str
    level: Level
    text: str


def diagnose(path: str | PathLike[str], *, integrity: bool = False) -> tuple[Finding, ...]:
    """Examine a file and this process, and answer what each check came to (RTN-5).

    Takes the write lock for a moment, to see another process kept out, and starts that process. With `integrity` every
    page is read. Raises `Invalid` where there is no such file, `Busy` while others keep the lock.
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or not os.path.isfile(name):
        raise Invalid("path", path, "there is no such file: pass the path of the database")
    try:
        seen = examine.look(name, integrity=integrity)
    except AnserError as refusal:
        return (Finding(refusal.code, Level.ERROR, str(refusal)), _version(), _libraries())
    checks = [
        _format(seen),
        _journal_mode(seen),
        _version(),
        _libraries(),
        _locks(name),
        _strays(seen),
        _schedules(seen),
    ]
    return (*checks, *_retention(seen), *([_integrity(seen)] if integrity else []))


def _format(seen: Seen) -> Finding:
    if seen.format == FORMAT:
        return Finding("format", Level.OK, f"the file has format {FORMAT}")
    told = "none" if seen.format is None else str(seen.format)
    return Finding(
        "format", Level.WARNING, f"the file has format {told}, not {FORMAT}: open it with anser.open once, to extend it"
    )


def _journal_mode(seen: Seen) -> Finding:
    if seen.journal_mode == "wal":
        return Finding("journal_mode", Level.OK, "the file is in WAL mode")
    return Finding(
        "journal_mode",
        Level.ERROR,
        f"the journal mode is {seen.journal_mode!r}, so readers block the writer: "
        "open the file with anser.open, on a local disk",
    )


def _version() -> Finding:
    branch, newest = WAL_RESET_FIXED
    here = examine.VERSION
    if here >= newest or branch <= here < BRANCH_ENDS:
        return Finding("sqlite_version", Level.OK, f"SQLite {_dotted(here)}")
    return Finding(
        "sqlite_version",
        Level.WARNING,
        f"SQLite {_dotted(here)} may lose commits when two connections reset the write-ahead log at once: "
        "use 3.51.3, or 3.53.0 or newer",
    )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _libraries() -> Finding:
    loaded = examine.libraries()
    if len(loaded) < 2:
        return Finding("sqlite_libraries", Level.OK, "this process has one SQLite")
    return Finding(
        "sqlite_libraries",
        Level.ERROR,
        f"this process has several SQLite libraries, which undo each other's file locks: {', '.join(loaded)}; "
        "open the file by one of them alone",
    )


def _locks(path: str) -> Finding:
    told = examine.locks_hold(path)
    if told is None:
        return Finding("locks", Level.OK, "while one process has the write lock, another is kept out")
    return Finding(
        "locks",
        Level.ERROR,
        f"another process was not kept out of the write lock ({told}): move the file to a local disk",
    )


def _strays(seen: Seen) -> Finding:
    if not seen.strays:
        return Finding("strays", Level.OK, "every live row is one that a claim can meet")
    return Finding(
        "strays",
        Level.WARNING,
        f"{seen.strays} live rows have columns that mean nothing: a claim of their queue moves them to the dead",
    )


def _schedules(seen: Seen) -> Finding:
    """A schedule that a tick could not read fires no more, and nobody is told but here."""
    if not seen.bad_schedules:
        return Finding("schedules", Level.OK, "every schedule can be read")
    return Finding(
        "schedules",
        Level.WARNING,
        f"these schedules fire no more: {', '.join(seen.bad_schedules)}; see their error, and register them anew",
    )


def _retention(seen: Seen) -> Iterator[Finding]:
    """A table by a name of the queue's that no upkeep empties and nothing bounds (D05, RTN-6)."""
    kept = {table for chore in CHORES for table in chore.tables} | BOUNDED.keys()
    endless = [table for table in seen.tables if table not in kept]
    if not endless:
        yield Finding("retention", Level.OK, "db.maintain reaches every table that grows without a bound")
    for table in endless:
        yield Finding("retention", Level.WARNING, f"no upkeep takes rows out of {table}: what writes there has to")


def _integrity(seen: Seen) -> Finding:
    if not seen.damage:
        return Finding("integrity", Level.OK, "every page is sound")
    return Finding("integrity", Level.ERROR, f"the file is damaged: {'; '.join(seen.damage)}; restore a copy of it")
