"""Jobs, live and dead, and the leases on them: what only honker meets of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from anser.ops import (
    Ack,
    AckBatch,
    Cancel,
    Claim,
    Enqueue,
    Fail,
    GetJob,
    Heartbeat,
    NextClaimAt,
    Op,
    Retry,
    SweepExpired,
)
from anser.types import Dead, Held, Job, Lease, State
from anser_models import Quirk, World
from anser_spec.seeds import dead, pending, processing, world
from tests.conformance_honker.worlds.base import NOW, Family, Showing

HELD: dict[str, Any] = {"queue": "a", "id": 1, "worker": "w1", "fence": 1}

NO_TEXT = b"\xff"  # laid down as text that is no UTF-8
BLOB = b"1"  # a blob, though its bytes would be text
NO_JSON = "{not json"
NAN = float("nan")


def claim(n: int = 1, **given: Any) -> Claim:
    plain: dict[str, Any] = {"queues": ("a",), "worker": "w1", "n": n, "lease_s": 1}
    return Claim(**(plain | given))


EXPIRED_AND_LAPSED = world(processing(1, ends_at=NOW - 1, expires_at=NOW))
LAPSED = world(processing(1, ends_at=NOW - 1))
TWO_EXHAUSTED = world(pending(1, priority=1), pending(2, attempts=2))

SHOWINGS: dict[Quirk, Showing] = {
    Quirk.D02_ZOMBIE: Showing(EXPIRED_AND_LAPSED, SweepExpired(queue="a"), "DED-2"),
    Quirk.D08_LAPSE_SPENDS_ATTEMPT: Showing(LAPSED, claim(), "CLM-4"),
    Quirk.D10_BLIND_GET_JOB: Showing(world(dead(1)), GetJob(queue="a", id=1), "JOB-10"),
    Quirk.D11_STRANDED_MOVE: Showing(world(processing(1, payload=BLOB)), Fail(**HELD, error="e"), "RET-4"),
    Quirk.D12_IMPLICIT_STATE: Showing(world(pending(1, lease=Lease("w1", 1, None, NOW + 1))), Ack(**HELD), "CLM-8"),
    Quirk.E02_UNREADABLE_BLOCKS: Showing(world(pending(1, payload=BLOB), pending(2)), claim(), "CLM-17"),
    Quirk.E04_NO_FENCE: Showing(world(processing(1)), Ack(**(HELD | {"fence": 2})), "CLM-8"),
    Quirk.E07_CLAIM_SWEEPS_ALL: Showing(TWO_EXHAUSTED, claim(), "CLM-1"),
    Quirk.E08_NO_ATTEMPTS: Showing(world(), Enqueue(queue="a", payload=1, max_attempts=0), "ERR-2"),
    Quirk.E20_ID_ORDER: Showing(world(pending(1), pending(2, priority=1)), claim(2), "CLM-1"),
    Quirk.E21_PAST_RUN_AT: Showing(world(), Enqueue(queue="a", payload=1, run_at=NOW - 1), "JOB-3"),
    Quirk.E22_GLOBAL_IDS: Showing(world(pending(1)), Cancel(queue="b", id=1), "JOB-9"),
    Quirk.E23_ERRORS_DISCARDED: Showing(world(processing(1)), Retry(**HELD, delay_s=0, error="e"), "RET-1"),
    Quirk.E30_BORN_EXPIRED: Showing(world(), Enqueue(queue="a", payload=1, delay_s=2, expires_s=1), "JOB-4"),
    Quirk.E33_UNCHECKED: Showing(world(pending(1, payload=NO_JSON)), claim(), "CLM-17"),
    Quirk.E35_DUE_IS_NEVER: Showing(world(pending(1)), NextClaimAt(queues=("a",)), "CLM-15"),
}


def odd_worlds() -> Iterator[World]:
    """Worlds that Anser does not make, or makes only from what another binding left."""
    states: list[dict[str, Any]] = [
        {},
        {"run_at": NOW + 1},
        {"attempts": 2},
        {"lease": Lease("w1", 1, None, NOW + 1)},
        {"lease": Lease("w1", 1, None, NOW - 1)},
        *({"state": State.PROCESSING, "attempts": tries, "lease": lease} for tries in (1, 2) for lease in _leases()),
        {"state": State.UNKNOWN},
    ]
    for state in states:
        for payload in ("1", NO_JSON, "NaN", NO_TEXT, BLOB):
            for expires_at in (None, NOW, NOW + 1):
                odd = pending(1, **state, payload=payload, expires_at=expires_at)
                yield world(odd)
                yield world(odd, pending(2))
                yield world(odd, pending(2, priority=1, attempts=2))
    yield from (world(pending(1, max_attempts=tries)) for tries in (0, -1))
    yield from (world(job, dead(1)) for job in _leaving())
    yield world(pending(1, attempts=2, last_error="kept"))


def _leases() -> list[Lease | None]:
    return [Lease("w1", 1, None, NOW), Lease("w1", 1, None, NOW - 1), None]


def _leaving() -> list[Job | Dead]:
    """Jobs that some operation moves to the dead."""
    return [
        pending(1, attempts=2),
        pending(1, expires_at=NOW),
        processing(1),
        processing(1, attempts=2),
        processing(1, attempts=2, ends_at=NOW - 1),
    ]


def loose_operations() -> Iterator[Op]:
    """One of each operation that honker has, and those with arguments that Anser refuses."""
    yield from _loose_enqueues()
    for lease_s in (1, 0, -1):
        yield claim(lease_s=lease_s)
        yield claim(2, worker="w2", lease_s=lease_s)
        yield Heartbeat(**HELD, lease_s=lease_s)
    for delay_s in (0, 1, -1):
        yield Retry(**HELD, delay_s=delay_s, error="e")
    for queue in ("a", "b"):
        named: dict[str, Any] = {"queue": queue, "id": 1}
        yield Ack(**named, worker="w1", fence=1)
        yield Fail(**named, worker="w1", fence=2, error="e")
        yield AckBatch(queue=queue, worker="w1", held=(Held(1, 1), Held(2, 1), Held(1, 1)))
        yield Cancel(**named)
        yield GetJob(**named)
        yield SweepExpired(queue=queue)
        yield NextClaimAt(queues=(queue,))


def _loose_enqueues() -> Iterator[Op]:
    given: dict[str, Any] = {"queue": "a", "payload": 1}
    yield Enqueue(**given)
    yield from (Enqueue(**given, max_attempts=tries) for tries in (0, -1))
    yield from (Enqueue(**given, run_at=at) for at in (NOW - 1, NOW, NOW + 1, 0, -1))
    yield from (Enqueue(**given, delay_s=delay_s) for delay_s in (0, 1, -1))
    of_other_types: tuple[Any, ...] = (True, 1.0, 1.5)
    yield from (Enqueue(**given, delay_s=delay_s) for delay_s in of_other_types)
    yield from (Enqueue(**given, expires_s=expires_s) for expires_s in (1, 0, -1))
    yield from (Enqueue(**given, delay_s=delay_s, expires_s=1) for delay_s in (0, 1, 2))
    yield from (Enqueue(queue="a", payload=payload) for payload in (NAN, [float("inf")], {"é": "\u0001"}))


# --- sequences


def deadlines(world: World) -> Iterator[int]:
    for job in world.jobs.values():
        yield job.run_at
        yield from [] if job.expires_at is None else [job.expires_at]
        yield from [] if job.lease is None else [job.lease.expires_at]


def drawn(draw: random.Random, world: World, now: int) -> list[Op]:
    queue, worker = draw.choice("ab"), draw.choice(("w1", "w2"))
    held = [job.id for job in world.jobs.values() if job.lease is not None]
    id = draw.choice(held if held and draw.random() < 0.7 else [*world.jobs, *world.dead, world.last_id + 1])
    job = world.jobs.get(id)
    if job is not None and job.lease is not None and draw.random() < 0.8:
        worker = job.lease.worker
    word: dict[str, Any] = {"queue": queue, "id": id, "worker": worker, "fence": 1}
    return [
        enqueued(draw, queue, now),
        enqueued(draw, queue, now),
        Claim(queues=(queue,), worker=worker, n=draw.randint(1, 3), lease_s=draw.randint(-1, 9)),
        Claim(queues=(queue,), worker=worker, n=draw.randint(1, 3), lease_s=draw.randint(1, 9)),
        Ack(**word),
        AckBatch(queue=queue, worker=worker, held=tuple(Held(id, 1) for id in [*world.jobs, id])),
        Heartbeat(**word, lease_s=draw.randint(-1, 9)),
        Retry(**word, delay_s=draw.randint(-1, 9), error="e"),
        Fail(**word, error="e"),
        Cancel(queue=queue, id=id),
        GetJob(queue=queue, id=id),
        SweepExpired(queue=queue),
        NextClaimAt(queues=(queue,)),
    ]


def enqueued(draw: random.Random, queue: str, now: int) -> Op:
    due: dict[str, int] = draw.choice([{}, {}, {"run_at": now + draw.randint(-3, 9)}, {"delay_s": draw.randint(-3, 9)}])
    return Enqueue(
        queue=queue,
        payload=draw.choice((0, None, "text", 1.5)),
        priority=draw.randint(-1, 1),
        max_attempts=draw.randint(0, 3),
        expires_s=draw.choice((None, None, draw.randint(-1, 9))),
        run_at=due.get("run_at"),
        delay_s=due.get("delay_s"),
    )


FAMILY = Family(
    showings=SHOWINGS,
    loose_operations=loose_operations,
    odd_worlds=odd_worlds,
    drawn=drawn,
    deadlines=deadlines,
    seen=frozenset(
        {
            *("enqueue.created", "claim.taken", "ack.held", "heartbeat.held", "retry.pending", "fail.held"),
            *("cancel.pending", "get_job.live", "lease.lost", "sweep_expired.pending"),
        }
    ),
)
