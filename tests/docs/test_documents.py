"""The documents name what is there: files, folders and the pages that they point to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anser_spec.cases.nouns import NOUNS

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT)
    for folder in (".", "impl", "models", "spec", "spec/anser_spec/rules", "spec/anser_spec/decisions", "tests")
    for path in (ROOT / folder).glob("*.md")
)
# From where a document's names of files are read: it says `sql/` where `impl/anser/sql/` is meant.
BASES = (".", "impl/anser", "models/anser_models", "spec/anser_spec", "tests")
MADE = {".venv/", ".honker/", "out/"}  # by the commands, and no part of the tree
NAMED = re.compile(r"`([\w./*<>-]+(?:/|\.(?:py|md|sql|toml|lock)))`")
LINKED = re.compile(r"\]\(([^)#:]+)\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_what_a_document_points_to_is_there(document: Path) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")

    assert [link for link in LINKED.findall(text) if not (ROOT / document.parent / link).exists()] == []


@pytest.mark.parametrize(
    "document", ["CONTRIBUTING.md", "README.md", "impl/README.md", "models/README.md", "tests/README.md"]
)
def test_a_file_that_a_document_names_is_there(document: str) -> None:
    names = set(NAMED.findall((ROOT / document).read_text(encoding="utf-8"))) - MADE

    missing = [name for name in names if not any(_found(ROOT / base, name) for base in BASES)]

    assert missing == []


def test_each_noun_of_a_case_is_explained() -> None:
    text = (ROOT / "spec/README.md").read_text(encoding="utf-8")

    assert [noun for noun in NOUNS if not re.search(rf"`(?:given |then )?{noun}\b", text)] == []


def _found(base: Path, name: str) -> bool:
    """Whether there is such a file or folder, a level deeper too; `<family>` and `*` stand for any name."""
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    return any(base.glob(pattern)) or any(base.glob(f"*/{pattern}"))
