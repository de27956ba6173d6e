"""The register of defects: known faults of queues, one file an entry in `defects/`.

An entry says what goes wrong, which rules it breaks, and how to make it happen again. Whether a build has the fault is
not written here: that is found by a run.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anser_models import Quirk
from anser_spec.rulebook import Rule

__all__ = ["DEFECTS", "Entry", "EntryError", "problems", "read_register"]

DEFECTS = Path(__file__).with_name("defects")


class EntryError(Exception):
    """A file of the register that is no entry; the text names the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One defect. `quirk` is the model's switch for it, where the model has one."""

    id: str
    title: str
    seen_in: tuple[str, ...]
    rules: tuple[str, ...]
    quirk: Quirk | None
    what: str
    again: str


def read_register(folder: Path = DEFECTS) -> dict[str, Entry]:
    """Every entry by id. Raises `EntryError`."""
    entries = {path.stem: _entry(path) for path in sorted(folder.glob("*.toml"))}
    return dict(sorted(entries.items(), key=lambda item: (item[0][0], int(item[0][1:]))))


def _entry(path: Path) -> Entry:
    try:
        found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return Entry(
            id=found.pop("id"),
            title=found.pop("title"),
            seen_in=tuple(found.pop("seen_in")),
            rules=tuple(found.pop("rules")),
            quirk=Quirk[name] if (name := found.pop("quirk", None)) else None,
            what=found.pop("what").strip(),
            again=found.pop("again").strip(),
            **found,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise EntryError(f"{path.name}: {error}") from None


def problems(entries: dict[str, Entry], rules: dict[str, Rule]) -> list[str]:
    """Where register, rules and model do not agree, each a line."""
    return [*_of_entries(entries, rules), *_of_rules(entries, rules), *_of_quirks(entries)]


def _of_entries(entries: dict[str, Entry], rules: dict[str, Rule]) -> Iterator[str]:
    for name, entry in entries.items():
        if entry.id != name:
            yield f"{name}.toml has the id {entry.id}"
        if not (entry.what and entry.again and entry.seen_in):
            yield f"{name} does not say what, again and seen_in"
        if not entry.rules:
            yield f"{name} names no rule that it breaks"
        yield from (f"{name} names {id}, which is no rule" for id in entry.rules if id not in rules)
        yield from (
            f"{name} names {id}, whose text does not name it"
            for id in entry.rules
            if id in rules and name not in rules[id].defects
        )


def _of_rules(entries: dict[str, Entry], rules: dict[str, Rule]) -> Iterator[str]:
    for rule in rules.values():
        for defect in rule.defects:
            if defect not in entries:
                yield f"{rule.id} names {defect}, which is not in the register"
            elif rule.id not in entries[defect].rules:
                yield f"{rule.id} names {defect}, whose entry does not name it"


def _of_quirks(entries: dict[str, Entry]) -> Iterator[str]:
    by_entry = {entry.quirk: id for id, entry in entries.items() if entry.quirk is not None}
    for quirk in Quirk:
        if quirk.name.partition("_")[0] != by_entry.get(quirk):
            yield f"the quirk {quirk.name} has no entry of its id"
