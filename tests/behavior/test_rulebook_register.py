"""The register of defects: how an entry is read, and that register, rules and model agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from anser_models import Quirk
from anser_spec.register import Entry, EntryError, problems, read_register
from anser_spec.rulebook import Level, Rule, read_rules

ENTRY = """
id = "D02"
title = "It stays"
seen_in = ["honker 0.5.0"]
rules = ["CLM-5"]
quirk = "D02_ZOMBIE"
what = "It stays."
again = "Look."
"""


def read(tmp_path: Path, text: str) -> dict[str, Entry]:
    (tmp_path / "D02.toml").write_text(text, encoding="utf-8")
    return read_register(tmp_path)


def naming(*defects: str) -> dict[str, Rule]:
    return {"CLM-5": Rule("CLM-5", "A title", "A text.", Level.MUST, defects, (), (), "claims.md", 1)}


def test_an_entry_is_read_whole(tmp_path: Path) -> None:
    assert read(tmp_path, ENTRY)["D02"] == Entry(
        id="D02",
        title="It stays",
        seen_in=("honker 0.5.0",),
        rules=("CLM-5",),
        quirk=Quirk.D02_ZOMBIE,
        what="It stays.",
        again="Look.",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('quirk = "D02_ZOMBIE"', 'quirk = "D02"'),
        ('title = "It stays"', ""),
        ('title = "It stays"', 'title = "It stays"\nverdict = "fail"'),
        ('title = "It stays"', "title ="),
    ],
)
def test_what_is_no_entry_is_refused_by_file(tmp_path: Path, before: str, after: str) -> None:
    with pytest.raises(EntryError, match=r"^D02\.toml: "):
        read(tmp_path, ENTRY.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "rules", "said"),
    [
        ('id = "D02"', 'id = "D03"', naming("D02"), "D02.toml has the id D03"),
        ('["CLM-5"]', "[]", {}, "D02 names no rule"),
        ('["CLM-5"]', '["CLM-6"]', {}, "D02 names CLM-6, which is no rule"),
        ("", "", naming(), "D02 names CLM-5, whose text does not name it"),
        ("", "", naming("D02", "D03"), "CLM-5 names D03, which is not in the register"),
        ('["CLM-5"]', "[]", naming("D02"), "CLM-5 names D02, whose entry does not name it"),
        ('again = "Look."', 'again = ""', naming("D02"), "D02 does not say what, again and seen_in"),
        ('quirk = "D02_ZOMBIE"', "", naming("D02"), "the quirk D02_ZOMBIE has no entry"),
    ],
)
def test_where_register_rules_and_model_disagree_is_told(
    tmp_path: Path, before: str, after: str, rules: dict[str, Rule], said: str
) -> None:
    found = problems(read(tmp_path, ENTRY.replace(before, after)), rules)

    assert [problem for problem in found if said in problem]


def test_the_register_agrees_with_the_rules_and_the_model() -> None:
    assert problems(read_register(), read_rules()) == []


def test_the_register_is_whole() -> None:
    expected = [f"D{number:02}" for number in range(1, 13)] + [f"E{number:02}" for number in (*range(1, 34), 35)]

    assert list(read_register()) == expected
