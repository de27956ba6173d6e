"""The whole queue as one value. Nothing here knows what an operation means.

The dictionaries of a world are never changed once it is made: a `Draft` changes its own copies.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from anser.types import (
    Bucket,
    Channel,
    Dead,
    Event,
    Finished,
    Fire,
    HonkerSchedule,
    Job,
    Lock,
    Notification,
    Ordered,
    Schedule,
    Slot,
    StoredResult,
    Window,
)

__all__ = ["EMPTY", "World", "copied"]


@dataclass(frozen=True, slots=True)
class World:
    """Everything that a file holds, a family after another. Rows by id or by name; counters never go back."""

    jobs: dict[int, Job] = field(default_factory=dict)
    dead: dict[int, Dead] = field(default_factory=dict)
    finished: dict[int, Finished] = field(default_factory=dict)
    paused: frozenset[str] = frozenset()
    last_id: int = 0
    last_fence: int = 0
    locks: dict[str, Lock] = field(default_factory=dict)
    notifications: dict[int, Notification] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    last_notification: int = 0
    events: dict[int, Event] = field(default_factory=dict)
    last_event: int = 0
    events_keep: int = 0  # how many events are kept; 0 while none is told
    results: dict[int, StoredResult] = field(default_factory=dict)
    windows: dict[tuple[str, int], Window] = field(default_factory=dict)
    buckets: dict[str, Bucket] = field(default_factory=dict)
    slots: dict[tuple[str, int], Slot] = field(default_factory=dict)
    ordered: dict[int, Ordered] = field(default_factory=dict)
    schedules: dict[str, Schedule] = field(default_factory=dict)
    fires: dict[int, Fire] = field(default_factory=dict)
    honker_schedules: dict[str, HonkerSchedule] = field(default_factory=dict)


EMPTY = World()
_values = attrgetter(*(each.name for each in fields(World)))


def copied(world: World) -> World:
    """The same world in dictionaries of its own."""
    values: list[Any] = [dict(value) if isinstance(value, dict) else value for value in _values(world)]
    return World(*values)
