"""A simulated day as a campaign: as large as the time allows."""

from __future__ import annotations

import time

from anser_spec.churn.day import churn
from anser_spec.churn.plan import Plan
from anser_spec.tally import Budget, Tally, Tell, Violation
from anser_spec.targets.sqlite import SqliteTarget

__all__ = ["run"]

JOBS_A_SECOND = 400  # about as many as this gets through; only the size of the day depends on it
JOBS_MIN, JOBS_MAX = 5_000, 100_000


def run(budget: Budget, seed: int, tell: Tell) -> Tally:
    """Live through one day, with so many jobs as the budget's seconds should be enough for."""
    began = time.monotonic()
    wanted = JOBS_MAX if budget.seconds is None else int(budget.seconds * JOBS_A_SECOND)
    plan = Plan(jobs=min(max(wanted, JOBS_MIN), JOBS_MAX), seed=seed)
    target = SqliteTarget()
    try:
        found = churn(target, plan, tell)
    finally:
        target.close()
    tally = Tally("churn", seconds=time.monotonic() - began)
    tally.covered.update(
        {"jobs of a day": plan.jobs, "operations": sum(found.operations.values()), "all rows compared": found.compared}
    )
    if found.wrong is not None:
        again = f"anser-spec churn --jobs {plan.jobs} --seed {seed}"
        tally.violations.append(Violation(found.wrong, ("RTN-6",), again))
    return tally
