"""What only honker meets: the arguments that it takes and Anser refuses, worlds that its files may hold, and for each
quirk of the model one step that shows it. A new family is a module and its place in `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import Op
from anser_models import Quirk, World
from tests.conformance_honker.worlds import jobs, limits, locks, notifications, results, schedules, streams
from tests.conformance_honker.worlds.base import NOW, Family, Showing

__all__ = ["FAMILIES", "NOW", "SHOWINGS", "loose_operations", "odd_worlds"]

FAMILIES: tuple[Family, ...] = (
    jobs.FAMILY,
    locks.FAMILY,
    notifications.FAMILY,
    results.FAMILY,
    limits.FAMILY,
    streams.FAMILY,
    schedules.FAMILY,
)

SHOWINGS: dict[Quirk, Showing] = {quirk: showing for family in FAMILIES for quirk, showing in family.showings.items()}


def odd_worlds() -> Iterator[World]:
    """Worlds that Anser does not make, or makes only from what another binding left."""
    return (world for family in FAMILIES for world in family.odd_worlds())


def loose_operations() -> Iterator[Op]:
    """One of each operation that honker has, and those with arguments that Anser refuses."""
    return (op for family in FAMILIES for op in family.loose_operations())
