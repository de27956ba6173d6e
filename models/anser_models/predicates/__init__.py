"""The questions that decide, each a pure function of a job, or what else there is, and an instant. A module a family.

CrossHair proves that the three-valued twin of every deciding `where` says the same (`anser_spec.predicates`).
"""

from __future__ import annotations

from anser_models.predicates.jobs import claim_order, doom, due, expired, held, held_by, lapsed, stray
from anser_models.predicates.limits import filled, full, holds_slot, level_at, window_start
from anser_models.predicates.locks import locked, locked_by
from anser_models.predicates.notifications import beyond, too_old
from anser_models.predicates.results import result_over, result_shown
from anser_models.predicates.schedules import ripe

__all__ = [
    "beyond",
    "claim_order",
    "doom",
    "due",
    "expired",
    "filled",
    "full",
    "held",
    "held_by",
    "holds_slot",
    "lapsed",
    "level_at",
    "locked",
    "locked_by",
    "result_over",
    "result_shown",
    "ripe",
    "stray",
    "too_old",
    "window_start",
]
