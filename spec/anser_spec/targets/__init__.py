"""What a rule can be held against: one small protocol, met by each target."""

from __future__ import annotations

from typing import Any, Protocol

from anser.ops import OPS, Op
from anser_models import World

__all__ = ["FEATURES", "Target"]

FEATURES = frozenset(OPS) | {"backoff", "cron"}  # all that Anser has: the operations, `anser.backoff` and `anser.cron`


class Target(Protocol):
    """A queue under test. Its clock is the caller's: every call that needs the time is given `now`."""

    name: str
    version: str
    features: frozenset[str]  # the operations that it has, by name

    def load(self, world: World, now: int) -> None:
        """Make the queue hold exactly that world."""

    def apply(self, op: Op, now: int) -> Any:
        """Do one operation at that instant. Answers a value of `anser.types`, or `anser_models.Refused`."""

    def read(self) -> World:
        """What the queue holds, row by row: the refinement map."""

    def close(self) -> None:
        """Let go of files and processes."""
