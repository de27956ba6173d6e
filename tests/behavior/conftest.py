"""One file, one clock that stands still, one queue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import anser
from tests.behavior.support import NOW

MEMORY = Path("/dev/shm")  # where it is, its files are in memory


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that is quick to sync, where there is one: thousands of commits, and none of the tests loses power."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "app.db")


@pytest.fixture
def clock() -> anser.ManualClock:
    return anser.ManualClock(NOW)


@pytest.fixture
def db(path: str, clock: anser.ManualClock) -> Iterator[anser.Database]:
    """Nobody else writes here, so a lock that is not had at once is a fault."""
    with anser.open(path, clock=clock, synchronous="normal", busy_timeout_s=0) as db:
        yield db


@pytest.fixture
def mail(db: anser.Database) -> anser.Queue:
    return db.queue("mail")
