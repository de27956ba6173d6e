"""Each condition of each statement decides as its twin and as the model; and what is wrong by one sign is noticed."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from anser.engine.sqlite import prepare
from anser.sql import STATEMENTS
from anser_spec.predicates import TABLE, AnyCondition, check, conditions, differences, grid, unbound, values_of
from anser_spec.predicates.claims import InstantRow

CONDITIONS = list(dict.fromkeys(condition for row in TABLE.values() for condition in row))
COMPUTED = {InstantRow}  # rows that no table of the schema has
ROWS = list(dict.fromkeys(condition.table.row for condition in CONDITIONS if condition.table.row not in COMPUTED))
SIGNS = {
    "<=": ["<", "="],
    ">=": [">", "="],
    "<>": ["="],
    "<": ["<="],
    ">": [">="],
    "=": ["<>"],
    " and ": [" or "],
    " or ": [" and "],
    " is null": [" is not null"],
    " is not null": [" is null"],
    " not in ": [" in "],
    "not exists": ["exists"],
    "then null": ["then 'expired'"],
}
SIGN = re.compile("|".join(sorted(map(re.escape, SIGNS), key=len, reverse=True)))


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare(connection)
    yield connection
    connection.close()


def damaged(text: str) -> Iterator[str]:
    """The condition with one sign wrong, or with one part left out."""
    for sign in SIGN.finditer(text):
        for wrong in SIGNS[sign[0]]:
            yield text[: sign.start()] + wrong + text[sign.end() :]
    parts = [] if text.startswith("case") else text.split(" and ")
    for place in range(len(parts)):
        yield " and ".join(parts[:place] + parts[place + 1 :]) or "true"


def test_the_table_tells_every_condition_of_every_statement() -> None:
    assert unbound() == []


def test_statements_twins_and_model_decide_alike_on_the_grid() -> None:
    assert check() == []


def test_one_wrong_sign_in_any_condition_is_noticed_by_the_grid(connection: sqlite3.Connection) -> None:
    planted = [(condition, text) for condition in CONDITIONS for text in damaged(condition.text)]

    alive = [text for condition, text in planted if next(differences(connection, condition, text), None) is None]

    assert len(planted) > 200
    assert alive == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("claim_expires_at >= :now", "claim_expires_at > :now"),
        ("where id = :id and", "where id >= :id and"),
        ("where id = :id and", "where (id = :id or :now > 10) and"),
        ("returning attempts", "and fence > 1 returning attempts"),
    ],
)
def test_a_changed_where_is_noticed_until_the_table_tells_it(right: str, wrong: str) -> None:
    changed = {**STATEMENTS, "ack": " ".join(STATEMENTS["ack"].split()).replace(right, wrong)}
    assert changed["ack"] != " ".join(STATEMENTS["ack"].split())

    assert [problem.partition(":")[0] for problem in unbound(changed)] == ["ack"]


def test_a_statement_without_its_where_or_with_a_new_one_is_noticed() -> None:
    changed = {**STATEMENTS, "dead_requeue_remove": "delete from _honker_dead", "fresh": "delete from t where id = 1"}

    assert [problem.partition(":")[0] for problem in unbound(changed)] == ["dead_requeue_remove", "fresh"]


def test_a_statement_that_asks_for_what_the_grid_lacks_is_a_problem() -> None:
    changed = {**STATEMENTS, "cancel": "delete from _honker_live where id = :id and holder = :queue returning attempts"}

    assert any("no such column: holder" in problem for problem in check(changed))


def test_a_wrong_twin_and_a_wrong_model_are_noticed(connection: sqlite3.Connection) -> None:
    (word,) = TABLE["ack"]
    deaf = replace(word, twin=lambda row, given: row.fence == given.fence)
    blind = replace(word, model=lambda row, given: row.fence == given.fence)

    assert next(differences(connection, deaf, word.text)).startswith("SQLite says False, the twin")
    assert next(differences(connection, blind, word.text)).startswith("the twin says False, the model True")


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.text)
def test_the_grid_shows_a_condition_from_both_sides(condition: AnyCondition) -> None:
    tried = grid(condition, condition.text)
    points = list(product(tried.rows, tried.givens))
    if condition.within is not None:
        points = [point for point in points if condition.within.twin(*point) is True]

    met = {condition.twin(*point) for point in points}

    assert len(met) >= 2


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_a_column_is_null_on_the_grid_exactly_where_the_schema_allows_it(
    connection: sqlite3.Connection, row: type[object]
) -> None:
    found: dict[str, bool] = {}
    for table in {condition.table.name for condition in CONDITIONS if condition.table.row is row}:
        for _, name, _, not_null, _, key in connection.execute(f"pragma table_info({table})"):
            found[name] = found.get(name, False) or not (not_null or key)

    told = {name: None in values for name, values in values_of(row).items()}

    assert told == {name: found[name] for name in told}


def test_conditions_are_cut_out_whole() -> None:
    statement = """
    select id, case when at < 'end' then 'x' end as reason
    from one join other on one.id = other.id
    where at = 1 and not exists ( select 1 from two where (three = 3) order by four )
    and five in (5, 6)
    limit 1
    """

    assert conditions(statement) == (
        "case when at < 'end' then 'x' end",
        "other on one.id = other.id",
        "at = 1 and not exists (…) and five in (5, 6)",
        "(three = 3)",
    )
