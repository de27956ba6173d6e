"""Rate limits by window. honker says whether a try is allowed, and no more; it has no buckets and no slots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser.ops import RateLimitSweep, RateLimitTry
from anser.types import Allowance, Window
from anser_models import World
from anser_spec.targets.honker.families.base import Asking, Family, Row, Said, Table

__all__ = ["FAMILY"]

SWEEP_LIMIT = RateLimitSweep(older_than_s=0).limit


def _row(window: Window) -> Row:
    return {"name": window.key, "window_start": window.start, "count": window.count}


def _window(row: Row, before: World) -> Window:  # noqa: ARG001  # nothing of it is told but by the row
    return Window(row["name"], row["window_start"], row["count"])


def _same(window: Window) -> Window:
    return window


def _held(allowance: Allowance) -> Allowance:
    return replace(allowance, remaining=0, retry_at=None)


def _allowance(said: Said) -> Allowance:
    return Allowance(said.answer, 0, None)


def _epoch(op: RateLimitTry) -> dict[str, Any]:  # noqa: ARG001  # whatever is tried
    return {"epoch": 0}


def _without_limit(op: RateLimitSweep) -> bool:
    return op.limit == SWEEP_LIMIT


def _limitless(op: RateLimitSweep) -> dict[str, Any]:  # noqa: ARG001  # whatever it was
    return {"limit": SWEEP_LIMIT}


FAMILY = Family(
    parts=(
        Table(
            field="windows",
            name="rate_limits",
            key=lambda window: (window.key, window.start),
            held_value=_same,
            row=_row,
            from_row=_window,
        ),
    ),
    asking={
        RateLimitTry: Asking(arguments=_epoch, told=_allowance),
        RateLimitSweep: Asking(can=_without_limit, plain=_limitless),
    },
    answers={Allowance: _held},
)
