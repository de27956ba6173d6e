"""Every case of the rules, on the model and on Anser's own engine; and the cases against what is wrong on purpose."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anser_models import HONKER_0_5, Quirk
from anser_spec.cases import Case, Outcome, all_cases, run_case
from anser_spec.register import read_register
from anser_spec.rulebook import Level, read_rules
from anser_spec.targets.model import ModelTarget
from anser_spec.targets.sqlite import SqliteTarget

RULES = read_rules()
CASES = all_cases(RULES)
REGISTER = read_register()
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@pytest.fixture(scope="module")
def sqlite() -> Iterator[SqliteTarget]:
    target = SqliteTarget()
    yield target
    target.close()


def broken_rules(quirks: frozenset[Quirk]) -> set[str]:
    """The rules of which a case does not pass on the model with these quirks."""
    target = ModelTarget(quirks)
    return {case.rule for case in CASES if run_case(case, target).outcome is not Outcome.PASS}


@each_case
def test_a_case_holds_on_the_model(case: Case) -> None:
    verdict = run_case(case, ModelTarget())

    assert verdict.outcome is Outcome.PASS, str(verdict)


@each_case
def test_a_case_holds_on_sqlite(case: Case, sqlite: SqliteTarget) -> None:
    verdict = run_case(case, sqlite)

    assert verdict.outcome is Outcome.PASS, str(verdict)


def test_a_rule_that_must_hold_has_a_case_or_says_what_shows_it() -> None:
    bare = [rule.id for rule in RULES.values() if rule.level is Level.MUST and not (rule.blocks or rule.evidence)]

    assert bare == []


@pytest.mark.parametrize("quirk", Quirk)
def test_a_defect_breaks_a_rule_that_names_it(quirk: Quirk) -> None:
    id = next(entry.id for entry in REGISTER.values() if entry.quirk is quirk)

    assert broken_rules(frozenset({quirk})) & set(REGISTER[id].rules)


def test_a_rule_that_names_a_defect_of_honker_is_broken_by_honker() -> None:
    known = {entry.id for entry in REGISTER.values() if entry.quirk is not None}
    naming = {rule.id for rule in RULES.values() if rule.blocks and known & set(rule.defects)}

    assert naming - broken_rules(HONKER_0_5) == set()
