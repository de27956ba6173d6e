"""The clock of honker's SQLite, made to stand at an instant.

honker takes the time from its SQLite (`unixepoch()`), and that SQLite is a library of its own in the wheel, which asks
its file layer, the VFS, for the time. There one entry is replaced: so honker lives at whatever instant it is told, and
nothing else in the process does. It needs no compiler and no privilege, and SQLite documents the entry as one to set.
"""

from __future__ import annotations

import ctypes
import time
from pathlib import Path
from typing import Any

JULIAN_EPOCH_MS = 210_866_760_000_000  # 1970-01-01 in SQLite's milliseconds, which begin in the year -4713
VERSION_WITH_CLOCK = 2  # of the structure: older ones lack the entry
SQLITE_OK = 0

_CLOCK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64))
_POINTERS = (
    *("pNext", "zName", "pAppData", "xOpen", "xDelete", "xAccess", "xFullPathname", "xDlOpen", "xDlError", "xDlSym"),
    *("xDlClose", "xRandomness", "xSleep", "xCurrentTime", "xGetLastError"),
)


class _Vfs(ctypes.Structure):
    """`sqlite3_vfs`, as far as its clock."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("iVersion", "szOsFile", "mxPathname")),
        *((name, ctypes.c_void_p) for name in _POINTERS),
        ("xCurrentTimeInt64", _CLOCK),
    )


class NoClock(Exception):
    """This honker's SQLite is no library of its own that could be found."""


class Clock:
    """The clock of the SQLite in a wheel's folder: it runs as the machine's until it is told to stand."""

    def __init__(self, folder: Path) -> None:
        """Raises `NoClock`."""
        found = sorted(folder.glob("honker.libs/libsqlite3*.so*"))
        if not found:
            raise NoClock(f"no SQLite lies beside honker in {folder}")
        library = ctypes.CDLL(str(found[0]))  # the one that honker has loaded: a file is loaded once
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        vfs: Any = library.sqlite3_vfs_find(None).contents
        if vfs.iVersion < VERSION_WITH_CLOCK:
            raise NoClock(f"the SQLite in {found[0]} has a VFS without a clock to set")
        self._at: int | None = None
        self._asked = _CLOCK(self._tell)  # kept: SQLite only has its address
        vfs.xCurrentTimeInt64 = self._asked

    def stand(self, at: int | None) -> None:
        """Stand at that instant; None is to run again."""
        self._at = at

    def _tell(self, vfs: Any, out: Any) -> int:  # noqa: ARG002  # SQLite says which VFS is asked
        out[0] = JULIAN_EPOCH_MS + (int(time.time() * 1_000) if self._at is None else self._at * 1_000)
        return SQLITE_OK
