"""The command: what it prints, what it writes, and its exit status."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from anser.ops import Enqueue, Op
from anser_models import EMPTY, HONKER_0_5, Quirk, World
from anser_spec import campaign, cli
from anser_spec.cases import Outcome
from anser_spec.judge import Transactional, replay
from anser_spec.rulebook import read_rules
from anser_spec.sightings import Sighted, diagnose
from anser_spec.suite import SEEN_BY
from anser_spec.tally import Budget, Tally, Tell
from anser_spec.targets import Target
from anser_spec.targets.model import ModelTarget
from anser_spec.targets.sqlite import SqliteTarget
from anser_spec.witness import Mark, Witness, load
from tests.agreement.wrong import WRONGS, WrongTarget

LINE_MAX = 250
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
    assert {rule["outcome"] for rule in report["rules"]} == {"pass", "by tests"}
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


def test_a_whole_id_chooses_one_rule_and_less_chooses_a_family(tmp_path: Path) -> None:
    def chosen(only: str) -> list[str]:
        path = tmp_path / "out.json"
        run("run", "--instruments", "cases", "--only", only, "--json", str(path))
        return [rule["id"] for rule in json.loads(path.read_text())["rules"]]

    assert chosen("CLM-1") == ["CLM-1"]
    assert chosen("CLM") == chosen("CLM-") == [id for id in read_rules() if id.startswith("CLM-")]


def test_an_instrument_that_cannot_see_what_was_asked_for_does_not_run() -> None:
    result = run("run", "--only", "CRN")

    assert result.exit_code == 0
    assert "\ncases " in result.output
    assert "\ntransitions " not in result.output
    assert "\nsequences " not in result.output


def test_what_can_be_seen_is_all_that_instruments_have_seen(tmp_path: Path) -> None:
    run("run", *SHORT, "--json", str(tmp_path / "out.json"))

    rules = json.loads((tmp_path / "out.json").read_text())["rules"]
    for instrument, visible in SEEN_BY.items():
        assert {rule["id"] for rule in rules if instrument in rule["seen"]} <= visible


def test_a_run_that_judged_nothing_says_so_and_does_not_pass() -> None:
    for nothing in (("--only", "STO-1"), ("--instruments", "transitions", "--only", "CRN")):
        result = run("run", *nothing)

        assert result.exit_code == 2
        assert "nothing was judged" in result.output


def test_no_rule_of_a_name_is_told_at_once() -> None:
    result = run("run", "--only", "NOPE")

    assert result.exit_code == 2
    assert "no rule begins with NOPE: anser-spec rules lists them" in result.output


def test_a_rule_that_only_tests_show_is_not_called_skipped() -> None:
    result = run("run", *SHORT)

    assert "STO-1   by tests Honker's tables" in result.output
    assert re.search(r"\d+ rules: \d+ pass, \d+ shown by tests alone, ", result.output)
    assert "skipped," not in result.output.splitlines()[-1]


def test_a_pass_says_how_many_of_the_cases_were_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoHeartbeat(ModelTarget):
        features = ModelTarget.features - {"heartbeat"}

    monkeypatch.setitem(cli.TARGETS, "model", NoHeartbeat)

    result = run("run", "--target", "model", "--instruments", "cases", "--only", "CLM-2")

    assert re.search(r"CLM-2   pass .*\[cases \d of 3\]", result.output)
    assert "1 rule: 1 pass, 0 transitions" in result.output


def test_a_summary_is_the_sums_and_what_did_not_pass() -> None:
    whole, summary = (run("run", "--instruments", "cases", *more) for more in ((), ("--summary",)))

    assert "CLM-2 " in whole.output
    assert "CLM-2 " not in summary.output
    assert whole.output.splitlines()[-1].partition(", 0 transitions")[0] in summary.output


@pytest.mark.usefixtures("wrong")
def test_a_failure_is_a_line(tmp_path: Path) -> None:
    result = run("run", "--target", "model", *SHORT, "--save", str(tmp_path), "--summary")

    lines = result.output.splitlines()
    assert [line for line in lines if line.startswith(("{", " "))] == []
    assert max(len(line.partition(", saved as ")[0]) for line in lines) <= LINE_MAX
    told = next(line for line in lines if "CLM-8 by transitions" in line)
    assert re.search(r": ack at \d+: answer: expected Refused.*lease_lost.*, found None, saved as \S+json$", told)


def test_many_failures_are_told_by_their_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.TARGETS, "model", lambda: ModelTarget(HONKER_0_5))

    result = run("run", "--target", "model", "--transitions", "8000", "--examples", "0", "--save", str(tmp_path))

    assert len(result.stdout.splitlines()) < len(read_rules()) + 60
    assert re.search(r"^… and \d+ cases more: --json FILE tells of all$", result.output, re.MULTILINE)
    assert re.search(rf"^… and \d+ more in {tmp_path}/$", result.output, re.MULTILINE)


@pytest.mark.usefixtures("wrong")
def test_a_counterexample_says_its_target_and_profile_unless_others_are_given(tmp_path: Path) -> None:
    job = Mark(1_000, Enqueue(queue="a", payload=1))
    saved = str(Witness("sqlite", frozenset(), EMPTY, (job,), "").save(tmp_path / "a.json"))
    unknown = str(Witness("wrong", frozenset(), EMPTY, (job,), "").save(tmp_path / "b.json"))

    assert f"{saved} on sqlite, profile anser: 1 step\n" in run("run", "--replay", saved).output
    given = run("run", "--replay", saved, "--target", "model", "--profile", "honker-0.5")
    assert "on model, profile honker-0.5: 1 step\n" in given.output
    assert run("run", "--replay", unknown).exit_code == 2
    assert run("run", "--replay", unknown, "--target", "sqlite").exit_code == 0


def test_every_option_has_a_help_and_the_exit_status_is_told() -> None:
    for name in ("run", "defects", "campaign", "churn"):
        command = cli.main.get_command(click.Context(cli.main), name)
        assert command is not None
        options = [one for one in command.params if isinstance(one, click.Option)]
        assert [one.name for one in options if not one.help] == []
        assert "Exit status: 0 " in run(name, "--help").output
    assert "…" not in run("--help").output
    assert "..." not in run("--help").output.partition("Commands:")[2]


def test_a_campaign_ends_with_its_round_and_tells_what_it_covered() -> None:
    result = run("campaign", "--target", "model", "--only", "sequences", "--minutes", "0.001", "--seed", "7")

    assert result.exit_code == 0
    assert re.search(r"sequences +sequences +1\d\d\n +steps +[\d,]+\n +transitions taken +\d+\n", result.stdout)
    assert "violations 0" in result.stdout


@pytest.mark.usefixtures("wrong")
def test_a_campaign_saves_what_it_finds(tmp_path: Path) -> None:
    result = run("campaign", "--target", "model", "--save", str(tmp_path))

    assert result.exit_code == 1
    (saved,) = re.findall(r"again: anser-spec run --replay (\S+)", result.stdout)
    assert run("run", "--replay", saved, "--target", "model").exit_code == 1


def test_a_campaign_of_all_has_a_line_for_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is there to be run, and gives its time to the next."""
    looked: list[tuple[str, float]] = []

    def short(budget: Budget, seed: int, tell: Tell, **more: object) -> Tally:
        looked.append((str(seed), budget.seconds or 0))
        return Tally("short", Counter({"rounds": 1}), left_out=["nothing"])

    for one in campaign.CAMPAIGNS.values():
        monkeypatch.setattr(import_module(one.module), "run", short)

    result = run("campaign", "--minutes", "1", "--seed", "3", "--json", str(tmp_path / "all.json"))

    assert result.exit_code == 0, result.output
    assert len(looked) == len(campaign.CAMPAIGNS) == len(json.loads((tmp_path / "all.json").read_text()))
    assert looked[-1][1] > 50  # what the others left
    assert {seed for seed, _ in looked} == {"3"}
    assert result.stdout.count("left out: nothing") == len(looked)


def test_honker_that_is_not_laid_is_told_with_what_lays_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSER_HONKER", str(tmp_path))

    for command in ("run", "defects", "campaign"):
        result = run(command, "--target", "honker")
        assert result.exit_code == 2
        assert "make honker" in result.output
        assert "ANSER_HONKER" in result.output


def test_progress_comes_before_the_sum_also_in_one_stream() -> None:
    code = (
        "from anser_spec import cli; cli.TELL_EVERY_S = 0; "
        "cli.main(['run', '--summary', '--transitions', '4000', '--examples', '5'])"
    )

    both = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )

    lines = both.stdout.splitlines()
    told = [place for place, line in enumerate(lines) if line.startswith("… ")]
    assert "… 1 sequence with " in both.stdout
    assert told == list(range(len(told)))
    assert lines[len(told)].startswith("sqlite (")


@pytest.mark.parametrize(
    ("module", "absent", "extra"),
    [
        ("anser_spec.cli", "click", "anser[spec]"),
        ("anser_spec.cli", "hypothesis", "anser[spec]"),
        ("anser.cli", "click", "anser[cli]"),
    ],
)
def test_without_its_extra_a_command_says_what_to_install(module: str, absent: str, extra: str) -> None:
    code = f"import sys; sys.modules[{absent!r}] = None; from {module} import main; main()"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(f"pip install '{extra}'")
    assert "Traceback" not in done.stderr


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
    assert {"churn", "mutants"} <= set(run("--help").output.split())


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


def test_the_readme_shows_what_a_target_must_have_and_how_one_is_run() -> None:
    readme = (Path(__file__).parents[2] / "spec" / "README.md").read_text("utf-8")
    shown, used = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    names: dict[str, Any] = {"World": World, "Op": Op, "Any": Any}

    exec(shown, names)
    asked = {*vars(Target), *vars(Transactional), *Target.__annotations__}
    assert {name for name in vars(names["MyTarget"]) if name[0] != "_"} == {name for name in asked if name[0] != "_"}

    names["MyTarget"] = ModelTarget
    exec(used.replace("20_000", "500").replace("300", "3"), names)
    assert {verdict.outcome for verdict in names["verdicts"]} == {Outcome.PASS}
    assert names["exploration"].disagreements == 0
    assert names["sequences"].difference is None
