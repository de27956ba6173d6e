"""Jobs come that run one after another; what becomes of them then is tried by the families of jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import Enqueue, EnqueueMany, Op
from anser.types import TURN_AT
from anser_models import World
from anser_spec.alphabets.base import Alphabet, Scope

__all__ = ["ALPHABET"]


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    tries: dict[str, Any] = {"queue": "a", "payload": 1, "max_attempts": 2, "max_lapses": 1}
    yield Enqueue(**tries, order_key="k")
    yield Enqueue(**tries, order_key="k", delay_s=1, priority=1)
    yield Enqueue(**tries, order_key="k", expires_s=1)
    yield Enqueue(**tries, order_key="k", expires_s=1, delay_s=1)
    yield Enqueue(**tries, order_key="l", unique_key="k")
    yield Enqueue(queue="b", payload=1, order_key="k")
    one = Enqueue(**tries, order_key="k")
    yield EnqueueMany(jobs=(one, one))


def fits(world: World, size: int) -> bool:
    return len(world.ordered) <= size


def instants(world: World) -> Iterator[int]:
    return (place.run_at for id, place in world.ordered.items() if world.jobs[id].run_at == TURN_AT)


def orders(world: World) -> Iterator[tuple[int, ...]]:
    """Who comes first when it is their turn."""
    if world.ordered and len(world.jobs) > 1:
        wanted = {
            id: world.ordered[id].run_at if job.run_at == TURN_AT else job.run_at for id, job in world.jobs.items()
        }
        yield tuple(sorted(wanted, key=lambda id: (wanted[id], id)))


ALPHABET = Alphabet(
    kind="places",
    operations=operations,
    fits=fits,
    instants=instants,
    orders=orders,
    scopes=(Scope(jobs=3, places=3, depth=1), Scope(jobs=2, places=2, max_transitions=10_000)),
)
