"""The README's code does what the README says."""

from __future__ import annotations

import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import anser
from anser.cli import main

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_python_runs_and_its_job_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}

    exec(compile(code, str(README), "exec"), names)
    names["db"].close()
    exec(compile(code, str(README), "exec"), names)  # a reader runs it again

    assert capsys.readouterr().out == ""
    assert names["emails"].get_job(1).state == "done"
    with closing(sqlite3.connect("app.db")) as connection:
        assert connection.execute("select id, mailed from orders").fetchall() == [(42, 1)]
    assert (names["value"], names["lost"], names["sms"].allowed) == ({"total": 99}, False, True)
    assert [message.payload for message in names["sent"] + names["heard"] + names["read"]] == [{"order": 42}] + [
        {"id": 42}
    ] * 3
    assert names["ticked"].bad == ()
    assert {event.kind for event in names["page"].events} >= {"enqueued", "claimed", "acked"}
    assert not names["kept"].more


def test_the_readme_commands_do_what_they_are_there_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = re.findall(r"^anser (.*?) *(?:#.*)?$", README.read_text("utf-8"), re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    anser.open("app.db").close()

    said = {command: CliRunner().invoke(main, shlex.split(command)) for command in commands}

    assert len(said) == 5
    assert {command: result.output for command, result in said.items() if result.exit_code} == {}


def test_every_call_in_the_table_exists() -> None:
    table = [line for line in README.read_text("utf-8").splitlines() if line.startswith("| ")]
    calls = re.findall(r"(\w+)\(", "\n".join(table))

    assert len(calls) > 15
    homes = (anser.Queue, anser.ClaimedJob, anser.Database, anser.NamedLock, anser)
    missing = [call for call in calls if not any(hasattr(home, call) for home in homes)]
    assert missing == []
