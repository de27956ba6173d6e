"""The project keeps its own style: each check of `checks.py` finds nothing in this tree.

That a check can fail is shown by `test_planted.py`.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.tidy import checks

ROOT = Path(__file__).parents[2]


@pytest.fixture
def operations() -> dict[str, str]:
    """Name → class name, as the implementation lists them."""
    ops: dict[str, type] = importlib.import_module("anser.ops").OPS
    return {name: operation.__name__ for name, operation in ops.items()}


@pytest.fixture
def verbs() -> set[str]:
    return set(importlib.import_module("anser_models.step").VERBS)


def test_imports_only_go_down() -> None:
    assert checks.layers(ROOT) == []


def test_statements_stand_only_in_the_sql_folder() -> None:
    assert checks.sql_places(ROOT) == []


def test_no_statement_asks_the_database_for_the_time() -> None:
    assert checks.sql_clocks(ROOT) == []


def test_only_the_clock_reads_the_time() -> None:
    assert checks.clock_reads(ROOT) == []


def test_only_loops_sleep_and_thread() -> None:
    assert checks.waits(ROOT) == []


def test_functions_and_lines_are_short() -> None:
    assert checks.lengths(ROOT) == []


def test_the_readme_is_short() -> None:
    assert checks.readme_length(ROOT) == []


def test_names_say_something() -> None:
    assert checks.vague_names(ROOT) == []


def test_an_operation_has_one_name_everywhere(operations: dict[str, str], verbs: set[str]) -> None:
    assert checks.one_name(ROOT, operations, verbs) == []


def test_there_are_rules() -> None:
    assert checks.rules(ROOT)


def test_a_rule_has_an_id_of_its_own() -> None:
    assert checks.repeated_rules(ROOT) == []


def test_every_cited_rule_exists() -> None:
    assert checks.unknown_rules(ROOT) == []


def test_an_operation_cites_the_rules_it_follows(operations: dict[str, str]) -> None:
    assert checks.operations_without_rule(ROOT, set(operations.values())) == []


def test_what_is_public_is_exported() -> None:
    assert checks.exports(ROOT) == []


@pytest.mark.parametrize("package", checks.ROOTS)
def test_every_exported_name_can_be_had(package: str) -> None:
    module = importlib.import_module(package)

    assert [name for name in module.__all__ if not hasattr(module, name)] == []


def test_no_file_names_a_machine_a_registry_or_unfinished_work() -> None:
    assert checks.forbidden_texts(ROOT) == []


def test_an_exception_to_a_check_gives_its_reason() -> None:
    assert checks.exceptions_without_reason(ROOT) == []
