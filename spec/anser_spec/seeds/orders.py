"""Jobs that run one after another: the first in each of its states, those behind it, and two lines side by side."""

from __future__ import annotations

from typing import Any

from anser.types import TURN_AT, Ordered
from anser_models import World
from anser_spec.seeds.base import SEED_NOW, world
from anser_spec.seeds.jobs import pending, processing

__all__ = ["SEEDS", "place"]


_PLACE: dict[str, Any] = {"queue": "a", "order_key": "k", "run_at": SEED_NOW}


def place(job_id: int, **given: Any) -> Ordered:
    """The place of a job in the line of `k`, due by now, but for what is given."""
    return Ordered(**(_PLACE | {"job_id": job_id} | given))


SEEDS: dict[str, World] = {
    "ordered_alone": world(pending(1), place(1)),
    "ordered_waiting": world(pending(1), pending(2, run_at=TURN_AT), place(1), place(2)),
    "ordered_in_work": world(processing(1), pending(2, run_at=TURN_AT), place(1), place(2, run_at=SEED_NOW + 1)),
    "ordered_last_attempt": world(
        processing(1, attempts=2, ends_at=SEED_NOW + 1), pending(2, run_at=TURN_AT, priority=1), place(1), place(2)
    ),
    "ordered_expiring": world(
        pending(1, expires_at=SEED_NOW + 1), pending(2, run_at=TURN_AT, expires_at=SEED_NOW), place(1), place(2)
    ),
    "ordered_three": world(
        processing(1), pending(2, run_at=TURN_AT), pending(3, run_at=TURN_AT), *map(place, (1, 2, 3))
    ),
    "ordered_side_by_side": world(
        processing(1),
        pending(2, run_at=TURN_AT),
        pending(3),
        place(1),
        place(2, run_at=SEED_NOW - 1),
        place(3, order_key="l"),
    ),
}
