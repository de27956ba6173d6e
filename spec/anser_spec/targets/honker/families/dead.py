"""Dead jobs. honker counts no lapses, and does not say why a job died but in its last error."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import Any

from anser.ops import SweepExpired, to_json
from anser.types import Dead
from anser_models import World
from anser_spec.targets.honker.families.base import Asking, Family, Row, Table
from anser_spec.targets.honker.families.jobs import MAX_LAPSES, payload_of

__all__ = ["FAMILY"]

SWEEP_LIMIT = SweepExpired(queue="q").limit


def _row(job: Dead) -> Row:
    return {
        "id": job.id,
        "queue": job.queue,
        "payload": to_json(job.payload),
        "priority": job.priority,
        "run_at": job.run_at,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "last_error": job.last_error,
        "created_at": job.created_at,
        "died_at": job.died_at,
    }


def _dead(row: Row, before: World) -> Dead:  # noqa: ARG001  # nothing of it is told but by the row
    return Dead(
        id=row["id"],
        queue=row["queue"],
        payload=payload_of(row),
        priority=row["priority"],
        run_at=row["run_at"],
        attempts=row["attempts"],
        max_attempts=row["max_attempts"],
        lapses=0,
        max_lapses=MAX_LAPSES,
        created_at=row["created_at"],
        unique_key=None,
        reason=None,
        last_error=row["last_error"],
        died_at=row["died_at"],
    )


def _held(job: Dead) -> Dead:
    return replace(job, lapses=0, max_lapses=MAX_LAPSES, unique_key=None, reason=None)


def _without_limit(op: SweepExpired) -> bool:
    return op.limit == SWEEP_LIMIT


def _limitless(op: SweepExpired) -> dict[str, Any]:  # noqa: ARG001  # whatever it was
    return {"limit": SWEEP_LIMIT}


FAMILY = Family(
    parts=(Table(field="dead", name="dead", key=attrgetter("id"), held_value=_held, row=_row, from_row=_dead),),
    asking={SweepExpired: Asking(can=_without_limit, plain=_limitless)},
    answers={Dead: _held},
)
