"""The claim: settle what has lapsed, then walk the line.

The line is every due pending job of the queues in claim order. The walk buries who is past saving and takes who is not,
until it has what was asked for, the line ends, or `BURIED_MAX` jobs are buried (CLM-5, CLM-6). It reads the line in
stretches by index, so it visits only what it takes or buries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from heapq import merge
from math import inf

from anser.core import dead, events
from anser.core.rows import leased_of
from anser.core.tx import Row, Tx
from anser.ops import Claim, NextClaimAt, decode
from anser.types import BURIED_MAX, SETTLED_MAX, Job, Lease, Reason

__all__ = ["claim", "next_claim_at"]


def claim(tx: Tx, op: Claim) -> tuple[Job, ...]:
    """CLM-1, CLM-5, CLM-6, CLM-13, CLM-14."""
    paused = {queue for (queue,) in tx.run("claim_paused")}
    queues = [queue for queue in op.queues if queue not in paused]
    for queue in queues:
        _settle(tx, queue)
    taken, doomed = _walk(merge(*(_line(tx, queue, op.n) for queue in queues), key=_order), op.n)
    for id, reason in doomed:
        dead.bury(tx, id, reason)
    return _take(tx, op, taken) if taken else ()


def _settle(tx: Tx, queue: str) -> None:
    """Lapsed jobs wait at their old place again, or are buried; the longest lapsed first (CLM-4, CLM-16)."""
    over = tx.run("claim_lapsed_endless", queue=queue, now=tx.now, limit=SETTLED_MAX)
    if len(over) < SETTLED_MAX:
        over += tx.run("claim_lapsed", queue=queue, now=tx.now, limit=SETTLED_MAX - len(over))
    for id, _, reason in over:
        if reason is None:
            tx.run("claim_settle", id=id)
            events.date_put_back(tx)
        else:
            dead.bury(tx, id, reason)
    for (id,) in tx.run("claim_strays", queue=queue, limit=BURIED_MAX):
        dead.bury(tx, id, Reason.UNREADABLE.value)


def _line(tx: Tx, queue: str, n: int) -> Iterator[Row]:
    """The due jobs of one queue in claim order, read as far as they are asked for."""
    below: float = inf
    while level := tx.run("claim_priority", queue=queue, now=tx.now, below=below):
        ((below,),) = level
        yield from _stretches(tx, queue, below, n)


def _stretches(tx: Tx, queue: str, priority: float, n: int) -> Iterator[Row]:
    """One priority of the line: first as many jobs as were asked for, then as many as the walk could still bury."""
    after: tuple[float, float] = (-inf, -inf)
    limit = n
    while rows := tx.run(
        "claim_pick",
        queue=queue,
        priority=priority,
        now=tx.now,
        after_run_at=after[0],
        after_id=after[1],
        limit=limit,
    ):
        yield from rows
        if len(rows) < limit:
            return
        after = (rows[-1][4], rows[-1][0])
        limit = n + BURIED_MAX


def _order(row: Row) -> tuple[int, int, int]:
    """Highest priority, then earliest due, then first enqueued (CLM-1)."""
    return (-row[3], row[4], row[0])


def _walk(line: Iterator[Row], n: int) -> tuple[list[Row], list[tuple[int, str]]]:
    """Whom to take, and whom to bury for what reason."""
    taken: list[Row] = []
    doomed: list[tuple[int, str]] = []
    for row in line:
        reason = row[13] or _unreadable(row[2])
        if reason is None:
            taken.append(row)
        else:
            doomed.append((row[0], reason))
        if len(taken) == n or len(doomed) == BURIED_MAX:
            break
    return taken, doomed


def _unreadable(payload: str | bytes) -> str | None:
    try:
        decode(payload)
    except ValueError:
        return Reason.UNREADABLE.value
    return None


def _take(tx: Tx, op: Claim, taken: list[Row]) -> tuple[Job, ...]:
    """One fence for the whole claim: it only has to grow (CLM-3, CLM-7)."""
    ((fence,),) = tx.run("claim_fence")
    lease = Lease(op.worker, fence, tx.now, tx.now + op.lease_s)
    ids = json.dumps([row[0] for row in taken])
    tx.run("claim_take", ids=ids, worker=op.worker, fence=fence, now=tx.now, expires_at=lease.expires_at)
    return tuple(leased_of(row, lease) for row in taken)


def next_claim_at(tx: Tx, op: NextClaimAt) -> int | None:
    """CLM-15."""
    answers = [tx.run("next_claim_at", queue=queue, now=tx.now) for queue in op.queues]
    instants = [at for ((at,),) in answers if at is not None]
    return max(tx.now, min(instants)) if instants else None


VERBS = (claim, next_claim_at)
