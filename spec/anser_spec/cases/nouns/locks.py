"""Locks, by name: the rows, also of locks that are over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser.types import Lock
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS"]

_SOUND: dict[str, Any] = {"owner": "w", "fence": 1, "acquired_at": T, "depth": 1}


def _lock(**given: Any) -> Lock:
    return Lock(**_SOUND | given)


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="lock",
        called="lock",
        part="locks",
        row=Lock,
        key="name",
        read_key=str,
        make=_lock,
        bare=lambda lock: replace(lock, fence=0, acquired_at=None),
        numbered={"last_fence": lambda lock: int(lock.fence)},
    ),
)
