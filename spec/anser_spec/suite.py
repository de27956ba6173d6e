"""One run of the suite: a target held against the rules by each instrument in turn.

An instrument that breaks is told in the report, and the others still run.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from anser_models import Quirk, Refused
from anser_spec.alphabets import ALPHABETS
from anser_spec.cases import Case, Do, Outcome, Verdict, all_cases, run_case
from anser_spec.judge import VISIBLE, Judge, replay
from anser_spec.machine import run_sequences
from anser_spec.report import Found, Report, counted
from anser_spec.rulebook import Rule, chosen_ids, read_rules
from anser_spec.targets import Target
from anser_spec.transitions import Exploration, Scope, explore
from anser_spec.witness import Mark, Witness

__all__ = ["INSTRUMENTS", "SEEN_BY", "Plan", "run_suite"]

ONE_JOB = Scope(jobs=1, crowds=True)
TWO_JOBS = Scope(jobs=2, depth=3)  # every way of so many steps, unless a number of transitions is asked for
SEEN_BY = {"transitions": VISIBLE, "sequences": VISIBLE | {"STO-6"}}
EXAMPLES_FOR_EACH_HIT = 200  # the vacuity gate asks for one hit in so many sequences

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run is asked for. `transitions` is their greatest number; None is all of the default scope.

    `only` is the id of a rule, or what the ids of several begin with.
    """

    target: Callable[[], Target]
    profile: str
    quirks: frozenset[Quirk]
    instruments: tuple[str, ...]
    seed: int
    examples: int
    steps: int
    transitions: int | None
    only: str
    save: Path | None
    tell: Tell


def run_suite(plan: Plan) -> Report:
    """Run the instruments that the plan asks for, and give what they found."""
    began = time.perf_counter()
    with _opened(plan) as target:
        report = Report(target.name, target.version, plan.profile, plan.seed, plan.only, _chosen(plan))
    for name in plan.instruments:
        if not _can_see(name, report.rules):
            continue
        try:
            INSTRUMENTS[name](plan, report)
        except (
            Exception
        ) as error:  # a target or an instrument may break in any way: that is told, not the end of the run
            report.errors[name] = "".join(traceback.format_exception(error))
    report.found = [_saved(plan, place, found) for place, found in enumerate(report.found, start=1)]
    report.seconds = time.perf_counter() - began
    return report


def _chosen(plan: Plan) -> dict[str, Rule]:
    rules = read_rules()
    return {id: rules[id] for id in chosen_ids(rules, plan.only)}


def _can_see(instrument: str, rules: dict[str, Rule]) -> bool:
    """Whether the instrument can say anything of a rule that was asked for; else it need not run for a minute."""
    return instrument == "cases" or not SEEN_BY[instrument].isdisjoint(rules)


def _cases(plan: Plan, report: Report) -> None:
    with _opened(plan) as target:
        for case in all_cases(report.rules):
            report.cases.append(_case_with_quirks(plan, case, target) if plan.quirks else run_case(case, target))
    plan.tell(counted(len(report.cases), "case"))


def _case_with_quirks(plan: Plan, case: Case, target: Target) -> Verdict:
    """What a case writes down is what is right; with quirks its steps are held against the model that has them."""
    judge = Judge(target, plan.quirks)
    steps = [line for line in case.lines if isinstance(line, Do)]
    verdict = Verdict(case.id, case.rule, target.name, Outcome.SKIPPED, f"{case.file}:{case.line}")
    if not steps or any(judge.fitted(line.op) is not line.op for line in steps):
        return replace(verdict, got="it does not have these operations")
    if any(isinstance(line.expected, Refused) and line.expected.code == "invalid" for line in steps):
        return replace(verdict, got="which wrong arguments other builds take is not told")
    marks = tuple(Mark(line.at, line.op) for line in steps)
    difference = replay(Witness(target.name, plan.quirks, case.start, marks, ""), target)
    if difference is None:
        return replace(verdict, outcome=Outcome.PASS)
    return replace(verdict, outcome=Outcome.FAIL, expected=difference.expected, got=difference.found)


def _transitions(plan: Plan, report: Report) -> None:
    """A quarter of the transitions for what the families ask for, half for one job, the rest for two."""
    limit = plan.transitions
    asked = [scope for family in ALPHABETS for scope in family.scopes]
    for scope in asked:
        _explore(plan, report, scope.within(limit and limit // 4 // len(asked)))
    _explore(plan, report, ONE_JOB.within(limit and limit // 2))
    _explore(plan, report, TWO_JOBS.within(limit and max(limit - report.transitions, 0)))


def _explore(plan: Plan, report: Report, scope: Scope) -> None:
    def told(transitions: int, worlds: int) -> None:
        looked = counted(transitions, "transition")
        plan.tell(f"{scope}: {looked} in {counted(worlds, 'world')}")

    with _opened(plan) as target:
        exploration = explore(target, scope, plan.quirks, told)
    report.explorations.append(exploration)
    report.found += _of_exploration(exploration)


def _of_exploration(exploration: Exploration) -> Iterator[Found]:
    for kind, difference in exploration.differences.items():
        yield Found("transitions", difference.rules, exploration.witnesses[kind])


def _sequences(plan: Plan, report: Report) -> None:
    if not plan.examples:
        return

    def told(sequences: int, steps: int) -> None:
        plan.tell(f"{counted(sequences, 'sequence')} with {counted(steps, 'step')}")

    run = run_sequences(
        plan.target,
        examples=plan.examples,
        steps=plan.steps,
        seed=plan.seed,
        quirks=plan.quirks,
        at_least=plan.examples // EXAMPLES_FOR_EACH_HIT,
        progress=told,
    )
    report.sequences = run
    if run.witness is not None and run.difference is not None:
        report.found.append(Found("sequences", run.difference.rules, run.witness))


def _saved(plan: Plan, place: int, found: Found) -> Found:
    if plan.save is None:
        return found
    name = f"{found.witness.target}-{plan.profile}-{found.instrument}-{place}.json"
    return replace(found, path=found.witness.save(plan.save / name))


@contextmanager
def _opened(plan: Plan) -> Iterator[Target]:
    target = plan.target()
    try:
        yield target
    finally:
        target.close()


INSTRUMENTS: dict[str, Callable[[Plan, Report], None]] = {
    "cases": _cases,
    "transitions": _transitions,
    "sequences": _sequences,
}
