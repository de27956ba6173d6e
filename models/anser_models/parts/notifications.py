"""Notifications, what of each channel is gone, and the last id that was given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anser_models.world import World

__all__ = ["INVARIANTS", "canonical", "fences", "shifted"]


def shifted(world: World, by_s: int) -> World:
    return replace(
        world,
        notifications={
            id: replace(notification, created_at=notification.created_at + by_s)
            for id, notification in world.notifications.items()
        },
    )


def fences(world: World) -> Iterator[int]:  # noqa: ARG001 - nobody holds anything here
    yield from ()


def canonical(world: World, now: int, rank: dict[int, int]) -> tuple[object, ...]:  # noqa: ARG001 - of fences
    """Of ids only their order is kept: what is told next has one greater than all."""
    pruned = {channel.pruned_id for channel in world.channels.values()}
    order = {id: place for place, id in enumerate(sorted({*world.notifications, *pruned}))}
    return (
        tuple(
            (order[id], told.channel, told.payload, max(told.created_at - now, -2))
            for id, told in sorted(world.notifications.items())
        ),
        tuple((name, order[channel.pruned_id]) for name, channel in sorted(world.channels.items())),
    )


# --- invariants


def told_ids_were_given(world: World) -> str | None:
    """Nothing was told or forgotten under an id beyond the last one given (NTF-1)."""
    ids = (*world.notifications, *(channel.pruned_id for channel in world.channels.values()))
    beyond = [id for id in ids if not 0 < id <= world.last_notification]
    return f"notifications that were never told: {beyond}" if beyond else None


def what_is_gone_is_not_there(world: World) -> str | None:
    """What a channel says is gone is not among its notifications (NTF-4)."""
    wrong = [name for name, channel in world.channels.items() if channel.pruned_id in world.notifications]
    return f"channels that say gone what is there: {wrong}" if wrong else None


INVARIANTS = (
    told_ids_were_given,
    what_is_gone_is_not_there,
)
