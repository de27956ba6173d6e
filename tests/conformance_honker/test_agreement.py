"""The published honker agrees with the model that has its quirks, and disagrees with the model that has none.

So the register of defects is the difference between the two, and each entry of it is needed.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from anser.ops import Op
from anser_models import EMPTY, HONKER_0_5, Quirk, World
from anser_spec.judge import Difference, Judge
from anser_spec.seeds import SEEDS
from anser_spec.seeds.schedules import FALL_BACK_AT, SPRING_FORWARD_AT
from anser_spec.targets.honker.target import HonkerTarget
from anser_spec.transitions import Scope, explore
from tests.conformance_honker.worlds import FAMILIES, NOW, SHOWINGS, loose_operations, odd_worlds
from tests.conformance_honker.worlds.base import Family
from tests.conformance_honker.worlds.schedules import drawn_by_the_clock

NO_QUIRKS: frozenset[Quirk] = frozenset()
TWO_JOBS_TRANSITIONS = 40_000
SCHEDULES_TRANSITIONS = 5_000
SEQUENCES, STEPS, SEEN_MIN = 16, 120, 5  # so many sequences for each family
THROUGH_CHANGES, BEFORE_CHANGE_S, AFTER_CHANGE_S = 30, 7_200, 10_800
LORD_HOWE_BACK_AT = 1_775_314_800  # 2026-04-05 02:00, and 01:30 again
LORD_HOWE_FORWARD_AT = 1_791_041_400  # 2026-10-04 02:00, and 02:30
OWN_RATE = 0.85  # of the steps of a sequence are of the family that it is for


def differences(
    honker: HonkerTarget, start: World, ops: list[Op], quirks: frozenset[Quirk], now: int = NOW
) -> list[Difference]:
    """Each operation done alone from that world, by honker and by the model."""
    judge = Judge(honker, quirks)
    before = judge.project(start)
    found = []
    for op, (answer, after) in zip(ops, honker.steps(before, now, ops), strict=True):
        difference = judge.compare(before, judge.step(before, op, now), op, now, answer, after)
        found += [] if difference is None else [difference]
    return found


def test_every_operation_in_every_world_of_one_job_agrees(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=1), HONKER_0_5)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.closed


def test_operations_in_worlds_of_two_jobs_agree(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=2, max_transitions=TWO_JOBS_TRANSITIONS), HONKER_0_5)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.transitions >= TWO_JOBS_TRANSITIONS


def test_every_operation_in_every_world_of_two_locks_agrees(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=0, locks=2), HONKER_0_5)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.closed
    assert found.names.keys() >= {"lock_acquire.again", "lock_acquire.over", "lock_renew.held", "lock_release.free"}


def test_every_operation_in_every_world_of_two_notifications_agrees(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(notifications=2), HONKER_0_5)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.closed
    assert found.names.keys() >= {"notify.told", "notification_prune.nothing"}


def test_ways_of_two_steps_with_a_job_and_a_result_agree(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=1, results=1, depth=2), HONKER_0_5)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.depth == 2


def test_windows_agree_to_the_second_with_every_quirk_and_with_none(honker: HonkerTarget) -> None:
    for quirks in (HONKER_0_5, NO_QUIRKS):
        found = explore(honker, Scope(windows=1), quirks)

        assert [str(difference) for difference in found.differences.values()] == []
        assert found.closed
        assert found.names.keys() >= {"rate_limit_try.counted", "rate_limit_try.refused", "rate_limit_sweep.forgot"}


def test_every_way_of_three_steps_with_two_entries_of_streams_agrees(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=0, streams=2, depth=3), HONKER_0_5)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.names.keys() >= {"stream_publish.appended", "stream_read_since.entries", "stream_save_offset.behind"}


def test_every_operation_on_schedules_agrees(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(schedules=2, depth=2, max_transitions=SCHEDULES_TRANSITIONS), HONKER_0_5)

    assert [str(difference) for difference in found.differences.values()] == []
    assert found.names.keys() >= {"schedule_tick.fired", "schedule_resume.resumed", "schedule_register.recomputed"}


def test_what_only_honker_takes_agrees(honker: HonkerTarget) -> None:
    ops = list(loose_operations())
    starts = [*odd_worlds(), *SEEDS.values()]

    found = [str(one) for start in starts for one in differences(honker, start, ops, HONKER_0_5)]

    assert found == []


@pytest.mark.parametrize("by", ["honker", "honker_by_methods"])
def test_long_sequences_agree(by: str, request: pytest.FixtureRequest) -> None:
    target: HonkerTarget = request.getfixturevalue(by)
    taken: Counter[str] = Counter()

    for seed, family in product(range(SEQUENCES), FAMILIES):
        found = walk(target, family, random.Random(seed), taken)
        assert found is None, f"seed {seed}: {found}"

    often = {name for name, times in taken.items() if times >= SEEN_MIN}
    assert often >= frozenset().union(*(family.seen for family in FAMILIES))


@pytest.mark.parametrize(
    ("tz", "change_at"),
    [
        pytest.param("America/New_York", FALL_BACK_AT, id="an hour back"),
        pytest.param("America/New_York", SPRING_FORWARD_AT, id="an hour forward"),
        pytest.param("Australia/Lord_Howe", LORD_HOWE_BACK_AT, id="half an hour back"),
        pytest.param("Australia/Lord_Howe", LORD_HOWE_FORWARD_AT, id="half an hour forward"),
        pytest.param("UTC", FALL_BACK_AT, id="no change"),
    ],
)
def test_schedules_agree_through_a_change_of_the_clocks(directory: Path, tz: str, change_at: int) -> None:
    """In each zone the process lives where its schedules are meant to be, so that D04 is not met."""
    target = HonkerTarget(directory, tz=tz)
    taken: Counter[str] = Counter()

    for seed in range(THROUGH_CHANGES):
        draw = random.Random(seed)
        judge = Judge(target, HONKER_0_5 - {Quirk.D04_ZONE_OF_PROCESS})
        now = change_at - draw.randrange(BEFORE_CHANGE_S)
        judge.start(EMPTY, now)
        while now < change_at + AFTER_CHANGE_S:
            now += draw.choice((0, 1, 600, 1_800))
            step, difference = judge.do(draw.choice(drawn_by_the_clock(draw, tz)), now)
            taken.update(step.names)
            assert difference is None, f"seed {seed}: {difference}"
    target.close()

    assert {name for name in taken if taken[name] >= SEEN_MIN} >= {"schedule_tick.fired", "schedule_register.created"}


def test_every_quirk_has_a_step_that_shows_it() -> None:
    assert set(SHOWINGS) == HONKER_0_5 == set(Quirk)


@pytest.mark.parametrize("quirk", Quirk, ids=lambda quirk: quirk.name)
def test_every_quirk_is_needed_and_breaks_a_rule(honker: HonkerTarget, quirk: Quirk) -> None:
    showing = SHOWINGS[quirk]
    step = (honker, showing.start, [showing.op])

    agreed = differences(*step, HONKER_0_5, showing.now)
    missed = differences(*step, HONKER_0_5 - {quirk}, showing.now)
    broken = differences(*step, NO_QUIRKS, showing.now)

    assert [str(one) for one in agreed] == []
    assert missed, f"honker agrees with a model that has no {quirk.name}"
    assert [showing.rule for one in broken if showing.rule in one.rules] == [showing.rule]


def test_the_model_without_quirks_disagrees_and_names_the_rules(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=1), NO_QUIRKS)

    named = {rule for difference in found.differences.values() for rule in difference.rules}
    assert named >= {"CLM-4", "CLM-5", "CLM-8", "CLM-15", "CLM-17", "DED-2", "JOB-3", "JOB-4", "JOB-9", "JOB-10"}
    assert named >= {"RET-1", "RET-4"}


def test_the_model_without_quirks_disagrees_about_locks(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=0, locks=1), NO_QUIRKS)

    assert {rule for difference in found.differences.values() for rule in difference.rules} >= {"LCK-4", "LCK-5"}


def test_the_model_without_quirks_disagrees_about_results(honker: HonkerTarget) -> None:
    found = explore(honker, Scope(jobs=1, results=1, depth=1), NO_QUIRKS)

    named = {rule for difference in found.differences.values() for rule in difference.rules}
    assert named >= {"CLM-8", "RES-4", "RES-6"}


# --- sequences


def walk(target: HonkerTarget, family: Family, draw: random.Random, taken: Counter[str]) -> Difference | None:
    """Operations of a family and of any, and moves of the clock, from an empty file; the first difference, or None."""
    judge = Judge(target, HONKER_0_5)
    now = NOW
    judge.start(EMPTY, now)
    for _ in range(STEPS):
        now = moved(draw, judge.world, now)
        drawn = family if draw.random() < OWN_RATE else draw.choice(FAMILIES)
        step, difference = judge.do(draw.choice(drawn.drawn(draw, judge.world, now)), now)
        taken.update(step.names)
        if difference is not None:
            return difference
    return None


def moved(draw: random.Random, world: World, now: int) -> int:
    """Mostly the clock stands; else it goes to a pending deadline, or beside it, be that back in time."""
    if draw.random() < 0.6:
        return now
    deadlines = (at for family in FAMILIES for at in family.deadlines(world))
    return draw.choice(sorted({now + 1, *deadlines})) + draw.choice((-1, 0, 1))
