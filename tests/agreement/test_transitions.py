"""Every operation in every small world: the engine and the model say the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anser_models import TRANSITIONS, canonical, shifted
from anser_spec.alphabets import ALPHABETS, schedules
from anser_spec.seeds import SEED_NOW, SEEDS, pending, world
from anser_spec.targets.model import ModelTarget
from anser_spec.targets.sqlite import SqliteTarget
from anser_spec.trace import seen_invariants, took
from anser_spec.transitions import Scope, alphabet, distinct, explore

TWO_JOBS_DEPTH = 3


@pytest.fixture
def sqlite() -> Iterator[SqliteTarget]:
    """The engine on a database in memory."""
    target = SqliteTarget()
    yield target
    target.close()


def test_the_worlds_of_one_job_close_without_a_disagreement(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=1, crowds=True))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.closed
    assert found.transitions > 100_000
    took(found.names.elements(), "transitions")
    seen_invariants("transitions")


def test_every_way_of_three_steps_with_two_jobs_agrees(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=2, depth=TWO_JOBS_DEPTH))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.depth == TWO_JOBS_DEPTH
    took(found.names.elements(), "transitions")


def test_the_worlds_of_two_locks_close_without_a_disagreement(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=0, locks=2))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.closed
    assert 15_000 < found.transitions < 25_000  # worlds of other families are not looked at
    took(found.names.elements(), "transitions")


def test_jobs_that_run_one_after_another_agree(sqlite: SqliteTarget) -> None:
    three = explore(sqlite, Scope(jobs=3, places=3, depth=1))
    two = explore(sqlite, Scope(jobs=2, places=2, max_transitions=6_000))

    assert [str(difference) for found in (two, three) for difference in found.differences.values()] == []
    names = three.names + two.names
    assert min(names[name] for name in TRANSITIONS if name.startswith("order.")) > 10
    took(names.elements(), "transitions")


def test_the_worlds_of_a_notification_close_and_those_of_two_agree_to_a_depth(sqlite: SqliteTarget) -> None:
    one, two = explore(sqlite, Scope(notifications=1)), explore(sqlite, Scope(notifications=2, depth=4))

    assert [str(difference) for found in (one, two) for difference in found.differences.values()] == []
    assert one.closed
    assert two.transitions > 5_000
    took(two.names.elements(), "transitions")


def test_a_lock_and_a_job_agree_side_by_side(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=1, locks=1, depth=2))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.names["lock_acquire.free"]
    assert found.names["claim.taken"]


def test_what_happens_to_a_job_is_told_alike(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=1, events=2, depth=1))

    assert [str(difference) for difference in found.differences.values()] == []
    assert [name for name in TRANSITIONS if name.startswith("event") and not found.names[name]] == []
    took(found.names.elements(), "transitions")


@pytest.mark.parametrize("scope", [Scope(windows=1), Scope(buckets=1)], ids=str)
def test_the_worlds_of_a_key_close_without_a_disagreement(sqlite: SqliteTarget, scope: Scope) -> None:
    found = explore(sqlite, scope)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.closed
    took(found.names.elements(), "transitions")


def test_slots_of_a_job_agree(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=2, slots=1, depth=1))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.names["limit_acquire.refused"]
    took(found.names.elements(), "transitions")


@pytest.mark.parametrize("scope", schedules.ALPHABET.scopes, ids=str)
def test_schedules_agree_also_where_the_clocks_change(sqlite: SqliteTarget, scope: Scope) -> None:
    found = explore(sqlite, Scope(depth=1, crowds=scope.crowds, **scope.sizes))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.names["schedule_tick.fired"]
    assert found.names["schedule_tick.ended"]
    took(found.names.elements(), "transitions")


def test_every_way_of_two_steps_with_two_entries_of_streams_agrees(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=0, streams=2, depth=2, crowds=True))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.depth == 2
    took(found.names.elements(), "transitions")


def test_every_named_transition_is_taken() -> None:
    jobs = explore(ModelTarget(), Scope(jobs=2, depth=2))
    asked = [explore(ModelTarget(), scope.within(5_000)) for family in ALPHABETS for scope in family.scopes]
    taken = {name for found in (jobs, *asked) for name in found.names}

    assert sorted(TRANSITIONS.keys() - taken) == []


@pytest.mark.parametrize("name", SEEDS)
def test_the_alphabet_is_the_same_later(name: str) -> None:
    later = shifted(SEEDS[name], 100)

    ops = list(alphabet(SEEDS[name], SEED_NOW))

    assert len(list(alphabet(later, SEED_NOW + 100))) == len(ops)
    assert canonical(later, SEED_NOW + 100) == canonical(SEEDS[name], SEED_NOW)


def test_every_way_of_two_steps_with_a_job_and_a_result_agrees(sqlite: SqliteTarget) -> None:
    found = explore(sqlite, Scope(jobs=1, results=1, depth=2))

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.depth == 2
    assert [name for name in TRANSITIONS if "result" in name and not found.names[name]] == []
    took(found.names.elements(), "transitions")


def test_worlds_that_order_their_jobs_otherwise_are_kept_apart() -> None:
    later_first = world(pending(1, run_at=SEED_NOW - 1), pending(2, run_at=SEED_NOW - 2))
    first_first = world(pending(1, run_at=SEED_NOW - 2), pending(2, run_at=SEED_NOW - 1))

    assert distinct(later_first, SEED_NOW) == distinct(shifted(later_first, -1), SEED_NOW)
    assert distinct(later_first, SEED_NOW) != distinct(first_first, SEED_NOW)


def test_a_scope_tells_its_sizes_and_a_kind_that_nobody_knows_is_refused() -> None:
    assert [str(scope) for scope in (Scope(), Scope(jobs=0, locks=2), Scope(jobs=2, locks=1))] == [
        "1 job",
        "2 locks",
        "2 jobs and 1 lock",
    ]
    with pytest.raises(ValueError, match="no alphabet is of the kind job: there are jobs, locks, "):
        explore(ModelTarget(), Scope(job=1))


@pytest.mark.parametrize("limit", [{"max_transitions": 500}, {"max_seconds": 0.2}, {"depth": 1}])
def test_a_search_ends_where_it_is_told_to(limit: dict[str, int]) -> None:
    found = explore(ModelTarget(), Scope(jobs=2, **limit))  # type: ignore[arg-type]  # whichever of the limits it is

    assert not found.closed
    assert found.transitions < 20_000
