"""The conditions of a statement, cut out of its text."""

from __future__ import annotations

import re

__all__ = ["conditions"]

_WORDS = re.compile(r"'[^']*'|[\w.]+|[()]")
_BEGIN = re.compile(r"\b(?:where|case|join)\b")
_NEXT = {"order", "limit", "returning", "union", "group", "where"}
_PASSED_ON = re.compile(r"(?:exists|\w+ in) \(…\)")  # what the select inside of it has decided


def conditions(statement: str) -> tuple[str, ...]:
    """The conditions of a statement in the order in which they begin, each on one line, a select within one as (…).

    A trigger is the statement in its body."""
    text = " ".join(statement.split()).replace("( ", "(").replace(" )", ")").removesuffix("; end")
    found = []
    for begin in _BEGIN.finditer(text):
        if begin[0] == "case":
            found.append(f"{text[begin.start() : _end(text, begin.start(), {'end'})]}end")
        else:
            found.append(_without_selects(text[begin.end() : _end(text, begin.end(), _NEXT)].strip()))
    return tuple(condition for condition in found if not _PASSED_ON.fullmatch(condition))


def _end(text: str, begin: int, words: set[str]) -> int:
    """Where one of the words follows, or the parenthesis around ends."""
    depth = 0
    for word in _WORDS.finditer(text, begin):
        depth += {"(": 1, ")": -1}.get(word[0], 0)
        if depth < 0 or (depth == 0 and word[0] in words):
            return word.start()
    return len(text)


def _without_selects(condition: str) -> str:
    while (begin := condition.find("(select ")) >= 0:
        end = _end(condition, begin + 1, set())
        condition = f"{condition[:begin]}(…){condition[end + 1 :]}"
    return condition
