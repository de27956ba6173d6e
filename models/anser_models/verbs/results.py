"""Results: what a job came to, for whoever waits."""

from __future__ import annotations

from anser.ops import GetJob, ResultGet, ResultPrune, ResultSave, ResultSweep, encoded
from anser.types import Dead, Finished, Job, Result, ResultState, State, StoredResult
from anser_models.draft import Draft
from anser_models.predicates import result_over, result_shown
from anser_models.quirks import Quirk
from anser_models.verbs.jobs import get_job
from anser_models.verbs.leases import named
from anser_models.verbs.moves import keep_result

__all__ = ["LOOSE", "TRANSITIONS", "VERBS"]

TRANSITIONS = {
    "result_save.first": "RES-1",
    "result_save.again": "RES-2",
    "result_get.waiting": "RES-4",
    "result_get.saved": "RES-4",
    "result_get.done": "RES-6",
    "result_get.over": "RES-5",
    "result_get.dead": "RES-6",
    "result_get.cancelled": "RES-6",
    "result_get.gone": "RES-6",
    "result_sweep.forgot": "RES-9",
    "result_sweep.nothing": "RES-9",
    "result_prune.forgot": "RES-12",
    "result_prune.nothing": "RES-12",
}

LOOSE = {Quirk.E25_RESULTS_BY_ID: {"ttl_s"}}


def result_save(draft: Draft, op: ResultSave) -> int | None:
    """The last that was saved stands (RES-2)."""
    value = encoded("value", op.value)
    there = draft.world.results.get(op.id)
    if draft.has(Quirk.E25_RESULTS_BY_ID):
        created_at = draft.now if there is None else there.created_at
        expires_at = draft.now + op.ttl_s if op.ttl_s > 0 else None
        draft.world.results[op.id] = StoredResult(op.id, None, value, created_at, expires_at)
        return expires_at
    job = named(draft, op)
    draft.took("result_save.first" if there is None else "result_save.again")
    return keep_result(draft, job, value, op.ttl_s)


def result_get(draft: Draft, op: ResultGet) -> Result:
    """What became of the job comes first; a result is seen when the job has left as done, or nobody knows it."""
    stored = draft.world.results.get(op.id)
    value = stored.value if stored is not None and result_shown(stored, op.queue, draft.now) else None
    if draft.has(Quirk.E25_RESULTS_BY_ID):
        return Result(ResultState.WAITING) if value is None else Result(ResultState.SAVED, value=value)
    answer = _became(get_job(Draft(draft.world, draft.now, frozenset()), GetJob(queue=op.queue, id=op.id)))
    if value is not None and answer.state in (ResultState.DONE, ResultState.GONE):
        answer = Result(ResultState.SAVED, value=value)
    is_over = answer.state is ResultState.DONE and stored is not None and result_over(stored, draft.now)
    draft.took(f"result_get.{'over' if is_over else answer.state}")
    return answer


def _became(job: Job | Dead | Finished | None) -> Result:
    if job is None:
        return Result(ResultState.GONE)
    if isinstance(job, Job):
        return Result(ResultState.WAITING)
    if isinstance(job, Dead):
        return Result(ResultState.DEAD, error=job.last_error)
    return Result(ResultState.CANCELLED if job.state is State.CANCELLED else ResultState.DONE)


def result_sweep(draft: Draft, op: ResultSweep) -> int:
    """Results that are over, the longest over first (RES-9)."""
    over = [(result.expires_at, id) for id, result in draft.world.results.items() if result_over(result, draft.now)]
    swept = sorted(over)[: op.limit]
    for _, id in swept:
        del draft.world.results[id]
    draft.took("result_sweep.forgot" if swept else "result_sweep.nothing")
    return len(swept)


def result_prune(draft: Draft, op: ResultPrune) -> int:
    """Results that nobody gave an end, the oldest first (RES-12)."""
    before = draft.now - op.older_than_s
    endless = [one for one in draft.world.results.values() if one.expires_at is None and one.created_at <= before]
    pruned = sorted(endless, key=lambda one: (one.created_at, one.job_id))[: op.limit]
    for one in pruned:
        del draft.world.results[one.job_id]
    draft.took("result_prune.forgot" if pruned else "result_prune.nothing")
    return len(pruned)


VERBS = (
    result_save,
    result_get,
    result_sweep,
    result_prune,
)
