"""Instants that may be missing."""

from __future__ import annotations

__all__ = ["later"]


def later(at: int | None, by_s: int) -> int | None:
    return None if at is None else at + by_s
