"""Locks."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Lock"]


@dataclass(frozen=True, slots=True)
class Lock:
    """The right to a name until the instant `expires_at`, when it is over already.

    `fence` is of the file's one counter, as a lease's is. `depth` acquires of the owner have not been released yet.
    `acquired_at` is None where a foreign binding acquired.
    """

    name: str
    owner: str
    fence: int
    acquired_at: int | None
    expires_at: int
    depth: int
