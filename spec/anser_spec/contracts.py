"""What holds of the pure parts for every integer: contracts that CrossHair proves, or at least fails to refute.

Each function is a contract: its leading asserts say of which arguments, its last one what must hold; what CrossHair
takes for a leading assert would never be doubted, so there is one last, and a test sees it refuted when it says the
contrary. Nobody calls the contracts but CrossHair (`python -m anser_spec.crosshair`), and `contracts.toml` keeps the
verdict that is expected of each.

The first family holds the twins of `anser_spec.predicates` against the model. There ids, queues and workers are right
or wrong, no more: conditions that compare nothing else stand on the grid alone. An instant is not before the epoch.
"""

from __future__ import annotations

from collections.abc import Callable

from anser.backoff import Backoff, Jitter, raw_delay_s
from anser.errors import Invalid
from anser.ops import Ack, Claim, Enqueue, LockAcquire, LockRelease, NextClaimAt
from anser.ops.checks import whole
from anser.types import CLAIM_MAX, DELAY_MAX_S, INSTANT_MAX, INTEGER_MAX, LEASE_MAX_S, TRIES_MAX, Lock, Reason
from anser_models import EMPTY, World, step
from anser_models.predicates import claim_order, doom, due, expired, held, lapsed
from anser_spec import predicates
from anser_spec.predicates import Condition, Given, Row, job

_JITTERS: tuple[Jitter, ...] = ("none", "equal", "full")


def _queue(right: bool) -> str:
    return "a" if right else "b"


def _state(pending: bool) -> str:
    return "pending" if pending else "processing"


def _all_agree(row: Row, given: Given, *conditions: Condition) -> bool:
    return all(condition.agrees(row, given) for condition in conditions)


# --- the twin of a condition decides as the model


def word_twin(
    id: bool, queue: bool, pending: bool, worker: bool | None, fence: int, named: int, end: int | None, now: int
) -> None:
    """The `where` of every word keeps a row if and only if the model lets the word pass (CLM-2, CLM-8, CLM-18)."""
    assert now >= 0
    row = Row(
        id=7 if id else 8,
        queue=_queue(queue),
        state=_state(pending),
        worker_id=None if worker is None else "w" if worker else "v",
        fence=fence,
        claim_expires_at=end,
    )
    assert predicates.WORD.agrees(row, Given(fence=named, now=now))


def retry_twin(pending: bool, end: int | None, attempts: int, max_attempts: int, now: int) -> None:
    """`retry` keeps a row if and only if the job of the model is pending after it (CLM-8, RET-1, RET-2)."""
    assert now >= 0
    row = Row(
        state=_state(pending),
        worker_id="w",
        fence=5,
        claim_expires_at=end,
        attempts=attempts,
        max_attempts=max_attempts,
    )
    assert predicates.WORD_WITH_ATTEMPTS_LEFT.agrees(row, Given(now=now))


def lapsed_twins(queue: bool, pending: bool, end: int | None, now: int) -> None:
    """A claim settles what the model says has lapsed, with an end of the lease or without (CLM-2, CLM-4, CLM-18)."""
    assert now >= 0
    row, given = Row(queue=_queue(queue), state=_state(pending), claim_expires_at=end), Given(now=now)
    assert _all_agree(row, given, predicates.LAPSED, predicates.ENDLESS)


def lapsed_reason_twins(end: int | None, expires_at: int | None, lapses: int, max_lapses: int, now: int) -> None:
    """Of a lapsed job the reason is the model's doom (CLM-4, CLM-5)."""
    assert now >= 0
    row = Row(
        state="processing",
        claim_expires_at=end,
        expires_at=expires_at,
        lapses=lapses,
        max_lapses=max_lapses,
        attempts=1,
    )
    assert _all_agree(row, Given(now=now), predicates.LAPSED_REASON, predicates.ENDLESS_REASON)


def key_reason_twin(
    pending: bool, end: int | None, expires_at: int | None, attempts: int, lapses: int, now: int
) -> None:
    """Of the holder of a key the reason is the model's doom, and none while it is held (CLM-5, JOB-7)."""
    assert now >= 0
    row = Row(
        state=_state(pending),
        claim_expires_at=end,
        expires_at=expires_at,
        attempts=attempts,
        lapses=lapses,
        unique_key="k",
    )
    assert predicates.KEY_REASON.agrees(row, Given(now=now))


def level_twins(queue: bool, pending: bool, priority: int, level: int | None, run_at: int, now: int) -> None:
    """A claim comes from priority to priority as `claim_order` does, and stops where a job is due (CLM-1, JOB-2)."""
    assert now >= 0
    row = Row(queue=_queue(queue), state=_state(pending), priority=priority, run_at=run_at)
    given = Given(now=now, level_priority=level, below=level or 0)
    assert _all_agree(row, given, predicates.ON_LEVEL, predicates.BELOW, predicates.BELOW_LEVEL)


def in_line_twin(
    queue: bool, pending: bool, priority: int, level: int, run_at: int, after_at: int, after_id: int, now: int
) -> None:
    """A claim goes on behind its place in the line as `claim_order` does (CLM-1, JOB-2)."""
    assert now >= 0
    row = Row(queue=_queue(queue), state=_state(pending), priority=priority, run_at=run_at)
    assert predicates.IN_LINE.agrees(row, Given(now=now, priority=level, after_run_at=after_at, after_id=after_id))


def in_line_reason_twin(expires_at: int | None, attempts: int, max_attempts: int, now: int) -> None:
    """Of a job in the line the reason is the model's doom (CLM-5)."""
    assert now >= 0
    row = Row(run_at=now, expires_at=expires_at, attempts=attempts, max_attempts=max_attempts)
    assert predicates.IN_LINE_REASON.agrees(row, Given(now=now, after_run_at=now - 1))


def expired_twins(queue: bool, pending: bool, end: int | None, expires_at: int | None, now: int) -> None:
    """The sweep takes whom the model says is expired and held by nobody (CLM-2, DED-2)."""
    assert now >= 0
    row = Row(queue=_queue(queue), state=_state(pending), claim_expires_at=end, expires_at=expires_at)
    assert _all_agree(row, Given(now=now), predicates.EXPIRED, predicates.EXPIRED_LAPSED)


def counted_due_twin(pending: bool, run_at: int, now: int) -> None:
    """A job counts as due when the model counts it (JOB-2, JOB-13)."""
    assert now >= 0
    assert predicates.COUNTED_DUE.agrees(Row(state=_state(pending), run_at=run_at), Given(now=now))


def listed_twins(queue: bool, pending: bool, asked: bool | None, after_id: int) -> None:
    """A page of the live jobs, and one of the dead, begins behind `after_id` (JOB-12, DED-3)."""
    assert after_id >= 0
    row = Row(queue=_queue(queue), state=_state(pending))
    given = Given(state=None if asked is None else _state(asked), after_id=after_id)
    assert _all_agree(row, given, predicates.LISTED, predicates.DEAD_LISTED)


def pruned_twin(queue: bool, died_at: int, older_than_s: int, now: int) -> None:
    """Whom `dead_prune` forgets the model forgets, the instant computed as the core does (DED-6)."""
    assert older_than_s >= 0
    given = Given(now=now, before=now - older_than_s)
    assert predicates.PRUNED.agrees(Row(queue=_queue(queue), died_at=died_at), given)


def lock_word_twins(lock: bool, owner: bool, fence: int, named: int, depth: int, end: int, now: int) -> None:
    """The `where` of each word about a lock keeps a row if and only if the model lets the word pass (LCK-2, LCK-5)."""
    assert now >= 0
    row = Row(name="k" if lock else "l", owner="w" if owner else "v", fence=fence, depth=depth, expires_at=end)
    given = Given(fence=named, now=now)
    assert _all_agree(row, given, predicates.LOCK_WORD, predicates.LOCK_RELEASED, predicates.LOCK_RELEASED_WITHIN)


def lock_held_twins(lock: bool, owner: bool, end: int, now: int) -> None:
    """So is who holds a lock, who may have it, what is looked up and what is swept (LCK-1, LCK-4, LCK-8, LCK-9)."""
    assert now >= 0
    row = Row(name="k" if lock else "l", owner="w" if owner else "v", expires_at=end)
    given = Given(now=now)
    held = (predicates.LOCK_AGAIN, predicates.LOCK_FOUND, predicates.LOCK_LISTED)
    assert _all_agree(row, given, *held, predicates.LOCK_OVER, predicates.LOCK_SWEPT)


def ahead_twin(at: int | None, paused: bool, now: int) -> None:
    """`next_claim_at` answers nothing for a paused queue and for one without jobs (CLM-14, CLM-15)."""
    assert now >= 0
    assert predicates.AHEAD.agrees(Row(at=at), Given(now=now, found=paused))


# --- boundaries


def due_from_its_run_at_on(run_at: int, now: int) -> None:
    """A job is due at its `run_at`, not a second before, and ever after (JOB-2)."""
    assert now >= run_at
    assert (due(run_at, now), due(run_at, run_at), due(run_at, run_at - 1)) == (True, True, False)


def expired_from_its_expires_at_on(expires_at: int, now: int) -> None:
    """A job is over at its `expires_at`, not a second before, and one without is never (CLM-5)."""
    assert now >= expires_at
    assert (expired(expires_at, now), expired(expires_at, expires_at - 1), expired(None, now)) == (True, False, False)


def held_to_the_end_of_its_last_second(end: int, now: int) -> None:
    """A lease holds at its last second and at each before, and at none after (CLM-2)."""
    assert now <= end
    processing = job(Row(state="processing", claim_expires_at=end))
    assert (held(processing, now), held(processing, end), held(processing, end + 1)) == (True, True, False)


def held_or_lapsed(pending: bool, end: int | None, now: int) -> None:
    """A processing job is held or has lapsed, never both and never neither; a pending one is neither (CLM-18)."""
    assert now >= 0
    one = job(Row(state=_state(pending), claim_expires_at=end))
    assert held(one, now) + lapsed(one, now) == (0 if pending else 1)


def doom_is_never_undone_by_time(pending: bool, end: int | None, expires_at: int | None, now: int, later: int) -> None:
    """Who is past saving stays so, and for the same reason or because he expired since (CLM-5)."""
    assert now <= later
    one = job(
        Row(state=_state(pending), claim_expires_at=end, expires_at=expires_at, attempts=1, lapses=2, max_attempts=1)
    )
    first, then = doom(one, now), doom(one, later)
    assert first is None or then in (first, Reason.EXPIRED)


def held_is_never_past_saving(end: int, expires_at: int | None, attempts: int, lapses: int, now: int) -> None:
    """Whoever holds a job may finish it, whatever has run out meanwhile (CLM-5)."""
    assert now <= end
    row = Row(state="processing", claim_expires_at=end, expires_at=expires_at, attempts=attempts, lapses=lapses)
    assert doom(job(row), now) is None


def holder_or_claim(end: int, expires_at: int | None, attempts: int, lapses: int, now: int) -> None:
    """In each second either the holder may speak or a claim may have the job, never both, never neither (CLM-2)."""
    assert now >= 0
    row = Row(
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


def lease_taken_holds_so_long(lease_s: int, now: int, later: int) -> None:
    """A lease of `lease_s` seconds taken at `now` holds up to and with `now + lease_s` (CLM-2, CLM-3)."""
    assert 1 <= lease_s <= LEASE_MAX_S
    assert now <= later
    claim = Claim(queues=("a",), worker="w", n=1, lease_s=lease_s)
    world, (taken,) = step(World(jobs={7: job(Row(run_at=now))}), claim, now)
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
    row = Row(
        state=_state(pending),
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


def lock_has_a_holder_or_is_free(end: int, ttl_s: int, now: int) -> None:
    """In each second either the holder may speak or another owner may have the lock (LCK-1, LCK-2)."""
    assert now >= 0
    assert 1 <= ttl_s <= LEASE_MAX_S
    world = World(locks={"k": Lock("k", "w", 5, None, end, 1)}, last_fence=5)
    _, refused = step(world, LockRelease(lock="k", owner="w", fence=5), now)
    _, taken = step(world, LockAcquire(lock="k", owner="v", ttl_s=ttl_s), now)
    assert (refused is True) == (taken is None)


def lock_is_never_shortened_by_its_holder(end: int, ttl_s: int, now: int) -> None:
    """To acquire again ends the lock at the later of both ends (LCK-4)."""
    assert 0 <= now < end
    assert 1 <= ttl_s <= LEASE_MAX_S
    world = World(locks={"k": Lock("k", "w", 5, None, end, 1)}, last_fence=5)
    _, lock = step(world, LockAcquire(lock="k", owner="w", ttl_s=ttl_s), now)
    assert (lock.expires_at, lock.fence, lock.depth) == (max(end, now + ttl_s), 5, 2)


def enqueued_when_it_was_asked_for(run_at: int | None, delay_s: int | None, now: int) -> None:
    """A job is due at `run_at`, or `delay_s` from now, or now, and never earlier than now (JOB-2, JOB-3, ERR-4)."""
    assert 0 <= now <= INSTANT_MAX
    assert run_at is None or delay_s is None
    assert run_at is None or 0 <= run_at <= INSTANT_MAX
    assert delay_s is None or 0 <= delay_s <= DELAY_MAX_S
    world, _ = step(EMPTY, Enqueue(queue="a", payload=None, run_at=run_at, delay_s=delay_s), now)
    assert world.jobs[1].run_at == max(now, run_at or 0, now + (delay_s or 0))


# --- order


def claim_order_is_strict(priority1: int, run_at1: int, id1: int, priority2: int, run_at2: int, id2: int) -> None:
    """Of two jobs exactly one is first (CLM-1)."""
    assert id1 != id2
    one = claim_order(job(Row(priority=priority1, run_at=run_at1, id=id1)))
    other = claim_order(job(Row(priority=priority2, run_at=run_at2, id=id2)))
    assert (one < other) != (other < one)


def claim_order_says_who_is_first(priority1: int, run_at1: int, priority2: int, run_at2: int) -> None:
    """The higher priority, then the earlier `run_at`, then the lower id (CLM-1)."""
    assert True  # of whatever arguments: to CrossHair a first assert is what is asked of them
    one = claim_order(job(Row(id=1, priority=priority1, run_at=run_at1)))
    other = claim_order(job(Row(id=2, priority=priority2, run_at=run_at2)))
    assert (one < other) == (priority1 > priority2 or (priority1 == priority2 and run_at1 <= run_at2))


def claim_order_is_transitive(
    priority1: int, run_at1: int, priority2: int, run_at2: int, priority3: int, run_at3: int
) -> None:
    """Who is before one that is before a third is before the third (CLM-1)."""
    assert True  # of whatever arguments: to CrossHair a first assert is what is asked of them
    first = claim_order(job(Row(id=3, priority=priority1, run_at=run_at1)))
    second = claim_order(job(Row(id=1, priority=priority2, run_at=run_at2)))
    third = claim_order(job(Row(id=2, priority=priority3, run_at=run_at3)))
    assert first < third or not first < second < third


def best_of_three(
    priority1: int, run_at1: int, priority2: int, run_at2: int, priority3: int, run_at3: int, now: int
) -> None:
    """A claim takes the due job that no other due job precedes, or nothing if none is due (CLM-1)."""
    assert now >= 0
    jobs = {
        1: job(Row(id=1, priority=priority1, run_at=run_at1)),
        2: job(Row(id=2, priority=priority2, run_at=run_at2)),
        3: job(Row(id=3, priority=priority3, run_at=run_at3)),
    }
    _, taken = step(World(jobs=jobs), Claim(queues=("a",), worker="w", n=1, lease_s=1), now)
    ready = [one for one in jobs.values() if one.run_at <= now]
    assert [one.id for one in taken] == [min(ready, key=claim_order).id] if ready else taken == ()


# --- backoff


def backoff_follows_its_formula(base: int, factor: int, cap: int, attempt: int) -> None:
    """`base * factor ** (attempt - 1)`, the cap at most (RET-5)."""
    assert base >= 0
    assert factor >= 1
    assert cap >= 0
    assert 1 <= attempt <= 5
    assert raw_delay_s(base, factor, cap, attempt) == min(cap, base * factor ** (attempt - 1))


def backoff_never_falls(base: int, factor: int, cap: int, attempt: int) -> None:
    """A later attempt waits no less (RET-5)."""
    assert base >= 0
    assert factor >= 1
    assert cap >= 0
    assert 1 <= attempt <= 5
    assert raw_delay_s(base, factor, cap, attempt) <= raw_delay_s(base, factor, cap, attempt + 1)


def backoff_stays_at_its_cap(base: int, factor: int, cap: int, attempt: int) -> None:
    """Once it has reached the cap it stays there (RET-6)."""
    assert base >= 0
    assert factor >= 1
    assert cap >= 0
    assert 1 <= attempt <= 5
    assert raw_delay_s(base, factor, cap, attempt) < cap or raw_delay_s(base, factor, cap, attempt + 1) == cap


def backoff_by_two_saturates(base: int, cap: int, attempt: int) -> None:
    """Doubling from one second or more is at its cap from the 33rd attempt on (RET-6)."""
    assert 1 <= base <= DELAY_MAX_S
    assert 0 <= cap <= DELAY_MAX_S
    assert attempt >= 33
    assert raw_delay_s(base, 2, cap, attempt) == cap


def backoff_lies_within_its_cap(base: int, factor: int, cap: int, attempt: int) -> None:
    """At every attempt the wait is from nothing to the cap (RET-6)."""
    assert 0 <= base <= DELAY_MAX_S
    assert 1 <= factor <= 1_000
    assert 0 <= cap <= DELAY_MAX_S
    assert attempt >= 1
    assert 0 <= raw_delay_s(base, factor, cap, attempt) <= cap


def backoff_bounds(base: int, factor: int, cap: int, attempt: int, jitter: int) -> None:
    """The shortest wait is all, the half rounded up, or nothing of the longest (RET-5, RET-7)."""
    assert 0 <= base <= DELAY_MAX_S
    assert 1 <= factor <= 1_000
    assert 0 <= cap <= DELAY_MAX_S
    assert 1 <= attempt <= 4
    assert 0 <= jitter <= 2
    shortest, longest = Backoff(base, factor, cap, _JITTERS[jitter]).bounds_s(attempt)
    part = (longest, (longest + 1) // 2, 0)[jitter]
    assert 0 <= shortest == part <= longest <= cap


# --- arguments


def _accepts(check: Callable[[], None]) -> bool:
    try:
        check()
    except Invalid:
        return False
    return True


def whole_accepts_what_lies_within(value: int, low: int, high: int) -> None:
    """A whole number within the range is accepted (ERR-5)."""
    assert low <= value <= high
    assert _accepts(lambda: whole("n", value, low, high))


def whole_refuses_what_lies_beside(value: int) -> None:
    """A whole number on either side is refused (ERR-5)."""
    assert -5 <= value <= 15
    assert _accepts(lambda: whole("n", value, 0, 10)) == (0 <= value <= 10)


def whole_refuses_what_lies_without(value: int, low: int, high: int) -> None:
    """So is every other; its message makes the value concrete, so this one cannot be proven (ERR-5)."""
    assert not low <= value <= high
    assert not _accepts(lambda: whole("n", value, low, high))


def whole_refuses_booleans(value: bool) -> None:
    """A boolean is no number, though Python says so (ERR-5)."""
    assert True  # of whatever arguments: to CrossHair a first assert is what is asked of them
    assert not _accepts(lambda: whole("n", value, 0, 10))


def enqueue_accepts_its_ranges(delay_s: int | None, expires_s: int | None, max_lapses: int) -> None:
    """Zero is a delay and a number of lapses; none is neither (ERR-4, ERR-5)."""
    assert delay_s is None or 0 <= delay_s <= DELAY_MAX_S
    assert expires_s is None or 1 <= expires_s <= DELAY_MAX_S
    assert 0 <= max_lapses <= TRIES_MAX
    op = Enqueue(queue="a", payload=None, delay_s=delay_s, expires_s=expires_s, max_lapses=max_lapses)
    assert _accepts(op.check)


def enqueue_refuses_a_negative_delay(delay_s: int, run_at: int | None) -> None:
    """A delay lies in the future; given beside `run_at` it is refused whatever it is (ERR-5)."""
    assert -5 <= delay_s <= 5
    assert run_at is None or 0 <= run_at <= 3
    op = Enqueue(queue="a", payload=None, delay_s=delay_s, run_at=run_at)
    assert _accepts(op.check) == (delay_s >= 0 and run_at is None)


def claim_refuses_zero(n: int, lease_s: int) -> None:
    """To claim nothing, or for no time, is refused; every more is accepted, up to the bounds (ERR-4, ERR-5)."""
    assert 0 <= n <= CLAIM_MAX
    assert 0 <= lease_s <= LEASE_MAX_S
    op = Claim(queues=("a",), worker="w", n=n, lease_s=lease_s)
    assert _accepts(op.check) == (n > 0 and lease_s > 0)
