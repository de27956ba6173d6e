"""The binding of rules to evidence: the tally, the gate, and the mark of a test."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from anser_models import TRANSITIONS
from anser_spec.rulebook import Level, Rule, read_rules
from anser_spec.trace import Tally, apart, cited_in, gate, kept, merged, rules_in, seen, seen_invariants, took, write

ROOT = Path(__file__).parents[2]


def rule(id: str, level: Level = Level.MUST, evidence: tuple[str, ...] = ()) -> Rule:
    return Rule(id, "A title", "A text.", level, (), evidence, (), "claims.md", 1)


def judged(rules: list[Rule], tally: Tally, cited: dict[str, list[str]] | None = None) -> list[str]:
    known = {rule.id: rule for rule in rules}
    return gate(tally, known, {id: rule.hash for id, rule in known.items()}, cited or {})


def tally(*pairs: tuple[str, str]) -> Tally:
    return Counter(pairs)


def test_a_must_that_two_instruments_saw_is_enough() -> None:
    assert judged([rule("CLM-1")], tally(("CLM-1", "cases"), ("CLM-1", "transitions"))) == []


def test_a_must_that_one_instrument_saw_is_not_enough() -> None:
    (problem,) = judged([rule("CLM-1")], tally(("CLM-1", "cases")))

    assert "CLM-1 was seen by cases" in problem


def test_a_should_needs_no_evidence() -> None:
    assert judged([rule("CLM-1", Level.SHOULD)], tally()) == []


def test_a_rule_that_names_its_evidence_needs_all_of_it() -> None:
    named = [rule("STO-1", evidence=("tests", "crashes"))]

    assert judged(named, tally(("STO-1", "tests"), ("STO-1", "crashes"))) == []
    assert judged(named, tally(("STO-1", "tests"), ("STO-1", "cases"))) == ["STO-1 was not seen by crashes"]


def test_what_was_seen_of_no_rule_is_a_problem() -> None:
    assert judged([], tally(("CLM-9", "tests"))) == ["tests: has seen CLM-9, which is no rule"]


def test_a_citation_of_no_rule_is_a_problem_once_its_family_has_rules() -> None:
    cited = {"CLM-2": ["impl/a.py:3"], "LCK-1": ["impl/a.py:4"]}

    problems = judged([rule("CLM-1", Level.SHOULD)], tally(), cited)

    assert problems == ["impl/a.py:3: cites CLM-2, which is no rule"]


def test_a_rule_that_says_something_else_than_is_pinned_is_a_problem() -> None:
    changed = {"CLM-1": rule("CLM-1", Level.SHOULD)}

    (problem,) = gate(tally(), changed, {"CLM-1": "00000000"}, {})

    assert "CLM-1 says something else than is pinned" in problem


def test_what_several_processes_saw_is_added_up(tmp_path: Path) -> None:
    write(tmp_path / "one.json", Counter({("CLM-1", "cases"): 2}))
    write(tmp_path / "two.json", Counter({("CLM-1", "cases"): 3, ("CLM-1", "tests"): 1}))

    assert merged(tmp_path) == Counter({("CLM-1", "cases"): 5, ("CLM-1", "tests"): 1})


def test_an_instrument_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="'gazing' is no instrument"):
        seen("CLM-1", "gazing")


def test_transitions_and_invariants_tell_of_their_rules() -> None:
    with apart() as tally:
        took(["ack.held", "ack.held"], "sequences")
        seen_invariants("sequences")

    assert tally["CLM-9", "sequences"] == 2
    assert tally["JOB-1", "sequences"] >= 1


def test_what_is_seen_apart_is_no_evidence() -> None:
    with apart():
        seen("CLM-1", "races")

    assert ("CLM-1", "races") not in kept()


def test_every_transition_of_the_model_has_a_rule() -> None:
    assert set(TRANSITIONS.values()) - set(read_rules()) == set()


def test_ids_are_found_in_their_order_and_once() -> None:
    assert rules_in("See CLM-2, JOB-14 and CLM-2 again; not X-1, ABC-0, D02.") == ("CLM-2", "JOB-14")


def test_the_project_cites_rules_that_exist() -> None:
    families = {id[:3] for id in read_rules()}

    cited = {id: places for id, places in cited_in(ROOT).items() if id[:3] in families}

    assert {id: places for id, places in cited.items() if id not in read_rules()} == {}


# --- the mark, in a run of its own


def pytest_run(folder: Path, test: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(test, encoding="utf-8")
    options = ["-p", "anser_spec.pytest_plugin", "-p", "no:cacheprovider", "--rule-trace", "seen", "-q"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test_it.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_test_that_passed_has_seen_its_rules(tmp_path: Path) -> None:
    marked = "import pytest\n\n@pytest.mark.rule('{}')\ndef test_{}():\n    assert {}\n"

    pytest_run(tmp_path, marked.format("CLM-4", "one", True) + marked.format("CLM-5", "two", False))

    assert json.loads((tmp_path / "seen" / "pytest-main.json").read_text()) == {"CLM-4": {"tests": 1}}


def test_a_test_that_cites_no_rule_stops_the_run(tmp_path: Path) -> None:
    ended = pytest_run(tmp_path, "import pytest\n\n@pytest.mark.rule('ABC-1')\ndef test_it():\n    pass\n")

    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "test_it.py::test_it cites ABC-1" in ended.stderr
