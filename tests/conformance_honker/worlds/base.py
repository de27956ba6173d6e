"""What a family tells of itself to the tests against honker."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from anser.ops import Op
from anser_models import Quirk, World
from anser_spec.seeds import SEED_NOW

NOW = SEED_NOW


@dataclass(frozen=True, slots=True)
class Showing:
    """A step that shows a quirk: in that world, at that instant, and the rule that honker breaks by it."""

    start: World
    op: Op
    rule: str
    now: int = NOW


def no_worlds() -> Iterator[World]:
    return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """`loose_operations`: one of each that honker has, and those with arguments that Anser refuses. `odd_worlds`: those
    that Anser does not make. `drawn`: operations whose arguments meet what the world holds, most of the time.
    `deadlines`: instants at which something ends or begins. `seen`: transitions that long sequences take.
    """

    showings: Mapping[Quirk, Showing]
    loose_operations: Callable[[], Iterator[Op]]
    odd_worlds: Callable[[], Iterator[World]] = no_worlds
    drawn: Callable[[random.Random, World, int], list[Op]]
    deadlines: Callable[[World], Iterator[int]]
    seen: frozenset[str]
