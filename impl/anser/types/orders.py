"""Jobs that are worked on one after another."""

from __future__ import annotations

from dataclasses import dataclass

from anser.types.bounds import INSTANT_MAX

__all__ = ["TURN_AT", "Ordered"]

TURN_AT = INSTANT_MAX + 1  # the `run_at` of a job that waits for its turn: no clock gets there


@dataclass(frozen=True, slots=True)
class Ordered:
    """The place of a live job among those of its queue and order key, by id; due at `run_at` when it is its turn."""

    job_id: int
    queue: str
    order_key: str
    run_at: int
