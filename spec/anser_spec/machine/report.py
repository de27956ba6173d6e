"""What a run of sequences did and found, and the gate that says whether it means anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from anser_models import TRANSITIONS
from anser_spec.judge import Difference
from anser_spec.witness import Witness

__all__ = ["SequenceReport"]


@dataclass(slots=True)
class SequenceReport:
    """What was run, and what was found."""

    seed: int
    examples: int
    steps_each: int
    at_least: int
    sequences: int = 0
    steps: int = 0
    seconds: float = 0.0
    names: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    unreachable: frozenset[str] = frozenset()  # transitions of operations that the target does not have
    difference: Difference | None = None
    witness: Witness | None = None

    @property
    def rate(self) -> float:
        """Steps a second."""
        return self.steps / self.seconds if self.seconds else 0.0

    @property
    def missing(self) -> list[str]:
        """The vacuity gate: named transitions that were taken too seldom for the run to say anything about them."""
        wanted = [name for name in TRANSITIONS if name not in self.unreachable]
        return [name for name in wanted if self.names[name] < self.at_least]
