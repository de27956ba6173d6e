"""Results of jobs that are live, ended or forgotten; and how a result is made."""

from __future__ import annotations

from typing import Any

from anser.types import Finished, State, StoredResult
from anser_models import World
from anser_spec.seeds.base import SEED_NOW, world
from anser_spec.seeds.dead import dead
from anser_spec.seeds.jobs import pending, processing

__all__ = ["SEEDS", "result"]

_RESULT: dict[str, Any] = {"queue": "a", "value": "1", "created_at": SEED_NOW, "expires_at": SEED_NOW + 1}


def result(job_id: int, **given: Any) -> StoredResult:
    """A result that was saved just now for a second, but for what is given."""
    return StoredResult(job_id, **(_RESULT | given))


_DONE = Finished(1, "a", State.DONE, 1, SEED_NOW)

SEEDS: dict[str, World] = {
    "result_of_a_pending_job": world(pending(1, attempts=1), result(1)),
    "result_of_a_held_job": world(processing(1), result(1)),
    "result_of_the_dead": world(dead(1), result(1)),
    "result_of_a_cancelled_job": world(Finished(1, "a", State.CANCELLED, 0, SEED_NOW), result(1)),
    "result_of_a_done_job": world(_DONE, result(1)),
    "result_over": world(_DONE, result(1, expires_at=SEED_NOW)),
    "result_of_honker": world(result(1, queue=None, expires_at=None), last_id=1),
    "two_results_of_honker": world(
        result(1, queue=None, expires_at=None),
        result(2, queue=None, created_at=SEED_NOW - 1, expires_at=None),
        last_id=2,
    ),
    "result_without_a_value": world(_DONE, result(1, queue=None, value=None, expires_at=None)),
    "result_forgotten": world(result(1), last_id=1),
    "two_results_over": world(
        result(1, expires_at=SEED_NOW - 1), result(2, queue="b", expires_at=SEED_NOW - 2), last_id=2
    ),
}
