"""Every operation by its name. To add a family is to add its module here, and what it exports to the package."""

from __future__ import annotations

from anser.ops import claims, dead, events, jobs, leases, limits, locks, notifications, results, schedules, stats
from anser.ops.base import Op

__all__ = ["FAMILIES", "OPS"]

FAMILIES = (jobs, claims, leases, dead, locks, notifications, events, stats, results, limits, schedules)
OPS: dict[str, type[Op]] = {op.name: op for family in FAMILIES for op in family.OPS}
