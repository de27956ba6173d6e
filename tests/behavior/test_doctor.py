"""The doctor: what it sees of a sound file, and of each that is not; and the commands about a file."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import anser
from anser.cli import main
from anser.doctor import Finding, Level, diagnose
from anser.engine.examine import libraries
from tests.behavior.support import NOW, lay_dead, lay_live, lay_schedule, raw, rows_in

FAULTLESS = {Level.OK, Level.WARNING}
TWO_COPIES = """
import ctypes, shutil, sys
import anser
from anser.doctor import diagnose
shutil.copy(sys.argv[1], sys.argv[2])
ctypes.CDLL(sys.argv[2])
print(*(finding.level for finding in diagnose(sys.argv[3]) if finding.check == "sqlite_libraries"))
"""


def found(path: str, check: str, *, integrity: bool = False) -> Finding:
    """What the only finding of that check says."""
    (finding,) = (finding for finding in diagnose(path, integrity=integrity) if finding.check == check)
    return finding


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.rule("RTN-5")
def test_a_file_in_use_is_found_sound_and_not_changed(db: anser.Database, mail: anser.Queue, path: str) -> None:
    mail.enqueue(1)
    before = rows_in(path)

    findings = diagnose(path, integrity=True)

    assert {finding.level for finding in findings} <= FAULTLESS
    warned = [finding for finding in findings if finding.level is Level.WARNING]
    assert {finding.check for finding in warned} <= {"sqlite_version"}
    assert rows_in(path) == before
    mail.enqueue(2)


@pytest.mark.rule("RTN-5")
def test_a_file_that_was_never_opened_is_a_warning_and_stays_as_it_is(path: str) -> None:
    with raw(path) as connection:
        connection.execute("create table orders (id integer)")
    before = Path(path).read_bytes()

    assert found(path, "format").level is Level.WARNING
    assert "format none" in found(path, "format").text
    assert found(path, "journal_mode").level is Level.ERROR
    assert Path(path).read_bytes() == before


@pytest.mark.rule("RTN-5")
def test_a_file_of_a_newer_format_is_an_error(db: anser.Database, path: str) -> None:
    with raw(path) as connection:
        connection.execute("update _anser_format set version = 99")

    assert found(path, "format").level is Level.ERROR
    assert "format 99" in found(path, "format").text


@pytest.mark.rule("RTN-5")
def test_what_is_no_database_is_an_error(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann, " * 500)

    finding = found(str(letter), "storage")

    assert finding.level is Level.ERROR
    assert f"not a database: {letter}" in finding.text


@pytest.mark.rule("RTN-5")
def test_rows_that_mean_nothing_are_counted(db: anser.Database, path: str) -> None:
    with raw(path) as connection:
        lay_live(connection, state="lost")
        lay_live(connection, run_at="soon")
        lay_live(connection)

    assert found(path, "strays").level is Level.WARNING
    assert found(path, "strays").text.startswith("2 live rows")


@pytest.mark.rule("RTN-5")
def test_a_schedule_that_no_tick_can_read_is_named(db: anser.Database, path: str) -> None:
    db.schedules.register("nightly", cron="0 3 * * *", tz="UTC", queue="mail", payload=1)
    assert found(path, "schedules").level is Level.OK

    with raw(path) as connection:
        connection.execute("update _anser_schedules set error = 'no such zone'")

    assert found(path, "schedules").level is Level.WARNING
    assert "nightly" in found(path, "schedules").text


@pytest.mark.rule("RTN-5")
def test_a_name_that_is_no_text_is_told_all_the_same(db: anser.Database, path: str) -> None:
    with raw(path) as connection:
        lay_schedule(connection, "nightly", error="no such zone")
        connection.execute("update _anser_schedules set name = cast(x'6eff' as text)")

    assert "n\\xff" in found(path, "schedules").text


@pytest.mark.rule("RTN-5")
@pytest.mark.parametrize("table", ["_honker_live", "_anser_schedules"])
def test_a_table_that_is_gone_is_an_error_and_not_raised(db: anser.Database, path: str, table: str) -> None:
    with raw(path) as connection:
        connection.execute(f"drop table {table}")

    assert found(path, "format").level is Level.ERROR


@pytest.mark.rule("ERR-2", "RTN-5")
@pytest.mark.parametrize("path", [None, 5, b"app.db", "app\0.db"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(anser.Invalid, match="path"):
        diagnose(path)


@pytest.mark.rule("RTN-5")
def test_a_table_that_no_upkeep_empties_is_named(db: anser.Database, path: str) -> None:
    with raw(path) as connection:
        connection.execute("create table _honker_diary (day text)")

    assert any("_honker_diary" in finding.text for finding in diagnose(path) if finding.level is Level.WARNING)


@pytest.mark.rule("RTN-5")
def test_a_damaged_page_is_found_when_every_page_is_read(db: anser.Database, mail: anser.Queue, path: str) -> None:
    mail.enqueue_many("x" * 1_000 for _ in range(200))
    db.close()
    file = Path(path)
    content = bytearray(file.read_bytes())
    content[-4_096:] = b"\xff" * 4_096
    file.write_bytes(content)

    assert "integrity" not in [finding.check for finding in diagnose(path)]
    assert found(path, "integrity", integrity=True).level is Level.ERROR


@pytest.mark.rule("RTN-5")
def test_a_process_with_two_sqlite_libraries_is_told(db: anser.Database, path: str, tmp_path: Path) -> None:
    loaded = libraries()
    if not loaded:
        pytest.skip("this Python has SQLite built in, so there is no library to load twice")

    done = subprocess.run(
        [sys.executable, "-c", TWO_COPIES, loaded[0], str(tmp_path / "libsqlite3-copy.so"), path],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["error"]
    assert found(path, "sqlite_libraries").level is Level.OK


@pytest.mark.rule("RTN-5")
def test_whether_another_process_is_kept_out_is_tried_and_the_lock_is_given_back(
    db: anser.Database, mail: anser.Queue, path: str
) -> None:
    assert found(path, "locks").level is Level.OK

    mail.enqueue(1)


def test_a_file_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / "missing.db"

    with pytest.raises(anser.Invalid, match="there is no such file"):
        diagnose(path)

    assert not path.exists()


# --- the commands


def test_the_command_exits_with_one_where_something_is_an_error(db: anser.Database, path: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    with sqlite3.connect(other) as connection:
        connection.execute("create table orders (id integer)")
    connection.close()

    sound, sick = run("doctor", path), run("doctor", "--json", "--integrity", other)

    assert sound.exit_code == 0, sound.output
    assert "journal_mode: the file is in WAL mode" in sound.output
    assert sick.exit_code == 1
    assert {"check": "integrity", "level": "ok", "text": "every page is sound"} in json.loads(sick.output)


def test_stats_are_lines_or_json(db: anser.Database, path: str) -> None:
    with raw(path) as connection:
        lay_dead(connection)

    lines, values = run("stats", path), run("stats", path, "--json")

    assert "         1 _honker_dead             2027-01-15T07:59:55+00:00" in lines.output.splitlines()
    assert {"table": "_honker_dead", "rows": 1, "oldest_at": NOW - 5} in json.loads(values.output)


@pytest.mark.rule("RTN-2")
def test_stats_are_told_of_instants_that_are_none(db: anser.Database, path: str) -> None:
    """Only a foreign hand can write one: text, or a year that no calendar has."""
    with raw(path) as connection:
        lay_live(connection, created_at="noon")
        lay_dead(connection, died_at=10**14)

    assert run("stats", path).output.splitlines()[:2] == [
        "         1 _honker_live",
        "         1 _honker_dead             100000000000000",
    ]
    assert db.stats()[0].oldest_at is None


@pytest.mark.rule("RTN-3")
def test_upkeep_by_command_keeps_to_what_it_is_told(db: anser.Database, mail: anser.Queue, path: str) -> None:
    with raw(path) as connection:
        for _ in range(3):
            lay_dead(connection, died_at=0)

    kept = run("maintain", path, "--keep", "dead_s=never", "--keep", "locks=no", "--json")
    some = run("maintain", path, "--limit", "1", "--batches", "1")
    rest = run("maintain", path, "--keep", "dead_s=60")

    assert json.loads(kept.output)["rows"]["dead_s"] == 0
    assert json.loads(kept.output)["more"] is False
    assert some.output.splitlines()[-1] == "there is more to do: call it again"
    assert "dead_s" in rest.output
    assert mail.dead_list() == ()


@pytest.mark.parametrize(
    ("word", "remedy"),
    [
        *(
            (word, "pass whole seconds, or never")
            for word in ("dead_s", "dead_s=", "dead_s=-1", "dead_s=1.5", "dead_s=no")
        ),
        ("locks=1", "pass yes or no"),
        ("diary_s=1", "name a field of the policy"),
    ],
)
def test_a_policy_that_cannot_be_read_is_wrong_usage(db: anser.Database, path: str, word: str, remedy: str) -> None:
    done = run("maintain", path, "--keep", word)

    assert done.exit_code == 2
    assert f"anser: keep = {word!r}: {remedy}" in done.output


def test_commands_refuse_a_file_that_is_not_there_and_do_not_make_it(tmp_path: Path) -> None:
    path = tmp_path / "missing.db"

    assert [run(name, str(path)).exit_code for name in ("doctor", "stats", "maintain")] == [2, 2, 2]
    assert not path.exists()


def test_a_file_without_a_queue_is_refused_and_stays_as_it_was(tmp_path: Path) -> None:
    path = str(tmp_path / "other.db")
    with raw(path) as connection:
        connection.execute("create table orders (id integer primary key)")
    before = rows_in(path)

    done = [run(*name.split(), path) for name in ("stats", "maintain", "schedules list", "schedules tick")]

    assert [each.exit_code for each in done] == [2, 2, 2, 2]
    assert done[0].output.endswith("no queue is in it: name a file that anser.open, or honker, has made\n")
    assert rows_in(path) == before


def test_a_failure_is_one_line_and_status_one(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann, " * 500)

    done = run("stats", str(letter))

    assert done.exit_code == 1
    assert done.output.startswith("anser: ")
    assert len(done.output.splitlines()) == 1
