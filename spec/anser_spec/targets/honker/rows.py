"""What honker's tables hold of a world, and what its answers tell: the two ways between values and rows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from anser.ops import (
    AckBatch,
    Claim,
    Enqueue,
    Heartbeat,
    LockAcquire,
    LockRelease,
    LockRenew,
    NextClaimAt,
    Op,
    Retry,
    SweepExpired,
    to_json,
)
from anser.types import INTEGER_MAX, INTEGER_MIN, Dead, Enqueued, Job, Lease, Lock, Settled, State
from anser_models import Refused, World

__all__ = ["arguments_of", "can", "project", "project_answer", "rows_of", "told", "world_of"]

FENCE = 1  # honker has none: every lease is told as one with this
MAX_LAPSES = Enqueue(queue="q", payload=None).max_lapses
SWEEP_LIMIT = SweepExpired(queue="q").limit


# --- operations


def can(op: Op) -> bool:
    """Whether honker has the operation with these arguments. Wrong ones that it takes are among them."""
    if not _fits(op):
        return False
    match op:
        case Enqueue():
            return op.unique_key is None and op.max_lapses == MAX_LAPSES and None in (op.run_at, op.delay_s)
        case Claim() | NextClaimAt():
            return len(op.queues) == 1
        case SweepExpired():
            return op.limit == SWEEP_LIMIT
        case Retry():
            return op.error is not None
    return True


def _fits(op: Op) -> bool:
    """Whether every number of the operation fits into a column, and its payload can be written as JSON."""
    try:
        values = arguments_of(op).values()
    except (TypeError, ValueError, IndexError):
        return False
    return all(not isinstance(value, int) or INTEGER_MIN <= value <= INTEGER_MAX for value in values)


def arguments_of(op: Op) -> dict[str, Any]:
    """The arguments as the driver takes them: the payload as text, one queue, held jobs by id."""
    arguments: dict[str, Any] = to_json(op)
    match op:
        case Enqueue():
            text = json.dumps(op.payload, ensure_ascii=False, separators=(",", ":"))
            arguments["payload"] = text.encode("utf-8", "backslashreplace").decode("utf-8")
        case Claim() | NextClaimAt():
            arguments["queue"] = op.queues[0]
        case AckBatch():
            arguments["ids"] = [held.id for held in op.held]
    return arguments


def told(op: Op, answer: Any, before: World, after: World) -> Any:
    """honker's answer as a value of `anser.types`; what it only says yes to is read from the rows."""
    if isinstance(answer, Refused):
        return answer
    match op:
        case Enqueue():
            return Enqueued(answer, created=True)
        case Claim():
            return tuple(_claimed(row, after) for row in answer)
        case AckBatch():
            gone = tuple(
                dict.fromkeys(held.id for held in op.held if held.id in before.jobs.keys() - after.jobs.keys())
            )
            return gone if len(gone) == answer else answer
        case Heartbeat():
            beating = after.jobs.get(op.id)
            return beating and beating.lease and beating.lease.expires_at
        case Retry():
            job = after.jobs.get(op.id)
            return Settled(State.DEAD, None) if job is None else Settled(job.state, job.run_at)
        case LockAcquire():
            return after.locks.get(op.lock) if answer else None
        case LockRenew():
            return after.locks[op.lock].expires_at
        case LockRelease():
            return op.lock not in after.locks
    if op.name == "get_job" and answer is not None:
        return _job(answer, before)
    return answer


def _claimed(row: dict[str, Any], after: World) -> Job | dict[str, Any]:
    """The claimed job as its row has it, or what honker said where the row says something else."""
    job = after.jobs.get(row["id"])
    if job is None or job.lease is None:
        return row
    agrees = (row["attempts"], row["claim_expires_at"]) == (job.attempts, job.lease.expires_at)
    return job if agrees else row


# --- worlds


def project(world: World) -> World:
    """The part of a world that honker's tables can hold.

    The last error of a live job is no such part, and yet it is kept: a target gives back the one that was loaded, as
    from a column that honker does not know. So it shows that honker keeps none of its own (E23).
    """
    return World(
        jobs={id: _held_job(job) for id, job in world.jobs.items()},
        dead={id: _held_dead(job) for id, job in world.dead.items()},
        last_id=world.last_id,
        last_fence=FENCE,
        locks={name: _held_lock(lock) for name, lock in world.locks.items()},
    )


def project_answer(answer: Any) -> Any:
    """The part of an answer that honker can tell: of a refusal its kind, and not the argument."""
    if isinstance(answer, Job):
        return _held_job(answer)
    if isinstance(answer, Dead):
        return _held_dead(answer)
    if isinstance(answer, Lock):
        return _held_lock(answer)
    if isinstance(answer, Refused):
        return Refused(answer.code)
    if isinstance(answer, tuple):
        return tuple(project_answer(part) for part in answer)
    return answer


def rows_of(world: World) -> dict[str, Any]:
    """The world as rows of honker's tables, each a dictionary of its columns in their order."""
    return {
        "live": [_live_row(job) for _, job in sorted(world.jobs.items())],
        "dead": [_dead_row(job) for _, job in sorted(world.dead.items())],
        "locks": [_lock_row(lock) for _, lock in sorted(world.locks.items())],
        "last_id": world.last_id,
    }


def world_of(rows: dict[str, Any], before: World) -> World:
    """The world that rows of honker's tables hold, with the last errors that were loaded."""
    locks = [Lock(row["name"], row["owner"], FENCE, None, row["expires_at"], 1) for row in rows["locks"]]
    return World(
        jobs={row["id"]: _job(row, before) for row in rows["live"]},
        dead={row["id"]: _dead(row) for row in rows["dead"]},
        last_id=rows["last_id"],
        last_fence=FENCE,
        locks={lock.name: lock for lock in locks},
    )


def _live_row(job: Job) -> dict[str, Any]:
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


def _dead_row(job: Dead) -> dict[str, Any]:
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


def _lock_row(lock: Lock) -> dict[str, Any]:
    return {"name": lock.name, "owner": lock.owner, "expires_at": lock.expires_at}


def _job(row: dict[str, Any], before: World) -> Job:
    lease = None
    if row["claim_expires_at"] is not None:
        lease = Lease(row["worker_id"] or "", FENCE, None, row["claim_expires_at"])
    loaded = before.jobs.get(row["id"])
    return Job(
        id=row["id"],
        queue=row["queue"],
        payload=_payload(row),
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


def _dead(row: dict[str, Any]) -> Dead:
    return Dead(
        id=row["id"],
        queue=row["queue"],
        payload=_payload(row),
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


def _payload(row: dict[str, Any]) -> str | bytes:
    payload: str | dict[str, str] = row["payload"]
    return bytes.fromhex(payload["hex"]) if isinstance(payload, dict) else payload


def _held_job(job: Job) -> Job:
    lease = None if job.lease is None else replace(job.lease, fence=FENCE, claimed_at=None)
    return replace(job, lapses=0, max_lapses=MAX_LAPSES, unique_key=None, lease=lease)


def _held_dead(job: Dead) -> Dead:
    return replace(job, lapses=0, max_lapses=MAX_LAPSES, unique_key=None, reason=None)


def _held_lock(lock: Lock) -> Lock:
    return replace(lock, fence=FENCE, acquired_at=None, depth=1)
