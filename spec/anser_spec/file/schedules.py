"""Schedules, what they fired, and honker's schedules that have not been taken over."""

from __future__ import annotations

from typing import Any

from anser.types import Fire, HonkerSchedule, Misfire, Overlap, Schedule
from anser_spec.file.table import Table

__all__ = ["TABLES"]


LATER = {"enabled": "1", "max_attempts": "3"}  # what honker's first schedules lack


def _schedule(**row: Any) -> Schedule:
    return Schedule(**row | {"paused": bool(row["paused"])})


SCHEDULES = Table(
    name="_anser_schedules",
    part="schedules",
    key=("name",),
    columns=tuple(Schedule.__slots__),
    raw=("payload",),
    enums={"misfire": Misfire, "overlap": Overlap},
    value=_schedule,
)
FIRES = Table(name="_anser_fires", part="fires", key=("job_id",), columns=("job_id", "schedule", "fire_at"), value=Fire)
HONKER = Table(
    name="_honker_scheduler_tasks",
    part="honker_schedules",
    key=("name",),
    columns=tuple(name for name in HonkerSchedule.__slots__ if name not in LATER),
    added=LATER,
    raw=("payload",),
    value=HonkerSchedule,
)

TABLES = (SCHEDULES, FIRES, HONKER)
