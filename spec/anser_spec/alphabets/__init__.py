"""The operations worth trying in a world, a module each family: a few of each kind, with arguments that meet the world.

A family is added by its module and a line here.
"""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import Op
from anser_models import World
from anser_spec.alphabets import (
    claims,
    dead,
    events,
    jobs,
    leases,
    limits,
    locks,
    notifications,
    orders,
    results,
    schedules,
    stats,
)
from anser_spec.alphabets.base import HORIZON_S, NAMES_MAX, Alphabet, Scope

__all__ = ["ALPHABETS", "HORIZON_S", "KINDS", "Alphabet", "Scope", "alphabet"]

ALPHABETS: tuple[Alphabet, ...] = (
    jobs.ALPHABET,
    claims.ALPHABET,
    leases.ALPHABET,
    dead.ALPHABET,
    locks.ALPHABET,
    notifications.ALPHABET,
    events.ALPHABET,
    stats.ALPHABET,
    results.ALPHABET,
    limits.WINDOWS,
    limits.BUCKETS,
    limits.SLOTS,
    orders.ALPHABET,
    schedules.ALPHABET,
)
KINDS = tuple(dict.fromkeys(family.kind for family in ALPHABETS))


def alphabet(world: World, now: int) -> Iterator[Op]:
    """The operations of all families to try in a world."""
    for family in ALPHABETS:
        yield from family.operations(world, now, NAMES_MAX)
