"""What a verb works on: a world of its own to change. Nothing here knows what an operation means.

A draft is thrown away when the operation is refused, so a verb may change first and refuse later (ERR-1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anser_models.quirks import Quirk
from anser_models.world import World, copied

__all__ = ["Draft", "Refused"]


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal as an answer: the error's stable code and, where it names one, the argument."""

    code: str
    argument: str | None = None


class Draft:
    """A world being changed, the instant, and the names of the transitions taken.

    The dictionaries of its world are its own, to be changed in place; another field is changed by a new world.
    """

    def __init__(self, world: World, now: int, quirks: frozenset[Quirk]) -> None:
        self.world = copied(world)
        self.now = now
        self.quirks = quirks
        self.names: list[str] = []

    def has(self, quirk: Quirk) -> bool:
        return quirk in self.quirks

    def took(self, name: str) -> None:
        self.names.append(name)

    def give_fence(self) -> int:
        """A number that no lease of any kind has had before (CLM-7)."""
        self.world = replace(self.world, last_fence=self.world.last_fence + 1)
        return self.world.last_fence
