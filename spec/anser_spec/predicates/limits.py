"""What decides about limits: whether a window or a bucket has something left, and whether a slot is held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from anser.errors import LeaseLost
from anser.ops import LimitAcquire, LimitGet, LimitRelease, LimitSweep, RateLimitSweep, RateLimitTry, TokenBucketTry
from anser.types import Bucket, Slot, Window
from anser_models import VERBS, World
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.jobs import JobGiven, JobRow, job, live
from anser_spec.predicates.leases import WORD, LeaseGiven
from anser_spec.predicates.logic import Truth, at_most, below, both, negated, same

__all__ = ["NO_DECISION", "TABLE", "BucketGiven", "BucketRow", "HoldingGiven", "SlotGiven", "SlotRow"]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """The columns that conditions name of windows."""

    window_start: int = field(default=10, metadata=tried(4, 5, 6))
    count: int = field(default=1, metadata=tried(1, 2, 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowGiven(Given):
    """How often, and how long ago."""

    most: int = 2
    older_than_s: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRow:
    """The columns that conditions name of buckets."""

    key: str = field(default="k", metadata=tried("k", "l"))
    capacity: int = field(default=2, metadata=tried(1, 2))
    per_s: int = field(default=3, metadata=tried(2, 3))
    level: int = field(default=0, metadata=tried(0, 1, 2, 3, 4, 6))
    at: int = field(default=10, metadata=tried(6, 7, 8, 9, 10, 11))


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketGiven(Given):
    """What is asked of a bucket, and how long ago."""

    key: str = "k"
    capacity: int = 2
    per_s: int = field(default=3, metadata=tried(2, 3))
    n: int = field(default=1, metadata=tried(1, 2))
    older_than_s: int = field(default=0, metadata=tried(0, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRow:
    """The columns that conditions name of slots."""

    key: str = field(default="k", metadata=tried("k", "l"))
    job_id: int = field(default=7, metadata=tried(6, 7, 8))
    fence: int = field(default=5, metadata=tried(4, 5, 6))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotGiven(Given):
    """The slot that a lease asks for."""

    key: str = "k"
    id: int = 7
    fence: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersGiven(Given):
    """How many have a slot, and how many may."""

    others: int = field(default=0, metadata=tried(0, 1, 2, 3))
    most: int = 2

    OUTSIDE: ClassVar[Mapping[str, str]] = {"(…)": ":others"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingGiven(JobGiven):
    """The lease that a slot was given to."""

    slot_job_id: int = 7
    slot_fence: int = 5

    OUTSIDE: ClassVar[Mapping[str, str]] = {"slot.job_id": ":slot_job_id", "slot.fence": ":slot_fence"}


WINDOWS = Table("_honker_rate_limits", WindowRow, WindowGiven)
BUCKETS = Table("_anser_buckets", BucketRow, BucketGiven)
SLOTS = Table("_anser_slots", SlotRow, SlotGiven)
OTHERS = Table("_anser_slots", SlotRow, OthersGiven)
HOLDING = Table("_honker_live", JobRow, HoldingGiven)

# --- the model's side


def _draft(now: int, **parts: Any) -> Draft:
    return Draft(World(**parts), now, frozenset())


def counted_in(row: WindowRow, given: WindowGiven) -> bool:
    """One more is allowed in the window of this second."""
    draft = _draft(given.now, windows={("k", given.now): Window("k", given.now, row.count)})
    return bool(VERBS["rate_limit_try"](draft, RateLimitTry(key="k", limit=given.most, per_s=1)).allowed)


def window_swept(row: WindowRow, given: WindowGiven) -> bool:
    """The sweep forgets the window."""
    draft = _draft(given.now, windows={("k", row.window_start): Window("k", row.window_start, 1)})
    return bool(VERBS["rate_limit_sweep"](draft, RateLimitSweep(older_than_s=given.older_than_s)))


def _bucket(row: BucketRow, given: BucketGiven) -> Draft:
    return _draft(given.now, buckets={row.key: Bucket(row.key, row.capacity, row.per_s, row.level, row.at)})


def taken(row: BucketRow, given: BucketGiven) -> bool:
    """The bucket has the tokens that are asked for."""
    op = TokenBucketTry(key=row.key, limit=given.capacity, per_s=given.per_s, n=given.n)
    return bool(VERBS["token_bucket_try"](_bucket(row, given), op).allowed)


def looked_at(row: BucketRow, given: BucketGiven) -> bool:
    """The bucket is the one that is asked: it has nothing, where another would begin full."""
    draft = _bucket(BucketRow(key=row.key), given)
    return not VERBS["token_bucket_try"](draft, TokenBucketTry(key=given.key, limit=2, per_s=3)).allowed


def bucket_swept(row: BucketRow, given: BucketGiven) -> bool:
    """The sweep forgets the bucket."""
    op = RateLimitSweep(older_than_s=given.older_than_s)
    return bool(VERBS["rate_limit_sweep"](_bucket(row, given), op))


def _slot(row: SlotRow, given: SlotGiven, *held: int) -> Draft:
    """The world whose only slot is the row, and where leases of those jobs hold."""
    jobs = {id: job(_leased(id, given.fence if id == given.id else row.fence)) for id in held}
    return _draft(given.now, jobs=jobs, slots={(row.key, row.job_id): Slot(row.key, row.job_id, row.fence)})


def _leased(id: int, fence: int) -> JobRow:
    return JobRow(id=id, state="processing", attempts=1, worker_id="w", fence=fence, claim_expires_at=10)


def _asked(given: SlotGiven) -> dict[str, Any]:
    return {"key": given.key, "queue": "a", "id": given.id, "worker": "w", "fence": given.fence}


def has_slot(row: SlotRow, given: SlotGiven) -> bool:
    """The lease that asks has the slot already."""
    draft = _slot(row, given, given.id)
    VERBS["limit_acquire"](draft, LimitAcquire(**_asked(given), limit=9))
    return draft.names == ["limit_acquire.again"]


def gave_slot_back(row: SlotRow, given: SlotGiven) -> bool:
    """The lease gives that slot back."""
    return bool(VERBS["limit_release"](_slot(row, given, given.id), LimitRelease(**_asked(given))))


def slot_counted(row: SlotRow, given: SlotGiven) -> bool:
    """The slot is one of the key, and held where a lease was `found`."""
    draft = _slot(row, SlotGiven(id=0), *([row.job_id] if given.found else []))
    return bool(VERBS["limit_get"](draft, LimitGet(key=given.key)))


def slot_forgotten(row: SlotRow, given: SlotGiven) -> bool:
    """A slot that is given to another job lets this one be forgotten."""
    draft = _slot(row, SlotGiven(id=0), 9, *([row.job_id] if given.found else []))
    asked = _asked(given) | {"id": 9, "fence": row.fence}
    VERBS["limit_acquire"](draft, LimitAcquire(**asked, limit=9))
    return (row.key, row.job_id) not in draft.world.slots


def slot_swept(row: SlotRow, given: SlotGiven) -> bool:
    """The sweep forgets the slot."""
    draft = _slot(row, SlotGiven(id=0), *([row.job_id] if given.found else []))
    return bool(VERBS["limit_sweep"](draft, LimitSweep()))


def one_more(row: SlotRow, given: OthersGiven) -> bool:  # noqa: ARG001 - whichever slot it is
    """One more lease may have a slot beside the others."""
    jobs = {id: job(_leased(id, 5)) for id in range(1, given.others + 2)}
    slots = {("k", id): Slot("k", id, 5) for id in range(2, given.others + 2)}
    asked = _asked(SlotGiven(id=1))
    draft = _draft(given.now, jobs=jobs, slots=slots)
    return bool(VERBS["limit_acquire"](draft, LimitAcquire(**asked, limit=given.most)))


def lease_holds_slot(row: JobRow, given: HoldingGiven) -> bool:
    """The job's lease is the one that the slot was given to, and holds."""
    slot = Slot("k", given.slot_job_id, given.slot_fence)
    draft = _draft(given.now, jobs={row.id: job(row)}, slots={("k", slot.job_id): slot})
    return bool(VERBS["limit_get"](draft, LimitGet(key="k")))


def slot_word_holds(row: JobRow, given: LeaseGiven) -> bool:
    """A word about a slot is not refused: its lease holds."""
    asked: dict[str, Any] = {"key": "k", "queue": given.queue, "id": given.id}
    op = LimitAcquire(**asked, worker=given.worker, fence=given.fence, limit=1)
    try:
        return bool(VERBS["limit_acquire"](live(row, given), op))
    except LeaseLost:
        return False


# --- the twins


def _has(row: BucketRow, given: BucketGiven) -> Truth:
    come = max(given.now - row.at, 0) * given.capacity
    level = min(row.level * given.per_s // row.per_s + come, given.capacity * given.per_s)
    return at_most(given.n * given.per_s, level)


def _is_full(row: BucketRow, given: BucketGiven) -> Truth:
    return at_most(row.capacity * row.per_s, row.level + (given.now - row.at) * row.capacity)


def _own(row: SlotRow, given: SlotGiven) -> Truth:
    return both(same(row.key, given.key), same(row.job_id, given.id), same(row.fence, given.fence))


def _holds(row: JobRow, given: HoldingGiven) -> Truth:
    return both(
        same(row.id, given.slot_job_id),
        same(row.state, "processing"),
        same(row.fence, given.slot_fence),
        at_most(given.now, row.claim_expires_at),
    )


# --- the table


WINDOW_LEFT = Condition(
    table=WINDOWS,
    text="count < :most",
    rules=("LIM-1",),
    twin=lambda row, given: below(row.count, given.most),
    model=counted_in,
)
WINDOW_SWEPT = Condition(
    table=WINDOWS,
    text="window_start < :now - :older_than_s",
    rules=("LIM-8",),
    twin=lambda row, given: below(row.window_start, given.now - given.older_than_s),
    model=window_swept,
)
BUCKET_HAS = Condition(
    table=BUCKETS,
    text="min(level * :per_s / per_s + max(:now - at, 0) * :capacity, :capacity * :per_s) >= :n * :per_s",
    rules=("LIM-4", "LIM-5", "LIM-6", "LIM-7"),
    twin=_has,
    model=taken,
)
BUCKET_FOUND = Condition(
    table=BUCKETS,
    text="key = :key",
    rules=("LIM-4",),
    twin=lambda row, given: same(row.key, given.key),
    model=looked_at,
)
BUCKET_SWEPT = Condition(
    table=BUCKETS,
    text="at < :now - :older_than_s and level + (:now - at) * capacity >= capacity * per_s",
    rules=("LIM-8",),
    twin=lambda row, given: both(below(row.at, given.now - given.older_than_s), _is_full(row, given)),
    model=bucket_swept,
)
SLOT_WORD = replace(WORD, rules=("LIM-10", "LIM-11"), model=slot_word_holds)
SLOT_OWN = Condition(
    table=SLOTS,
    text="key = :key and job_id = :id and fence = :fence",
    rules=("LIM-9",),
    twin=_own,
    model=has_slot,
)
SLOT_GIVEN_BACK = replace(SLOT_OWN, rules=("LIM-11",), model=gave_slot_back)
SLOT_LEFT = Condition(
    table=OTHERS,
    text="(…) < :most",
    rules=("LIM-9",),
    twin=lambda _, given: below(given.others, given.most),
    model=one_more,
)
SLOT_COUNTED = Condition(
    table=SLOTS,
    text="key = :key and exists (…)",
    rules=("LIM-10", "LIM-12"),
    twin=lambda row, given: both(same(row.key, given.key), given.found),
    model=slot_counted,
)
SLOT_FORGOTTEN = Condition(
    table=SLOTS,
    text="key = :key and not exists (…)",
    rules=("LIM-12",),
    twin=lambda row, given: both(same(row.key, given.key), negated(given.found)),
    model=slot_forgotten,
)
SLOT_SWEPT = Condition(
    table=SLOTS,
    text="not exists (…)",
    rules=("LIM-12",),
    twin=lambda _, given: negated(given.found),
    model=slot_swept,
)
SLOT_HELD = Condition(
    table=HOLDING,
    text="id = slot.job_id and state = 'processing' and fence = slot.fence and claim_expires_at >= :now",
    rules=("LIM-10",),
    twin=_holds,
    model=lease_holds_slot,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "rate_limit_try": (WINDOW_LEFT,),
    "rate_limit_sweep": (WINDOW_SWEPT,),
    "token_bucket_try": (BUCKET_HAS,),
    "token_bucket_level": (BUCKET_FOUND,),
    "token_bucket_sweep": (BUCKET_SWEPT,),
    "limit_lease": (SLOT_WORD,),
    "limit_own": (SLOT_OWN,),
    "limit_acquire": (SLOT_LEFT, SLOT_COUNTED, SLOT_HELD),
    "limit_forget": (SLOT_FORGOTTEN, SLOT_HELD),
    "limit_release": (SLOT_GIVEN_BACK,),
    "limit_get": (SLOT_COUNTED, SLOT_HELD),
    "limit_sweep": (SLOT_SWEPT, SLOT_HELD),
}
NO_DECISION: dict[str, tuple[str, str]] = {}
