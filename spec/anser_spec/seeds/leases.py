"""What a word meets: leases that hold, that lapsed, and that a crash or a foreign hand left half."""

from __future__ import annotations

from anser.types import SETTLED_MAX, Lease, State
from anser_models import World
from anser_spec.seeds.base import SEED_NOW, UNREADABLE, world
from anser_spec.seeds.jobs import pending, processing

__all__ = ["CROWDS", "SEEDS"]

SEEDS: dict[str, World] = {
    "unreadable_held": world(processing(1, payload=UNREADABLE)),
    "state_unknown_with_lease": world(processing(1, state=State.UNKNOWN), pending(2)),
    "pending_with_lease": world(pending(1, lease=Lease("w1", 1, None, SEED_NOW + 1))),
    "processing_without_lease": world(processing(1, lease=None)),
    "processing_without_worker": world(processing(1, lease=Lease("", 1, None, SEED_NOW))),
    "expired_and_lapsed": world(processing(1, ends_at=SEED_NOW - 1, expires_at=SEED_NOW)),
    "expired_and_held": world(processing(1, expires_at=SEED_NOW)),
    "last_attempt_held": world(processing(1, attempts=2)),
    "lapses_used_up": world(processing(1, ends_at=SEED_NOW - 1, lapses=1)),
    "two_lapsed": world(processing(1, ends_at=SEED_NOW - 1), processing(2, fence=2, ends_at=SEED_NOW - 2)),
    "held_together": world(processing(1), processing(2)),
}

CROWDS: dict[str, World] = {
    "many_lapsed": world(
        *(processing(id, fence=id, ends_at=SEED_NOW - 1 - id % 3, attempts=1) for id in range(1, SETTLED_MAX + 3)),
        last_id=SETTLED_MAX + 2,
    ),
}
