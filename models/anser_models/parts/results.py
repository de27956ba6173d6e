"""Results by the id of their job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser.types import StoredResult
from anser_models.parts.instants import later
from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    return replace(
        world,
        results={
            id: replace(result, created_at=result.created_at + by_s, expires_at=later(result.expires_at, by_s))
            for id, result in world.results.items()
        },
    )


def fences(world: World) -> Iterator[int]:  # noqa: ARG001 - a result has none
    return iter(())


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:  # noqa: ARG001 - as above
    return tuple(_result(result, now) for _, result in sorted(world.results.items()))


def _result(result: StoredResult, now: int) -> tuple[object, ...]:
    left_s = None if result.expires_at is None else max(result.expires_at - now, -1)
    return (result.job_id, result.queue, result.value, left_s)


# --- invariants


def results_are_of_jobs(world: World) -> str | None:
    """A result that says its queue is of a job that was there (RES-1)."""
    wrong = [id for id, result in world.results.items() if result.queue is not None and not 0 < id <= world.last_id]
    return f"results of jobs that never were: {wrong}" if wrong else None


INVARIANTS = (results_are_of_jobs,)
