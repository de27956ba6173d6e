"""The published honker, in a process of its own; what needs it is skipped, and says why, where it is not laid."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anser_spec.targets.honker import laid_directory, missing
from anser_spec.targets.honker.target import HonkerTarget

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def directory() -> Path:
    """Where honker is laid."""
    found = laid_directory(ROOT)
    reason = missing(found)
    if reason is not None:
        pytest.skip(reason)
    return found


@pytest.fixture(scope="module")
def honker(directory: Path) -> Iterator[HonkerTarget]:
    """honker by its SQL functions."""
    target = HonkerTarget(directory)
    yield target
    target.close()


@pytest.fixture(scope="module")
def honker_by_methods(directory: Path) -> Iterator[HonkerTarget]:
    """honker by the methods of its queue, each in the transaction that it makes itself."""
    target = HonkerTarget(directory, by="method")
    yield target
    target.close()
