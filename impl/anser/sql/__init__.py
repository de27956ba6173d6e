"""Every statement as named text, whole. Nothing outside this folder holds SQL but `begin`, `commit` and their kin.

A file is a row of sections: `-- name: claim_pick`, comments that say why, and the statement. One database that needs a
statement differently has its own section behind the common one, marked `-- name: claim_pick (postgres)`.
"""

from __future__ import annotations

import re
from importlib.resources import files
from types import MappingProxyType

__all__ = ["EXTENSION", "SCHEMA", "STATEMENTS", "sections"]

_HEADING = re.compile(r"^-- name: (?P<name>\w+)(?: \((?P<database>\w+)\))?$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*$\n?", re.MULTILINE)


def sections(text: str, database: str = "sqlite") -> dict[str, str]:
    """The statements of a file by name, in its order, without comments, as that database takes them."""
    found: dict[str, str] = {}
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=False):  # a text without headings has an end all the same
        if heading["database"] in (None, database):
            found[heading["name"]] = _COMMENT.sub("", text[heading.end() : end]).strip()
    return found


def _read(*names: str) -> MappingProxyType[str, str]:
    statements: dict[str, str] = {}
    for name in names:
        for key, text in sections(files(__package__).joinpath(f"{name}.sql").read_text("utf-8")).items():
            assert key not in statements, f"two statements are named {key}"
            statements[key] = text
    return MappingProxyType(statements)


SCHEMA = _read("schema")  # the tables, in the order in which they are made
EXTENSION = _read("extension")  # columns, indexes and triggers that older files lack; a column is `table__column`
STATEMENTS = _read("storage", "jobs", "claims", "leases", "dead", "locks")
