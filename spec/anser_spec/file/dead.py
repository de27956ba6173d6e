"""Jobs that died."""

from __future__ import annotations

from anser.types import Dead, Reason
from anser_spec.file.table import Table

__all__ = ["TABLES"]

DEAD = Table(
    name="_honker_dead",
    part="dead",
    key=("id",),
    columns=(
        "id",
        "queue",
        "payload",
        "priority",
        "run_at",
        "attempts",
        "max_attempts",
        "created_at",
        "last_error",
        "died_at",
    ),
    added={"lapses": "0", "max_lapses": "5", "unique_key": "null", "reason": "null"},
    raw=("payload",),
    enums={"reason": Reason},
    value=Dead,
)

TABLES = (DEAD,)
