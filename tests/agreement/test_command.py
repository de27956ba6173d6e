"""The command: what it prints, what it writes, and its exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anser_models import EMPTY, HONKER_0_5, Quirk
from anser_spec import cli
from anser_spec.judge import replay
from anser_spec.sightings import Sighted, diagnose
from anser_spec.targets.model import ModelTarget
from anser_spec.targets.sqlite import SqliteTarget
from anser_spec.witness import Witness, load
from tests.agreement.wrong import WRONGS, WrongTarget

SHORT = ("--transitions", "4000", "--examples", "20")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, arguments)


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command knows a target that is wrong on purpose, under a name of one that it has."""
    monkeypatch.setitem(cli.TARGETS, "model", lambda: WrongTarget(WRONGS["a stale fence is accepted"].twist))


def test_a_run_without_a_failure_ends_with_zero_and_tells_every_rule(tmp_path: Path) -> None:
    result = run("run", "--target", "sqlite", *SHORT, "--json", str(tmp_path / "out.json"))

    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "out.json").read_text())
    assert {rule["outcome"] for rule in report["rules"]} == {"pass", "skipped"}
    assert sum(one["transitions"] for one in report["transitions"]) >= 4000
    assert report["failed"] is False
    assert report["sqlite"] in result.output


@pytest.mark.usefixtures("wrong")
def test_a_fault_ends_a_run_with_one_names_the_rule_and_can_be_seen_again(tmp_path: Path) -> None:
    result = run("run", "--target", "model", "--transitions", "4000", "--examples", "0", "--save", str(tmp_path))

    assert result.exit_code == 1
    assert "CLM-8   fail" in result.output
    saved = re.findall(r"saved as (\S+)", result.output)
    again = run("run", "--target", "model", "--replay", saved[0])
    assert again.exit_code == 1
    assert "lease_lost" in again.output
    assert run("run", "--target", "sqlite", "--replay", saved[0]).exit_code == 0


@pytest.mark.usefixtures("wrong")
def test_rules_that_were_not_asked_for_do_not_count(tmp_path: Path) -> None:
    only = ("--instruments", "transitions", "--transitions", "4000", "--save", str(tmp_path), "--only")

    assert run("run", "--target", "model", *only, "JOB").exit_code == 0
    assert run("run", "--target", "model", *only, "CLM-8").exit_code == 1


def test_an_instrument_that_breaks_is_told_and_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaks(ModelTarget):
        def read(self) -> None:  # type: ignore[override]  # it breaks
            raise OSError("the disk is gone")

    monkeypatch.setitem(cli.TARGETS, "model", Breaks)

    result = run("run", "--target", "model", *SHORT)

    assert result.exit_code == 1
    assert "errored" in result.output
    assert "transitions broke" in result.output
    assert "the disk is gone" in result.output


@pytest.mark.parametrize(
    "arguments",
    [("--target", "nobody"), ("--profile", "none"), ("--instruments", "luck"), ("--replay", "nowhere.json")],
)
def test_wrong_usage_ends_with_two(arguments: tuple[str, ...]) -> None:
    assert run("run", *arguments).exit_code == 2


def test_a_file_that_is_no_counterexample_is_wrong_usage(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")

    assert run("run", "--replay", str(path)).exit_code == 2


def test_the_rules_are_listed() -> None:
    result = run("rules")

    assert result.exit_code == 0
    assert "CLM-2   MUST" in result.output


def test_commands_of_other_modules_are_found() -> None:
    assert "mutants" in run("--help").output


def test_the_engine_has_none_of_the_known_defects() -> None:
    found = diagnose(SqliteTarget)

    assert [one.entry.id for one in found if one.sighted is Sighted.PRESENT] == []
    assert {one.entry.quirk for one in found if one.sighted is Sighted.ABSENT} >= HONKER_0_5


def test_a_model_with_every_quirk_has_every_defect_that_a_quirk_stands_for() -> None:
    found = diagnose(lambda: ModelTarget(HONKER_0_5))

    assert {one.entry.quirk for one in found if one.sighted is Sighted.PRESENT} >= HONKER_0_5


@pytest.mark.parametrize("quirk", [Quirk.D08_LAPSE_SPENDS_ATTEMPT, Quirk.E22_GLOBAL_IDS], ids=lambda quirk: quirk.name)
def test_a_model_with_one_quirk_has_that_defect(quirk: Quirk) -> None:
    found = {one.entry.quirk: one for one in diagnose(lambda: ModelTarget(frozenset({quirk})))}

    assert found[quirk].sighted is Sighted.PRESENT


def test_a_counterexample_without_steps_shows_nothing(tmp_path: Path) -> None:
    saved = Witness("model", HONKER_0_5, EMPTY, (), "nothing").save(tmp_path / "deep" / "none.json")

    assert load(saved) == Witness("model", HONKER_0_5, EMPTY, (), "nothing")
    assert replay(load(saved), ModelTarget()) is None
