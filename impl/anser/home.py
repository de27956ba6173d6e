"""What every face needs of its database: the file, the clock, a way to run operations, and to wait for others."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from typing import Any, Protocol

from anser.clock import Clock
from anser.engine.sqlite import Transaction
from anser.ops import Op
from anser.wake import Wake

__all__ = ["Home", "Tx"]

Tx = Transaction | sqlite3.Connection | None


class Home(Protocol):
    """A database as its queues, locks, channels and so on see it."""

    path: str
    clock: Clock
    wake: Wake

    def run(self, op: Op, tx: Tx = None) -> Any:
        """Do one operation, alone or as a part of the caller's transaction."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """The write lock for the body of a `with`, and a commit at its end."""
