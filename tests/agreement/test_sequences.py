"""Long runs: the engine and the model say the same, in memory and on a file, and the run itself is not empty."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from anser.ops import Enqueue, Op
from anser.types import INSTANT_MAX
from anser_models import EMPTY, HONKER_0_5, TRANSITIONS, Refused, World
from anser_spec.judge import Judge
from anser_spec.machine import INVALID, STARTS, run_sequences
from anser_spec.machine.families import MIXTURES, NAMES, mixture, starts_of
from anser_spec.seeds import SEEDS
from anser_spec.seeds.locks import SEEDS as LOCKS
from anser_spec.targets.model import ModelTarget
from anser_spec.targets.sqlite import SqliteTarget
from anser_spec.trace import seen_invariants, took

EXAMPLES, STEPS = 400, 60
ON_A_FILE = 60


@pytest.mark.rule("STO-6")
def test_long_sequences_agree_and_take_every_transition() -> None:
    found = run_sequences(SqliteTarget, examples=EXAMPLES, steps=STEPS, seed=0)

    assert found.difference is None, f"{found.difference}\n{found.witness and found.witness.text()}"
    assert found.missing == []
    assert found.rules["STO-6"] > EXAMPLES
    took(found.names.elements(), "sequences")
    seen_invariants("sequences")


def test_sequences_on_a_file_agree(tmp_path: Path) -> None:
    found = run_sequences(lambda: SqliteTarget(str(tmp_path / "q.db")), examples=ON_A_FILE, steps=STEPS, seed=1)

    assert found.difference is None, f"{found.difference}\n{found.witness and found.witness.text()}"


@pytest.mark.rule("ORD-1")
@pytest.mark.parametrize("order_key", [None, "k"])
def test_a_job_that_is_put_off_past_the_year_9999_waits_for_no_turn(order_key: str | None) -> None:
    judge = Judge(SqliteTarget())
    judge.start(EMPTY, INSTANT_MAX)

    _, difference = judge.do(Enqueue(queue="a", payload=1, delay_s=1, order_key=order_key), INSTANT_MAX)

    assert difference is None, str(difference)


def test_the_same_seed_draws_the_same_sequences() -> None:
    runs = [run_sequences(ModelTarget, examples=20, steps=20, seed=seed) for seed in (7, 7, 8)]

    assert runs[0].names == runs[1].names
    assert runs[0].names != runs[2].names


def test_a_mixture_is_of_all_families_of_two_or_of_one() -> None:
    mixtures = [mixture(place) for place in range(MIXTURES)]

    assert mixtures.count(frozenset(NAMES)) == len(mixtures) // 4
    assert {frozenset(pair) for pair in product(NAMES, NAMES)} | {frozenset(NAMES)} == set(mixtures)


def test_a_sequence_begins_with_a_world_of_its_families_or_with_nothing() -> None:
    alone = starts_of(frozenset({"locks"}))

    assert EMPTY in alone
    assert all(start in alone for start in LOCKS.values())
    assert SEEDS["one"] not in alone
    assert all(start in starts_of(frozenset(NAMES)) for start in STARTS)


def test_some_sequences_mix_families_and_some_are_without_locks() -> None:
    sequences: list[Counter[bool]] = []

    class Counting(ModelTarget):
        def load(self, world: World, now: int) -> None:
            sequences.append(Counter())
            super().load(world, now)

        def apply(self, op: Op, now: int) -> Any:
            answer = super().apply(op, now)
            if answer != Refused("invalid", getattr(answer, "argument", None)):
                sequences[-1][op.name.startswith("lock_")] += 1
            return answer

    run_sequences(Counting, examples=200, steps=30, seed=0)

    long = [counts for counts in sequences if counts.total() > 5]
    assert {tuple(sorted(counts)) for counts in long} >= {(False,), (False, True)}


def test_a_run_that_took_too_little_names_what_it_missed() -> None:
    found = run_sequences(ModelTarget, examples=1, steps=1, seed=0, at_least=10)

    assert "claim.taken" in found.missing


def test_a_target_without_an_operation_is_not_blamed_for_its_transitions() -> None:
    class NoQueues(ModelTarget):
        features = ModelTarget.features - {"queue_pause", "queue_resume"}

    found = run_sequences(NoQueues, examples=20, steps=20, seed=0, at_least=1_000_000)

    assert set(TRANSITIONS) - set(found.missing) == {"queue_pause.changed", "queue_resume.changed"}


def test_a_model_with_quirks_agrees_with_itself() -> None:
    found = run_sequences(lambda: ModelTarget(HONKER_0_5), examples=50, steps=40, seed=0, quirks=HONKER_0_5)

    assert found.difference is None, str(found.difference)


@pytest.mark.parametrize("op", INVALID, ids=lambda op: op.name)
def test_an_operation_listed_as_invalid_is_refused_in_every_world(op: object) -> None:
    target = ModelTarget()
    for start in STARTS:
        target.load(start, 1_000)
        assert target.apply(op, 1_000).code == "invalid"  # type: ignore[arg-type]  # each is an operation
        assert target.read() == start
