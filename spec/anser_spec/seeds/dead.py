"""What lies among the dead; and how a dead job is made."""

from __future__ import annotations

from typing import Any

from anser.types import Dead, Reason
from anser_models import World
from anser_spec.seeds.base import SEED_NOW, world
from anser_spec.seeds.jobs import pending, processing

__all__ = ["SEEDS", "dead"]

_DEAD: dict[str, Any] = {
    "queue": "a",
    "payload": "1",
    "priority": 0,
    "run_at": SEED_NOW,
    "attempts": 2,
    "max_attempts": 2,
    "lapses": 0,
    "max_lapses": 1,
    "created_at": SEED_NOW,
    "unique_key": None,
    "reason": Reason.EXHAUSTED,
    "last_error": "e",
    "died_at": SEED_NOW,
}


def dead(id: int, **given: Any) -> Dead:
    """A job that died just now, but for what is given."""
    return Dead(id=id, **(_DEAD | given))


SEEDS: dict[str, World] = {
    "dead_and_live": world(pending(1), dead(1)),
    "dead_and_held": world(processing(1), dead(1, unique_key="k")),
    "dead_of_honker": world(dead(1, reason=None, max_attempts=0, last_error=None), dead(2, queue="b")),
    "key_of_the_dead": world(dead(1, unique_key="k"), pending(2, unique_key="k", expires_at=SEED_NOW + 1)),
    "two_dead": world(dead(1, died_at=SEED_NOW - 1), dead(2, died_at=SEED_NOW - 2)),
}
