"""Results by the id of their job; one that honker saved names no queue."""

from __future__ import annotations

from anser.types import StoredResult
from anser_spec.file.table import Table

__all__ = ["TABLES"]

RESULTS = Table(
    name="_honker_results",
    part="results",
    key=("job_id",),
    columns=("job_id", "value", "created_at", "expires_at"),
    added={"queue": "null"},
    raw=("value",),
    value=StoredResult,
)

TABLES = (RESULTS,)
