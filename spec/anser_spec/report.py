"""What a run of the suite found, as values, and their two renderings: text for people, JSON for machines.

The text has a line for each rule and for each failure; worlds and steps stand in the files that it names.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any

from anser_spec.alphabets import KINDS
from anser_spec.cases import Outcome, Verdict
from anser_spec.machine import SequenceReport
from anser_spec.rulebook import LOCK, Rule
from anser_spec.transitions import Exploration
from anser_spec.witness import Witness

__all__ = ["Found", "Report", "RuleVerdict", "Standing", "as_json", "as_text", "counted", "verdicts"]

SHOWN_MAX = 10  # failures of one kind that get a line; the rules tell of all
LINE_MAX_LENGTH = 200
SIDE_MAX_LENGTH = 60  # what was asked, what was expected, what was found
SAME_KEPT_LENGTH = 20
NOTE_MAX_LENGTH = 60


class Standing(StrEnum):
    """What a run says of a rule. `by tests`: it has no case, and only tests that no run of the suite runs show it."""

    PASS = "pass"
    FAIL = "fail"
    ERRORED = "errored"
    SKIPPED = "skipped"
    BY_TESTS = "by tests"


BAD = (Standing.FAIL, Standing.ERRORED)
GOOD = (Standing.PASS, Standing.BY_TESTS)


@dataclass(frozen=True, slots=True)
class Found:
    """A disagreement that an instrument came to, the rules that it is about, and how to see it again."""

    instrument: str
    rules: tuple[str, ...]
    witness: Witness
    path: Path | None = None


@dataclass(slots=True)
class Report:
    """Everything that one run looked at: `rules` are those asked for, `errors` what an instrument itself broke on."""

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
        bad = any(verdict.standing in BAD for verdict in verdicts(self))
        return bad or bool(self.errors or self.missing)

    @property
    def judged(self) -> bool:
        """Whether anything was looked at: a run that looked at nothing has not passed."""
        return any(verdict.standing in (*BAD, Standing.PASS) for verdict in verdicts(self))


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What the run says of one rule: what each instrument saw of it, the cases in all, and why it did not pass."""

    rule: Rule
    standing: Standing
    seen: dict[str, int]
    cases: int
    note: str


def verdicts(report: Report) -> list[RuleVerdict]:
    """One verdict a rule, in their order."""
    return [_verdict(report, rule) for rule in report.rules.values()]


def _verdict(report: Report, rule: Rule) -> RuleVerdict:
    cases = [verdict for verdict in report.cases if verdict.rule == rule.id]
    seen = {
        "cases": sum(verdict.outcome is Outcome.PASS for verdict in cases),
        "transitions": sum(exploration.rules[rule.id] for exploration in report.explorations),
        "sequences": report.sequences.rules[rule.id] if report.sequences else 0,
    }
    seen = {instrument: times for instrument, times in seen.items() if times}
    standing, note = _standing(report, rule, cases, seen)
    return RuleVerdict(rule, standing, seen, len(cases), note)


def _standing(report: Report, rule: Rule, cases: list[Verdict], seen: dict[str, int]) -> tuple[Standing, str]:
    found = [one for one in report.found if rule.id in one.rules]
    for outcome in (Outcome.FAIL, Outcome.ERRORED):
        bad = [verdict for verdict in cases if verdict.outcome is outcome]
        if bad or (found and outcome is Outcome.FAIL):
            by = (["cases"] if bad else []) + sorted({one.instrument for one in found})
            return Standing(outcome.value), f"by {', '.join(by)}"
    if seen:
        return Standing.PASS, ""
    if cases:
        return Standing.SKIPPED, cut(cases[0].got, NOTE_MAX_LENGTH)
    if rule.evidence and not rule.blocks:
        return Standing.BY_TESTS, f"shown by {', '.join(rule.evidence)}"
    return Standing.SKIPPED, "no instrument that ran looks at it"


def counted(count: int, noun: str) -> str:
    """A number with its noun: 1 step, 2 steps."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def cut(text: str, length: int = LINE_MAX_LENGTH) -> str:
    """A text on one line, and not longer than that."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


# --- text


def as_text(report: Report, *, summary: bool = False) -> str:
    """The report for people: a line a rule, an instrument and a failure, then the sum. A summary leaves out passes."""
    rules = [verdict for verdict in verdicts(report) if not (summary and verdict.standing in GOOD)]
    parts = [
        [f"{report.target} ({report.target_version}), profile {report.profile}, seed {report.seed}"],
        [_rule_line(verdict) for verdict in rules],
        [*_instrument_lines(report)],
        [*_trouble(report)],
        [_sum(report)],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _rule_line(verdict: RuleVerdict) -> str:
    seen = [f"{instrument} {_times(verdict, instrument)}" for instrument in verdict.seen]
    tail = " · ".join(part for part in (verdict.note, *seen) if part)
    return f"{verdict.rule.id:<7} {verdict.standing.value:<8} {verdict.rule.title}  [{tail}]"


def _times(verdict: RuleVerdict, instrument: str) -> str:
    times = verdict.seen[instrument]
    return f"{times} of {verdict.cases}" if instrument == "cases" and times < verdict.cases else f"{times:,}"


def _instrument_lines(report: Report) -> Iterator[str]:
    if report.cases:
        passed = sum(verdict.outcome is Outcome.PASS for verdict in report.cases)
        skipped = sum(verdict.outcome is Outcome.SKIPPED for verdict in report.cases)
        yield f"cases        {passed} of {len(report.cases)} passed, {skipped} skipped"
    for one in report.explorations:
        reach = "closed: no world is left" if one.closed else f"all ways of {counted(one.depth, 'step')}"
        yield (
            f"transitions  {one.transitions:,} in {counted(one.worlds, 'world')} of {one.scope}, "
            f"{reach}, {counted(one.disagreements, 'disagreement')}, {one.seconds:.1f} s, {one.rate:,.0f} a second"
        )
    if report.sequences is not None:
        run = report.sequences
        came = "a disagreement" if run.witness else "no disagreement"
        yield (
            f"sequences    {run.sequences:,} with {counted(run.steps, 'step')}, {came}, {run.seconds:.1f} s, "
            f"{run.rate:,.0f} steps a second"
        )


def _trouble(report: Report) -> Iterator[str]:
    cases = [one for one in report.cases if one.outcome in (Outcome.FAIL, Outcome.ERRORED)]
    yield from (_case_line(one) for one in cases[:SHOWN_MAX])
    if len(cases) > SHOWN_MAX:
        yield f"… and {counted(len(cases) - SHOWN_MAX, 'case')} more: --json FILE tells of all"
    found = [one for one in report.found if any(rule in report.rules for rule in one.rules)]
    yield from (_found_line(one) for one in found[:SHOWN_MAX])
    if len(found) > SHOWN_MAX:
        path = found[SHOWN_MAX].path
        yield f"… and {len(found) - SHOWN_MAX} more" + (f" in {path.parent}/" if path else "")
    if report.missing:
        yield f"sequences took these transitions too seldom to say anything: {', '.join(report.missing)}"
    yield from (f"{instrument} broke:\n{what}" for instrument, what in report.errors.items())


def _case_line(one: Verdict) -> str:
    asked = cut(one.said.partition(" -> ")[0], SIDE_MAX_LENGTH) or "its steps"
    if one.outcome is Outcome.ERRORED:
        return f"{one.case} by cases: {asked}: errored, {cut(one.got)} ({one.place})"
    expected, found = _sides(one.expected, one.got)
    return f"{one.case} by cases: {asked}: expected {expected}, found {found} ({one.place})"


def _found_line(one: Found) -> str:
    head, *rest = (line.strip() for line in one.witness.found.splitlines())
    sides = [line.split(maxsplit=1)[-1] for line in rest]
    told = "{}: expected {}, found {}".format(head.partition(" (")[0], *_sides(*sides)) if len(sides) == 2 else head
    return f"{', '.join(one.rules)} by {one.instrument}: {told}" + (f", saved as {one.path}" if one.path else "")


def _sides(expected: str, found: str) -> tuple[str, str]:
    """Both from shortly before they part, so that what differs is seen."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(expected, found, strict=False)))
    first = same - SAME_KEPT_LENGTH if same > SIDE_MAX_LENGTH // 2 else 0
    sides = [f"…{side[first:]}" if first else side for side in (expected, found)]
    return cut(sides[0], SIDE_MAX_LENGTH), cut(sides[1], SIDE_MAX_LENGTH)


def _sum(report: Report) -> str:
    found = verdicts(report)
    counts = {standing: sum(verdict.standing is standing for verdict in found) for standing in Standing}
    words = {standing: standing.value for standing in Standing} | {Standing.BY_TESTS: "shown by tests alone"}
    told = ", ".join(f"{count} {words[standing]}" for standing, count in counts.items() if count)
    bad = [verdict.rule.id for verdict in found if verdict.standing in BAD]
    named = f": {', '.join(bad)}" if bad else ""
    looked = f"{counted(report.transitions, 'transition')}, {report.seconds:.0f} s{named}"
    empty = "" if report.judged or report.errors else "\nnothing was judged: this says nothing of the target"
    return f"{counted(len(found), 'rule')}: {told}, {looked}{empty}"


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
        "outcome": verdict.standing.value,
        "seen": verdict.seen,
        "cases": verdict.cases,
        "note": verdict.note,
    }


def _exploration_json(one: Exploration) -> dict[str, Any]:
    return {
        **{kind: one.scope.size(kind) for kind in KINDS},
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
