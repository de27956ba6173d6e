"""Schedules by name, the jobs that they made by id, and honker's schedules by name."""

from __future__ import annotations

from typing import Any

from anser.types import Fire, HonkerSchedule, Misfire, Overlap, Schedule
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS"]

_SOUND: dict[str, Any] = {
    "queue": "mail",
    "cron": "@every 10s",
    "tz": "UTC",
    "payload": "1",
    "priority": 0,
    "max_attempts": 3,
    "max_lapses": 5,
    "expires_s": None,
    "misfire": "latest",
    "grace_s": 60,
    "overlap": "allow",
    "jitter_s": 0,
    "start_at": None,
    "end_at": None,
    "max_fires": None,
    "paused": False,
    "anchor_at": T,
    "next_fire_at": T + 10,
    "last_fire_at": None,
    "fires": 0,
    "missed": 0,
    "error": None,
    "created_at": T,
}
_HONKER: dict[str, Any] = {
    "queue": "mail",
    "payload": "1",
    "priority": 0,
    "expires_s": None,
    "enabled": 1,
    "max_attempts": 3,
}


def _schedule(**given: Any) -> Schedule:
    row = _SOUND | given
    return Schedule(**row | {"misfire": Misfire(row["misfire"]), "overlap": Overlap(row["overlap"])})


def _fire(**given: Any) -> Fire:
    return Fire(**{"fire_at": None} | given)


def _honker_schedule(**given: Any) -> HonkerSchedule:
    return HonkerSchedule(**_HONKER | given)


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="schedule",
        called="schedule",
        part="schedules",
        row=Schedule,
        key="name",
        read_key=str,
        make=_schedule,
        bare=lambda schedule: schedule,
    ),
    Rows(
        name="fire",
        called="fire",
        part="fires",
        row=Fire,
        key="job_id",
        read_key=int,
        make=_fire,
        bare=lambda fire: fire,
        numbered={"last_id": lambda fire: int(fire.job_id)},
    ),
    Rows(
        name="honker_schedule",
        called="schedule of honker",
        part="honker_schedules",
        row=HonkerSchedule,
        key="name",
        read_key=str,
        make=_honker_schedule,
        bare=lambda schedule: schedule,
    ),
)
