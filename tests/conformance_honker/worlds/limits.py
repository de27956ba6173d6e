"""Rate limits by window: honker has them without a fault that the model knows."""

from __future__ import annotations

import random
from collections.abc import Iterator

from anser.ops import Op, RateLimitSweep, RateLimitTry
from anser.types import Window
from anser_models import World
from anser_spec.seeds import world
from tests.conformance_honker.worlds.base import NOW, Family


def odd_worlds() -> Iterator[World]:
    """Windows that another length of the same key has left, in every place around those that are tried."""
    for start in (NOW - 10, NOW - 5, NOW - 1, NOW, NOW + 1):
        yield world(windows={("a", start): Window("a", start, 2), ("b", start): Window("b", start, 1)})


def loose_operations() -> Iterator[Op]:
    for limit in (1, 2, 3, 0, -1):
        yield from (RateLimitTry(key="a", limit=limit, per_s=per_s) for per_s in (1, 2, 5, 7, 60, 0))
    yield from (RateLimitSweep(older_than_s=older_than_s) for older_than_s in (0, 1, 5, -1))


def drawn(draw: random.Random, world: World, now: int) -> list[Op]:
    key, per_s = draw.choice((("a", 3), ("b", 10), ("a", 7)))
    tries = RateLimitTry(key=key, limit=draw.randint(1, 2), per_s=per_s)
    return [tries if draw.random() < 0.8 else RateLimitSweep(older_than_s=draw.randint(-1, 12))]


def deadlines(world: World) -> Iterator[int]:
    return (start + per_s for _, start in world.windows for per_s in (0, 3, 7))


FAMILY = Family(
    showings={},
    loose_operations=loose_operations,
    odd_worlds=odd_worlds,
    drawn=drawn,
    deadlines=deadlines,
    seen=frozenset(
        {"rate_limit_try.first", "rate_limit_try.counted", "rate_limit_try.refused", "rate_limit_sweep.forgot"}
    ),
)
