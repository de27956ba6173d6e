"""What a world holds is listed and counted: looked at beside the events, so that no search of jobs is longer for it."""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import Op, QueueList, Stats
from anser_models import World
from anser_spec.alphabets.base import Alphabet

__all__ = ["ALPHABET"]


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same in every world
    yield QueueList(limit=1)
    yield QueueList(after_queue="a")
    yield Stats()


ALPHABET = Alphabet(kind="events", operations=operations)
