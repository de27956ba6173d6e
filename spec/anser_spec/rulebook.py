"""The rules as they stand in `rules/*.md`: read, hashed, pinned. What a case does is for `cases` to know.

A rule is a heading `## CLM-2 A lease ends after its last second, not at it`, a paragraph that states it, optional lines
`level:`, `defect:` and `evidence:`, and fenced blocks `case` that run. Other paragraphs are notes.

`rules.lock` pins a hash of each rule's heading and paragraph, so that a rule whose words change is looked at again
wherever it is cited: `python -m anser_spec.rulebook` shows what changed, pins it anew, and writes `rules/README.md`,
where each rule has a line.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

__all__ = [
    "INDEX",
    "LOCK",
    "RULES",
    "Block",
    "Level",
    "Rule",
    "RuleError",
    "chosen_ids",
    "in_lock",
    "index",
    "main",
    "read_rules",
    "stale",
    "write_lock",
]

RULES = Path(__file__).with_name("rules")
INDEX = RULES / "README.md"
LOCK = Path(__file__).with_name("rules.lock")

_HEADING = re.compile(r"## ([A-Z]{3})-([1-9]\d*) (\S.*)")
_FIELD = re.compile(r"(level|defect|evidence): (.+)")
_HASH_DIGITS = 8


class RuleError(Exception):
    """A rule file that cannot be read; the text names file and line."""


class Level(StrEnum):
    """Whether a build may differ and still call itself conforming."""

    MUST = "MUST"
    SHOULD = "SHOULD"


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one fenced case, and the line of the file on which it begins."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `evidence` names the instruments that show it where cases cannot; `defects` who breaks it."""

    id: str
    title: str
    text: str
    level: Level
    defects: tuple[str, ...]
    evidence: tuple[str, ...]
    blocks: tuple[Block, ...]
    file: str
    line: int

    @property
    def hash(self) -> str:
        """Eight hex digits of what the rule says; level, notes and cases are not part of it."""
        said = " ".join(f"{self.title} {self.text}".split())
        return hashlib.sha256(said.encode()).hexdigest()[:_HASH_DIGITS]


def read_rules(folder: Path = RULES) -> dict[str, Rule]:
    """Every rule by id, in the order of families and numbers. Raises `RuleError`."""
    found: dict[str, Rule] = {}
    for path in sorted(folder.glob("*.md")):
        for rule in _rules(path) if path.name != INDEX.name else ():
            if rule.id in found:
                raise RuleError(f"{path.name}:{rule.line}: {rule.id} stands in {found[rule.id].file} already")
            found[rule.id] = rule
    return dict(sorted(found.items(), key=lambda item: (item[0][:3], int(item[0][4:]))))


def chosen_ids(rules: Iterable[str], only: str) -> list[str]:
    """The rule of that id, or else all whose ids begin so: CLM-1 is one rule, CLM a family."""
    return [id for id in rules if id == only] or [id for id in rules if id.startswith(only)]


# --- reading one file


@dataclass(slots=True)
class _Draft:
    """A rule being read: its first paragraph is what it says."""

    id: str
    title: str
    line: int
    said: list[str] = field(default_factory=list)
    stated: bool = False
    fields: dict[str, str] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)


def _rules(path: Path) -> Iterator[Rule]:
    draft: _Draft | None = None
    fence: tuple[int, list[str]] | None = None
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if fence is not None and text.rstrip() != "```":
            fence[1].append(text)
        elif fence is not None:
            if draft is None:
                raise RuleError(f"{path.name}:{fence[0]}: a case stands under no rule")
            draft.blocks.append(Block(fence[0] + 1, "\n".join(fence[1])))
            fence = None
        elif text.rstrip() == "```case":
            fence = (line, [])
        elif text.startswith("## "):
            if draft is not None:
                yield _finished(path, draft)
            draft = _headed(path, line, text)
        elif draft is not None:
            _read_line(path, line, text.strip(), draft)
    if fence is not None:
        raise RuleError(f"{path.name}:{fence[0]}: the fence is not closed")
    if draft is not None:
        yield _finished(path, draft)


def _headed(path: Path, line: int, text: str) -> _Draft:
    heading = _HEADING.fullmatch(text.rstrip())
    if heading is None:
        raise RuleError(f"{path.name}:{line}: a heading reads '## CLM-2 What holds', not {text!r}")
    return _Draft(f"{heading[1]}-{heading[2]}", heading[3], line)


def _read_line(path: Path, line: int, text: str, draft: _Draft) -> None:
    named = _FIELD.fullmatch(text)
    if named is not None and named[1] in draft.fields:
        raise RuleError(f"{path.name}:{line}: {draft.id} has a line {named[1]}: already")
    if text.startswith("```"):
        raise RuleError(f"{path.name}:{line}: {text!r} opens no case, and would never run")
    if named is not None:
        draft.fields[named[1]] = named[2]
    if named is not None or not text:
        draft.stated = bool(draft.said)
    elif not draft.stated:
        draft.said.append(text)


def _finished(path: Path, draft: _Draft) -> Rule:
    level = draft.fields.get("level", Level.MUST.value)
    if level not in list(Level):
        raise RuleError(f"{path.name}:{draft.line}: {draft.id} has the level {level!r}: MUST or SHOULD")
    if not draft.said:
        raise RuleError(f"{path.name}:{draft.line}: {draft.id} says nothing under its heading")
    return Rule(
        id=draft.id,
        title=draft.title,
        text=" ".join(draft.said),
        level=Level(level),
        defects=_words(draft.fields.get("defect", "")),
        evidence=_words(draft.fields.get("evidence", "")),
        blocks=tuple(draft.blocks),
        file=path.name,
        line=draft.line,
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s,]+", text))


# --- the lock


def in_lock(path: Path = LOCK) -> dict[str, str]:
    """The pinned hash of each rule by id."""
    if not path.exists():
        return {}
    pairs = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {id: pin for id, pin in pairs}  # noqa: C416  # dict(pairs) would take lists for pairs, which mypy refuses


def stale(rules: dict[str, Rule], pinned: dict[str, str]) -> dict[str, str]:
    """What no longer agrees with the lock, by id: a rule that is new, that says something else, or that is gone."""
    found = {id: "is not pinned" for id in rules if id not in pinned}
    found |= {id: "is pinned, and gone: an id is never taken out" for id in pinned if id not in rules}
    both = [id for id in rules if id in pinned]
    return found | {id: "says something else than is pinned" for id in both if rules[id].hash != pinned[id]}


def write_lock(rules: dict[str, Rule], path: Path = LOCK) -> None:
    """Pin what the rules say now. An id that was pinned and is gone stays, so that it is never given again."""
    pinned = in_lock(path) | {rule.id: rule.hash for rule in rules.values()}
    lines = sorted(pinned.items(), key=lambda item: (item[0][:3], int(item[0][4:])))
    path.write_text("".join(f"{id} {pin}\n" for id, pin in lines), encoding="utf-8")


# --- the index

_BEFORE = """# Every rule, by family

`python -m anser_spec.rulebook` writes this page; a test checks that it is true. `anser-spec rules` prints more of each.
"""


def index(rules: dict[str, Rule], folder: Path = RULES) -> str:
    """A page with a line for each rule, under the prefix and the file of its family."""
    parts = [_BEFORE]
    for file in sorted({rule.file for rule in rules.values()}):
        heading = (folder / file).read_text(encoding="utf-8").split("\n", 1)[0]
        own = [rule for rule in rules.values() if rule.file == file]
        parts.append(f"\n## {own[0].id[:3]}: [{heading[2:].lower()}]({file})\n\n")
        parts += [f"- {rule.id} {rule.title}{_marked(rule)}\n" for rule in own]
    return "".join(parts)


def _marked(rule: Rule) -> str:
    """What is unusual about a rule: it may be left, or a known build breaks it."""
    marks = [*([rule.level.value] if rule.level is not Level.MUST else []), *rule.defects]
    return f" ({', '.join(marks)})" if marks else ""


def main() -> int:
    """Pin what the rules say now, show which of them changed, and write the page that lists them."""
    rules, pinned = read_rules(), in_lock(LOCK)
    write_lock(rules, LOCK)
    INDEX.write_text(index(rules, INDEX.parent), encoding="utf-8")
    for id, what in stale(rules, pinned).items():
        if id not in pinned:
            print(f"pinned {id}")
        elif id in rules:
            print(f"{id} says something else now: pinned anew")
        else:
            print(f"{id} {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
