"""Binds tests to rules: `@pytest.mark.rule("CLM-4")`; with `--rule-trace FOLDER` keeps what the run has seen of them.

A test that cites an id which is no rule stops the run before it begins. A test that passed has seen its rules, as the
instrument `tests`; what the instruments within it report is kept too. Each process of a run writes a file of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from anser_spec.rulebook import read_rules
from anser_spec.trace import kept, seen, write

__all__ = [
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_runtest_call",
    "pytest_sessionfinish",
    "pytest_sessionstart",
]

MARK = "rule"
OPTION = "--rule-trace"
FILES = "pytest-*.json"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, metavar="FOLDER", type=Path, help="write which rules this run has seen, a file a process")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}(*ids): the rules of spec/anser_spec/rules that the test shows")


def pytest_sessionstart(session: pytest.Session) -> None:
    """The first process of a run takes away what an earlier run wrote."""
    folder = session.config.getoption(OPTION)
    if folder is not None and not hasattr(session.config, "workerinput"):
        for path in folder.glob(FILES):
            path.unlink()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = read_rules()
    unknown = [f"{item.nodeid} cites {id}" for item in items for id in _cited(item) if id not in known]
    if unknown:
        raise pytest.UsageError(f"no such rule: {'; '.join(unknown)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    result = yield  # a test that fails, or skips itself, raises here
    for id in _cited(item):
        seen(id, "tests")
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    folder = session.config.getoption(OPTION)
    if folder is not None and kept():
        worker = getattr(session.config, "workerinput", {"workerid": "main"})["workerid"]
        write(folder / FILES.replace("*", worker))


def _cited(item: pytest.Item) -> Iterator[str]:
    for mark in item.iter_markers(MARK):
        yield from mark.args
