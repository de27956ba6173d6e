"""Limits: how often something may happen, and how many jobs may do it at once."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PERIOD_MAX_S", "RATE_MAX", "SLOTS_FORGOTTEN", "SLOTS_MAX", "Allowance", "Bucket", "Slot", "Window"]

RATE_MAX = 1_000_000  # of a window or a bucket; so that no product of a level and a period can overflow
PERIOD_MAX_S = 2_592_000  # 30 days
SLOTS_MAX = 10_000  # an acquire counts who else has one
SLOTS_FORGOTTEN = 2  # slots of leases that are over, forgotten for each one given: so they never pile up


@dataclass(frozen=True, slots=True)
class Allowance:
    """Whether it may happen now, and how often more before it is refused.

    `retry_at` is the first instant at which it may be allowed again, None where it is allowed.
    """

    allowed: bool
    remaining: int
    retry_at: int | None


@dataclass(frozen=True, slots=True)
class Window:
    """What was allowed to a key in the window that began at `start`."""

    key: str
    start: int
    count: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """The tokens that a key had left at the instant `at`: `level` is their number times `per_s`.

    In that unit `capacity` of them come each second, so nothing is rounded.
    """

    key: str
    capacity: int
    per_s: int
    level: int
    at: int


@dataclass(frozen=True, slots=True)
class Slot:
    """One of so many leases that may do something at once. It is held while that very lease holds."""

    key: str
    job_id: int
    fence: int
