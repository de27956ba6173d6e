"""Jobs are buried, listed among the dead, requeued and forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import DeadList, DeadPrune, DeadRequeue, Op, SweepExpired
from anser.types import BURIED_MAX
from anser_models import World
from anser_spec.alphabets.base import Alphabet, other

__all__ = ["ALPHABET"]


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - whatever dead there are
    yield SweepExpired(queue="a")
    yield SweepExpired(queue="a", limit=1)
    for id, job in world.dead.items():
        yield DeadRequeue(queue=job.queue, id=id)
        yield DeadRequeue(queue=other(job.queue), id=id)
    if not world.dead:
        yield DeadRequeue(queue="a", id=1)
    yield DeadPrune(queue="a", older_than_s=0, limit=1)
    yield DeadPrune(queue="a", older_than_s=1)
    yield DeadList(queue="a")
    yield DeadList(queue="a", after_id=1, limit=1)


def crowd(world: World) -> Iterator[Op]:  # noqa: ARG001 - the same in every world
    yield SweepExpired(queue="b", limit=BURIED_MAX)


def instants(world: World) -> Iterator[int]:
    return (job.died_at for job in world.dead.values())


def orders(world: World) -> Iterator[tuple[int, ...]]:
    if len(world.dead) > 1:
        yield tuple(sorted(world.dead, key=lambda id: (world.dead[id].died_at, id)))


ALPHABET = Alphabet(kind="jobs", operations=operations, crowd=crowd, instants=instants, orders=orders)
