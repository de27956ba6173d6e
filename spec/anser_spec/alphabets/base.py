"""What a family tells the search of itself, and how far a search is to look."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from anser.ops import Op
from anser_models import World
from anser_spec.judge import Difference

__all__ = ["HORIZON_S", "NAMES", "NAMES_MAX", "WORKERS", "Alphabet", "Scope", "other"]

HORIZON_S = 2  # a world with an instant farther ahead is checked and not gone on from, so that going back in time ends
WORKERS = ("w1", "w2")
NAMES = ("a", "b")  # of queues, locks and whatever else has a name
NAMES_MAX = len(NAMES)


class Scope:
    """How far to look: at worlds of so many things of each kind at most, and at the operations of those that are named.

    The kinds are those of the alphabets, as `Scope(jobs=2, locks=1)`; without any it is one job. `depth` counts steps
    and moves of the clock from a start world; None is to the end.
    """

    def __init__(
        self,
        *,
        depth: int | None = None,
        max_transitions: int | None = None,
        max_seconds: float | None = None,
        crowds: bool = False,
        **sizes: int,
    ) -> None:
        self.sizes = {kind: size for kind, size in sizes.items() if size} if sizes else {"jobs": 1}
        self.depth = depth
        self.max_transitions = max_transitions
        self.max_seconds = max_seconds
        self.crowds = crowds

    def size(self, kind: str) -> int:
        """How many of that kind a world may have; 0 for a kind that is not looked at."""
        return self.sizes.get(kind, 0)

    def within(self, max_transitions: int | None) -> Scope:
        """The same, but to a number of transitions and not to a depth, where one is given."""
        if max_transitions is None:
            return self
        return Scope(max_transitions=max_transitions, crowds=self.crowds, **self.sizes)

    def __str__(self) -> str:
        told = (f"{size} {kind if size > 1 else kind.removesuffix('s')}" for kind, size in self.sizes.items())
        return " and ".join(told)


def _none(world: World) -> Iterable[Op]:  # noqa: ARG001 - most families have no bound that only a crowd meets
    return ()


def _fits(world: World, size: int) -> bool:  # noqa: ARG001 - another family of the kind counts its things
    return True


def _no_instants(world: World) -> Iterable[int]:  # noqa: ARG001 - most instants are those of a job
    return ()


def _no_starts() -> Iterable[tuple[World, int]]:
    """Most families begin with the seeds."""
    return ()


def _no_orders(world: World) -> Iterable[tuple[object, ...]]:  # noqa: ARG001 - most orders are those of jobs
    return ()


def _no_breaches(world: World, now: int) -> Iterable[Difference]:  # noqa: ARG001 - few promise about a later instant
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """One family's part of the search.

    It is looked at where the scope has a size for its `kind`, a plural noun that several families may share. A world is
    gone on from if it `fits` its size in every family. What `canonical` leaves out is told by `orders`: who is first
    among several, by instants that have passed. `breaches` are those of the model's own promises.
    """

    kind: str
    operations: Callable[[World, int, int], Iterable[Op]]  # of a world, now, and the scope's size
    crowd: Callable[[World], Iterable[Op]] = _none
    fits: Callable[[World, int], bool] = _fits
    instants: Callable[[World], Iterable[int]] = _no_instants
    starts: Callable[[], Iterable[tuple[World, int]]] = _no_starts  # worlds beside the seeds, each with its instant
    orders: Callable[[World], Iterable[tuple[object, ...]]] = _no_orders
    breaches: Callable[[World, int], Iterable[Difference]] = _no_breaches
    scopes: tuple[Scope, ...] = ()  # that a run of the suite looks at for this family's sake


def other(name: str) -> str:
    """The other one of the two names."""
    return "b" if name == "a" else "a"
