"""What decides about locks: who holds one, who may have it, what is looked up and what is swept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from anser.errors import LeaseLost
from anser.ops import LockAcquire, LockGet, LockList, LockRelease, LockRenew, LockSweep
from anser.types import Lock
from anser_models import VERBS, World
from anser_models.predicates import locked_by
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.logic import Truth, at_most, below, both, same

__all__ = ["NO_DECISION", "TABLE", "LockGiven", "LockRow"]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRow:
    """The columns that conditions name."""

    name: str = field(default="k", metadata=tried("j", "k", "l"))
    owner: str = field(default="w", metadata=tried("w", "v"))
    fence: int = field(default=0, metadata=tried(4, 5, 6))
    expires_at: int = field(default=10, metadata=tried(9, 10, 11))
    depth: int = field(default=1, metadata=tried(0, 1, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class LockGiven(Given):
    """The holding that a word names, and the place in a list."""

    lock: str = "k"
    owner: str = "w"
    after_name: str = "k"
    fence: int = 5


LOCKS = Table("_honker_locks", LockRow, LockGiven)

# --- the model's side


def _lock(row: LockRow) -> Lock:
    return Lock(row.name, row.owner, row.fence, None, row.expires_at, row.depth)


def locked_row(row: LockRow, given: LockGiven) -> Draft:
    """The world whose only lock is the row, about to be changed."""
    return Draft(World(locks={row.name: _lock(row)}), given.now, frozenset())


def acquired_again(row: LockRow, given: LockGiven) -> bool:
    """An acquire that adds to the depth that the row has."""
    op = LockAcquire(lock=given.lock, owner=given.owner, ttl_s=1)
    lock: Lock | None = VERBS["lock_acquire"](locked_row(row, given), op)
    return lock is not None and lock.acquired_at is None


def taken_over(row: LockRow, given: LockGiven) -> bool:
    """Somebody else may have the lock."""
    op = LockAcquire(lock=row.name, owner="nobody yet", ttl_s=1)
    return bool(VERBS["lock_acquire"](locked_row(row, given), op))


def lock_word_holds(row: LockRow, given: LockGiven) -> bool:
    """A renewal is not refused. `locked_by` says the same of the lock it finds."""
    op = LockRenew(lock=given.lock, owner=given.owner, fence=given.fence, ttl_s=1)
    try:
        holds = bool(VERBS["lock_renew"](locked_row(row, given), op) == given.now + 1)
    except LeaseLost:
        holds = False
    predicate = row.name == given.lock and locked_by(_lock(row), given.owner, given.fence, given.now)
    assert holds == predicate, "the model writes one meaning twice, and differently"
    return holds


def released(row: LockRow, given: LockGiven) -> bool | None:
    """What `lock_release` answers, None where it is refused."""
    op = LockRelease(lock=given.lock, owner=given.owner, fence=given.fence)
    try:
        return bool(VERBS["lock_release"](locked_row(row, given), op))
    except LeaseLost:
        return None


# --- the twins


def _lock_held(row: LockRow, given: LockGiven) -> Truth:
    return both(same(row.name, given.lock), below(given.now, row.expires_at))


def _lock_word(row: LockRow, given: LockGiven) -> Truth:
    return both(_lock_held(row, given), same(row.owner, given.owner), same(row.fence, given.fence))


# --- the table


LOCK_AGAIN = Condition(
    table=LOCKS,
    text="name = :lock and owner = :owner and expires_at > :now",
    rules=("LCK-2", "LCK-4"),
    twin=lambda row, given: both(_lock_held(row, given), same(row.owner, given.owner)),
    model=acquired_again,
)
LOCK_OVER = Condition(
    table=LOCKS,
    text="expires_at <= :now",
    rules=("LCK-1", "LCK-2"),
    twin=lambda row, given: at_most(row.expires_at, given.now),
    model=taken_over,
)
LOCK_SWEPT = replace(
    LOCK_OVER,
    rules=("LCK-9",),
    model=lambda row, given: VERBS["lock_sweep"](locked_row(row, given), LockSweep()) == 1,
)
LOCK_WORD = Condition(
    table=LOCKS,
    text="name = :lock and owner = :owner and fence = :fence and expires_at > :now",
    rules=("LCK-2", "LCK-5", "LCK-6"),
    twin=_lock_word,
    model=lock_word_holds,
)
LOCK_RELEASED = replace(LOCK_WORD, rules=("LCK-5", "LCK-7"), model=lambda row, given: released(row, given) is not None)
LOCK_RELEASED_WITHIN = replace(
    LOCK_RELEASED,
    text=f"{LOCK_WORD.text} and depth > 1",
    twin=lambda row, given: both(_lock_word(row, given), below(1, row.depth)),
    model=lambda row, given: released(row, given) is False,
)
LOCK_FOUND = Condition(
    table=LOCKS,
    text="name = :lock and expires_at > :now",
    rules=("LCK-2", "LCK-8"),
    twin=_lock_held,
    model=lambda row, given: VERBS["lock_get"](locked_row(row, given), LockGet(lock=given.lock)) is not None,
)
LOCK_LISTED = Condition(
    table=LOCKS,
    text="name > :after_name and expires_at > :now",
    rules=("LCK-2", "LCK-8"),
    twin=lambda row, given: both(row.name > given.after_name, below(given.now, row.expires_at)),
    model=lambda row, given: bool(VERBS["lock_list"](locked_row(row, given), LockList(after_name=given.after_name))),
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "lock_acquire_again": (LOCK_AGAIN,),
    "lock_acquire": (LOCK_OVER,),
    "lock_renew": (LOCK_WORD,),
    "lock_release_inner": (LOCK_RELEASED_WITHIN,),
    "lock_release": (LOCK_RELEASED,),
    "lock_get": (LOCK_FOUND,),
    "lock_list": (LOCK_LISTED,),
    "lock_sweep": (LOCK_SWEPT,),
}
NO_DECISION: dict[str, tuple[str, str]] = {}
