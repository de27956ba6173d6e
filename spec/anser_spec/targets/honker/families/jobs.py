"""Live jobs.

The last error of a live job is no part of a world that honker can hold, and yet it is kept: a target gives back the one
that was loaded, as from a column that honker does not know. So it shows that honker keeps none of its own (E23).
"""

from __future__ import annotations

import json
from dataclasses import replace
from operator import attrgetter
from typing import Any

from anser.ops import Enqueue, GetJob, to_json
from anser.types import Enqueued, Job, Lease, State
from anser_models import World
from anser_spec.targets.honker.families.base import FENCE, Asking, Counter, Family, Row, Said, Table

__all__ = ["FAMILY", "MAX_LAPSES", "payload_of"]

MAX_LAPSES = Enqueue(queue="q", payload=None).max_lapses


# --- rows


def _row(job: Job) -> Row:
    return {
        "id": job.id,
        "queue": job.queue,
        "payload": to_json(job.payload),
        "state": job.state,
        "priority": job.priority,
        "run_at": job.run_at,
        "worker_id": job.lease and job.lease.worker,
        "claim_expires_at": job.lease and job.lease.expires_at,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "created_at": job.created_at,
        "expires_at": job.expires_at,
    }


def _job(row: Row, before: World) -> Job:
    lease = None
    if row["claim_expires_at"] is not None:
        lease = Lease(row["worker_id"] or "", FENCE, None, row["claim_expires_at"])
    loaded = before.jobs.get(row["id"])
    return Job(
        id=row["id"],
        queue=row["queue"],
        payload=payload_of(row),
        state=State(row["state"]),
        priority=row["priority"],
        run_at=row["run_at"],
        attempts=row["attempts"],
        max_attempts=row["max_attempts"],
        lapses=0,
        max_lapses=MAX_LAPSES,
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        unique_key=None,
        last_error=None if loaded is None else loaded.last_error,
        lease=lease,
    )


def payload_of(row: Row) -> str | bytes:
    """The payload of a row: bytes where the driver could not tell it as text."""
    payload: str | dict[str, str] = row["payload"]
    return bytes.fromhex(payload["hex"]) if isinstance(payload, dict) else payload


def _held(job: Job) -> Job:
    lease = None if job.lease is None else replace(job.lease, fence=FENCE, claimed_at=None)
    return replace(job, lapses=0, max_lapses=MAX_LAPSES, unique_key=None, lease=lease)


# --- operations


def _can_enqueue(op: Enqueue) -> bool:
    return op.unique_key is op.order_key is None and op.max_lapses == MAX_LAPSES and None in (op.run_at, op.delay_s)


def _plain_enqueue(op: Enqueue) -> dict[str, Any]:  # noqa: ARG001  # whatever they were
    return {"unique_key": None, "order_key": None, "max_lapses": MAX_LAPSES}


def _enqueue_arguments(op: Enqueue) -> dict[str, Any]:
    text = json.dumps(op.payload, ensure_ascii=False, separators=(",", ":"))
    return {"payload": text.encode("utf-8", "backslashreplace").decode("utf-8")}


def _enqueued(said: Said) -> Enqueued:
    return Enqueued(said.answer, created=True)


def _got(said: Said) -> Job | None:
    return None if said.answer is None else _job(said.answer, said.before)


FAMILY = Family(
    parts=(
        Table(field="jobs", name="live", key=attrgetter("id"), held_value=_held, row=_row, from_row=_job),
        Counter("last_id"),
    ),
    asking={
        Enqueue: Asking(can=_can_enqueue, plain=_plain_enqueue, arguments=_enqueue_arguments, told=_enqueued),
        GetJob: Asking(told=_got),
    },
    answers={Job: _held},
)
