"""The model itself as a target: what the instruments are tried on, whole or with something wrong on purpose."""

from __future__ import annotations

from typing import Any

from anser.ops import Op
from anser_models import EMPTY, Quirk, World, step
from anser_spec.targets import FEATURES

__all__ = ["ModelTarget"]


class ModelTarget:
    """A world and `step`. It has transactions by keeping the world that it began with."""

    name = "model"
    version = "1"
    features = FEATURES

    def __init__(self, quirks: frozenset[Quirk] = frozenset()) -> None:
        self.quirks = quirks
        self.world = EMPTY
        self._saved: World | None = None

    def load(self, world: World, now: int) -> None:  # noqa: ARG002 - a world stands still until it is asked
        self.world = world

    def apply(self, op: Op, now: int) -> Any:
        self.world, answer = step(self.world, op, now, self.quirks)
        return answer

    def read(self) -> World:
        return self.world

    def begin(self) -> None:
        self._saved = self.world

    def commit(self) -> None:
        self._saved = None

    def rollback(self) -> None:
        assert self._saved is not None, "a transaction was begun"
        self.world, self._saved = self._saved, None

    def close(self) -> None:
        self.world = EMPTY
