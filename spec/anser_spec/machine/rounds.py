"""Sequences of ever new seeds, round after round, until the time is over or one disagrees."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from anser_models import TRANSITIONS
from anser_spec.machine.sequences import run_sequences
from anser_spec.tally import Budget, Tally, Tell, Violation
from anser_spec.targets import Target
from anser_spec.targets.sqlite import SqliteTarget

__all__ = ["run"]

EXAMPLES = 100  # of one round; the round that is under way when the time is over is ended
STEPS = 100


def run(
    budget: Budget,
    seed: int,
    tell: Tell,
    *,
    target: Callable[[], Target] = SqliteTarget,
    save: Path = Path("out"),
) -> Tally:
    """Run rounds, at least one, each with the next seed. A counterexample is made short and saved, and ends it."""
    began = time.monotonic()
    tally = Tally("sequences")
    names: Counter[str] = Counter()
    while not budget.done or not budget.spent():
        found = run_sequences(target, examples=EXAMPLES, steps=STEPS, seed=seed)
        names += found.names
        tally.covered.update({"sequences": found.sequences, "steps": found.steps})
        tell(f"seed {seed}: {tally.covered['sequences']} sequences, {tally.covered['steps']} steps in all")
        if found.witness is not None:
            path = found.witness.save(save / f"{found.witness.target}-campaign-{seed}.json")
            rules = found.difference.rules if found.difference else ()
            tally.violations.append(Violation(str(found.difference), rules, f"anser-spec run --replay {path}"))
            break
        budget.done, seed = budget.done + 1, seed + 1
    tally.covered["transitions taken"] = len(names)
    missed = [name for name in TRANSITIONS if not names[name]]
    if missed:
        tally.left_out.append(f"transitions that no sequence took: {', '.join(missed)}")
    tally.seconds = time.monotonic() - began
    return tally
