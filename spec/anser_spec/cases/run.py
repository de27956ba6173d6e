"""A case run against a target, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from anser.backoff import Backoff
from anser.errors import Invalid
from anser_models import Refused, World
from anser_spec.cases.compare import Different, compared, plain, same_world, told
from anser_spec.cases.lines import UNCHANGED, Case, Do, Line, Then, Wait
from anser_spec.cases.nouns import NOUNS, own
from anser_spec.cases.values import T
from anser_spec.cron_cases import Next, answer_of
from anser_spec.judge import Projecting, Selective
from anser_spec.targets import Target
from anser_spec.targets.model import ModelTarget
from anser_spec.trace import seen

__all__ = ["Outcome", "Verdict", "run_case"]


class Outcome(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    SKIPPED = "skipped"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a case came to on a target; of one that failed, the line, what was expected and what came."""

    case: str
    rule: str
    target: str
    outcome: Outcome
    place: str = ""
    said: str = ""
    expected: str = ""
    got: str = ""

    def __str__(self) -> str:
        head = f"{self.case} on {self.target}: {self.outcome}"
        if self.outcome is Outcome.PASS:
            return head
        told = {"line": self.said, "expected": self.expected, "got": self.got}
        return "\n".join([f"{self.place}: {head}", *(f"  {name}: {text}" for name, text in told.items() if text)])


def run_case(case: Case, target: Target) -> Verdict:
    """Run one case. A pass on a target that is not the model is told to the trace."""
    line: Line | None = None
    try:
        if lacking := _lacking(case, target):
            return _verdict(case, target, Outcome.SKIPPED, None, got=lacking)
        target.load(case.start, _begins(case))
        before = target.read()
        for line in case.lines:
            if isinstance(line, Do):
                before = target.read()
            if different := _judge(line, target, before):
                expected = f"{different.path} {told(different.expected)}".strip()
                return _verdict(case, target, Outcome.FAIL, line, expected, told(different.got))
    except Exception as error:  # a target may break in any way: that is a verdict, not the end of the run
        return _verdict(case, target, Outcome.ERRORED, line, got=f"{type(error).__name__}: {error}")
    if not isinstance(target, ModelTarget):
        seen(case.rule, "cases")
    return _verdict(case, target, Outcome.PASS, None)


def _lacking(case: Case, target: Target) -> str:
    """What the target does not have of that which the case is about, or nothing."""
    if missing := case.needs - target.features:
        return f"it has no {', '.join(sorted(missing))}"
    if isinstance(target, Projecting) and own(target.project(case.start)) != own(case.start):
        return "it cannot hold what is given"
    if isinstance(target, Selective):
        cannot = [line.said for line in case.lines if isinstance(line, Do) and not target.can(line.op)]
        return f"it cannot do: {cannot[0]}" if cannot else ""
    return ""


def _begins(case: Case) -> int:
    return next((line.at for line in case.lines if isinstance(line, Do)), T)


def _verdict(
    case: Case, target: Target, outcome: Outcome, line: Line | None, expected: str = "", got: str = ""
) -> Verdict:
    place = f"{case.file}:{case.line if line is None else line.line}"
    return Verdict(case.id, case.rule, target.name, outcome, place, line.said if line else "", expected, got)


def _judge(line: Line, target: Target, before: World) -> Different | None:
    if isinstance(line, Then):
        world = target.read()
        return same_world(world, before) if line.noun == UNCHANGED else NOUNS[line.noun].different(line, world)
    if isinstance(line, Wait):
        return _judge_answer(line.expected, _bounds(line))
    if isinstance(line, Next):
        return _judge_answer(
            line.expected, answer_of(line, quirks=target.quirks if isinstance(target, ModelTarget) else None)
        )
    answer = target.apply(line.op, line.at)
    if isinstance(answer, Refused) and (different := same_world(target.read(), before)):
        return replace(different, path="after a refusal (ERR-1)")
    return _judge_answer(line.expected, answer)


def _bounds(line: Wait) -> tuple[int, int] | Refused:
    try:
        return Backoff(**line.policy).bounds_s(line.attempt)
    except Invalid as refusal:
        return Refused(refusal.code, refusal.argument)


def _judge_answer(expected: Any, answer: Any) -> Different | None:
    if isinstance(expected, Refused) or isinstance(answer, Refused):
        return None if _same_refusal(expected, answer) else Different(expected, answer)
    return None if expected is ... else compared(expected, plain(answer), "")


def _same_refusal(expected: Any, answer: Any) -> bool:
    """Some targets do not say which argument is wrong."""
    if not (isinstance(expected, Refused) and isinstance(answer, Refused)) or expected.code != answer.code:
        return False
    return None in (expected.argument, answer.argument) or expected.argument == answer.argument
