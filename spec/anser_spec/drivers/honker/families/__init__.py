"""What honker has, a module a family: a new one is a module and its place in `FAMILIES`."""

from __future__ import annotations

from anser_spec.drivers.honker.calls import Call, Family
from anser_spec.drivers.honker.families import (
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
from anser_spec.drivers.honker.rows import Table

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

TABLES: tuple[Table, ...] = tuple(table for family in FAMILIES for table in family.tables)
CALLS: dict[str, Call] = {name: call for family in FAMILIES for name, call in family.calls.items()}
KINDS: dict[str, str] = {"database is locked": "busy"} | {
    words: kind for family in FAMILIES for words, kind in family.kinds.items()
}
