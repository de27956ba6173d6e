"""honker beside us: how its wheel is laid, and how its process is spoken to and ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anser.ops import Claim, Enqueue, GetJob, Heartbeat, NextClaimAt
from anser_models import Refused
from anser_spec.seeds import processing, world
from anser_spec.targets.honker import missing
from anser_spec.targets.honker.lay import CANNOT_EXIT, main
from anser_spec.targets.honker.process import DRIVER, ROOT, HonkerProcess, Stopped
from anser_spec.targets.honker.target import HonkerTarget
from tests.conformance_honker.worlds import NOW

DRIVERS = "anser_spec.drivers"
MORE_THAN_A_SECOND_S = 1.2
BEAT = Heartbeat(queue="a", id=1, worker="w1", fence=1, lease_s=5)


def test_a_machine_that_has_no_wheel_is_told_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    status = main([str(tmp_path / "none")])

    assert status == CANNOT_EXIT
    assert "pip found no wheel of honker 0.5.0" in capsys.readouterr().err
    assert "pip found no wheel" in str(missing(tmp_path / "none"))


def test_to_lay_again_does_nothing(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(file.stat().st_mtime_ns for file in directory.rglob("honker/*.py"))

    assert main([str(directory)]) == 0

    assert "already" in capsys.readouterr().out
    assert sorted(file.stat().st_mtime_ns for file in directory.rglob("honker/*.py")) == before


def test_a_folder_without_honker_says_how_to_lay_it(tmp_path: Path) -> None:
    assert "make honker" in str(missing(tmp_path))


@pytest.mark.parametrize("move_rows", [False, True], ids=["the clock stands", "the rows are moved"])
def test_a_boundary_second_is_exact_whenever_the_machines_second_ends(directory: Path, move_rows: bool) -> None:
    """The last second of a lease and the one after it, over and over, while seconds of the machine end."""
    honker = HonkerTarget(directory, move_rows=move_rows)
    held = world(processing(1, ends_at=NOW))
    answers = set()
    ends = time.monotonic() + MORE_THAN_A_SECOND_S

    while time.monotonic() < ends:
        ((at_the_end, _),) = honker.steps(held, NOW, [BEAT])
        ((after_it, _),) = honker.steps(held, NOW + 1, [BEAT])
        honker.load(held, NOW)
        answers.add((at_the_end, after_it, honker.apply(NextClaimAt(queues=("a",)), NOW)))
    honker.close()

    assert answers == {(NOW + 5, Refused("lease_lost"), NOW + 1)}


def test_the_clock_runs_again_when_no_instant_is_said(directory: Path, tmp_path: Path) -> None:
    process = HonkerProcess(directory, tmp_path / "app.db")
    enqueue = Enqueue(queue="a", payload=1)

    process.do(enqueue, NOW)
    [stood] = process.ask("snapshot")["live"]
    before = int(time.time())
    ran = process.do(GetJob(queue="a", id=process.do(enqueue)))
    process.close()

    assert stood["created_at"] == NOW
    assert before <= ran["created_at"] <= int(time.time())


def test_schedules_are_asked_of_a_honker_whose_clock_is_set(directory: Path) -> None:
    with_clock, with_moved_rows = HonkerTarget(directory), HonkerTarget(directory, move_rows=True)
    with_clock.close()
    with_moved_rows.close()

    without = with_clock.features - with_moved_rows.features
    assert without == {name for name in with_clock.features if name.startswith("schedule_")} != set()


def test_what_was_tried_leaves_no_trace_and_what_was_done_stays(honker: HonkerTarget) -> None:
    enqueue = Enqueue(queue="a", payload=1)
    honker.load(world(), NOW)

    honker.steps(honker.read(), NOW, [enqueue, enqueue])
    done = honker.apply(enqueue, NOW)

    assert done.id == 1
    assert sorted(honker.read().jobs) == [1]


def test_without_an_instant_the_file_is_taken_as_it_is(directory: Path, tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    first, second = HonkerProcess(directory, path), HonkerProcess(directory, path, by="method")

    id = first.do(Enqueue(queue="a", payload=1))
    claimed = second.do(Claim(queues=("a",), worker="w1", n=1, lease_s=60))
    seen = first.do(GetJob(queue="a", id=id))
    first.close()
    second.close()

    assert [job["id"] for job in claimed] == [id]
    assert seen["worker_id"] == "w1"


def test_a_method_that_the_driver_lacks_is_refused(directory: Path, tmp_path: Path) -> None:
    process = HonkerProcess(directory, tmp_path / "app.db")

    with pytest.raises(Stopped, match="refused guess"):
        process.ask("guess")

    process.close()


def test_the_driver_imports_nothing_of_ours(directory: Path) -> None:
    """It would bring a second SQLite into the process that has honker's."""
    look = f"import sys, {DRIVER}.__main__; print(*sys.modules)"
    path = os.pathsep.join((str(directory.resolve()), str(ROOT)))

    shown = subprocess.run(
        [sys.executable, "-P", "-c", look], env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=True
    )

    imported = set(shown.stdout.decode().split())
    assert "honker" in imported
    assert {name for name in imported if name.partition(".")[0] in ("anser", "anser_models", "sqlite3")} == set()
    assert {name for name in imported if name.startswith("anser_spec.") and not name.startswith(DRIVERS)} == set()


def test_a_process_that_cannot_start_is_told(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match="has ended with status 1"):
        HonkerProcess(tmp_path, tmp_path / "app.db")


def test_a_process_can_be_closed_twice(directory: Path, tmp_path: Path) -> None:
    process = HonkerProcess(directory, tmp_path / "app.db")

    process.close()
    process.close()

    with pytest.raises(Stopped):
        process.ask("hello")
