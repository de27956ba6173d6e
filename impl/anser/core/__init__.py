"""What each operation means: `verb(tx, op) -> answer`, one function an operation, a module a family.

A verb runs inside a transaction that somebody else begins and ends. It reads no clock, knows no driver, and leaves
undoing to whoever runs it: a verb that raises may have written, and its savepoint is rolled back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anser.core import claims, dead, events, jobs, leases, limits, locks, notifications, results, schedules, stats
from anser.core.tx import Tx
from anser.ops import OPS

__all__ = ["FAMILIES", "READS", "VERBS", "Tx"]

FAMILIES = (jobs, claims, leases, dead, locks, notifications, events, stats, results, limits, schedules)
VERBS: dict[str, Callable[[Tx, Any], Any]] = {verb.__name__: verb for family in FAMILIES for verb in family.VERBS}
READS = frozenset(name for name, op in OPS.items() if not op.writes)  # they take no write lock
