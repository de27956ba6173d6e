"""Rule files: how they are read, what is refused, and how the lock notices that a rule says something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from anser.ops import OPS
from anser_spec import rulebook
from anser_spec.judge import CITED
from anser_spec.rulebook import INDEX, LOCK, Level, Rule, RuleError, in_lock, index, read_rules, stale, write_lock

RULE = """# Claims

Some words before.

## CLM-2 A lease ends after its last second

It holds up to
and with it.
level: SHOULD
defect: D09, E04
evidence: tests, crashes

A note, which is not part of what it says.

```case
# one
T+0 claim
```

```case
T+1 claim
```
"""


def read(tmp_path: Path, text: str) -> dict[str, Rule]:
    (tmp_path / "claims.md").write_text(text, encoding="utf-8")
    return read_rules(tmp_path)


def test_a_rule_is_read_whole(tmp_path: Path) -> None:
    rule = read(tmp_path, RULE)["CLM-2"]

    assert rule.title == "A lease ends after its last second"
    assert rule.text == "It holds up to and with it."
    assert rule.level is Level.SHOULD
    assert rule.defects == ("D09", "E04")
    assert rule.evidence == ("tests", "crashes")
    assert [(block.line, block.text) for block in rule.blocks] == [(16, "# one\nT+0 claim"), (21, "T+1 claim")]
    assert (rule.file, rule.line) == ("claims.md", 5)


def test_a_rule_must_hold_unless_it_says_otherwise(tmp_path: Path) -> None:
    assert read(tmp_path, "## CLM-2 This\n\nThat.\n")["CLM-2"].level is Level.MUST


def test_rules_come_by_family_and_number(tmp_path: Path) -> None:
    rules = read(tmp_path, "## JOB-2 A\n\nb\n\n## CLM-10 A\n\nb\n\n## CLM-9 A\n\nb\n")

    assert list(rules) == ["CLM-9", "CLM-10", "JOB-2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("## A lease\n\nIt holds.\n", "claims.md:1: a heading reads"),
        ("## ABC-02 A lease\n\nIt holds.\n", "claims.md:1: a heading reads"),
        ("## CLM-2 A lease\n\n```case\n```\n", "claims.md:1: CLM-2 says nothing"),
        ("## CLM-2 A lease\n\nIt holds.\nlevel: MAY\n", "claims.md:1: CLM-2 has the level 'MAY'"),
        ("## CLM-2 A lease\n\nIt holds.\nlevel: MUST\nlevel: MUST\n", "claims.md:5: CLM-2 has a line level"),
        ("## CLM-2 A lease\n\nIt holds.\n\n```cases\n```\n", "claims.md:5: '```cases' opens no case"),
        ("## CLM-2 A lease\n\nIt holds.\n\n```case\nT+0\n", "claims.md:5: the fence is not closed"),
        ("# Claims\n\n```case\nT+0\n```\n", "claims.md:3: a case stands under no rule"),
        ("## CLM-2 A\n\nb\n\n## CLM-2 A\n\nb\n", "claims.md:5: CLM-2 stands in claims.md already"),
    ],
)
def test_a_file_that_is_not_in_order_is_refused_by_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RuleError) as refused:
        read(tmp_path, text)

    assert said in str(refused.value)


def test_what_a_rule_says_is_pinned_and_not_how_it_is_laid_out(tmp_path: Path) -> None:
    before = read(tmp_path, RULE)["CLM-2"].hash

    assert read(tmp_path, RULE.replace("up to\nand", "up\nto and").replace("E04", "E05"))["CLM-2"].hash == before
    assert read(tmp_path, RULE.replace("up to", "until"))["CLM-2"].hash != before
    assert read(tmp_path, RULE.replace("last second", "second"))["CLM-2"].hash != before


def test_the_lock_notices_what_is_new_changed_and_gone(tmp_path: Path) -> None:
    lock = tmp_path / "rules.lock"
    write_lock(read(tmp_path, "## CLM-1 A\n\nb\n\n## CLM-2 A\n\nb\n"), lock)

    found = stale(read(tmp_path, "## CLM-2 A\n\nc\n\n## CLM-3 A\n\nb\n"), in_lock(lock))

    assert {id: what.partition(":")[0] for id, what in found.items()} == {
        "CLM-1": "is pinned, and gone",
        "CLM-2": "says something else than is pinned",
        "CLM-3": "is not pinned",
    }


def test_an_id_that_was_pinned_stays_in_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "rules.lock"
    write_lock(read(tmp_path, "## CLM-1 A\n\nb\n"), lock)
    write_lock(read(tmp_path, "## CLM-2 A\n\nb\n"), lock)

    assert list(in_lock(lock)) == ["CLM-1", "CLM-2"]


def test_the_rules_say_what_is_pinned() -> None:
    assert stale(read_rules(), in_lock(LOCK)) == {}


def test_the_page_that_lists_the_rules_is_true() -> None:
    assert INDEX.read_text(encoding="utf-8") == index(read_rules()), "run python -m anser_spec.rulebook"


def test_the_command_pins_what_changed_and_says_what_was_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "rules.lock"
    changed = read(tmp_path, RULE + "\n## CLM-3 New\n\nSo.\n")
    lock.write_text("CLM-1 aaaaaaaa\nCLM-2 bbbbbbbb\n")
    monkeypatch.setattr(rulebook, "read_rules", lambda: changed)
    monkeypatch.setattr(rulebook, "LOCK", lock)
    monkeypatch.setattr(rulebook, "INDEX", tmp_path / "README.md")

    rulebook.main()

    assert capsys.readouterr().out.splitlines() == [
        "pinned CLM-3",
        "CLM-1 is pinned, and gone: an id is never taken out",
        "CLM-2 says something else now: pinned anew",
    ]
    assert stale(changed, in_lock(lock)) == {"CLM-1": "is pinned, and gone: an id is never taken out"}
    assert (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()[-4:] == [
        "## CLM: [claims](claims.md)",
        "",
        "- CLM-2 A lease ends after its last second (SHOULD, D09, E04)",
        "- CLM-3 New",
    ]
    assert list(read_rules(tmp_path)) == ["CLM-2", "CLM-3"], "the page is no rule file"


def test_a_whole_id_is_one_rule_and_a_beginning_is_all_that_begin_so() -> None:
    ids = ["CLM-1", "CLM-10", "JOB-1"]

    assert rulebook.chosen_ids(ids, "CLM-1") == ["CLM-1"]
    assert rulebook.chosen_ids(ids, "CLM") == ["CLM-1", "CLM-10"]
    assert rulebook.chosen_ids(ids, "") == ids
    assert rulebook.chosen_ids(ids, "NOPE") == []


@pytest.mark.parametrize("name", OPS)
def test_an_operation_cites_rules_that_exist_and_are_shown(name: str) -> None:
    rules = read_rules()

    assert CITED[name]
    assert [id for id in CITED[name] if id not in rules or not (rules[id].blocks or rules[id].evidence)] == []
