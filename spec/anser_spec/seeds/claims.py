"""What a claim meets: rows that nobody can read, jobs past saving, several in a line."""

from __future__ import annotations

from anser.types import BURIED_MAX, State
from anser_models import World
from anser_spec.seeds.base import BLOB, NOT_JSON, SEED_NOW, UNREADABLE, world
from anser_spec.seeds.jobs import pending

__all__ = ["CROWDS", "SEEDS"]

SEEDS: dict[str, World] = {
    "unreadable": world(pending(1, payload=UNREADABLE)),
    "unreadable_last_attempt": world(pending(1, payload=BLOB, max_attempts=1)),
    "unreadable_in_the_way": world(pending(1, payload=NOT_JSON, priority=1), pending(2)),
    "state_unknown": world(pending(1, state=State.UNKNOWN)),
    "exhausted": world(pending(1, attempts=2)),
    "order_by_due": world(pending(1, run_at=SEED_NOW - 1), pending(2, run_at=SEED_NOW - 2)),
    "order_by_priority": world(pending(1), pending(2, priority=1)),
    "exhausted_behind": world(pending(1, priority=1), pending(2, attempts=2)),
    "key_of_a_doomed_job": world(pending(1, unique_key="k", attempts=2)),
}

CROWDS: dict[str, World] = {
    "many_past_saving": world(
        *(pending(id, attempts=2, priority=1) for id in range(1, BURIED_MAX + 3)),
        pending(BURIED_MAX + 3),
    ),
    "many_spoilt": world(
        *(
            pending(id, attempts=2 * (id % 2), payload=UNREADABLE if id % 3 else "1", run_at=SEED_NOW - id % 5)
            for id in range(1, BURIED_MAX + 60)
        ),
        *(pending(id, queue="b", expires_at=SEED_NOW - 1) for id in range(BURIED_MAX + 60, BURIED_MAX + 90)),
    ),
}
