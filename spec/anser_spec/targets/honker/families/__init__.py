"""What is the same in honker's rows and answers and in ours, a module a family: a new one is a module and its place in
`FAMILIES`.
"""

from __future__ import annotations

from anser_spec.targets.honker.families import (
    claims,
    dead,
    jobs,
    leases,
    limits,
    locks,
    notifications,
    results,
    schedules,
    streams,
)
from anser_spec.targets.honker.families.base import Family

__all__ = ["FAMILIES"]

FAMILIES: tuple[Family, ...] = (
    jobs.FAMILY,
    claims.FAMILY,
    leases.FAMILY,
    dead.FAMILY,
    locks.FAMILY,
    notifications.FAMILY,
    results.FAMILY,
    limits.FAMILY,
    streams.FAMILY,
    schedules.FAMILY,
)
