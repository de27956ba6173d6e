"""Every way through every operation, once: worlds few enough for instruments that do each of them many times.

A way is the transitions that the model takes and how it answers. Worlds are the seeds and what one step makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from anser.ops import OPS, Op
from anser_models import Refused, Step, World, step_named
from anser_spec.alphabets import ALPHABETS, alphabet
from anser_spec.seeds import SEED_NOW, SEEDS

__all__ = ["Trial", "trials"]

MOVES_S = (0, 1, -1)  # of the clock, between a step and the next


@dataclass(frozen=True, slots=True)
class Trial:
    """One operation in one world, and what the model makes of it."""

    world: World
    now: int
    op: Op
    step: Step

    @property
    def writes(self) -> bool:
        """Whether the operation is one that may change a row."""
        return OPS[self.op.name].writes

    def __str__(self) -> str:
        return f"{self.op.name} ({', '.join(self.step.names) or 'no transition'})"


@cache
def trials(each: int = 1, steps: int = 2) -> tuple[Trial, ...]:
    """For every way through every operation, the first `each` worlds that it is met in, in a fixed order.

    `steps` is how far from a start they are looked for: from the second step on, only behind those that were kept.
    """
    found: dict[object, list[Trial]] = {}
    worlds = _starts()
    for _ in range(steps):
        kept = [trial for world, now in worlds for trial in _met(world, now, found, each)]
        worlds = [(trial.step.world, trial.now + by_s) for trial in kept for by_s in MOVES_S]
    return tuple(trial for known in found.values() for trial in known)


def _starts() -> list[tuple[World, int]]:
    starts = [(world, SEED_NOW) for world in SEEDS.values()]
    return [*starts, *(start for family in ALPHABETS for start in family.starts())]


def _met(world: World, now: int, found: dict[object, list[Trial]], each: int) -> Iterator[Trial]:
    """What is met in this world and was not met often enough before."""
    for op in alphabet(world, now):
        trial = Trial(world, now, op, step_named(world, op, now))
        known = found.setdefault(_way(trial), [])
        if len(known) < each:
            known.append(trial)
            yield trial


def _way(trial: Trial) -> object:
    answer = trial.step.answer
    told = (answer.code, answer.argument) if isinstance(answer, Refused) else answer is None
    return trial.op.name, tuple(dict.fromkeys(trial.step.names)), told, trial.step.world is trial.world
