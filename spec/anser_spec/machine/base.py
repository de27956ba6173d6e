"""The machine that each family adds its rules to: a step done on both sides, time, and a caller's transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from anser.ops import Op
from anser.types import INSTANT_MAX
from anser_models import EMPTY, World
from anser_spec.judge import Difference, Judge, Transactional, rules_seen
from anser_spec.machine.report import SequenceReport
from anser_spec.machine.values import one_of, pick
from anser_spec.seeds import SEED_NOW
from anser_spec.witness import Mark, Witness

__all__ = ["Disagreement", "Family", "Machine", "Progress", "Run", "rule_of"]

Progress = Callable[[int, int], None]  # sequences, steps
Rule = Callable[..., None]


@dataclass(slots=True)
class Run:
    """What all sequences of a run share. `last` is kept for a target that disagrees only now and then."""

    judge: Judge
    report: SequenceReport
    progress: Progress
    last: Disagreement | None = None


class Disagreement(Exception):
    """The end of a sequence that told the two apart."""

    def __init__(self, difference: Difference, witness: Witness) -> None:
        super().__init__(str(difference))
        self.difference = difference
        self.witness = witness


@dataclass(frozen=True, slots=True)
class Family:
    """What a family adds to the machine: its rules, operations that every world refuses, and worlds to begin with.

    Families of one name are mixed together or not at all. One that has a single rule names it as `act`.
    """

    name: str
    machine: type[Machine]
    invalid: tuple[Op, ...]
    worlds: tuple[World, ...]
    act: Rule | None = None


def rule_of(family: str, **drawn: st.SearchStrategy[Any]) -> Callable[[Rule], Rule]:
    """A rule of Hypothesis's that is drawn only in sequences that mix the family."""

    def is_mixed(machine: Machine) -> bool:
        return family in machine.mixed

    def added(function: Rule) -> Rule:
        drawing: Callable[[Rule], Rule] = rule(**drawn)  # type: ignore[call-overload]  # it may be given a target
        return drawing(precondition(is_mixed)(function))

    return added


class Machine(RuleBasedStateMachine):
    """One sequence: the model's world is the judge's, and each rule draws from it.

    A family's machine adds to this one, or to that of a family whose rules it uses, and calls `super()` where it adds
    to `begun` and `instants`. `mixed` are the families whose rules are drawn.
    """

    run: ClassVar[Run]

    def __init__(self) -> None:
        super().__init__()
        self.judge, self.report = self.run.judge, self.run.report
        self.now = SEED_NOW
        self.start = EMPTY
        self.marks: list[Mark] = []
        self.inside = False
        self.mixed: frozenset[str] = frozenset()

    def begun(self, first: int) -> None:
        """A world was begun with: forget what was known of the one before. `first` picks what is done at once."""

    def instants(self) -> Iterator[int]:
        """Every instant at which something in the world may change."""
        yield from ()

    def do(self, op: Op) -> Any:
        """The next step, in the form in which the target has it; None where it has none such."""
        fitted = self.judge.fitted(op)
        if fitted is None:
            return None
        self.marks.append(Mark(self.now, fitted))
        step, difference = self.judge.do(fitted, self.now)
        self.report.names.update(step.names)
        self.report.rules.update(rules_seen(step, fitted))
        self.settle(difference)
        return step.answer

    def mark(self, act: str) -> None:
        self.marks.append(Mark(self.now, act))
        self.inside = act == "begin"
        self.report.rules["STO-6"] += 1
        self.settle(self.judge.mark(act, self.now))

    def settle(self, difference: Difference | None) -> None:
        self.report.steps += 1
        if difference is not None:
            witness = self.judge.witness(self.start, tuple(self.marks), difference)
            self.run.last = Disagreement(difference, witness)
            raise self.run.last

    def teardown(self) -> None:
        self.judge.end()
        self.report.sequences += 1
        self.run.progress(self.report.sequences, self.report.steps)

    @property
    def world(self) -> World:
        return self.judge.world

    # --- time

    @rule(which=st.integers(0, 3), offset=st.sampled_from((0, 1, -1)))
    def wait_until(self, which: int, offset: int) -> None:
        """One of the next deadlines, or a second beside it."""
        ahead = [at for at in self.deadlines() if at >= self.now] or [self.now + 1]
        self.go_to(one_of(ahead, which) + offset)

    @rule(which=pick, offset=st.sampled_from((0, 1, -1)), by_s=st.sampled_from((None, 1, -1, 60, -60)))
    def move(self, which: int, offset: int, by_s: int | None) -> None:
        """Any deadline, past or to come, or a second beside it; or some seconds on or back."""
        deadlines = self.deadlines()
        self.go_to(one_of(deadlines, which) + offset if deadlines and by_s is None else self.now + (by_s or 1))

    def go_to(self, at: int) -> None:
        self.now = min(max(at, 0), INSTANT_MAX)

    def deadlines(self) -> list[int]:
        """Every instant at which something may change, soonest first."""
        return sorted(set(self.instants()))

    # --- the caller's transactions

    @rule(how=pick)
    def transact(self, how: int) -> None:
        """Begin a transaction of the caller's, or end the one that is open: about one step in four is in one."""
        if self.inside:
            self.mark(one_of(("commit", "rollback"), how))
        elif isinstance(self.judge.target, Transactional) and how % 2 == 0:
            self.mark("begin")
