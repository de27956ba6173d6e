"""Worlds to begin with: what another binding, an older build or a crash may have left, and crowds that meet the bounds.

All are worlds at `SEED_NOW`.
"""

from __future__ import annotations

from typing import Any

from anser.types import BURIED_MAX, HISTORY_IDS, SETTLED_MAX, Dead, Finished, Job, Lease, Lock, Reason, State
from anser_models import EMPTY, World

__all__ = ["CROWDS", "SEEDS", "SEED_NOW"]

SEED_NOW = 1_000
UNREADABLE = b"\xff"  # laid down as text: no driver can fetch it
BLOB = b"{}"  # a blob, although its bytes would be JSON
NOT_JSON = "{not json"

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
_LOCK: dict[str, Any] = {
    "owner": "w1",
    "fence": 1,
    "acquired_at": SEED_NOW,
    "expires_at": SEED_NOW + 1,
    "depth": 1,
}
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


def pending(id: int, **given: Any) -> Job:
    """A job that is due, but for what is given."""
    return Job(id=id, **(_PENDING | given))


def processing(id: int, *, fence: int = 1, ends_at: int = SEED_NOW, **given: Any) -> Job:
    """A job in its first attempt, held by w1 to the end of this second, but for what is given."""
    lease = Lease("w1", fence, SEED_NOW, ends_at)
    return Job(id=id, **(_PENDING | {"state": State.PROCESSING, "attempts": 1, "lease": lease} | given))


def dead(id: int, **given: Any) -> Dead:
    """A job that died just now, but for what is given."""
    return Dead(id=id, **(_DEAD | given))


def lock(name: str, **given: Any) -> Lock:
    """A lock that w1 acquired just now for another second, but for what is given."""
    return Lock(name, **(_LOCK | given))


def world(
    *rows: Job | Dead | Finished | Lock, paused: frozenset[str] = frozenset(), last_id: int | None = None
) -> World:
    """The world of those rows; the last id and fence are the greatest that occur."""
    jobs = {row.id: row for row in rows if isinstance(row, Job)}
    locks = {row.name: row for row in rows if isinstance(row, Lock)}
    fences = [job.lease.fence for job in jobs.values() if job.lease is not None]
    fences += [held.fence for held in locks.values()]
    return World(
        jobs=jobs,
        dead={row.id: row for row in rows if isinstance(row, Dead)},
        finished={row.id: row for row in rows if isinstance(row, Finished)},
        paused=paused,
        last_id=last_id or max((row.id for row in rows if not isinstance(row, Lock)), default=0),
        last_fence=max(fences, default=0),
        locks=locks,
    )


SEEDS: dict[str, World] = {
    "empty": EMPTY,
    "one": world(pending(1)),
    "unreadable": world(pending(1, payload=UNREADABLE)),
    "unreadable_last_attempt": world(pending(1, payload=BLOB, max_attempts=1)),
    "unreadable_in_the_way": world(pending(1, payload=NOT_JSON, priority=1), pending(2)),
    "unreadable_held": world(processing(1, payload=UNREADABLE)),
    "state_unknown": world(pending(1, state=State.UNKNOWN)),
    "state_unknown_with_lease": world(processing(1, state=State.UNKNOWN), pending(2)),
    "pending_with_lease": world(pending(1, lease=Lease("w1", 1, None, SEED_NOW + 1))),
    "processing_without_lease": world(processing(1, lease=None)),
    "processing_without_worker": world(processing(1, lease=Lease("", 1, None, SEED_NOW))),
    "dead_and_live": world(pending(1), dead(1)),
    "dead_and_held": world(processing(1), dead(1, unique_key="k")),
    "dead_of_honker": world(dead(1, reason=None, max_attempts=0, last_error=None), dead(2, queue="b")),
    "expired": world(pending(1, expires_at=SEED_NOW)),
    "expires_next": world(pending(1, expires_at=SEED_NOW + 1)),
    "expired_and_lapsed": world(processing(1, ends_at=SEED_NOW - 1, expires_at=SEED_NOW)),
    "expired_and_held": world(processing(1, expires_at=SEED_NOW)),
    "two_expired": world(pending(1, expires_at=SEED_NOW), pending(2, expires_at=SEED_NOW - 1)),
    "exhausted": world(pending(1, attempts=2)),
    "last_attempt_held": world(processing(1, attempts=2)),
    "lapses_used_up": world(processing(1, ends_at=SEED_NOW - 1, lapses=1)),
    "two_lapsed": world(processing(1, ends_at=SEED_NOW - 1), processing(2, fence=2, ends_at=SEED_NOW - 2)),
    "held_together": world(processing(1), processing(2)),
    "order_by_due": world(pending(1, run_at=SEED_NOW - 1), pending(2, run_at=SEED_NOW - 2)),
    "order_by_priority": world(pending(1), pending(2, priority=1)),
    "exhausted_behind": world(pending(1, priority=1), pending(2, attempts=2)),
    "two_queues": world(pending(1), pending(2, queue="b", priority=1)),
    "keys": world(pending(1, unique_key="k"), pending(2, queue="b", unique_key="k")),
    "key_of_a_doomed_job": world(pending(1, unique_key="k", attempts=2)),
    "key_of_the_dead": world(dead(1, unique_key="k"), pending(2, unique_key="k", expires_at=SEED_NOW + 1)),
    "two_dead": world(dead(1, died_at=SEED_NOW - 1), dead(2, died_at=SEED_NOW - 2)),
    "paused": world(pending(1), pending(2, queue="b"), paused=frozenset("a")),
    "finished": world(Finished(1, "a", State.DONE, 1, SEED_NOW), Finished(2, "a", State.CANCELLED, 0, SEED_NOW)),
    "locked": world(lock("a")),
    "locked_by_honker": world(lock("a", acquired_at=None)),
    "lock_over": world(lock("a", expires_at=SEED_NOW)),
    "locked_twice": world(lock("a", depth=2, expires_at=SEED_NOW + 2)),
    "two_locks": world(lock("a"), lock("b", owner="w2", fence=2)),
    "two_locks_over": world(lock("a", expires_at=SEED_NOW - 1), lock("b", fence=2, expires_at=SEED_NOW - 2)),
}

CROWDS: dict[str, World] = {
    "many_lapsed": world(
        *(processing(id, fence=id, ends_at=SEED_NOW - 1 - id % 3, attempts=1) for id in range(1, SETTLED_MAX + 3)),
        last_id=SETTLED_MAX + 2,
    ),
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
    "long_history": world(
        *(Finished(id, "a", State.DONE, 1, SEED_NOW) for id in range(1, 6)),
        processing(HISTORY_IDS + 3),
        processing(HISTORY_IDS + 4),
        processing(HISTORY_IDS + 6),
        last_id=HISTORY_IDS + 10,
    ),
}
