"""Cases: the fenced examples of the rules, read and run. `spec/README.md` has their language.

A case is run against a `Target`; the model is one. It looks at answers and at rows. A refusal is also held against
ERR-1: it must leave the world as it was. A target that does not have what the case is about skips it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from anser.backoff import Backoff
from anser.errors import Invalid, shown
from anser.ops import Op, from_json, to_json
from anser.types import Dead, Finished, Job, Lease, Lock, Reason, State
from anser_models import Refused, World
from anser_spec.cron_cases import CRON, Next, answer_of, read_next
from anser_spec.judge import Projecting, Selective, world_difference
from anser_spec.rulebook import Block, Rule, read_rules
from anser_spec.targets import Target
from anser_spec.targets.model import ModelTarget
from anser_spec.trace import seen

__all__ = [
    "BACKOFF",
    "Case",
    "CaseError",
    "Do",
    "Outcome",
    "T",
    "Then",
    "Verdict",
    "Wait",
    "all_cases",
    "cases_of",
    "read_case",
    "run_case",
]

T = 1_800_000_000  # the instant that cases call T: Friday 2027-01-15 08:00:00 UTC
BACKOFF = "backoff"  # the feature of a target whose waits are those of `anser.backoff`
_FAR_S = 100_000_000  # how far from T a number of a message is still shown as an instant

_INSTANT = re.compile(r"T([+-]\d+)?")
_STEP = re.compile(r"(T(?:[+-]\d+)?) +([a-z_]+)")
_WORD = re.compile(f"{BACKOFF}|{CRON}")
_GIVEN = re.compile(r"given (live|dead|finished|paused|lock|last)")
_THEN = re.compile(r"then (no )?(live|dead|finished|paused|lock|last|unchanged)")
_ARGUMENT = re.compile(r" +([a-z_]+)=")
_ANSWER = re.compile(r" *-> *")
_REFUSED = re.compile(r"refused ([a-z_]+)(?: ([\w.\[\]]+))?")
_SPECIAL = re.compile(r"hex:([0-9a-f]*)|nested:(\d+)|(\d+)\.\.(\d+)")
_TIMES = re.compile(r"\*(\d+)")
_ROWS: dict[str, type] = {"live": Job, "dead": Dead, "finished": Finished}


class CaseError(Exception):
    """A case that cannot be read; the text names file and line."""


@dataclass(frozen=True, slots=True)
class Do:
    """One operation at an instant. `expected` is JSON, a `Refused`, or `...` for any answer but a refusal."""

    line: int
    said: str
    at: int
    op: Op
    expected: Any


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait of a backoff: its bounds after an attempt."""

    line: int
    said: str
    attempt: int
    policy: dict[str, Any]
    expected: Any


@dataclass(frozen=True, slots=True)
class Then:
    """A statement about the world: rows that are there with these fields, or (`absent`) that are not."""

    line: int
    said: str
    place: str
    absent: bool
    ids: tuple[int, ...]
    fields: dict[str, Any]


Line = Do | Then | Wait | Next


@dataclass(frozen=True, slots=True)
class Case:
    """The `number`-th case of a rule: a world to begin with, and lines to go through."""

    rule: str
    number: int
    file: str
    line: int
    text: str
    start: World
    lines: tuple[Line, ...]

    @property
    def id(self) -> str:
        return f"{self.rule}[{self.number}]"

    @property
    def needs(self) -> frozenset[str]:
        """The features of a target without which the case says nothing."""
        words = {Wait: BACKOFF, Next: CRON}
        return frozenset(
            line.op.name if isinstance(line, Do) else words[type(line)]
            for line in self.lines
            if not isinstance(line, Then)
        )


# --- reading


def all_cases(rules: dict[str, Rule] | None = None) -> tuple[Case, ...]:
    """Every case of the rules, in their order. Raises `CaseError`."""
    known = read_rules() if rules is None else rules
    return tuple(case for rule in known.values() for case in cases_of(rule))


def cases_of(rule: Rule) -> tuple[Case, ...]:
    """The cases of one rule. Raises `CaseError`."""
    return tuple(read_case(rule.id, number, rule.file, block) for number, block in enumerate(rule.blocks, start=1))


def read_case(rule: str, number: int, file: str, block: Block) -> Case:
    """Read one fenced block. Raises `CaseError`."""
    start = World()
    last: dict[str, Any] = {}
    lines: list[Line] = []
    for line, text in _whole_lines(block):
        try:
            if given := _GIVEN.match(text):
                if lines:
                    raise ValueError("what is given stands before what is done")
                rest = _all_arguments(text[given.end() :])
                start, last = (start, rest) if given[1] == "last" else (_given(start, given[1], rest), last)
            else:
                lines.append(_read_line(line, text))
        except (ValueError, TypeError, KeyError, Invalid) as error:
            raise CaseError(f"{file}:{line}: {error}\n  {text}") from None
    return Case(rule, number, file, block.line, block.text, _numbered(start, **last), tuple(lines))


def _whole_lines(block: Block) -> Iterator[tuple[int, str]]:
    """The lines that say something; an indented one goes on with the one before."""
    whole: list[tuple[int, str]] = []
    for line, text in enumerate(block.text.splitlines(), start=block.line):
        if text.startswith(" ") and text.strip() and whole:
            whole[-1] = (whole[-1][0], f"{whole[-1][1]} {text.strip()}")
        elif text.strip() and not text.startswith("#"):
            whole.append((line, text.rstrip()))
    yield from whole


def _read_line(line: int, text: str) -> Line:
    if then := _THEN.match(text):
        return _then(line, text, then[2], bool(then[1]), _all_arguments(text[then.end() :]))
    begins = _STEP.match(text) or _WORD.match(text)
    if begins is None:
        raise ValueError("a line begins with given, then, backoff, cron, or an instant and an operation")
    arguments, rest = _arguments(text[begins.end() :])
    expected = _expected(rest)
    if begins[0] == BACKOFF:
        return Wait(line, text, arguments.pop("attempt"), arguments, expected)
    if begins[0] == CRON:
        return read_next(line, text, arguments, expected)
    op = from_json(begins[2], {name: _at(value) if name != "payload" else value for name, value in arguments.items()})
    return Do(line, text, _at(begins[1]), op, expected)


def _expected(text: str) -> Any:
    if not text:
        return ...
    arrow = _ANSWER.match(text)
    if arrow is None:
        raise ValueError(f"expected an argument or '-> answer' at {text!r}")
    answer = text[arrow.end() :]
    if refused := _REFUSED.fullmatch(answer):
        return Refused(refused[1], refused[2])
    return _at(json.loads(answer))


def _then(line: int, text: str, place: str, absent: bool, given: dict[str, Any]) -> Then:
    ids = _ids(given.pop("id", ())) if place in _ROWS else ()
    if place in _ROWS and not (ids or absent):
        raise ValueError("then live, dead and finished name the id")
    if place in _ROWS and (unknown := set(given) - {field.name for field in fields(_ROWS[place])}):
        raise ValueError(f"a {place} job has no {', '.join(sorted(unknown))}")
    if place == "lock" and not (absent or "name" in given):
        raise ValueError("then lock names the lock")
    if absent and (place in _ROWS or place == "lock") and set(given) - {"name"}:
        raise ValueError("then no … names the row and nothing else")
    return Then(line, text, place, absent, ids, {name: _at(to_json(value)) for name, value in given.items()})


def _all_arguments(text: str) -> dict[str, Any]:
    found, rest = _arguments(text)
    if rest:
        raise ValueError(f"expected an argument at {rest!r}")
    return found


def _arguments(text: str) -> tuple[dict[str, Any], str]:
    """Arguments `name=value` from the beginning of a text, and what follows them."""
    found: dict[str, Any] = {}
    while argument := _ARGUMENT.match(text):
        if argument[1] in found:
            raise ValueError(f"{argument[1]} is given twice")
        found[argument[1]], text = _value(text[argument.end() :])
    return found, text.strip()


def _value(text: str) -> tuple[Any, str]:
    if special := _SPECIAL.match(text):
        raw, depth, first, last = special.groups()
        rest = text[special.end() :]
        if raw is not None:
            return bytes.fromhex(raw), rest
        return (_nested(int(depth)) if depth else range(int(first), int(last) + 1)), rest
    value, end = json.JSONDecoder().raw_decode(text)
    if times := _TIMES.match(text, end):
        return value * int(times[1]), text[times.end() :]
    return value, text[end:]


def _nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def _at(value: Any) -> Any:
    """The value with each text `T+n` as the instant that it names."""
    if isinstance(value, str) and (instant := _INSTANT.fullmatch(value)):
        return T + int(instant[1] or 0)
    if isinstance(value, list):
        return [_at(item) for item in value]
    if isinstance(value, dict):
        return {name: _at(item) for name, item in value.items()}
    return value


# --- what is given


def _given(world: World, place: str, given: dict[str, Any]) -> World:
    if place == "paused":
        return _with(world, paused=world.paused | {given["queue"]})
    if place == "lock":
        lock = Lock(**_LOCK | {name: _at(value) for name, value in given.items()})
        return _with(world, locks={**world.locks, lock.name: lock})
    ids = _ids(given.pop("id"))
    row = {name: _at(value) for name, value in given.items()}
    rows = {id: _MAKE[place](id=id, **row) for id in ids}
    name = "jobs" if place == "live" else place
    return _with(world, **{name: {**getattr(world, name), **rows}})


def _with(world: World, **changed: Any) -> World:
    return World(**{field.name: getattr(world, field.name) for field in fields(world)} | changed)


def _numbered(world: World, *, id: int | None = None, fence: int | None = None) -> World:
    """Without a `given last`, the ids and fences in the world are the last that were given."""
    fences = [job.lease.fence for job in world.jobs.values() if job.lease is not None]
    fences += [lock.fence for lock in world.locks.values()]
    ids = [*world.jobs, *world.dead, *world.finished]
    return _with(
        world,
        last_id=max(ids, default=0) if id is None else id,
        last_fence=max(fences, default=0) if fence is None else fence,
    )


def _ids(value: Any) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (range, tuple)) else (int(value),)


def _live(*, lease: dict[str, Any] | None = None, state: str | None = None, **given: Any) -> Job:
    in_work = lease is not None if state is None else state == State.PROCESSING
    row = _ROW | {"attempts": int(in_work), "expires_at": None, "last_error": None} | given
    held = None if lease is None else Lease(**_LEASE | lease)
    return Job(state=State.PROCESSING if in_work else State.PENDING, lease=held, **row)


def _dead(*, reason: str = Reason.FAILED, **given: Any) -> Dead:
    return Dead(reason=Reason(reason), **_ROW | {"last_error": reason, "died_at": T} | given)


def _finished(*, state: str = State.DONE, **given: Any) -> Finished:
    return Finished(state=State(state), **{"attempts": 1, "ended_at": T} | given)


_MAKE: dict[str, Callable[..., Any]] = {"live": _live, "dead": _dead, "finished": _finished}
_LEASE: dict[str, Any] = {"worker": "w", "fence": 1, "claimed_at": T}
_LOCK: dict[str, Any] = {"owner": "w", "fence": 1, "acquired_at": T, "depth": 1}
_ROW: dict[str, Any] = {
    "payload": "1",
    "priority": 0,
    "run_at": T,
    "attempts": 1,
    "max_attempts": 3,
    "lapses": 0,
    "max_lapses": 5,
    "created_at": T,
    "unique_key": None,
}


# --- running


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


@dataclass(frozen=True, slots=True)
class _Different:
    """Where an answer or a row is not what the line says."""

    expected: Any
    got: Any
    path: str = ""


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
                expected = f"{different.path} {_text(different.expected)}".strip()
                return _verdict(case, target, Outcome.FAIL, line, expected, _text(different.got))
    except Exception as error:  # a target may break in any way: that is a verdict, not the end of the run
        return _verdict(case, target, Outcome.ERRORED, line, got=f"{type(error).__name__}: {error}")
    if not isinstance(target, ModelTarget):
        seen(case.rule, "cases")
    return _verdict(case, target, Outcome.PASS, None)


def _lacking(case: Case, target: Target) -> str:
    """What the target does not have of that which the case is about, or nothing."""
    if missing := case.needs - target.features:
        return f"it has no {', '.join(sorted(missing))}"
    if isinstance(target, Projecting) and _own(target.project(case.start)) != _own(case.start):
        return "it cannot hold what is given"
    if isinstance(target, Selective):
        cannot = [line.said for line in case.lines if isinstance(line, Do) and not target.can(line.op)]
        return f"it cannot do: {cannot[0]}" if cannot else ""
    return ""


def _own(world: World) -> tuple[Any, ...]:
    """A world without what a target numbers or words by itself: fences, the last given, and why a job died."""
    live = [
        replace(job, lease=job.lease and replace(job.lease, fence=0, claimed_at=None)) for job in world.jobs.values()
    ]
    locks = [replace(lock, fence=0, acquired_at=None) for lock in world.locks.values()]
    return live, [replace(job, reason=None) for job in world.dead.values()], world.finished, world.paused, locks


def _begins(case: Case) -> int:
    return next((line.at for line in case.lines if isinstance(line, Do)), T)


def _verdict(
    case: Case, target: Target, outcome: Outcome, line: Line | None, expected: str = "", got: str = ""
) -> Verdict:
    place = f"{case.file}:{case.line if line is None else line.line}"
    return Verdict(case.id, case.rule, target.name, outcome, place, line.said if line else "", expected, got)


def _judge(line: Line, target: Target, before: World) -> _Different | None:
    if isinstance(line, Then):
        return _judge_rows(line, target.read(), before)
    if isinstance(line, Wait):
        return _judge_answer(line.expected, _bounds(line))
    if isinstance(line, Next):
        return _judge_answer(line.expected, answer_of(line, modelled=isinstance(target, ModelTarget)))
    answer = target.apply(line.op, line.at)
    if isinstance(answer, Refused) and (different := _judge_same(target.read(), before)):
        return replace(different, path="after a refusal (ERR-1)")
    return _judge_answer(line.expected, answer)


def _bounds(line: Wait) -> tuple[int, int] | Refused:
    try:
        return Backoff(**line.policy).bounds_s(line.attempt)
    except Invalid as refusal:
        return Refused(refusal.code, refusal.argument)


def _judge_answer(expected: Any, answer: Any) -> _Different | None:
    if isinstance(expected, Refused) or isinstance(answer, Refused):
        return None if _same_refusal(expected, answer) else _Different(expected, answer)
    return None if expected is ... else _compared(expected, _plain(answer), "")


def _same_refusal(expected: Any, answer: Any) -> bool:
    """Some targets do not say which argument is wrong."""
    if not (isinstance(expected, Refused) and isinstance(answer, Refused)) or expected.code != answer.code:
        return False
    return None in (expected.argument, answer.argument) or expected.argument == answer.argument


def _judge_rows(line: Then, world: World, before: World) -> _Different | None:
    if line.place == "unchanged":
        return _judge_same(world, before)
    if line.place == "last":
        return _compared(line.fields, {"id": world.last_id, "fence": world.last_fence}, "")
    if line.place == "paused":
        named = line.fields["queue"] in world.paused
        return None if named != line.absent else _Different(not line.absent, named, "paused")
    if line.place == "lock":
        return _judge_lock(line, world)
    places: dict[str, dict[int, Any]] = {"live": world.jobs, "dead": world.dead, "finished": world.finished}
    rows = places[line.place]
    if line.absent:
        there = sorted(set(rows) & set(line.ids) if line.ids else rows)
        return _Different([], there, "ids") if there else None
    for id in line.ids:
        if id not in rows:
            return _Different(f"a {line.place} job {id}", sorted(rows), "ids")
        if different := _compared(line.fields, _plain(rows[id]), f"{line.place} {id}"):
            return different
    return None


def _judge_lock(line: Then, world: World) -> _Different | None:
    """Rows as they are, also of locks that are over."""
    name = line.fields.get("name")
    there = [lock for _, lock in sorted(world.locks.items()) if name in (None, lock.name)]
    if line.absent or not there:
        found = [lock.name for lock in there]
        return None if line.absent and not found else _Different([] if line.absent else name, found, "locks")
    return _compared(line.fields, _plain(there[0]), "lock")


def _judge_same(world: World, before: World) -> _Different | None:
    return None if world == before else _Different(*world_difference(before, world))


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(to_json(value)))


def _compared(expected: Any, got: Any, path: str) -> _Different | None:
    """An object has at least the fields expected, a list exactly the items, and true is not 1."""
    if isinstance(expected, dict) and isinstance(got, dict):
        missing = [name for name in expected if name not in got]
        if missing:
            return _Different(f"a field {missing[0]}", got, path)
        pairs = [(expected[name], got[name], f"{path}.{name}") for name in expected]
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = [(*pair, f"{path}[{place}]") for place, pair in enumerate(zip(expected, got, strict=True))]
    else:
        same = type(expected) is type(got) and expected == got
        return None if same else _Different(expected, got, path.lstrip("."))
    return next((found for pair in pairs if (found := _compared(*pair))), None)


def _text(value: Any) -> str:
    if value is ...:
        return "any answer but a refusal"
    if isinstance(value, Refused):
        return " ".join(["refused", value.code, *([value.argument] if value.argument else [])])
    try:
        return json.dumps(_with_instants(to_json(value)), ensure_ascii=False)
    except (TypeError, ValueError):
        return shown(value)


def _with_instants(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value - T) <= _FAR_S:
        return f"T{value - T:+d}"
    if isinstance(value, list):
        return [_with_instants(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_instants(item) for name, item in value.items()}
    return value
