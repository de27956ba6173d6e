"""Locks as their users hold them: the body of a `with`, its end, and what another binding left in the file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest

import anser
from anser.ops import LockAcquire, LockRelease
from tests.behavior.support import NOW, raw, rows_in

HONKER_ACQUIRE = "insert or ignore into _honker_locks (name, owner, expires_at) values (?, ?, ?)"
HONKER_RELEASE = "delete from _honker_locks where name = ? and owner = ?"


# --- the body of a with


@pytest.mark.rule("LCK-1", "LCK-7")
def test_a_lock_is_held_for_the_body_and_free_after_it(db: anser.Database) -> None:
    with db.lock("report", owner="ann", ttl_s=30) as held:
        inside = db.lock_get("report")

    assert inside == anser.Lock("report", "ann", 1, NOW, NOW + 30, 1)
    assert held.name == "report"
    assert db.lock_get("report") is None


@pytest.mark.rule("LCK-1")
def test_the_body_is_not_entered_while_another_owner_holds_the_lock(db: anser.Database, path: str) -> None:
    entered = False

    with db.lock("report", ttl_s=30):
        before = rows_in(path)
        with pytest.raises(anser.Conflict, match="'report' is held by another owner"), db.lock("report", ttl_s=30):
            entered = True
        assert rows_in(path) == before

    assert not entered


@pytest.mark.rule("LCK-4", "LCK-7")
def test_a_body_within_the_body_leaves_the_lock_held(db: anser.Database) -> None:
    with db.lock("report", owner="ann", ttl_s=30) as outer:
        with db.lock("report", owner="ann", ttl_s=60) as inner:
            assert inner.fence == outer.fence
        within = db.lock_get("report")

    assert within == anser.Lock("report", "ann", 1, NOW, NOW + 60, 1)
    assert db.lock_get("report") is None


def test_one_lock_can_be_entered_within_itself_and_again(db: anser.Database) -> None:
    lock = db.lock("report", ttl_s=30)

    with lock, lock:
        depth = lock.row and lock.row.depth
    with lock:
        fence = lock.fence

    assert (depth, fence) == (2, 2)
    assert db.lock_get("report") is None


@pytest.mark.rule("LCK-6")
def test_a_lock_is_renewed_by_what_it_was_asked_for_or_by_more(db: anser.Database, clock: anser.ManualClock) -> None:
    with db.lock("report", ttl_s=30) as held:
        clock.at += 29
        assert held.renew() == held.expires_at == NOW + 59
        clock.at += 29
        assert held.renew(ttl_s=300) == held.expires_at == NOW + 358
        clock.at += 299

    assert db.lock_get("report") is None


@pytest.mark.rule("LCK-5")
def test_a_body_that_took_too_long_is_told_at_its_end(db: anser.Database, clock: anser.ManualClock) -> None:
    with pytest.raises(anser.LeaseLost, match="'report' is not held by"), db.lock("report", ttl_s=30):
        clock.at += 30


@pytest.mark.rule("LCK-2")
def test_a_body_can_look_whether_it_still_has_the_lock(db: anser.Database, clock: anser.ManualClock) -> None:
    told = []
    lock = db.lock("report", ttl_s=30)

    told.append(lock.lost)
    with suppress(anser.LeaseLost), lock:
        for later in (0, 29, 1):
            clock.at += later
            told.append(lock.lost)
    told.append(lock.lost)

    assert told == [True, False, False, True, True]


@pytest.mark.rule("LCK-5")
def test_a_body_whose_lock_somebody_else_has_is_told_when_it_renews(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    def body() -> None:
        with db.lock("report", owner="ann", ttl_s=30) as late:
            clock.at += 30
            with db.lock("report", owner="ben", ttl_s=30) as other:
                with pytest.raises(anser.LeaseLost, match="with fence 1"):
                    late.renew()
                assert other.renew() == clock.at + 30

    with pytest.raises(anser.LeaseLost, match="with fence 1"):
        body()


@pytest.mark.rule("LCK-5")
def test_the_bodys_own_error_is_the_one_that_comes_and_the_loss_is_noted_on_it(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    def body() -> None:
        with db.lock("report", ttl_s=30):
            clock.at += 30
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as raised:
        body()

    assert "the lock 'report' was not released: " in raised.value.__notes__[0]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_body_that_raises_leaves_the_lock_free(db: anser.Database, error: type[BaseException]) -> None:
    with pytest.raises(error) as raised, db.lock("report", ttl_s=30):
        raise error

    assert not hasattr(raised.value, "__notes__")
    assert db.lock_get("report") is None


@pytest.mark.rule("LCK-5")
def test_the_error_of_a_body_is_not_hidden_when_its_inner_body_has_freed_a_later_holding(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    lock = db.lock("report", ttl_s=30)

    def body() -> None:
        with lock:
            clock.at += 30
            with lock:
                pass
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as raised:
        body()

    assert len(raised.value.__notes__) == 1


@pytest.mark.rule("LCK-5", "STO-6")
def test_what_the_body_writes_is_kept_only_if_the_lock_was_held(
    db: anser.Database, mail: anser.Queue, clock: anser.ManualClock
) -> None:
    def body(held: anser.NamedLock) -> None:
        with db.transaction() as tx:
            mail.enqueue("hello", tx=tx)
            held.renew(tx=tx)

    with suppress(anser.LeaseLost), db.lock("report", ttl_s=30) as held:
        body(held)
        clock.at += 30
        body(held)

    assert mail.count_jobs().pending == 1


@pytest.mark.rule("LCK-5")
def test_a_lock_that_was_not_entered_has_no_fence_and_no_end(db: anser.Database, path: str) -> None:
    before = rows_in(path)

    lock = db.lock("report", owner="ann", ttl_s=30)

    assert rows_in(path) == before
    asked: list[Callable[[], int]] = [lock.renew, lambda: lock.fence, lambda: lock.expires_at]
    for ask in asked:
        with pytest.raises(anser.LeaseLost, match="enter it by with"):
            ask()
    assert repr(lock) == f"<NamedLock 'report' of 'ann' in {path!r}>"


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda db: db.lock("", ttl_s=1), "lock"),
        (lambda db: db.lock("report", ttl_s=0), "ttl_s"),
        (lambda db: db.lock("report", ttl_s=0.5), "ttl_s"),
        (lambda db: db.lock("report", owner="", ttl_s=1), "owner"),
        (lambda db: db.lock("report", ttl_s=30, renew_s=0), "renew_s"),
        (lambda db: db.lock("report", ttl_s=30, renew_s=30), "renew_s"),
        (lambda db: db.lock("report", ttl_s=30, renew_s=True), "renew_s"),
        (lambda db: db.lock("report", ttl_s=30, renew_s="10"), "renew_s"),
        (lambda db: db.lock_get(None), "lock"),
        (lambda db: db.lock_list(limit=0), "limit"),
        (lambda db: db.lock_list(after_name=None), "after_name"),
        (lambda db: db.lock_sweep(limit=0), "limit"),
    ],
)
@pytest.mark.rule("ERR-5", "ERR-6")
def test_a_wrong_argument_is_refused_before_anything_is_entered(
    db: anser.Database, call: Callable[[anser.Database], object], argument: str
) -> None:
    with pytest.raises(anser.Invalid) as refusal:
        call(db)

    assert refusal.value.argument == argument


@pytest.mark.rule("LCK-8", "LCK-9")
def test_locks_that_are_held_are_listed_and_those_that_are_over_swept(
    db: anser.Database, clock: anser.ManualClock, path: str
) -> None:
    for name, ttl_s in (("a", 10), ("b", 20), ("c", 30)):
        db.run(LockAcquire(lock=name, owner="ann", ttl_s=ttl_s))
    clock.at += 20

    listed = [lock.name for lock in db.lock_list()], db.lock_list(after_name="c")
    swept = db.lock_sweep(limit=1), db.lock_sweep()

    assert listed == (["c"], ())
    assert swept == (1, 1)
    assert [row[1] for row in rows_in(path)["_honker_locks"]] == [b"c"]


# --- what another binding left


@pytest.mark.rule("LCK-10")
def test_a_lock_of_another_binding_is_respected_and_has_a_fence_of_its_own(
    db: anser.Database, clock: anser.ManualClock, path: str
) -> None:
    with db.lock("mine", ttl_s=30), raw(path) as honker:
        honker.execute(HONKER_ACQUIRE, ("report", "h", NOW + 10))
        honker.execute(HONKER_ACQUIRE, ("backup", "h", NOW + 10))
        honker.execute(HONKER_ACQUIRE, ("mine", "h", NOW + 10))

        taken = db.run(LockAcquire(lock="report", owner="ann", ttl_s=9))
        locks = {lock.name: (lock.owner, lock.fence, lock.acquired_at) for lock in db.lock_list()}
    clock.at += 10
    later = db.run(LockAcquire(lock="report", owner="ann", ttl_s=9))

    assert taken is None
    assert (locks["report"], locks["backup"]) == (("h", 2, None), ("h", 3, None))
    assert locks["mine"][1:] == (1, NOW)
    assert (later.owner, later.fence) == ("ann", 4)


@pytest.mark.rule("LCK-3", "LCK-10")
def test_each_holding_of_another_binding_has_a_fresh_fence(db: anser.Database, path: str) -> None:
    fences = []

    with raw(path) as honker:
        for _ in range(3):
            honker.execute(HONKER_ACQUIRE, ("report", "h", NOW + 10))
            lock = db.lock_get("report")
            assert lock is not None
            fences.append(lock.fence)
            honker.execute(HONKER_RELEASE, ("report", "h"))

    assert fences == [1, 2, 3]
    assert db.run(LockAcquire(lock="report", owner="ann", ttl_s=9)).fence == 4


@pytest.mark.rule("LCK-11")
@pytest.mark.parametrize("end", ["never", 10.5, b"x"])
@pytest.mark.parametrize("renewed", [False, True])
def test_a_lock_whose_end_is_no_whole_number_is_over(
    db: anser.Database, path: str, end: object, *, renewed: bool
) -> None:
    with raw(path) as honker:
        honker.execute(HONKER_ACQUIRE, ("report", "h", NOW + 10 if renewed else end))
        if renewed:
            honker.execute("update _honker_locks set expires_at = ?", (end,))

    seen = db.lock_get("report"), db.lock_list()
    with db.lock("report", owner="ann", ttl_s=30) as held:
        fence = held.fence

    assert seen == (None, ())
    assert fence == 2
    assert db.lock_sweep() == 0


@pytest.mark.rule("LCK-9", "LCK-11")
def test_a_lock_whose_end_is_no_whole_number_is_swept(db: anser.Database, path: str) -> None:
    with raw(path) as honker:
        honker.execute(HONKER_ACQUIRE, ("report", "h", "never"))

    assert db.lock_sweep() == 1


@pytest.mark.rule("LCK-11", "STO-5")
def test_a_lock_without_an_end_is_over_when_the_file_is_extended(path: str, clock: anser.ManualClock) -> None:
    with raw(path) as honker:
        honker.execute("create table _honker_locks (name text primary key, owner text not null, expires_at integer)")
        honker.execute(HONKER_ACQUIRE, ("report", "h", None))

    with anser.open(path, clock=clock) as db, db.lock("report", owner="ann", ttl_s=30) as held:
        assert held.fence == 2


@pytest.mark.rule("LCK-10", "STO-5")
def test_a_lock_that_was_held_when_the_file_was_extended_has_a_fence(path: str, clock: anser.ManualClock) -> None:
    with raw(path) as honker:
        honker.execute("create table _honker_locks (name text primary key, owner text not null, expires_at integer)")
        honker.execute(HONKER_ACQUIRE, ("report", "h", NOW + 10))
        honker.execute(HONKER_ACQUIRE, ("backup", "h", NOW + 10))

    with anser.open(path, clock=clock) as db:
        held = db.lock_get("report")
        taken = db.run(LockAcquire(lock="report", owner="ann", ttl_s=9))
        freed = db.run(LockRelease(lock="report", owner="h", fence=1))
        fresh = db.run(LockAcquire(lock="report", owner="ann", ttl_s=9))

    assert held == anser.Lock("report", "h", 1, None, NOW + 10, 1)
    assert (taken, freed, fresh.fence) == (None, True, 2)


def test_an_error_that_cannot_be_changed_comes_out_of_a_lost_lock_as_it_is(
    db: anser.Database, clock: anser.ManualClock
) -> None:
    @dataclass(frozen=True)
    class Frozen(Exception):
        code: int

    def body() -> None:
        with db.lock("report", ttl_s=10):
            clock.advance(10)
            raise Frozen(7)

    with pytest.raises(Frozen):
        body()
