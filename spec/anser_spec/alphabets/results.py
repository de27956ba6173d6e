"""Results are saved, right and with one thing wrong, and looked at by the right queue and by the wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import Ack, Op, ResultGet, ResultPrune, ResultSave, ResultSweep
from anser.types import Job
from anser_models import World
from anser_spec.alphabets.base import NAMES, Alphabet, Scope, other
from anser_spec.alphabets.leases import named_by

__all__ = ["ALPHABET"]


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same at every instant
    for id in range(1, world.last_id + 2):
        for queue in NAMES:
            yield ResultGet(queue=queue, id=id)
    for job in world.jobs.values():
        yield from _saves(job, world.last_fence)
    yield ResultSweep()
    yield ResultSweep(limit=1)
    yield ResultPrune(older_than_s=0, limit=1)
    yield ResultPrune(older_than_s=1)


def fits(world: World, size: int) -> bool:
    return len(world.results) <= size


def instants(world: World) -> Iterator[int]:
    return (result.expires_at or 0 for result in world.results.values())


def orders(world: World) -> Iterator[tuple[int, ...]]:
    if len(world.results) > 1:
        yield tuple(sorted(world.results, key=lambda id: (world.results[id].expires_at or 0, id)))


def _saves(job: Job, last_fence: int) -> Iterator[Op]:
    named = named_by(job, last_fence)
    yield ResultSave(**named, value=2, ttl_s=2)
    yield Ack(**named, result=None, result_ttl_s=2)
    wrongs: list[dict[str, Any]] = [{}, {"fence": named["fence"] + 1}, {"queue": other(job.queue)}]
    wrongs += [{"worker": "w2" if named["worker"] == "w1" else "w1"}]
    wrongs += [{"fence": named["fence"] - 1}] if named["fence"] > 1 else []
    for wrong in wrongs:
        yield ResultSave(**(named | wrong), value=1, ttl_s=1)
        yield Ack(**(named | wrong), result=1, result_ttl_s=1)


ALPHABET = Alphabet(
    kind="results",
    operations=operations,
    fits=fits,
    instants=instants,
    orders=orders,
    scopes=(Scope(jobs=1, results=1, depth=3),),
)
