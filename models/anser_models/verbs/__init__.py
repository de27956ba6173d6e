"""What each operation means: `verb(draft, op) -> answer`, one function an operation, a module a family.

Each verb is written from its rules, in the plainest way: sort everything, walk it. It says nothing about statements,
indexes or locks, and shares only nouns and argument checks with the implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from anser_models.draft import Draft
from anser_models.quirks import Quirk
from anser_models.verbs import (
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

__all__ = ["FAMILIES", "LOOSE", "TRANSITIONS", "VERBS"]


class Family(Protocol):
    """What the module of a family says."""

    @property
    def TRANSITIONS(self) -> dict[str, str]:  # noqa: N802  # a constant of a module
        """The named transitions of its verbs, each with its rule."""

    @property
    def LOOSE(self) -> dict[Quirk, set[str]]:  # noqa: N802  # a constant of a module
        """The arguments of its operations that a quirk lets through: the checks of these fields are passed over."""

    @property
    def VERBS(self) -> tuple[Callable[[Draft, Any], Any], ...]:  # noqa: N802  # a constant of a module
        """Its verbs, each with the name of its operation."""


FAMILIES: tuple[Family, ...] = (
    jobs,
    claims,
    leases,
    dead,
    locks,
    notifications,
    events,
    stats,
    results,
    limits,
    orders,
    schedules,
)

TRANSITIONS = {name: rule for family in FAMILIES for name, rule in family.TRANSITIONS.items()}
VERBS = {verb.__name__: verb for family in FAMILIES for verb in family.VERBS}
LOOSE = {verb.__name__: family.LOOSE for family in FAMILIES for verb in family.VERBS}
