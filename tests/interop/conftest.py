"""One file, Anser in this process and honker in one of its own.

The two share no clock: honker reads the machine's. Anser's runs with it, and a test may set it ahead or behind.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.clock import system_clock
from anser_spec.targets.honker.process import HonkerProcess
from anser_spec.trace import seen
from tests.conformance_honker.conftest import directory

__all__ = ["Clock", "directory"]


class Clock:
    """The machine's clock, `ahead_s` seconds ahead of it."""

    def __init__(self) -> None:
        self.ahead_s = 0

    def __call__(self) -> int:
        return system_clock() + self.ahead_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


@pytest.fixture
def db(path: Path, clock: Clock) -> Iterator[anser.Database]:
    """The file as Anser opens it."""
    with anser.open(path, clock=clock) as database:
        yield database


@pytest.fixture
def mail(db: anser.Database) -> anser.Queue:
    return db.queue("mail")


@pytest.fixture
def honker(directory: Path, db: anser.Database, path: Path) -> Iterator[HonkerProcess]:
    """honker on the file that Anser has opened."""
    process = HonkerProcess(directory, path, by="method")
    yield process
    process.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """A test that passes here has seen its rules with honker on the same file."""
    result = yield
    for mark in item.iter_markers("rule"):
        for rule in mark.args:
            seen(rule, "interop")
    return result
