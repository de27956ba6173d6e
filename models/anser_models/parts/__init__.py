"""What is to be said of a world as it stands, a module a family: when two are the same, and what holds in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from anser_models.parts import events, jobs, limits, locks, notifications, orders, results, schedules
from anser_models.world import World

__all__ = ["INVARIANTS", "PARTS", "canonical", "shifted"]


class Part(Protocol):
    """What the module of a family says of the fields that are its own."""

    @property
    def INVARIANTS(self) -> tuple[Callable[[World], str | None], ...]:  # noqa: N802  # a constant of a module
        """What holds in every world that the operations can make, one function a rule."""

    def shifted(self, world: World, by_s: int) -> World:
        """The world with the instants of this part later by `by_s` seconds."""

    def fences(self, world: World) -> Iterator[int]:
        """The fences of this part's leases."""

    def canonical(self, world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:
        """This part, with instants relative to `now`, and for each fence its rank among all of the world."""


PARTS: tuple[Part, ...] = (
    jobs,
    locks,
    notifications,
    events,
    results,
    limits,
    orders,
    schedules,
)

INVARIANTS = tuple(invariant for part in PARTS for invariant in part.INVARIANTS)


def shifted(world: World, by_s: int) -> World:
    """The same world with every instant in it later by `by_s` seconds."""
    for part in PARTS:
        world = part.shifted(world, by_s)
    return world


def canonical(world: World, now: int) -> tuple[object, ...]:
    """Equal for two worlds of one job that no operation can tell apart but by how long ago something was.

    Instants are taken relative to `now`, those that have passed are one, and of fences only their order is kept. With
    several jobs or locks the order of past instants decides who is first: `anser_spec.transitions.distinct` adds it.
    """
    fences = {fence for part in PARTS for fence in part.fences(world)}
    rank = {fence: place for place, fence in enumerate(sorted(fences), start=1)}
    return tuple(part.canonical(world, now, rank) for part in PARTS)
