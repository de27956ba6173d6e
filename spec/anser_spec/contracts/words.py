"""What the contracts of several families say alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anser.errors import Invalid
from anser_spec.predicates import AnyCondition, Given

__all__ = ["accepts", "all_agree", "queue_of", "state_of"]


def queue_of(right: bool) -> str:
    """The queue that the parameters name, or another."""
    return "a" if right else "b"


def state_of(pending: bool) -> str:
    """A state of the living."""
    return "pending" if pending else "processing"


def all_agree(row: Any, given: Given, *conditions: AnyCondition) -> bool:
    """Whether the model says of the row what each of the twins says."""
    return all(condition.agrees(row, given) for condition in conditions)


def accepts(check: Callable[[], None]) -> bool:
    """Whether a check of arguments lets them pass."""
    try:
        check()
    except Invalid:
        return False
    return True
