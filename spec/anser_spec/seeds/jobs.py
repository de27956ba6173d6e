"""Jobs as they lie: due, expired, by key, finished; and how a job is made."""

from __future__ import annotations

from typing import Any

from anser.types import HISTORY_IDS, Finished, Job, Lease, State
from anser_models import EMPTY, World
from anser_spec.seeds.base import SEED_NOW, world

__all__ = ["CROWDS", "SEEDS", "pending", "processing"]

_PENDING: dict[str, Any] = {
    "queue": "a",
    "payload": "1",
    "state": State.PENDING,
    "priority": 0,
    "run_at": SEED_NOW,
    "attempts": 0,
    "max_attempts": 2,
    "lapses": 0,
    "max_lapses": 1,
    "created_at": SEED_NOW,
    "expires_at": None,
    "unique_key": None,
    "last_error": None,
    "lease": None,
}


def pending(id: int, **given: Any) -> Job:
    """A job that is due, but for what is given."""
    return Job(id=id, **(_PENDING | given))


def processing(id: int, *, fence: int = 1, ends_at: int = SEED_NOW, **given: Any) -> Job:
    """A job in its first attempt, held by w1 to the end of this second, but for what is given."""
    lease = Lease("w1", fence, SEED_NOW, ends_at)
    return Job(id=id, **(_PENDING | {"state": State.PROCESSING, "attempts": 1, "lease": lease} | given))


SEEDS: dict[str, World] = {
    "empty": EMPTY,
    "one": world(pending(1)),
    "expired": world(pending(1, expires_at=SEED_NOW)),
    "expires_next": world(pending(1, expires_at=SEED_NOW + 1)),
    "two_expired": world(pending(1, expires_at=SEED_NOW), pending(2, expires_at=SEED_NOW - 1)),
    "two_queues": world(pending(1), pending(2, queue="b", priority=1)),
    "keys": world(pending(1, unique_key="k"), pending(2, queue="b", unique_key="k")),
    "finished": world(Finished(1, "a", State.DONE, 1, SEED_NOW), Finished(2, "a", State.CANCELLED, 0, SEED_NOW)),
    "paused": world(pending(1), pending(2, queue="b"), paused=frozenset("a")),
}

CROWDS: dict[str, World] = {
    "long_history": world(
        *(Finished(id, "a", State.DONE, 1, SEED_NOW) for id in range(1, 6)),
        processing(HISTORY_IDS + 3),
        processing(HISTORY_IDS + 4),
        processing(HISTORY_IDS + 6),
        last_id=HISTORY_IDS + 10,
    ),
}
