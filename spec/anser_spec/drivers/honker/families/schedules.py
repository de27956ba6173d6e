"""Schedules. Their methods are those of honker's scheduler, whose `add` is a registration."""

from __future__ import annotations

from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Call, Family, function, yes_or_no
from anser_spec.drivers.honker.rows import Row, Table, moved

TASKS = Table(
    name="scheduler_tasks",
    columns=(
        *("name", "queue", "cron_expr", "payload", "priority", "expires_s", "next_fire_at", "enabled"),
        "max_attempts",
    ),
    key=("name",),
    instants=frozenset({"next_fire_at"}),
    texts=frozenset({"payload"}),
)

_register = function("honker_scheduler_register", "schedule queue cron payload priority expires_s max_attempts")
_update = function(
    "honker_scheduler_update",
    "schedule cron payload priority expires_s touches_expires_s max_attempts touches_max_attempts",
)
_list = function("honker_scheduler_list", answers_json=True)


def _ticked(tx: Any, given: Arguments) -> Any:
    """Said otherwise than by the expression that stops it: that was no argument."""
    try:
        return function("honker_scheduler_tick", "now", answers_json=True)(tx, {"now": _now(tx)} | given)
    except RuntimeError as error:
        raise RuntimeError("the tick failed") from error


def _soonest(tx: Any, given: Arguments) -> int | None:
    """honker says 0 for never, and an instant that has passed where one is due: then a tick has something to do now."""
    soonest: int = function("honker_scheduler_soonest")(tx, given)
    return max(soonest, _now(tx)) if soonest else None


def _now(tx: Any) -> int:
    return int(tx.query("select unixepoch() as now")[0]["now"])


def _rows(raw: Any, by_s: int) -> list[Row]:
    return [moved(row, TASKS.instants, by_s) for row in raw]


FAMILY = Family(
    tables=(TASKS,),
    calls={
        "schedule_register": Call(by_function=_register, tell=yes_or_no, needs_clock=True),
        "schedule_update": Call(by_function=_update, tell=yes_or_no, needs_clock=True),
        "schedule_unregister": Call(
            by_function=function("honker_scheduler_unregister", "schedule"), tell=yes_or_no, needs_clock=True
        ),
        "schedule_pause": Call(
            by_function=function("honker_scheduler_pause", "schedule"), tell=yes_or_no, needs_clock=True
        ),
        "schedule_resume": Call(
            by_function=function("honker_scheduler_resume", "schedule"), tell=yes_or_no, needs_clock=True
        ),
        "schedule_list": Call(by_function=_list, tell=_rows, needs_clock=True),
        "schedule_soonest": Call(by_function=_soonest, needs_clock=True),
        "schedule_tick": Call(by_function=_ticked, needs_clock=True),
    },
    kinds={"cron field": "invalid", "cron step": "invalid", "schedule": "invalid", "interval": "invalid"},
)
