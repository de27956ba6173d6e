"""A simulated day: bounded, the same on both sides, the same again; and what is wrong on purpose ends it."""

from __future__ import annotations

import re
from dataclasses import fields, replace

import pytest
from click.testing import CliRunner

from anser.retention import Retention
from anser_models import EMPTY
from anser_spec import cli
from anser_spec.churn.day import churn
from anser_spec.churn.plan import BOUNDS, Plan, rows_beyond
from anser_spec.file import TABLES
from anser_spec.targets.model import ModelTarget
from anser_spec.targets.sqlite import SqliteTarget
from tests.agreement.wrong import WRONGS, WrongTarget

DAY = Plan(jobs=10_000)
HOUR = Plan(jobs=600, hours=1)
FOR_EVER = Retention(
    **{field.name: None if field.name.endswith("_s") else False for field in fields(Retention)}  # type: ignore[arg-type]  # by their names
)
FOREIGN = {"results_s"}  # of results without an end, which only another binding saves


def silent(_text: str) -> None:
    """Nobody reads it."""


@pytest.mark.rule("RTN-3")
def test_a_day_of_churn_leaves_bounded_tables_and_agrees_with_the_model_at_its_end() -> None:
    target = SqliteTarget()

    found = churn(target, DAY, silent)

    target.close()
    assert found.wrong is None
    assert found.compared == DAY.hours
    assert found.names["events_on.tells_enqueued"] > DAY.jobs * 0.9  # some unique keys are taken
    assert {field for field, rows in found.maintained.items() if not rows} <= FOREIGN


def test_every_table_has_a_bound() -> None:
    assert BOUNDS.keys() == {table.name for table in TABLES}
    assert rows_beyond(EMPTY, DAY) == []
    assert rows_beyond(replace(EMPTY, paused=frozenset("abcdefg")), DAY) == [
        "_anser_paused has 7 rows, and 5 at most are allowed"
    ]


def test_a_file_that_nobody_tends_is_seen() -> None:
    found = churn(ModelTarget(), replace(HOUR, policy=FOR_EVER), silent)

    assert found.wrong is not None
    assert re.search(r"_honker_locks has \d+ rows, and 27 at most are allowed", found.wrong)


def test_a_fault_is_seen_with_what_was_asked() -> None:
    found = churn(WrongTarget(WRONGS["a stale fence is accepted"].twist), HOUR, silent)

    assert found.wrong is not None
    assert found.wrong.startswith("Ack(")


def test_the_same_seed_does_the_same_and_another_does_otherwise() -> None:
    first, again, other = (churn(ModelTarget(), replace(HOUR, seed=seed), silent) for seed in (1, 1, 2))

    assert first == again
    assert first.operations != other.operations


def test_the_command_tells_what_was_done_and_what_is_left() -> None:
    result = CliRunner().invoke(cli.main, ["churn", "--jobs", "100", "--hours", "1"])

    assert result.exit_code == 0, result.output
    assert "  ack " in result.output
    assert all(table.name in result.output for table in TABLES)
    assert "the file and the model agree: each answer, and every row 1 time\n" in result.output
