"""The refinement map: what a world lays down, it reads again, whatever the file's history and the connection's ways."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields

import pytest

from anser.engine.sqlite import prepare
from anser.sql import SCHEMA
from anser.types import Job, Lease
from anser_models import EMPTY, World
from anser_spec.file import COUNTERS, TABLES, File, abstract, fill
from anser_spec.seeds import CROWDS, SEED_NOW, SEEDS, pending, world
from anser_spec.witness import world_from_json, world_to_json

WORLDS = SEEDS | CROWDS


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """A prepared file in memory."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        prepare(opened)
        yield opened


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_laid_down_is_read_again(connection: sqlite3.Connection, name: str) -> None:
    fill(connection, WORLDS[name])

    assert abstract(connection) == WORLDS[name]


def test_each_part_of_a_world_has_its_place_in_a_file() -> None:
    parts = [table.part for table in TABLES] + [counter.part for counter in COUNTERS]

    assert sorted(parts) == sorted(field.name for field in fields(World))


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_saved_as_json_is_read_again(name: str) -> None:
    text = json.dumps(world_to_json(WORLDS[name]))

    assert world_from_json(json.loads(text)) == WORLDS[name]


def test_a_file_goes_from_any_world_to_any_other(connection: sqlite3.Connection) -> None:
    file = File(connection)
    before = EMPTY
    for after in (*WORLDS.values(), *reversed(WORLDS.values())):
        file.rewrite(before, after)
        assert file.abstract() == after
        before = after


def test_a_file_is_laid_down_within_the_callers_transaction(connection: sqlite3.Connection) -> None:
    connection.execute("begin")
    fill(connection, SEEDS["one"])
    connection.execute("rollback")

    assert abstract(connection) == EMPTY


def test_a_file_without_additions_is_read_with_their_defaults() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as honker:
        honker.execute(SCHEMA["live_table"])
        honker.execute(SCHEMA["dead_table"])
        fill(honker, SEEDS["held_together"])

        found = abstract(honker)

    assert found.last_fence == 0
    assert [(job.max_lapses, job.lease) for job in found.jobs.values()] == [(5, Lease("w1", 0, None, SEED_NOW))] * 2


@pytest.mark.parametrize(
    ("stored", "payload"),
    [("'1'", "1"), ("x'7b7d'", b"{}"), ("x'ff'", b"\xff"), ("cast(x'ff' as text)", b"\xff"), ("'a' || char(0)", "a\0")],
)
def test_a_payload_is_text_only_where_it_is_stored_as_utf8_text(
    connection: sqlite3.Connection, stored: str, payload: str | bytes
) -> None:
    connection.execute(f"insert into _honker_live (queue, payload) values ('a', {stored})")

    assert abstract(connection).jobs[1].payload == payload


def test_a_job_has_a_lease_exactly_where_its_end_is_stored(connection: sqlite3.Connection) -> None:
    connection.execute("insert into _honker_live (queue, payload, claim_expires_at) values ('a', '1', 7)")
    connection.execute("insert into _honker_live (queue, payload, worker_id) values ('a', '1', 'w')")

    assert [job.lease for job in abstract(connection).jobs.values()] == [Lease("", 0, None, 7), None]


def test_the_ways_of_the_callers_connection_do_not_matter(connection: sqlite3.Connection) -> None:
    fill(connection, SEEDS["keys"])
    connection.row_factory = sqlite3.Row
    connection.text_factory = bytes

    assert abstract(connection) == SEEDS["keys"]
    assert connection.text_factory is bytes


def test_what_an_ended_lease_left_behind_goes_with_the_next_world(connection: sqlite3.Connection) -> None:
    file = File(connection)
    file.fill(SEEDS["one"])
    connection.execute("update _honker_live set worker_id = 'w1', fence = 1")

    file.rewrite(file.abstract(), SEEDS["one"])

    assert connection.execute("select worker_id, fence from _honker_live").fetchall() == [(None, 0)]


def test_what_is_not_committed_is_not_seen_by_others(tmp_path: str) -> None:
    with closing(sqlite3.connect(f"{tmp_path}/q.db", isolation_level=None)) as writer:
        prepare(writer)
        with closing(sqlite3.connect(f"{tmp_path}/q.db", isolation_level=None)) as reader:
            writer.execute("begin immediate")
            fill(writer, SEEDS["one"])
            before = abstract(reader)
            writer.execute("commit")

            assert (before, abstract(reader)) == (EMPTY, SEEDS["one"])


def test_two_worlds_of_one_file_differ_where_their_rows_do(connection: sqlite3.Connection) -> None:
    jobs: dict[int, Job] = {id: pending(id) for id in (1, 2)}
    fill(connection, World(jobs=jobs, last_id=2))
    connection.execute("update _honker_live set priority = 1 where id = 2")

    assert abstract(connection) == world(pending(1), pending(2, priority=1))
