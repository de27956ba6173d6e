"""Every statement as named text, whole. Nothing outside this folder holds SQL but `begin`, `commit` and their kin.

A file is a row of sections: `-- name: claim_pick`, comments that say why, and the statement. One database that needs a
statement differently has its own section behind the common one, marked `-- name: claim_pick (postgres)`.

Each file of the folder is read, by what its name begins with. A family that has tables of its own brings them in
`schema_<family>.sql`, and what is added to them or to older files in `extension_<family>.sql`.
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


_FORMAT = ("schema", "extension")
_FILES = sorted(file.name.removesuffix(".sql") for file in files(__package__).iterdir() if file.name.endswith(".sql"))

# The tables, and the columns, indexes and triggers that older files lack (a column is `table__column`); a family's own
# come behind those of every file.
SCHEMA = _read(*(name for name in _FILES if name.startswith("schema")))
EXTENSION = _read(*(name for name in _FILES if name.startswith("extension")))
STATEMENTS = _read(*(name for name in _FILES if not name.startswith(_FORMAT)))
