"""The places of live jobs that run one after another. A job that leaves takes its own along, and moves another job."""

from __future__ import annotations

from anser.types import Ordered
from anser_spec.file.table import Table

__all__ = ["TABLES"]

ORDERED = Table(
    name="_anser_ordered",
    part="ordered",
    key=("job_id",),
    columns=("job_id", "queue", "order_key", "run_at"),
    moved_by="jobs",
    value=Ordered,
)

TABLES = (ORDERED,)
