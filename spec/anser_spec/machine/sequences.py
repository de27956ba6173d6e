"""A run: a machine of all families, drawn by Hypothesis against one target, and what it finds made short."""

from __future__ import annotations

import time
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import run_state_machine_as_test

from anser_models import TRANSITIONS, VERBS, Quirk
from anser_spec.judge import Judge, replay
from anser_spec.machine.base import Disagreement, Progress, Run
from anser_spec.machine.families import machine_of
from anser_spec.machine.report import SequenceReport
from anser_spec.shorten import shorten
from anser_spec.targets import Target

__all__ = ["run_sequences"]

DRAWN_TOGETHER = 10  # from the next on, Hypothesis draws five of six sequences as copies of one with a part repeated


def run_sequences(
    target_factory: Callable[[], Target],
    *,
    examples: int,
    steps: int,
    seed: int,
    quirks: frozenset[Quirk] = frozenset(),
    at_least: int = 1,
    shrinking: bool = True,
    progress: Progress = lambda *counts: None,  # noqa: ARG005 - nobody listens
) -> SequenceReport:
    """Run sequences against one target; the same seed draws the same ones. Stops at a disagreement, made short.

    `shrinking` lets Hypothesis make its values simple too, which takes longer than to leave out steps.
    """
    report = SequenceReport(seed, examples, steps, at_least)
    target = target_factory()
    began = time.perf_counter()
    try:
        report.unreachable = frozenset(name for name in TRANSITIONS if not _reachable(name, target, quirks))
        run = Run(Judge(target, quirks), report, progress)
        for place in range(0, examples, DRAWN_TOGETHER):
            _draw(run, place, shrinking)
            if report.difference is not None:
                break
    finally:
        report.seconds = time.perf_counter() - began
        target.close()
    return report


def _draw(run: Run, place: int, shrinking: bool) -> None:
    """The sequences from that place on, each drawn for itself."""
    report, target = run.report, run.judge.target
    machine = seed(f"{report.seed} {place}")(machine_of(run))
    asked = settings(
        max_examples=min(DRAWN_TOGETHER, report.examples - place),
        stateful_step_count=report.steps_each,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink) if shrinking else (Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    try:
        run_state_machine_as_test(machine, settings=asked)
    except Disagreement as found:
        report.witness = shorten(found.witness, target)
        report.difference = replay(report.witness, target) or found.difference
    except Flaky:
        if run.last is None:
            raise
        report.witness, report.difference = run.last.witness, run.last.difference


def _reachable(name: str, target: Target, quirks: frozenset[Quirk]) -> bool:
    """A name that several operations share, as `lease.lost`, is of none."""
    verb = name.partition(".")[0]
    return not quirks and (verb in target.features or verb not in VERBS)
