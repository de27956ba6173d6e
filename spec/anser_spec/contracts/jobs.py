"""What holds of jobs: their instants, what a request for one makes of them, who holds a key, and what is looked up."""

from __future__ import annotations

from anser.ops import Enqueue
from anser.types import DELAY_MAX_S, INSTANT_MAX, TRIES_MAX
from anser_models import EMPTY, step
from anser_models.predicates import due, expired
from anser_spec.contracts.words import accepts, all_agree, queue_of, state_of
from anser_spec.predicates import dead, jobs
from anser_spec.predicates.jobs import JobGiven, JobRow


def key_reason_twin(
    pending: bool, end: int | None, expires_at: int | None, attempts: int, lapses: int, now: int
) -> None:
    """Of the holder of a key the reason is the model's doom, and none while it is held (CLM-5, JOB-7)."""
    assert now >= 0
    row = JobRow(
        state=state_of(pending),
        claim_expires_at=end,
        expires_at=expires_at,
        attempts=attempts,
        lapses=lapses,
        unique_key="k",
    )
    assert jobs.KEY_REASON.agrees(row, JobGiven(now=now))


def counted_due_twin(pending: bool, run_at: int, now: int) -> None:
    """A job counts as due when the model counts it (JOB-2, JOB-13)."""
    assert now >= 0
    assert jobs.COUNTED_DUE.agrees(JobRow(state=state_of(pending), run_at=run_at), JobGiven(now=now))


def listed_twins(queue: bool, pending: bool, asked: bool | None, after_id: int) -> None:
    """A page of the live jobs, and one of the dead, begins behind `after_id` (JOB-12, DED-3)."""
    assert after_id >= 0
    row = JobRow(queue=queue_of(queue), state=state_of(pending))
    given = JobGiven(state=None if asked is None else state_of(asked), after_id=after_id)
    assert all_agree(row, given, jobs.LISTED, dead.DEAD_LISTED)


def due_from_its_run_at_on(run_at: int, now: int) -> None:
    """A job is due at its `run_at`, not a second before, and ever after (JOB-2)."""
    assert now >= run_at
    assert (due(run_at, now), due(run_at, run_at), due(run_at, run_at - 1)) == (True, True, False)


def expired_from_its_expires_at_on(expires_at: int, now: int) -> None:
    """A job is over at its `expires_at`, not a second before, and one without is never (CLM-5)."""
    assert now >= expires_at
    assert (expired(expires_at, now), expired(expires_at, expires_at - 1), expired(None, now)) == (True, False, False)


def enqueued_when_it_was_asked_for(run_at: int | None, delay_s: int | None, now: int) -> None:
    """A job is due at `run_at`, or `delay_s` from now, or now, and never earlier than now (JOB-2, JOB-3, ERR-4)."""
    assert 0 <= now <= INSTANT_MAX
    assert run_at is None or delay_s is None
    assert run_at is None or 0 <= run_at <= INSTANT_MAX
    assert delay_s is None or 0 <= delay_s <= DELAY_MAX_S
    world, _ = step(EMPTY, Enqueue(queue="a", payload=None, run_at=run_at, delay_s=delay_s), now)
    assert world.jobs[1].run_at == max(now, run_at or 0, now + (delay_s or 0))


def enqueue_accepts_its_ranges(delay_s: int | None, expires_s: int | None, max_lapses: int) -> None:
    """Zero is a delay and a number of lapses; none is neither (ERR-4, ERR-5)."""
    assert delay_s is None or 0 <= delay_s <= DELAY_MAX_S
    assert expires_s is None or 1 <= expires_s <= DELAY_MAX_S
    assert 0 <= max_lapses <= TRIES_MAX
    op = Enqueue(queue="a", payload=None, delay_s=delay_s, expires_s=expires_s, max_lapses=max_lapses)
    assert accepts(op.check)


def enqueue_refuses_a_negative_delay(delay_s: int, run_at: int | None) -> None:
    """A delay lies in the future; given beside `run_at` it is refused whatever it is (ERR-5)."""
    assert -5 <= delay_s <= 5
    assert run_at is None or 0 <= run_at <= 3
    op = Enqueue(queue="a", payload=None, delay_s=delay_s, run_at=run_at)
    assert accepts(op.check) == (delay_s >= 0 and run_at is None)
