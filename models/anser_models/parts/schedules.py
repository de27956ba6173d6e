"""Schedules by name, what they fired, and honker's schedules that can be taken over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser.types import Schedule
from anser_models.parts.instants import later
from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    """The boundaries of `@every` move with its anchor; those of the clocks of a zone do not move."""
    return replace(
        world,
        schedules={
            name: replace(
                row,
                start_at=later(row.start_at, by_s),
                end_at=later(row.end_at, by_s),
                anchor_at=row.anchor_at + by_s,
                next_fire_at=later(row.next_fire_at, by_s),
                last_fire_at=later(row.last_fire_at, by_s),
                created_at=row.created_at + by_s,
            )
            for name, row in world.schedules.items()
        },
        fires={id: replace(fire, fire_at=later(fire.fire_at, by_s)) for id, fire in world.fires.items()},
        honker_schedules={
            name: replace(row, next_fire_at=row.next_fire_at + by_s) for name, row in world.honker_schedules.items()
        },
    )


def fences(world: World) -> Iterator[int]:  # noqa: ARG001 - the leader's is that of a lock
    return iter(())


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:  # noqa: ARG001 - there are no fences
    """A schedule by the clocks of a zone is told with the instant: when it fires is not told by how long that is."""
    wall = any(not row.cron.startswith("@every") for row in world.schedules.values())
    return (
        now if wall else None,
        tuple(_schedule(row, now) for _, row in sorted(world.schedules.items())),
        tuple((id, fire.schedule, _since(fire.fire_at, now)) for id, fire in sorted(world.fires.items())),
        tuple(
            (replace(row, next_fire_at=0), row.next_fire_at - now) for _, row in sorted(world.honker_schedules.items())
        ),
    )


def _schedule(row: Schedule, now: int) -> tuple[object, ...]:
    bounds = (_since(row.start_at, now), _since(row.end_at, now))
    fires = (_since(row.anchor_at, now), _since(row.next_fire_at, now), _since(row.last_fire_at, now))
    return (
        replace(row, start_at=None, end_at=None, anchor_at=0, next_fire_at=None, last_fire_at=None, created_at=0),
        bounds,
        fires,
    )


def _since(at: int | None, now: int) -> int | None:
    return None if at is None else at - now


# --- invariants


def a_boundary_is_fired_once(world: World) -> str | None:
    """No two jobs are of one boundary of one schedule (SCH-5)."""
    keys = [(fire.schedule, fire.fire_at) for fire in world.fires.values() if fire.fire_at is not None]
    return f"boundaries fired twice: {keys}" if len(set(keys)) < len(keys) else None


def fires_are_of_jobs(world: World) -> str | None:
    """What was fired has an id that was given (SCH-5)."""
    wrong = [id for id in world.fires if not 0 < id <= world.last_id]
    return f"fires of jobs that never were: {wrong}" if wrong else None


def schedules_end(world: World) -> str | None:
    """A schedule that is in error, or has made all its jobs, fires no more (SCH-1, SCH-10)."""
    wrong = [row.name for row in world.schedules.values() if row.next_fire_at is not None and _is_over(row)]
    return f"schedules that go on: {wrong}" if wrong else None


def _is_over(row: Schedule) -> bool:
    return row.error is not None or (row.max_fires is not None and row.fires >= row.max_fires)


INVARIANTS = (a_boundary_is_fired_once, fires_are_of_jobs, schedules_end)
