"""What holds of a claim: whom it takes and in which order, whom it settles, and when it would change something."""

from __future__ import annotations

from anser.ops import Claim, NextClaimAt
from anser.types import CLAIM_MAX, INTEGER_MAX, LEASE_MAX_S, Reason
from anser_models import World, step
from anser_models.predicates import claim_order, doom, held, lapsed
from anser_spec.contracts.words import accepts, all_agree, queue_of, state_of
from anser_spec.predicates import claims
from anser_spec.predicates.claims import ClaimGiven, InstantRow
from anser_spec.predicates.condition import Given
from anser_spec.predicates.jobs import JobGiven, JobRow, job


def lapsed_twins(queue: bool, pending: bool, end: int | None, now: int) -> None:
    """A claim settles what the model says has lapsed, with an end of the lease or without (CLM-2, CLM-4, CLM-18)."""
    assert now >= 0
    row, given = JobRow(queue=queue_of(queue), state=state_of(pending), claim_expires_at=end), JobGiven(now=now)
    assert all_agree(row, given, claims.LAPSED, claims.ENDLESS)


def lapsed_reason_twins(end: int | None, expires_at: int | None, lapses: int, max_lapses: int, now: int) -> None:
    """Of a lapsed job the reason is the model's doom (CLM-4, CLM-5)."""
    assert now >= 0
    row = JobRow(
        state="processing",
        claim_expires_at=end,
        expires_at=expires_at,
        lapses=lapses,
        max_lapses=max_lapses,
        attempts=1,
    )
    assert all_agree(row, JobGiven(now=now), claims.LAPSED_REASON, claims.ENDLESS_REASON)


def level_twins(queue: bool, pending: bool, priority: int, level: int | None, run_at: int, now: int) -> None:
    """A claim comes from priority to priority as `claim_order` does, and stops where a job is due (CLM-1, JOB-2)."""
    assert now >= 0
    row = JobRow(queue=queue_of(queue), state=state_of(pending), priority=priority, run_at=run_at)
    given = ClaimGiven(now=now, level_priority=level, below=level or 0)
    assert all_agree(row, given, claims.ON_LEVEL, claims.BELOW, claims.BELOW_LEVEL)


def in_line_twin(
    queue: bool, pending: bool, priority: int, level: int, run_at: int, after_at: int, after_id: int, now: int
) -> None:
    """A claim goes on behind its place in the line as `claim_order` does (CLM-1, JOB-2)."""
    assert now >= 0
    row = JobRow(queue=queue_of(queue), state=state_of(pending), priority=priority, run_at=run_at)
    assert claims.IN_LINE.agrees(row, ClaimGiven(now=now, priority=level, after_run_at=after_at, after_id=after_id))


def in_line_reason_twin(expires_at: int | None, attempts: int, max_attempts: int, now: int) -> None:
    """Of a job in the line the reason is the model's doom (CLM-5)."""
    assert now >= 0
    row = JobRow(run_at=now, expires_at=expires_at, attempts=attempts, max_attempts=max_attempts)
    assert claims.IN_LINE_REASON.agrees(row, ClaimGiven(now=now, after_run_at=now - 1))


def ahead_twin(at: int | None, paused: bool, now: int) -> None:
    """`next_claim_at` answers nothing for a paused queue and for one without jobs (CLM-14, CLM-15)."""
    assert now >= 0
    assert claims.AHEAD.agrees(InstantRow(at=at), Given(now=now, found=paused))


def held_or_lapsed(pending: bool, end: int | None, now: int) -> None:
    """A processing job is held or has lapsed, never both and never neither; a pending one is neither (CLM-18)."""
    assert now >= 0
    one = job(JobRow(state=state_of(pending), claim_expires_at=end))
    assert held(one, now) + lapsed(one, now) == (0 if pending else 1)


def doom_is_never_undone_by_time(pending: bool, end: int | None, expires_at: int | None, now: int, later: int) -> None:
    """Who is past saving stays so, and for the same reason or because he expired since (CLM-5)."""
    assert now <= later
    one = job(
        JobRow(
            state=state_of(pending), claim_expires_at=end, expires_at=expires_at, attempts=1, lapses=2, max_attempts=1
        )
    )
    first, then = doom(one, now), doom(one, later)
    assert first is None or then in (first, Reason.EXPIRED)


def lease_taken_holds_so_long(lease_s: int, now: int, later: int) -> None:
    """A lease of `lease_s` seconds taken at `now` holds up to and with `now + lease_s` (CLM-2, CLM-3)."""
    assert 1 <= lease_s <= LEASE_MAX_S
    assert now <= later
    claim = Claim(queues=("a",), worker="w", n=1, lease_s=lease_s)
    world, (taken,) = step(World(jobs={7: job(JobRow(run_at=now))}), claim, now)
    assert (held(taken, later), world.jobs) == (later - now <= lease_s, {7: taken})


def claim_changes_nothing_before(
    pending: bool,
    run_at: int,
    end: int | None,
    expires_at: int | None,
    attempts: int,
    lapses: int,
    now: int,
    later: int,
) -> None:
    """A claim changes the one job at `next_claim_at`, at every instant after, and at none before (CLM-15)."""
    assert 0 <= now <= later < INTEGER_MAX
    assert end is None or end < INTEGER_MAX
    row = JobRow(
        state=state_of(pending),
        run_at=run_at,
        claim_expires_at=end,
        expires_at=expires_at,
        attempts=attempts,
        lapses=lapses,
    )
    world = World(jobs={7: job(row)})
    _, at = step(world, NextClaimAt(queues=("a",)), now)
    after, _ = step(world, Claim(queues=("a",), worker="w", n=1, lease_s=1), later)
    assert (after.jobs == world.jobs, at >= now) == (later < at, True)


def claim_order_is_strict(priority1: int, run_at1: int, id1: int, priority2: int, run_at2: int, id2: int) -> None:
    """Of two jobs exactly one is first (CLM-1)."""
    assert id1 != id2
    one = claim_order(job(JobRow(priority=priority1, run_at=run_at1, id=id1)))
    other = claim_order(job(JobRow(priority=priority2, run_at=run_at2, id=id2)))
    assert (one < other) != (other < one)


def claim_order_says_who_is_first(priority1: int, run_at1: int, priority2: int, run_at2: int) -> None:
    """The higher priority, then the earlier `run_at`, then the lower id (CLM-1)."""
    assert True  # of whatever arguments: to CrossHair a first assert is what is asked of them
    one = claim_order(job(JobRow(id=1, priority=priority1, run_at=run_at1)))
    other = claim_order(job(JobRow(id=2, priority=priority2, run_at=run_at2)))
    assert (one < other) == (priority1 > priority2 or (priority1 == priority2 and run_at1 <= run_at2))


def claim_order_is_transitive(
    priority1: int, run_at1: int, priority2: int, run_at2: int, priority3: int, run_at3: int
) -> None:
    """Who is before one that is before a third is before the third (CLM-1)."""
    assert True  # of whatever arguments: to CrossHair a first assert is what is asked of them
    first = claim_order(job(JobRow(id=3, priority=priority1, run_at=run_at1)))
    second = claim_order(job(JobRow(id=1, priority=priority2, run_at=run_at2)))
    third = claim_order(job(JobRow(id=2, priority=priority3, run_at=run_at3)))
    assert first < third or not first < second < third


def best_of_three(
    priority1: int, run_at1: int, priority2: int, run_at2: int, priority3: int, run_at3: int, now: int
) -> None:
    """A claim takes the due job that no other due job precedes, or nothing if none is due (CLM-1)."""
    assert now >= 0
    jobs = {
        1: job(JobRow(id=1, priority=priority1, run_at=run_at1)),
        2: job(JobRow(id=2, priority=priority2, run_at=run_at2)),
        3: job(JobRow(id=3, priority=priority3, run_at=run_at3)),
    }
    _, taken = step(World(jobs=jobs), Claim(queues=("a",), worker="w", n=1, lease_s=1), now)
    ready = [one for one in jobs.values() if one.run_at <= now]
    assert [one.id for one in taken] == [min(ready, key=claim_order).id] if ready else taken == ()


def claim_refuses_zero(n: int, lease_s: int) -> None:
    """To claim nothing, or for no time, is refused; every more is accepted, up to the bounds (ERR-4, ERR-5)."""
    assert 0 <= n <= CLAIM_MAX
    assert 0 <= lease_s <= LEASE_MAX_S
    op = Claim(queues=("a",), worker="w", n=n, lease_s=lease_s)
    assert accepts(op.check) == (n > 0 and lease_s > 0)
