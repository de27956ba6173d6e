"""Jobs are handed out, and the next instant is told at which one can be."""

from __future__ import annotations

from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Call, Family, function, queue_method
from anser_spec.drivers.honker.families.jobs import LIVE
from anser_spec.drivers.honker.rows import Row, moved


def _claimed(db: Any, given: Arguments) -> list[Row]:
    """By its method, whose answers are objects."""
    jobs = queue_method("claim_batch", "worker n")(db, given)
    return [{"id": job.id, "attempts": job.attempts, "claim_expires_at": job.claim_expires_at} for job in jobs]


def _rows(raw: Any, by_s: int) -> list[Row]:
    return [moved(job, LIVE.instants, by_s) for job in raw]


def _instant(raw: Any, by_s: int) -> int | None:
    """honker says 0 for never."""
    return raw + by_s if raw else None


FAMILY = Family(
    calls={
        "claim": Call(
            by_function=function("honker_claim_batch", "queue worker n lease_s", answers_json=True),
            by_method=_claimed,
            tell=_rows,
        ),
        "next_claim_at": Call(
            by_function=function("honker_queue_next_claim_at", "queue"),
            by_method=queue_method("_next_claim_at"),
            tell=_instant,
        ),
    },
)
