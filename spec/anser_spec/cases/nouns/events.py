"""Events, by id; and how many are kept, which is also whether they are told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser.types import Event, EventKind, Reason
from anser_models import World
from anser_spec.cases.compare import Different
from anser_spec.cases.lines import Then
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS"]

_SOUND: dict[str, Any] = {"queue": "mail", "job_id": 1, "attempts": 0, "worker": None, "at": T}


def _event(*, kind: str = EventKind.ENQUEUED, reason: str | None = None, **given: Any) -> Event:
    return Event(kind=EventKind(kind), reason=None if reason is None else Reason(reason), **_SOUND | given)


class _Keep(Noun):
    """`given keep events=5`: events are told, and the newest five are kept."""

    name = "keep"

    def given(self, world: World, arguments: dict[str, Any]) -> World:
        return replace(world, events_keep=arguments["events"])

    def then(self, absent: bool, arguments: dict[str, Any]) -> tuple[Any, ...]:
        return (0,) if absent else (arguments.pop("events"),)

    def different(self, line: Then, world: World) -> Different | None:
        (keep,) = line.keys
        return None if world.events_keep == keep else Different(keep, world.events_keep, "keep")

    def own(self, world: World) -> Any:
        return world.events_keep


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="event",
        called="event",
        part="events",
        row=Event,
        key="id",
        read_key=int,
        make=_event,
        bare=lambda event: event,
        numbered={"last_event": lambda event: int(event.id)},
    ),
    _Keep(),
)
