"""The language of cases: what a line says, how a case fails, and what is refused as no case."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anser.ops import Enqueue, Op
from anser.types import Lease, State
from anser_models import Refused, World
from anser_spec.cases import BACKOFF, Case, CaseError, Do, Outcome, T, Verdict, read_case, run_case
from anser_spec.rulebook import Block
from anser_spec.targets.model import ModelTarget
from anser_spec.targets.sqlite import SqliteTarget
from anser_spec.trace import apart

README = Path(__file__).parents[2] / "spec" / "README.md"


def case(text: str) -> Case:
    return read_case("CLM-2", 1, "claims.md", Block(10, text))


def run(text: str, target: ModelTarget | None = None) -> Verdict:
    return run_case(case(text), target or ModelTarget())


class Forgetful(ModelTarget):
    """It refuses as it should, and loses a job over it."""

    name = "forgetful"

    def apply(self, op: Op, now: int) -> Any:
        answer = super().apply(op, now)
        if isinstance(answer, Refused):
            self.world = World()
        return answer


class Broken(ModelTarget):
    name = "broken"

    def apply(self, op: Op, now: int) -> Any:
        raise OSError(f"the disk is gone at {now}, in {op.name}")


class Small(ModelTarget):
    """It has no retry, and takes no unique keys."""

    name = "small"
    features = ModelTarget.features - {"retry", BACKOFF}

    def can(self, op: Op) -> bool:
        return not (isinstance(op, Enqueue) and op.unique_key)


# --- reading


def test_a_step_is_an_operation_at_an_instant() -> None:
    (line,) = case('T+5 enqueue queue="mail" payload={"at": "T+1"} run_at="T+9" -> {"id": 1}').lines

    assert isinstance(line, Do)
    assert line.at == T + 5
    assert line.op == Enqueue(queue="mail", payload={"at": "T+1"}, run_at=T + 9)
    assert line.expected == {"id": 1}


def test_what_is_given_is_sound_where_it_says_nothing() -> None:
    start = case('given live id=3 queue="q"\ngiven live id=4 queue="q" lease={"expires_at": "T+9", "fence": 7}').start

    assert (start.jobs[3].state, start.jobs[3].attempts, start.jobs[3].run_at) == (State.PENDING, 0, T)
    assert (start.jobs[4].state, start.jobs[4].attempts) == (State.PROCESSING, 1)
    assert start.jobs[4].lease == Lease("w", 7, T, T + 9)
    assert (start.last_id, start.last_fence) == (4, 7)


def test_values_go_beyond_json_where_a_queue_must_be_told_so() -> None:
    text = 'T+0 enqueue queue="ab"*2 payload=nested:2\ngiven live id=1..3 queue="q" payload=hex:ff00'
    step, given = text.splitlines()

    assert case(given).start.jobs[3].payload == b"\xff\x00"
    line = case(step).lines[0]
    assert isinstance(line, Do)
    assert line.op == Enqueue(queue="abab", payload=[[]])


def test_a_line_that_is_indented_goes_on() -> None:
    assert run('T+0 enqueue queue="mail"\n    payload=1\n    -> {"id": 1}').outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# first\nT+0 enque queue=1", "claims.md:11: op = 'enque'"),
        ("enqueue queue=1", "claims.md:10: a line begins with"),
        ('T+0 enqueue queue="q" pay=1', "claims.md:10: op = 'enqueue'"),
        ('T+0 enqueue queue="q" payload=1 queue="p"', "claims.md:10: queue is given twice"),
        ('T+0 enqueue queue="q" payload=1 = {}', "claims.md:10: expected an argument or '-> answer'"),
        ('T+0 enqueue queue="q" payload=one', "claims.md:10: Expecting value"),
        ('T+0 enqueue queue="q" payload=1 -> yes', "claims.md:10: Expecting value"),
        ('T+0 cancel queue="q" id=1\ngiven live id=1 queue="q"', "claims.md:11: what is given stands before"),
        ('given live id=1 queue="q" colour="red"', "claims.md:10"),
        ("given live id=1", "claims.md:10"),
        ("then live id=1 colour=3", "claims.md:10: a live job has no colour"),
        ("then live attempts=1", "claims.md:10: then live names the id"),
        ("then no live id=1 attempts=1", "claims.md:10: then no"),
        ('then lock owner="w"', "claims.md:10: then lock names the name"),
        ('then lock name="a" colour=3', "claims.md:10: a lock has no colour"),
        ("then last colour=3", "claims.md:10"),
        ("given last colour=3", "claims.md:10"),
        ("then no last id=1", "claims.md:10: some number"),
        ("then the job is gone", "claims.md:10: a line begins with"),
    ],
)
def test_what_is_no_case_is_refused_by_file_and_line(text: str, said: str) -> None:
    with pytest.raises(CaseError) as refused:
        case(text)

    assert said in str(refused.value)


# --- running


@pytest.mark.parametrize(
    "line",
    [
        'T+0 count_jobs queue="q" -> {}',
        'T+0 count_jobs queue="q" -> {"pending": 1, "dead": 0}',
        'T+0 list_jobs queue="q" -> [{"id": 1, "lease": null}]',
        'T+0 get_job queue="q" id=2 -> null',
        'T+5 next_claim_at queues=["q"] -> "T+5"',
        'T+0 cancel queue="q" id=0 -> refused invalid id',
        'T+0 cancel queue="q" id=0 -> refused invalid',
        'T+0 ack queue="q" id=1 worker="w" fence=1 -> refused lease_lost',
        "then live id=1 attempts=0",
        "then no live id=2..9",
        "then no dead",
        "then last id=1 fence=0",
        'then no paused queue="q"',
        "then unchanged",
        'backoff base=1 factor=2 cap=9 jitter="none" attempt=2 -> [2, 2]',
    ],
)
def test_a_line_that_is_true_passes(line: str) -> None:
    verdict = run(f'given live id=1 queue="q"\n{line}')

    assert verdict.outcome is Outcome.PASS, str(verdict)


@pytest.mark.parametrize(
    ("line", "expected", "got"),
    [
        ('T+0 count_jobs queue="q" -> {"pending": 2}', "pending 2", "1"),
        ('T+0 list_jobs queue="q" -> []', "[]", '"id": 1'),
        ('T+0 list_jobs queue="q" -> [{"run_at": "T+1"}]', '[0].run_at "T+1"', '"T+0"'),
        ('T+0 cancel queue="q" id=1 -> 1', "1", "true"),
        ('T+0 cancel queue="q" id=1 -> refused invalid id', "refused invalid id", "true"),
        ('T+0 cancel queue="q" id=0 -> refused invalid queue', "refused invalid queue", "refused invalid id"),
        ('T+0 cancel queue="q" id=0', "any answer but a refusal", "refused invalid id"),
        ('T+0 get_job queue="q" id=1 -> null', "null", '"id": 1'),
        ('T+0 get_job queue="q" id=1 -> {"colour": 1}', "a field colour", '"id": 1'),
        ("then live id=1 attempts=1", "live 1.attempts 1", "0"),
        ("then live id=1..2", "a live job 2", "[1]"),
        ("then no live", "ids []", "[1]"),
        ("then dead id=1", "a dead job 1", "[]"),
        ("then last id=2", "id 2", "1"),
        ('then paused queue="q"', "paused true", "false"),
        ('T+0 queue_pause queue="q" -> true\nthen unchanged', "", "q"),
        ('backoff base=1 factor=2 cap=9 jitter="none" attempt=2 -> [1, 2]', "[0] 1", "2"),
    ],
)
def test_a_line_that_is_false_fails_and_tells_the_difference(line: str, expected: str, got: str) -> None:
    verdict = run(f'given live id=1 queue="q"\n{line}')

    assert verdict.outcome is Outcome.FAIL
    assert expected in verdict.expected
    assert got in verdict.got
    assert verdict.place == f"claims.md:{10 + len(line.splitlines())}"
    assert verdict.said == line.splitlines()[-1]


def test_a_refusal_that_changes_a_row_fails_whatever_the_line_expects() -> None:
    text = 'given live id=1 queue="q"\nT+0 ack queue="q" id=2 worker="w" fence=1 -> refused lease_lost'

    assert run(text).outcome is Outcome.PASS
    assert "ERR-1" in run(text, Forgetful()).expected


def test_a_target_that_breaks_is_told_as_an_error() -> None:
    verdict = run('T+0 cancel queue="q" id=1 -> true', Broken())

    assert verdict.outcome is Outcome.ERRORED
    assert "the disk is gone" in str(verdict)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('T+0 retry queue="q" id=1 worker="w" fence=1 delay_s=0', "it has no retry"),
        ('T+0 enqueue queue="q" payload=1 unique_key="k"', "it cannot do: T+0 enqueue"),
        ('backoff base=1 factor=2 cap=9 jitter="none" attempt=2 -> [2, 2]', "it has no backoff"),
    ],
)
def test_a_target_skips_what_it_does_not_have(line: str, said: str) -> None:
    verdict = run(line, Small())

    assert verdict.outcome is Outcome.SKIPPED
    assert said in verdict.got


def test_the_readme_shows_a_case_that_runs() -> None:
    shown = re.search(r"```\n(# what it is about\n.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)

    assert shown is not None
    assert run(shown[1]).outcome is Outcome.PASS


def test_a_pass_is_evidence_where_it_is_not_the_models_own() -> None:
    target = SqliteTarget()

    with apart() as models, closing(target):
        run("then no live")
        with apart() as ours:
            run_case(case("then no live"), target)

    assert (models, ours) == ({}, {("CLM-2", "cases"): 1})
