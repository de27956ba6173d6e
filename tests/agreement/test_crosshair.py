"""CrossHair proves the twins of the conditions, refutes what is wrong, and a verdict that became worse is a problem."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType

import pytest

from anser_spec.contracts import CONTRACTS, FAMILIES
from anser_spec.crosshair import QUICK, Finding, Verdict, ask, expected, judge, main, prove, updated, write
from anser_spec.trace import rules_in

WRONG_TWIN = """
from dataclasses import replace

from anser_spec.predicates.claims import LAPSED
from anser_spec.predicates.jobs import JobGiven, JobRow
from anser_spec.predicates.logic import below, both

WRONG = replace(
    LAPSED,
    twin=lambda row, given: both(row.state == "processing", {comparison}),
)


def wrong_twin(end: int, now: int) -> None:
    assert now >= 0
    assert WRONG.agrees(JobRow(state="processing", claim_expires_at=end), JobGiven(now=now))
"""


def contrary(source: str) -> str:
    """The contracts, each saying the contrary of what it says."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and isinstance(last := node.body[-1], ast.Assert):
            last.test = ast.UnaryOp(ast.Not(), last.test)
    return ast.unparse(ast.fix_missing_locations(tree))


def test_crosshair_proves_that_twins_and_model_are_one() -> None:
    told = expected()

    problems = {finding.name: judge(finding, told) for finding in prove(QUICK)}

    assert {name: problem for name, problem in problems.items() if problem is not None} == {}
    assert len(problems) > 10


@pytest.mark.parametrize(
    ("comparison", "verdict"),
    [
        ("below(row.claim_expires_at, given.now)", Verdict.CONFIRMED),
        ("below(row.claim_expires_at, given.now + 1)", Verdict.COUNTEREXAMPLE),
        ("row.claim_expires_at <= given.now", Verdict.COUNTEREXAMPLE),
    ],
)
def test_a_wrong_twin_is_refuted_and_a_right_one_proven(tmp_path: Path, comparison: str, verdict: Verdict) -> None:
    path = tmp_path / "planted_twin.py"
    path.write_text(WRONG_TWIN.format(comparison=comparison))

    assert [said.verdict for said in ask(str(path))] == [verdict]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__.rpartition(".")[2])
def test_every_contract_is_refuted_when_it_says_the_contrary(tmp_path: Path, family: ModuleType) -> None:
    path = tmp_path / "contrary_contracts.py"
    path.write_text(contrary(inspect.getsource(family)))
    own = {name for name, contract in CONTRACTS.items() if contract.__module__ == family.__name__}
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]

    refuted = [said.line for said in ask(str(path)) if said.verdict is Verdict.COUNTEREXAMPLE]

    heard = {one.name for one in functions for line in refuted if one.lineno <= line <= (one.end_lineno or 0)}
    assert sorted(own - heard) == []


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_contract_ends_in_its_only_claim_and_cites_rules(name: str) -> None:
    (function,) = ast.parse(inspect.getsource(CONTRACTS[name])).body
    assert isinstance(function, ast.FunctionDef)
    body = function.body[1:]
    kinds = [isinstance(statement, ast.Assert) for statement in body]

    leading = kinds.index(False) if False in kinds else len(kinds) - 1

    assert leading > 0
    assert kinds == [True] * leading + [False] * (len(kinds) - leading - 1) + [True]
    assert rules_in(CONTRACTS[name].__doc__ or "")


def test_a_verdict_is_expected_of_each_contract() -> None:
    assert list(expected()) == list(CONTRACTS)


def found(verdict: Verdict, name: str = "word_twin") -> Finding:
    return Finding(name, verdict, "in its words", 0.0)


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        (Verdict.CONFIRMED, Verdict.CONFIRMED, False),
        (Verdict.CONFIRMED, Verdict.NOT_CONFIRMED, True),
        (Verdict.CONFIRMED, Verdict.NO_VERDICT, True),
        (Verdict.NOT_CONFIRMED, Verdict.CONFIRMED, False),
        (Verdict.NOT_CONFIRMED, Verdict.NOT_CONFIRMED, False),
        (Verdict.NOT_CONFIRMED, Verdict.UNMET, True),
        (Verdict.NOT_CONFIRMED, Verdict.COUNTEREXAMPLE, True),
    ],
)
def test_a_verdict_that_became_worse_is_a_problem(before: Verdict, now: Verdict, worse: bool) -> None:
    problem = judge(found(now), {"word_twin": before})

    assert problem == (f"{now}, expected {before}: in its words" if worse else None)


def test_a_contract_of_which_nothing_is_expected_is_a_problem() -> None:
    assert judge(found(Verdict.CONFIRMED), {}) == "nothing is expected of it yet: run with --update"


def test_an_update_keeps_what_became_better_and_what_is_new_and_never_what_became_worse(tmp_path: Path) -> None:
    told = {"word_twin": Verdict.NOT_CONFIRMED, "retry_twin": Verdict.CONFIRMED, "gone": Verdict.CONFIRMED}
    findings = [
        found(Verdict.CONFIRMED, "word_twin"),
        found(Verdict.NOT_CONFIRMED, "retry_twin"),
        found(Verdict.NOT_CONFIRMED, "lapsed_twins"),
        found(Verdict.COUNTEREXAMPLE, "level_twins"),
    ]

    write(updated(findings, told), tmp_path)

    assert expected(tmp_path) == {
        "word_twin": Verdict.CONFIRMED,
        "retry_twin": Verdict.CONFIRMED,
        "lapsed_twins": Verdict.NOT_CONFIRMED,
    }


def test_what_cannot_be_read_has_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "broken_contract.py"
    path.write_text("def broken(")

    (said,) = ask(str(path))

    assert said.verdict is Verdict.NO_VERDICT


def test_what_takes_too_long_is_not_confirmed() -> None:
    (said,) = ask("anser_spec.contracts.leases.word_twin", wall_max_s=0.01)

    assert said.verdict is Verdict.NOT_CONFIRMED


def test_the_command_names_a_contract_that_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["no_such_contract"])

    assert "no contract is named no_such_contract" in capsys.readouterr().err
