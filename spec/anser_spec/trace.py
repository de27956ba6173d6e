"""Which rule was seen by which instrument, and whether that is enough.

An instrument says `seen("CLM-4", "cases")` where it has held something against a rule, or `took(names, "sequences")`
for the named transitions of the model. `write` keeps the tally of a run, in a file of its own, and the gate
(`python -m anser_spec.trace FOLDER`) adds up the files of a folder. It fails on an id that is no rule, on a rule whose
words are not those pinned, and on a MUST that fewer than two instruments have seen.

A rule with a line `evidence:` is one that cases cannot show: the instruments named there are enough, all of them.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from anser_models import INVARIANTS, TRANSITIONS
from anser_spec.rulebook import LOCK, Level, Rule, in_lock, read_rules, stale

__all__ = [
    "CITING",
    "INSTRUMENTS",
    "Tally",
    "apart",
    "cited_in",
    "gate",
    "kept",
    "main",
    "merged",
    "rules_in",
    "seen",
    "seen_invariants",
    "took",
    "write",
]

INSTRUMENTS = (
    "cases",  # a fenced case passed on a target that is not the model
    "transitions",  # the explorer, breadth first
    "sequences",  # the Hypothesis state machine
    "predicates",  # a proof, or the grid
    "tests",  # a pytest test that carries the rule's mark
    "mutants",  # a planted fault that breaks the rule was noticed
    "interop",  # honker itself, on the same file
    "interleavings",
    "crashes",
    "races",
)
CITING = ("impl", "models", "spec", "tests")  # the folders whose texts cite rules
_ENOUGH = 2
_ID = re.compile(r"\b[A-Z]{3}-[1-9]\d*\b")
_SUFFIXES = {".py", ".sql", ".md", ".toml"}

Tally = Counter[tuple[str, str]]

_tally: Tally = Counter()


def seen(rule: str, instrument: str, times: int = 1) -> None:
    """Say that an instrument has held something against a rule."""
    if instrument not in INSTRUMENTS:
        raise ValueError(f"{instrument!r} is no instrument: pass one of {', '.join(INSTRUMENTS)}")
    _tally[rule, instrument] += times


def took(names: Iterable[str], instrument: str) -> None:
    """Say that an instrument has compared these named transitions of the model (`Step.names`)."""
    for name, times in Counter(names).items():
        seen(TRANSITIONS[name], instrument, times)


def seen_invariants(instrument: str) -> None:
    """Say that an instrument has held every invariant of the model against what it read."""
    for invariant in INVARIANTS:
        for rule in rules_in(invariant.__doc__ or ""):
            seen(rule, instrument)


def rules_in(text: str) -> tuple[str, ...]:
    """The ids that a text cites, in their order, each once."""
    return tuple(dict.fromkeys(_ID.findall(text)))


# --- what is kept


def kept() -> Tally:
    """What this process has seen so far."""
    return _tally.copy()


@contextmanager
def apart() -> Iterator[Tally]:
    """A tally of its own for what is seen inside: for runs that are evidence of nothing, as on a damaged build."""
    global _tally
    outer, _tally = _tally, Counter()
    try:
        yield _tally
    finally:
        _tally = outer


def write(path: Path, tally: Tally | None = None) -> None:
    """Keep a tally, this process's if none is given, as {rule: {instrument: times}}."""
    counted = _tally if tally is None else tally
    by_rule: dict[str, dict[str, int]] = {}
    for (rule, instrument), times in sorted(counted.items()):
        by_rule.setdefault(rule, {})[instrument] = times
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(by_rule, indent=1) + "\n", encoding="utf-8")


def merged(folder: Path) -> Tally:
    """The sum of every tally kept in a folder."""
    total: Tally = Counter()
    for path in sorted(folder.glob("*.json")):
        for rule, instruments in json.loads(path.read_text(encoding="utf-8")).items():
            total.update({(rule, instrument): times for instrument, times in instruments.items()})
    return total


def cited_in(root: Path) -> dict[str, list[str]]:
    """Where the project's texts cite each rule. The tidy tests plant ids on purpose, and are left out."""
    found: dict[str, list[str]] = {}
    paths = (path for folder in CITING for path in sorted((root / folder).rglob("*")) if path.suffix in _SUFFIXES)
    for path in paths:
        place = path.relative_to(root).as_posix()
        if place.startswith("tests/tidy/"):
            continue
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for rule in rules_in(text):
                found.setdefault(rule, []).append(f"{place}:{line}")
    return found


# --- the gate


def gate(tally: Tally, rules: dict[str, Rule], pinned: dict[str, str], cited: dict[str, list[str]]) -> list[str]:
    """Every problem, each a line. Ids of families that have no rules yet are not this gate's."""
    families = {id[:3] for id in rules}
    problems = [f"{id} {what}: python -m anser_spec.rulebook" for id, what in stale(rules, pinned).items()]
    problems += [
        f"{places[0]}: cites {id}, which is no rule"
        for id, places in cited.items()
        if id[:3] in families and id not in rules
    ]
    problems += [f"{instrument}: has seen {id}, which is no rule" for id, instrument in tally if id not in rules]
    return problems + [problem for rule in rules.values() if (problem := _unseen(rule, tally))]


def _unseen(rule: Rule, tally: Tally) -> str | None:
    by = {instrument for id, instrument in tally if id == rule.id}
    if rule.level is not Level.MUST:
        return None
    if rule.evidence:
        lacking = [instrument for instrument in rule.evidence if instrument not in by]
        return f"{rule.id} was not seen by {', '.join(lacking)}" if lacking else None
    if len(by) < _ENOUGH:
        return f"{rule.id} was seen by {', '.join(sorted(by)) or 'nothing'}: a MUST is seen by {_ENOUGH} at least"
    return None


def main(arguments: list[str]) -> int:
    """Judge the tallies in a folder; the project is the folder that the command runs in."""
    if len(arguments) != 1:
        print("usage: python -m anser_spec.trace FOLDER", file=sys.stderr)
        return 2
    rules = read_rules()
    problems = gate(merged(Path(arguments[0])), rules, in_lock(LOCK), cited_in(Path.cwd()))
    for problem in problems:
        print(problem)
    print(f"{len(rules)} rules, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
