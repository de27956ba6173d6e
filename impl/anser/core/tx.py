"""What a verb is given: statements by name, and the instant."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Row", "Tx"]

Row = tuple[Any, ...]


class Tx(Protocol):
    """A transaction is a connection and an instant: `now` was read once, after the write lock was held (STO-7)."""

    @property
    def now(self) -> int:
        """Whole epoch seconds."""

    def run(self, name: str, **parameters: Any) -> list[Row]:
        """Run one statement and give all its rows."""

    def insert(self, name: str, **parameters: Any) -> int:
        """Run one statement that makes one row, and give the row's id."""
