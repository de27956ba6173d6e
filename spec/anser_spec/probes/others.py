"""What probes need of another process on the same file, by the standard library alone."""

from __future__ import annotations

import subprocess
import sys

__all__ = ["LIVE_WITHOUT_EXPIRY", "begin_in_another_process", "holding_the_lock"]

LIVE_WITHOUT_EXPIRY = """
create table _honker_live (
    id integer primary key autoincrement, queue text not null, payload text not null,
    state text not null default 'pending', priority integer not null default 0, run_at integer not null,
    worker_id text, claim_expires_at integer, attempts integer not null default 0,
    max_attempts integer not null default 3, created_at integer not null
)
"""

TAKE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("begin immediate")
except sqlite3.OperationalError:
    sys.exit(1)
"""

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=5, isolation_level=None)
connection.execute("begin immediate")
print("held", flush=True)
sys.stdin.read()
"""


def begin_in_another_process(path: str) -> bool:
    """Whether another process gets the write lock at once."""
    return subprocess.run([sys.executable, "-c", TAKE, path], check=False).returncode == 0


class holding_the_lock:  # noqa: N801  # used as a word: with holding_the_lock(path)
    """For the body of a `with`, another process holds the write lock."""

    def __init__(self, path: str) -> None:
        self._command = [sys.executable, "-c", HOLD, path]

    def __enter__(self) -> None:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None, "it is a pipe"
        assert self._process.stdout.readline() == "held\n", "it has the lock"

    def __exit__(self, *raised: object) -> None:
        self._process.communicate()
