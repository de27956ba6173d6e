"""What holds of results and of who saves and sees them, to the second."""

from __future__ import annotations

from anser.ops import ResultGet, ResultSweep
from anser.types import DELAY_MAX_S, Finished, ResultState, State, StoredResult
from anser_models import World, step
from anser_spec.contracts.words import all_agree, queue_of, state_of
from anser_spec.predicates import results
from anser_spec.predicates.jobs import JobRow
from anser_spec.predicates.leases import LeaseGiven
from anser_spec.predicates.results import ResultGiven, ResultRow


def result_seen_twin(job: bool, queue: bool, named: bool, saved: bool, end: int | None, now: int) -> None:
    """The `where` of a look keeps a result if and only if the model shows it (RES-5, RES-7)."""
    assert now >= 0
    row = ResultRow(
        job_id=7 if job else 8,
        queue=queue_of(queue) if named else None,
        value="1" if saved else None,
        expires_at=end,
    )
    assert all_agree(row, ResultGiven(now=now), results.SEEN)


def result_swept_twin(end: int | None, now: int) -> None:
    """So is what the sweep forgets (RES-9)."""
    assert now >= 0
    assert all_agree(ResultRow(expires_at=end), ResultGiven(now=now), results.SWEPT)


def result_saved_twin(queue: bool, pending: bool, worker: bool, fence: int, end: int | None, now: int) -> None:
    """So is who may save one (RES-1)."""
    assert now >= 0
    row = JobRow(
        queue=queue_of(queue),
        state=state_of(pending),
        worker_id="w" if worker else "v",
        fence=fence,
        claim_expires_at=end,
        attempts=1,
    )
    assert all_agree(row, LeaseGiven(now=now), results.SAVED)


def result_is_seen_or_swept(end: int, now: int) -> None:
    """In each second a result of a job that is done is either seen or to be swept (RES-5, RES-9)."""
    assert 0 <= now <= DELAY_MAX_S
    done = Finished(7, "a", State.DONE, 1, 0)
    world = World(finished={7: done}, results={7: StoredResult(7, "a", "1", 0, end)}, last_id=7)
    _, found = step(world, ResultGet(queue="a", id=7), now)
    _, swept = step(world, ResultSweep(), now)
    assert (found.state is ResultState.SAVED) == (swept == 0)
