"""Cases read from the fenced blocks of the rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from anser.errors import Invalid
from anser.ops import from_json, to_json
from anser_models import Refused, World
from anser_spec.cases.lines import BACKOFF, UNCHANGED, Case, CaseError, Do, Line, Then, Wait
from anser_spec.cases.nouns import LAST, NOUNS, numbered
from anser_spec.cases.values import all_arguments, arguments_of, instant_in
from anser_spec.cron_cases import CRON, read_next
from anser_spec.rulebook import Block, Rule, read_rules

__all__ = ["all_cases", "cases_of", "read_case"]

_STEP = re.compile(r"(T(?:[+-]\d+)?) +([a-z_]+)")
_WORD = re.compile(f"{BACKOFF}|{CRON}")
_NOUN = "|".join(sorted(NOUNS, key=len, reverse=True))
_GIVEN = re.compile(rf"given ({_NOUN})")
_THEN = re.compile(rf"then (no )?({_NOUN}|{UNCHANGED})")
_ANSWER = re.compile(r" *-> *")
_REFUSED = re.compile(r"refused ([a-z_]+)(?: ([\w.\[\]]+))?")


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
                rest = {name: instant_in(value) for name, value in all_arguments(text[given.end() :]).items()}
                last = rest if given[1] == LAST else last
                start = NOUNS[given[1]].given(start, rest)
            else:
                lines.append(_read_line(line, text))
        except (ValueError, TypeError, KeyError, Invalid) as error:
            raise CaseError(f"{file}:{line}: {error}\n  {text}") from None
    return Case(rule, number, file, block.line, block.text, NOUNS[LAST].given(numbered(start), last), tuple(lines))


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
        return _then(line, text, then[2], bool(then[1]), all_arguments(text[then.end() :]))
    begins = _STEP.match(text) or _WORD.match(text)
    if begins is None:
        raise ValueError("a line begins with given, then, backoff, cron, or an instant and an operation")
    arguments, rest = arguments_of(text[begins.end() :])
    expected = _expected(rest)
    if begins[0] == BACKOFF:
        return Wait(line, text, arguments.pop("attempt"), arguments, expected)
    if begins[0] == CRON:
        return read_next(line, text, arguments, expected)
    given = {name: value if name == "payload" else instant_in(value) for name, value in arguments.items()}
    op = from_json(begins[2], given)
    return Do(line, text, instant_in(begins[1]), op, expected)


def _expected(text: str) -> Any:
    if not text:
        return ...
    arrow = _ANSWER.match(text)
    if arrow is None:
        raise ValueError(f"expected an argument or '-> answer' at {text!r}")
    answer = text[arrow.end() :]
    if refused := _REFUSED.fullmatch(answer):
        return Refused(refused[1], refused[2])
    return instant_in(json.loads(answer))


def _then(line: int, text: str, noun: str, absent: bool, given: dict[str, Any]) -> Then:
    keys = () if noun == UNCHANGED else NOUNS[noun].then(absent, given)
    return Then(line, text, noun, absent, keys, {name: instant_in(to_json(value)) for name, value in given.items()})
