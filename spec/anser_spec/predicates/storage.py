"""What the statements of the file itself ask: nothing that the model decides."""

from __future__ import annotations

from anser_spec.predicates.condition import AnyCondition

__all__ = ["NO_DECISION", "TABLE"]

TABLE: dict[str, tuple[AnyCondition, ...]] = {}
NO_DECISION: dict[str, tuple[str, str]] = {
    "storage_has_format": ("type = 'table' and name = '_anser_format'", "it asks whether the table is there"),
    "storage_lock": ("one = 0", "no row is meant: it takes the write lock"),
}
