"""Schedules. honker's know no zone, no bounds and no policy, and remember nothing but their next boundary.

What Anser has beside is told as what comes nearest: every boundary is fired, however late, from the next one on that
the row names. A schedule that fires no more is none in honker's table, whose rows all have a next boundary.
"""

from __future__ import annotations

import json
from dataclasses import replace
from operator import attrgetter
from typing import Any

from anser.errors import NotFound
from anser.ops import ScheduleList, ScheduleRegister, ScheduleTick, ScheduleUpdate, to_json
from anser.types import Change, Fired, Misfire, Overlap, Registered, Schedule, Ticked
from anser_models import PROCESS_TZ, Refused, World
from anser_spec.targets.honker.families.base import Asking, Constant, Family, Row, Rows, Said, Table
from anser_spec.targets.honker.families.jobs import MAX_LAPSES, payload_of

__all__ = ["FAMILY", "in_zone"]

PLAIN: dict[str, Any] = {
    "max_lapses": MAX_LAPSES,
    "misfire": Misfire.ALL,
    "grace_s": 60,
    "overlap": Overlap.ALLOW,
    "jitter_s": 0,
    "start_at": None,
    "end_at": None,
    "max_fires": None,
}
LISTED, TICKED = ScheduleList().limit, ScheduleTick().limit
NULLABLE = {"payload", "expires_s"}  # of the others a null is none given
CHANGEABLE = {"cron", "payload", "priority", "expires_s", "max_attempts"}


# --- rows


class _Schedules(Table):
    """Those that fire again."""

    def held(self, world: World) -> Any:
        return {name: _held(row) for name, row in world.schedules.items() if row.next_fire_at is not None}

    def rows(self, world: World) -> Rows:
        return Table.rows(self, replace(world, schedules=self.held(world)))


def _row(row: Schedule) -> Row:
    return {
        "name": row.name,
        "queue": row.queue,
        "cron_expr": row.cron,
        "payload": to_json(row.payload),
        "priority": row.priority,
        "expires_s": row.expires_s,
        "next_fire_at": row.next_fire_at,
        "enabled": int(not row.paused),
        "max_attempts": row.max_attempts,
    }


def _schedule(row: Row, before: World) -> Schedule:  # noqa: ARG001  # nothing of it is told but by the row
    return Schedule(
        name=row["name"],
        queue=row["queue"],
        cron=row["cron_expr"],
        tz=PROCESS_TZ,
        payload=payload_of(row),
        priority=row["priority"],
        max_attempts=row["max_attempts"],
        expires_s=row["expires_s"],
        paused=row["enabled"] != 1,
        anchor_at=row["next_fire_at"],
        next_fire_at=row["next_fire_at"],
        last_fire_at=None,
        fires=0,
        missed=0,
        error=None,
        created_at=0,
        **PLAIN,
    )


def _held(row: Schedule) -> Schedule:
    return _schedule(_row(row), World())


def in_zone(world: World, tz: str) -> World:
    """The world with its schedules in the zone of honker's process, which is where it reads them all."""
    return replace(world, schedules={name: replace(row, tz=tz) for name, row in world.schedules.items()})


# --- operations


def _is_plain(op: ScheduleRegister) -> bool:
    return all(getattr(op, name) == value for name, value in PLAIN.items())


def _plain(op: ScheduleRegister) -> dict[str, Any]:  # noqa: ARG001  # whatever they were
    return PLAIN


def _can_update(op: ScheduleUpdate) -> bool:
    """honker changes the fields that it is given; without any it does not even say whether there is such a row."""
    given = {name for name, value in op.changes.items() if value is not None or name in NULLABLE}
    return bool(given) and given == op.changes.keys() <= CHANGEABLE


def _plain_update(op: ScheduleUpdate) -> dict[str, Any]:
    return {"changes": {name: value for name, value in op.changes.items() if name in CHANGEABLE}}


def _register_arguments(op: ScheduleRegister) -> dict[str, Any]:
    return {"payload": _text(op.payload)}


def _update_arguments(op: ScheduleUpdate) -> dict[str, Any]:
    given = dict.fromkeys(CHANGEABLE) | op.changes
    touches = {f"touches_{name}": int(name in op.changes) for name in ("expires_s", "max_attempts")}
    return {**given, **touches, "payload": _text(op.changes["payload"]) if "payload" in op.changes else None}


def _text(payload: Any) -> str:
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _registered(said: Said) -> Registered | Refused:
    if not said.answer:
        return Refused(NotFound.code)
    change = Change.UPDATED if said.op.schedule in said.before.schedules else Change.CREATED
    return Registered(change, said.after.schedules[said.op.schedule].next_fire_at)


def _changed(registered: Registered) -> Registered:
    """It does not say whether what it was told is what it had."""
    changed = registered.change is not Change.CREATED
    return replace(registered, change=Change.UPDATED) if changed else registered


def _is_whole_list(op: ScheduleList) -> bool:
    return op == ScheduleList()


def _whole_list(op: ScheduleList) -> dict[str, Any]:  # noqa: ARG001  # whatever they were
    return {"after_name": "", "limit": LISTED}


def _listed(said: Said) -> tuple[Schedule, ...]:
    return tuple(_schedule({**row, "enabled": int(row["enabled"])}, said.before) for row in said.answer)


def _is_plain_tick(op: ScheduleTick) -> bool:
    return op == ScheduleTick()


def _plain_tick(op: ScheduleTick) -> dict[str, Any]:  # noqa: ARG001  # whatever they were
    return {"owner": None, "fence": None, "limit": TICKED}


def _ticked(said: Said) -> Ticked:
    fired = tuple(Fired(one["name"], one["fire_at"], one["job_id"]) for one in said.answer)
    return Ticked(fired, (), (), more=False)


FAMILY = Family(
    parts=(
        _Schedules(
            field="schedules",
            name="scheduler_tasks",
            key=attrgetter("name"),
            held_value=_held,
            row=_row,
            from_row=_schedule,
        ),
        Constant("fires", {}),
        Constant("honker_schedules", {}),
    ),
    asking={
        ScheduleRegister: Asking(can=_is_plain, plain=_plain, arguments=_register_arguments, told=_registered),
        ScheduleUpdate: Asking(can=_can_update, plain=_plain_update, arguments=_update_arguments, told=_registered),
        ScheduleList: Asking(can=_is_whole_list, plain=_whole_list, told=_listed),
        ScheduleTick: Asking(can=_is_plain_tick, plain=_plain_tick, told=_ticked),
    },
    answers={Schedule: _held, Registered: _changed},
)
