"""What a run of the suite found, as values, and their two renderings: text for people, JSON for machines."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from anser_spec.cases import Outcome, Verdict
from anser_spec.machine import SequenceReport
from anser_spec.rulebook import LOCK, Rule
from anser_spec.transitions import Exploration
from anser_spec.witness import Witness

__all__ = ["Found", "Report", "RuleVerdict", "as_json", "as_text", "verdicts"]

SHOWN_MAX = 10  # counterexamples printed in full; the others are only saved


@dataclass(frozen=True, slots=True)
class Found:
    """A disagreement that an instrument came to, the rules that it is about, and how to see it again."""

    instrument: str
    rules: tuple[str, ...]
    witness: Witness
    path: Path | None = None


@dataclass(slots=True)
class Report:
    """Everything that one run looked at. `errors` is what an instrument itself broke on, by its name."""

    target: str
    target_version: str
    profile: str
    seed: int
    only: str
    rules: dict[str, Rule]
    cases: list[Verdict] = field(default_factory=list)
    explorations: list[Exploration] = field(default_factory=list)
    sequences: SequenceReport | None = None
    found: list[Found] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def transitions(self) -> int:
        """How many transitions were compared."""
        return sum(exploration.transitions for exploration in self.explorations)

    @property
    def missing(self) -> list[str]:
        """Transitions that the sequences should have taken, and took too seldom."""
        return [] if self.sequences is None or self.sequences.witness else self.sequences.missing

    @property
    def failed(self) -> bool:
        """Whether anything that the run was asked about is not as it should be."""
        bad = any(verdict.outcome in (Outcome.FAIL, Outcome.ERRORED) for verdict in verdicts(self))
        return bad or bool(self.errors or self.missing)


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What the run says of one rule; `seen` counts by instrument, `note` says why it failed or was skipped."""

    rule: Rule
    outcome: Outcome
    seen: dict[str, int]
    note: str


def verdicts(report: Report) -> list[RuleVerdict]:
    """One verdict a rule, in their order."""
    return [_verdict(report, rule) for rule in report.rules.values() if rule.id.startswith(report.only)]


def _verdict(report: Report, rule: Rule) -> RuleVerdict:
    cases = [verdict for verdict in report.cases if verdict.rule == rule.id]
    found = [one for one in report.found if rule.id in one.rules]
    seen = {
        "cases": sum(verdict.outcome is Outcome.PASS for verdict in cases),
        "transitions": sum(exploration.rules[rule.id] for exploration in report.explorations),
        "sequences": report.sequences.rules[rule.id] if report.sequences else 0,
    }
    seen = {instrument: times for instrument, times in seen.items() if times}
    for outcome in (Outcome.FAIL, Outcome.ERRORED):
        bad = [verdict for verdict in cases if verdict.outcome is outcome]
        if bad or (found and outcome is Outcome.FAIL):
            by = (["cases"] if bad else []) + sorted({one.instrument for one in found})
            return RuleVerdict(rule, outcome, seen, f"by {', '.join(by)}")
    if seen:
        return RuleVerdict(rule, Outcome.PASS, seen, "")
    return RuleVerdict(rule, Outcome.SKIPPED, seen, _why_skipped(rule, cases))


def _why_skipped(rule: Rule, cases: list[Verdict]) -> str:
    if cases:
        return cases[0].got
    return f"shown by {', '.join(rule.evidence)}" if rule.evidence else "no instrument that ran looks at it"


# --- text


def as_text(report: Report) -> str:
    """The report for people: a line a rule, a line an instrument, the counterexamples, the sum."""
    return "\n".join(
        [
            f"{report.target} ({report.target_version}), profile {report.profile}, seed {report.seed}",
            "",
            *(_rule_line(verdict) for verdict in verdicts(report)),
            "",
            *_instrument_lines(report),
            *_trouble(report),
            "",
            _sum(report),
        ]
    )


def _rule_line(verdict: RuleVerdict) -> str:
    seen = " · ".join(f"{instrument} {times:,}" for instrument, times in verdict.seen.items())
    tail = " · ".join(part for part in (verdict.note, seen) if part)
    return f"{verdict.rule.id:<7} {verdict.outcome.value:<8} {verdict.rule.title}  [{tail}]"


def _instrument_lines(report: Report) -> Iterator[str]:
    if report.cases:
        passed = sum(verdict.outcome is Outcome.PASS for verdict in report.cases)
        skipped = sum(verdict.outcome is Outcome.SKIPPED for verdict in report.cases)
        yield f"cases        {passed} of {len(report.cases)} passed, {skipped} skipped"
    for one in report.explorations:
        reach = "closed: no world is left" if one.closed else f"all ways of {one.depth} steps"
        yield (
            f"transitions  {one.transitions:,} in {one.worlds:,} worlds of {one.scope.jobs} job(s), {reach}, "
            f"{one.disagreements:,} disagreements, {one.seconds:.1f} s, {one.rate:,.0f} a second"
        )
    if report.sequences is not None:
        run = report.sequences
        came = "a disagreement" if run.witness else "no disagreement"
        yield (
            f"sequences    {run.sequences:,} with {run.steps:,} steps, {came}, {run.seconds:.1f} s, "
            f"{run.rate:,.0f} steps a second"
        )


def _trouble(report: Report) -> Iterator[str]:
    for verdict in report.cases:
        if verdict.outcome in (Outcome.FAIL, Outcome.ERRORED) and verdict.rule.startswith(report.only):
            yield f"\n{verdict}"
    shown = [one for one in report.found if any(rule.startswith(report.only) for rule in one.rules)]
    for one in shown[:SHOWN_MAX]:
        saved = f"\nsaved as {one.path}" if one.path else ""
        yield f"\n{one.instrument}: {one.witness.found}\n{one.witness.text()}{saved}"
    if len(shown) > SHOWN_MAX:
        yield f"\nand {len(shown) - SHOWN_MAX} more, saved beside them"
    if report.missing:
        yield f"\nsequences took these transitions too seldom to say anything: {', '.join(report.missing)}"
    yield from (f"\n{instrument} broke:\n{what}" for instrument, what in report.errors.items())


def _sum(report: Report) -> str:
    found = verdicts(report)
    counts = {outcome: sum(verdict.outcome is outcome for verdict in found) for outcome in Outcome}
    told = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items() if count)
    bad = [verdict.rule.id for verdict in found if verdict.outcome in (Outcome.FAIL, Outcome.ERRORED)]
    named = f": {', '.join(bad)}" if bad else ""
    return f"{len(found)} rules: {told}, {report.transitions:,} transitions, {report.seconds:.0f} s{named}"


# --- JSON


def as_json(report: Report) -> dict[str, Any]:
    """The report for machines, as plain JSON values."""
    return {
        "suite": version("anser"),
        "spec": hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16] if LOCK.exists() else None,
        "sqlite": sqlite3.sqlite_version,
        "target": {"name": report.target, "version": report.target_version},
        "profile": report.profile,
        "seed": report.seed,
        "only": report.only,
        "failed": report.failed,
        "seconds": round(report.seconds, 3),
        "rules": [_rule_json(verdict) for verdict in verdicts(report)],
        "cases": [
            {"case": one.case, "rule": one.rule, "outcome": one.outcome.value, "place": one.place, "got": one.got}
            for one in report.cases
        ],
        "transitions": [_exploration_json(one) for one in report.explorations],
        "sequences": None if report.sequences is None else _sequences_json(report.sequences),
        "counterexamples": [
            {
                "instrument": one.instrument,
                "rules": list(one.rules),
                "found": one.witness.found,
                "path": None if one.path is None else str(one.path),
            }
            for one in report.found
        ],
        "errors": report.errors,
    }


def _rule_json(verdict: RuleVerdict) -> dict[str, Any]:
    return {
        "id": verdict.rule.id,
        "title": verdict.rule.title,
        "level": verdict.rule.level.value,
        "hash": verdict.rule.hash,
        "outcome": verdict.outcome.value,
        "seen": verdict.seen,
        "note": verdict.note,
    }


def _exploration_json(one: Exploration) -> dict[str, Any]:
    return {
        "jobs": one.scope.jobs,
        "closed": one.closed,
        "depth": one.depth,
        "worlds": one.worlds,
        "transitions": one.transitions,
        "disagreements": one.disagreements,
        "seconds": round(one.seconds, 3),
        "names": dict(sorted(one.names.items())),
    }


def _sequences_json(run: SequenceReport) -> dict[str, Any]:
    return {
        "examples": run.examples,
        "steps_each": run.steps_each,
        "sequences": run.sequences,
        "steps": run.steps,
        "seconds": round(run.seconds, 3),
        "names": dict(sorted(run.names.items())),
        "missing": run.missing,
    }
