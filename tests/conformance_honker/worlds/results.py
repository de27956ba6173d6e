"""Results: what only honker meets of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from anser.ops import Op, ResultGet, ResultSave, ResultSweep
from anser_models import Quirk, World
from anser_spec.seeds import dead, pending, processing, result, world
from tests.conformance_honker.worlds.base import NOW, Family, Showing

NAMED: dict[str, Any] = {"queue": "a", "id": 1, "worker": "w1", "fence": 1}

SHOWINGS: dict[Quirk, Showing] = {
    Quirk.E25_RESULTS_BY_ID: Showing(world(dead(1)), ResultGet(queue="a", id=1), "RES-6"),
}


def odd_worlds() -> Iterator[World]:
    """Results of jobs that are live or never were, with and without an end."""
    for expires_at in (None, NOW - 1, NOW, NOW + 1):
        odd = result(1, queue=None, expires_at=expires_at)
        yield world(odd)
        yield world(odd, pending(1))
        yield world(odd, processing(1), result(2, queue=None, value="null"))


def loose_operations() -> Iterator[Op]:
    for id in (1, 2):
        named = NAMED | {"id": id}
        yield from (ResultSave(**named, value={"é": [1.5]}, ttl_s=ttl_s) for ttl_s in (1, 2, 0, -1))
        yield ResultSave(**named | {"worker": "nobody"}, value=None, ttl_s=1)
        yield from (ResultGet(queue=queue, id=id) for queue in ("a", "b"))
    yield ResultSweep()


def drawn(draw: random.Random, world: World, now: int) -> list[Op]:
    named = NAMED | {"queue": draw.choice("ab"), "id": draw.randint(1, max(world.last_id, 2))}
    return [
        ResultSave(**named, value=draw.choice((1, None, "x", [])), ttl_s=draw.randint(-1, 9)),
        ResultGet(queue=named["queue"], id=named["id"]),
        ResultSweep(),
    ]


def deadlines(world: World) -> Iterator[int]:
    return (stored.expires_at for stored in world.results.values() if stored.expires_at is not None)


FAMILY = Family(
    showings=SHOWINGS,
    loose_operations=loose_operations,
    odd_worlds=odd_worlds,
    drawn=drawn,
    deadlines=deadlines,
    seen=frozenset({"result_sweep.forgot", "result_sweep.nothing"}),
)
