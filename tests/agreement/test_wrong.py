"""The instruments themselves, tried on targets that are wrong on purpose: each fault is seen by whom it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anser.ops import CountJobs, Enqueue, Op, QueuePause
from anser.types import PRIORITY_MAX
from anser_models import EMPTY, Refused, World
from anser_spec.judge import replay
from anser_spec.machine import run_sequences
from anser_spec.seeds import SEED_NOW
from anser_spec.shorten import shorten
from anser_spec.targets.model import ModelTarget
from anser_spec.transitions import Scope, explore
from anser_spec.witness import Mark, Witness, load
from tests.agreement.wrong import WRONGS, WrongTarget

TRANSITIONS = 20_000
EXAMPLES, STEPS, STEPS_MAX, ROWS_MAX = 300, 50, 1, 2
TRANSACTION_STEPS_MAX = 3  # begin, what is lost, and what loses it


@pytest.mark.parametrize("name", WRONGS)
def test_transitions_see_what_a_small_world_can_show(name: str) -> None:
    wrong = WRONGS[name]

    found = explore(WrongTarget(wrong.twist), Scope(jobs=2, max_transitions=TRANSITIONS, crowds=True))

    assert bool(found.disagreements) == ("transitions" in wrong.seen_by)
    for witness in found.witnesses.values():
        assert len(witness.steps) == 1
        assert replay(witness, WrongTarget(wrong.twist)) is not None
        assert replay(witness, ModelTarget()) is None


@pytest.mark.parametrize("name", [name for name, wrong in WRONGS.items() if "sequences" in wrong.seen_by])
def test_sequences_see_the_fault_and_make_it_short(name: str, tmp_path: Path) -> None:
    wrong = WRONGS[name]

    found = run_sequences(lambda: WrongTarget(wrong.twist), examples=EXAMPLES, steps=STEPS, seed=1, shrinking=False)

    assert found.witness is not None
    assert len(found.witness.steps) <= STEPS_MAX
    start = found.witness.start
    assert len(start.jobs) + len(start.dead) + len(start.finished) <= ROWS_MAX
    saved = load(found.witness.save(tmp_path / "found.json"))
    assert saved.text() == found.witness.text()
    assert str(replay(saved, WrongTarget(wrong.twist))) == saved.found
    assert replay(saved, ModelTarget()) is None


class KeepsAll(ModelTarget):
    """A caller's rollback undoes nothing."""

    def rollback(self) -> None:
        self.commit()


class LosesAll(ModelTarget):
    """A refusal inside a caller's transaction undoes what came before it."""

    def apply(self, op: object, now: int) -> object:
        answer = super().apply(op, now)  # type: ignore[arg-type]  # an operation, as the target is asked to do
        if self._saved is not None and "Refused" in type(answer).__name__:
            self.world = self._saved
        return answer


class TiresOfPauses(ModelTarget):
    """The third pause since the file was made is refused, which no row tells."""

    pauses = 0

    def load(self, world: World, now: int) -> None:
        super().load(world, now)
        self.pauses = 0

    def apply(self, op: Op, now: int) -> Any:
        self.pauses += isinstance(op, QueuePause)
        return Refused("tired") if self.pauses == 3 else super().apply(op, now)


def test_what_no_row_tells_keeps_the_steps_that_lead_to_it_and_no_other() -> None:
    pause, look = Mark(1_000, QueuePause(queue="a")), Mark(1_000, CountJobs(queue="a"))
    kept = Mark(1_000, Enqueue(queue="a", payload=7, max_attempts=1))
    long = Witness("tires", frozenset(), EMPTY, (look, pause, kept, look, pause, *([look] * 30), pause, look), "")

    short = shorten(long, TiresOfPauses())

    assert short.steps == (pause,) * 3
    assert shorten(long, TiresOfPauses()) == short
    assert shorten(short, TiresOfPauses()) == short


def test_a_witness_is_left_without_a_pair_that_only_goes_together() -> None:
    job = Enqueue(queue="a", payload=1)
    unneeded = (Mark(1_000, "begin"), Mark(1_000, job), Mark(1_000, "rollback"))
    seen = Mark(1_000, replace(job, priority=PRIORITY_MAX))
    wrong = WrongTarget(WRONGS["a priority is cut"].twist)

    short = shorten(Witness("wrong", frozenset(), EMPTY, (*unneeded, *unneeded, seen), ""), wrong)

    assert short.steps == (seen,)


def test_a_witness_that_shows_nothing_is_left_as_it_is() -> None:
    witness = Witness("model", frozenset(), EMPTY, (Mark(1_000, CountJobs(queue="a")),), "nothing")

    assert shorten(witness, ModelTarget()) == witness


@pytest.mark.parametrize("target", [KeepsAll, LosesAll])
def test_only_sequences_see_a_fault_of_transactions(target: type[ModelTarget]) -> None:
    explored = explore(target(), Scope(jobs=2, max_transitions=TRANSITIONS))
    run = run_sequences(target, examples=EXAMPLES, steps=STEPS, seed=1, shrinking=False)

    assert explored.disagreements == 0
    assert run.witness is not None
    assert {mark.act for mark in run.witness.steps if isinstance(mark.act, str)} >= {"begin"}
    assert len(run.witness.steps) <= TRANSACTION_STEPS_MAX


def test_shrinking_makes_the_values_simple_too() -> None:
    wrong = WRONGS["a priority is cut"]

    found = run_sequences(lambda: WrongTarget(wrong.twist), examples=EXAMPLES, steps=STEPS, seed=1)

    assert found.witness is not None
    (mark,) = found.witness.steps
    assert isinstance(mark.act, Enqueue)
    assert (mark.act.queue, mark.now) == ("a", SEED_NOW)
    assert mark.act.priority in (PRIORITY_MAX, PRIORITY_MAX + 1)  # the greatest there is, or the least that is refused
