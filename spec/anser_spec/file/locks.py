"""Locks; one that honker wrote has been acquired once, and nobody knows when."""

from __future__ import annotations

from anser.types import Lock
from anser_spec.file.table import Table

__all__ = ["TABLES"]

LOCKS = Table(
    name="_honker_locks",
    part="locks",
    key=("name",),
    columns=("name", "owner", "expires_at"),
    added={"fence": "0", "depth": "1", "acquired_at": "null"},
    value=Lock,
)

TABLES = (LOCKS,)
