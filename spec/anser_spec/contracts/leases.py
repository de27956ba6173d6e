"""What holds of a lease and of the words about it, to the second."""

from __future__ import annotations

from anser.ops import Ack, Claim
from anser_models import World, step
from anser_models.predicates import doom, held
from anser_spec.contracts.words import queue_of, state_of
from anser_spec.predicates import leases
from anser_spec.predicates.jobs import JobRow, job
from anser_spec.predicates.leases import LeaseGiven


def word_twin(
    id: bool, queue: bool, pending: bool, worker: bool | None, fence: int, named: int, end: int | None, now: int
) -> None:
    """The `where` of every word keeps a row if and only if the model lets the word pass (CLM-2, CLM-8, CLM-18)."""
    assert now >= 0
    row = JobRow(
        id=7 if id else 8,
        queue=queue_of(queue),
        state=state_of(pending),
        worker_id=None if worker is None else "w" if worker else "v",
        fence=fence,
        claim_expires_at=end,
    )
    assert leases.WORD.agrees(row, LeaseGiven(fence=named, now=now))


def retry_twin(pending: bool, end: int | None, attempts: int, max_attempts: int, now: int) -> None:
    """`retry` keeps a row if and only if the job of the model is pending after it (CLM-8, RET-1, RET-2)."""
    assert now >= 0
    row = JobRow(
        state=state_of(pending),
        worker_id="w",
        fence=5,
        claim_expires_at=end,
        attempts=attempts,
        max_attempts=max_attempts,
    )
    assert leases.WORD_WITH_ATTEMPTS_LEFT.agrees(row, LeaseGiven(now=now))


def held_to_the_end_of_its_last_second(end: int, now: int) -> None:
    """A lease holds at its last second and at each before, and at none after (CLM-2)."""
    assert now <= end
    processing = job(JobRow(state="processing", claim_expires_at=end))
    assert (held(processing, now), held(processing, end), held(processing, end + 1)) == (True, True, False)


def held_is_never_past_saving(end: int, expires_at: int | None, attempts: int, lapses: int, now: int) -> None:
    """Whoever holds a job may finish it, whatever has run out meanwhile (CLM-5)."""
    assert now <= end
    row = JobRow(state="processing", claim_expires_at=end, expires_at=expires_at, attempts=attempts, lapses=lapses)
    assert doom(job(row), now) is None


def holder_or_claim(end: int, expires_at: int | None, attempts: int, lapses: int, now: int) -> None:
    """In each second either the holder may speak or a claim may have the job, never both, never neither (CLM-2)."""
    assert now >= 0
    row = JobRow(
        state="processing",
        worker_id="w",
        fence=5,
        claim_expires_at=end,
        expires_at=expires_at,
        attempts=attempts,
        lapses=lapses,
    )
    world = World(jobs={7: job(row)}, last_id=7, last_fence=5)
    _, refused = step(world, Ack(queue="a", id=7, worker="w", fence=5), now)
    after, _ = step(world, Claim(queues=("a",), worker="v", n=1, lease_s=1), now)
    assert (refused is None) == (after.jobs == world.jobs)
