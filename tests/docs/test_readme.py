"""The README's code does what the README says."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_python_runs_and_its_job_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}

    exec(compile(code, str(README), "exec"), names)
    names["db"].close()  # type: ignore[attr-defined]  # a name of the README's own
    exec(compile(code, str(README), "exec"), names)  # a reader runs it again

    assert capsys.readouterr().out == ""
    assert names["emails"].get_job(1).state == "done"  # type: ignore[attr-defined]  # a name of the README's own
    with closing(sqlite3.connect("app.db")) as connection:
        assert connection.execute("select id, mailed from orders").fetchall() == [(42, 1)]


def test_every_call_in_the_table_exists() -> None:
    import anser

    table = [line for line in README.read_text("utf-8").splitlines() if line.startswith("| ")]
    calls = re.findall(r"(\w+)\(", "\n".join(table))

    assert len(calls) > 15
    homes = (anser.Queue, anser.ClaimedJob, anser.Database, anser.NamedLock, anser)
    missing = [call for call in calls if not any(hasattr(home, call) for home in homes)]
    assert missing == []
