"""The places of jobs that run one after another, by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from anser.types import TURN_AT, Ordered, State
from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    return replace(
        world, ordered={id: replace(place, run_at=place.run_at + by_s) for id, place in world.ordered.items()}
    )


def fences(world: World) -> Iterator[int]:  # noqa: ARG001 - a place is no lease
    yield from ()


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:  # noqa: ARG001 - as above
    return tuple(_place(place, world, now) for _, place in sorted(world.ordered.items()))


def _place(place: Ordered, world: World, now: int) -> tuple[object, ...]:
    """When one that has had its turn wanted it is of no use any more."""
    waits = world.jobs[place.job_id].run_at == TURN_AT
    return (place.job_id, place.queue, place.order_key, max(place.run_at - now, -1) if waits else None)


# --- invariants


def places_are_of_live_jobs(world: World) -> str | None:
    """Whoever has a place is a live job of its queue (ORD-2)."""
    wrong = [
        id
        for id, place in world.ordered.items()
        if place.job_id != id or id not in world.jobs or world.jobs[id].queue != place.queue
    ]
    return f"places of jobs that are not there: {wrong}" if wrong else None


def one_of_each_line_has_its_turn(world: World) -> str | None:
    """The first of each order key has its turn; the others are pending and wait (ORD-1).

    A job that a delay put off past the year 9999 looks as if it waited, and waits for nobody.
    """
    lines: dict[tuple[str, str], list[int]] = defaultdict(list)
    for id, place in sorted(world.ordered.items()):
        lines[place.queue, place.order_key].append(id)
    waiting = {id for line in lines.values() for id in line[1:]} & world.jobs.keys()
    wrong = {id for id in waiting if world.jobs[id].run_at != TURN_AT or world.jobs[id].state is not State.PENDING}
    own = {id for id, place in world.ordered.items() if id not in waiting and place.run_at < TURN_AT}
    wrong |= {id for id, job in world.jobs.items() if id in own and job.run_at == TURN_AT}
    return f"jobs out of turn: {sorted(wrong)}" if wrong else None


INVARIANTS = (places_are_of_live_jobs, one_of_each_line_has_its_turn)
