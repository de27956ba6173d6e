"""The reader of statements: sections by name, without their comments, as one database takes them."""

from __future__ import annotations

import re
import sqlite3
from importlib.resources import files

import pytest

from anser.sql import EXTENSION, SCHEMA, STATEMENTS, sections

FILES = sorted(file.name for file in files("anser.sql").iterdir() if file.name.endswith(".sql"))

TEXT = """-- What the file is about.

-- name: first
-- Why it is so.
select 1
from jobs -- not a line of its own, so it stays
where id = :id

-- name: second
select 2

-- name: second (postgres)
select 3

-- name: third (postgres)
select 4
"""


def test_sections_are_statements_by_name_in_order_without_comments() -> None:
    found = sections(TEXT)

    assert list(found) == ["first", "second"]
    assert found["first"] == "select 1\nfrom jobs -- not a line of its own, so it stays\nwhere id = :id"
    assert found["second"] == "select 2"


def test_a_section_of_one_database_takes_the_place_of_the_common_one_there() -> None:
    found = sections(TEXT, database="postgres")

    assert list(found) == ["first", "second", "third"]
    assert (found["second"], found["third"]) == ("select 3", "select 4")


@pytest.mark.parametrize(
    "text", ["", "-- a comment\n", "select 1\n", "-- name : first\nselect 1", "--name: first\nselect 1"]
)
def test_what_has_no_heading_is_no_section(text: str) -> None:
    assert sections(text) == {}


def test_the_last_section_ends_with_the_file() -> None:
    assert sections("-- name: only\nselect 1") == {"only": "select 1"}


def test_every_file_is_read_as_what_its_name_says() -> None:
    for file in FILES:
        kind = {"schema": SCHEMA, "extension": EXTENSION}.get(file.removesuffix(".sql").partition("_")[0], STATEMENTS)

        assert sections(files("anser.sql").joinpath(file).read_text("utf-8")).items() <= kind.items()


@pytest.mark.parametrize("statements", [SCHEMA, EXTENSION, STATEMENTS])
def test_the_statements_are_read_only_and_none_is_empty(statements: dict[str, str]) -> None:
    assert statements
    assert [name for name, text in statements.items() if not text or text.startswith("--")] == []
    with pytest.raises(TypeError):
        statements["new"] = "select 1"


@pytest.mark.parametrize("file", FILES)
def test_no_name_stands_twice_in_a_file(file: str) -> None:
    text = files("anser.sql").joinpath(file).read_text("utf-8")

    names = re.findall(r"^-- name: (.+)$", text, re.MULTILINE)

    assert len(names) == len(set(names)) > 0


def test_every_statement_is_one_that_sqlite_takes() -> None:
    with sqlite3.connect(":memory:") as connection:
        for statement in SCHEMA.values():
            connection.execute(statement)
        for name, statement in EXTENSION.items():
            if not has_column(connection, name):
                connection.execute(statement)
        for statement in STATEMENTS.values():
            if not statement.startswith("pragma"):
                connection.execute(f"explain {statement}", dict.fromkeys(re.findall(r":(\w+)", statement)))
    connection.close()


def has_column(connection: sqlite3.Connection, name: str) -> bool:
    table, _, column = name.partition("__")
    return bool(column) and column in [row[1] for row in connection.execute(f"pragma table_info({table})")]


@pytest.mark.parametrize("statements", [SCHEMA, STATEMENTS])
def test_no_statement_says_what_day_it_is(statements: dict[str, str]) -> None:
    clock = re.compile(r"\b(unixepoch|current_timestamp|datetime|julianday|strftime)\b(?!\(\)\))", re.IGNORECASE)

    assert [name for name, text in statements.items() if clock.search(text)] == []
