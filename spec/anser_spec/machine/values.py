"""What sequences draw from: values that meet the bounds and each other, and how one of several is picked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from anser.types import DELAY_MAX_S, ERROR_MAX_BYTES, LEASE_MAX_S, LIST_MAX, NAME_MAX_BYTES

__all__ = ["DELAYS", "LEASES", "LIMITS", "QUEUES", "TEXTS", "WORKERS", "one_of", "pick"]

Item = TypeVar("Item")

QUEUES = ("a", "b", "a ", "e\u0301 \u540d \U0001f600", "x" * NAME_MAX_BYTES)
WORKERS = ("w1", "w2", "W1", "w" * NAME_MAX_BYTES)
TEXTS = ("", "e", "failed", "\u00e9\n\t'", "x" * ERROR_MAX_BYTES)
DELAYS = (None, 0, 1, 2, 60, DELAY_MAX_S)
LEASES = (1, 2, 3, 60, LEASE_MAX_S)
LIMITS = (1, 2, 1_000, LIST_MAX)

pick = st.integers(0, 1_023)  # which of several: drawn before it is known how many there are, and small means the first


def one_of(items: Sequence[Item], place: int) -> Item:
    return items[place % len(items)]
