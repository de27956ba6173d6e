"""What holds of burying and forgetting."""

from __future__ import annotations

from anser_spec.contracts.words import all_agree, queue_of, state_of
from anser_spec.predicates import dead
from anser_spec.predicates.dead import DeadGiven
from anser_spec.predicates.jobs import JobGiven, JobRow


def expired_twins(queue: bool, pending: bool, end: int | None, expires_at: int | None, now: int) -> None:
    """The sweep takes whom the model says is expired and held by nobody (CLM-2, DED-2)."""
    assert now >= 0
    row = JobRow(queue=queue_of(queue), state=state_of(pending), claim_expires_at=end, expires_at=expires_at)
    assert all_agree(row, JobGiven(now=now), dead.EXPIRED, dead.EXPIRED_LAPSED)


def pruned_twin(queue: bool, died_at: int, older_than_s: int, now: int) -> None:
    """Whom `dead_prune` forgets the model forgets, the instant computed as the core does (DED-6)."""
    assert older_than_s >= 0
    given = DeadGiven(now=now, before=now - older_than_s)
    assert dead.PRUNED.agrees(JobRow(queue=queue_of(queue), died_at=died_at), given)
