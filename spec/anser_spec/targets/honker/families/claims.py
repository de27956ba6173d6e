"""Claims, each of one queue."""

from __future__ import annotations

from typing import Any

from anser.ops import Claim, NextClaimAt
from anser.types import Job
from anser_models import World
from anser_spec.targets.honker.families.base import Asking, Family, Row, Said

__all__ = ["FAMILY"]


def _of_one_queue(op: Claim | NextClaimAt) -> bool:
    return len(op.queues) == 1


def _its_queue(op: Claim | NextClaimAt) -> dict[str, Any]:
    return {"queue": op.queues[0]}


def _told(said: Said) -> tuple[Job | Row, ...]:
    return tuple(_claimed(row, said.after) for row in said.answer)


def _claimed(row: Row, after: World) -> Job | Row:
    """The claimed job as its row has it, or what honker said where the row says something else."""
    job = after.jobs.get(row["id"])
    if job is None or job.lease is None:
        return row
    agrees = (row["attempts"], row["claim_expires_at"]) == (job.attempts, job.lease.expires_at)
    return job if agrees else row


FAMILY = Family(
    asking={
        Claim: Asking(can=_of_one_queue, arguments=_its_queue, told=_told),
        NextClaimAt: Asking(can=_of_one_queue, arguments=_its_queue),
    },
)
