"""Faults planted on purpose, and which instrument notices each: the kill matrix of `anser-spec mutants`.

The faults are data, a file a family: each is one place in `impl/anser`, damaged. `statement` narrows `find` to one
section of a SQL file; `find` occurs once. Each is planted alone in a copy; every instrument then runs as a process of
its own with the copy in front of the import path, so what it checks is the damaged build. An instrument that fails has
noticed. One that does not finish in its time has not.

An id is the prefix of the family's rules, and a number: `LCK-P1`. So families that grow side by side take no id from
each other. `P01` to `P40` are older than that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

import anser

__all__ = ["FAULTS", "INSTRUMENTS", "Fault", "Instrument", "Sight", "damaged", "mutants", "read_faults"]

PROJECT = Path(__file__).parents[3]
TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """One damaged place: `find` in `file`, or in one statement of it, becomes `put`.

    `undoes` are the entries of the register whose fix it takes away.
    """

    id: str
    title: str
    rules: tuple[str, ...]
    file: str
    find: str
    put: str
    statement: str | None = None
    undoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Instrument:
    """A check that runs as a command and fails when it notices something."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """What one instrument made of one fault."""

    fault: str
    instrument: str
    noticed: bool
    seconds: float


def read_faults(text: str) -> tuple[Fault, ...]:
    """The faults of a TOML text. Raises KeyError or TypeError for one that lacks a field or has an unknown one."""
    faults = tomllib.loads(text)["fault"]
    return tuple(Fault(**{name: _frozen(value) for name, value in fault.items()}) for fault in faults)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _files() -> Iterator[str]:
    for path in sorted(files(__package__).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".toml"):
            yield path.read_text("utf-8")


FAULTS = tuple(fault for text in _files() for fault in read_faults(text))


def _suite(*only: str) -> tuple[str, ...]:
    return ("-m", "anser_spec.cli", "run", "--target", "sqlite", *only)


def _tests(*paths: str) -> tuple[str, ...]:
    return ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *(str(PROJECT / "tests" / path) for path in paths))


INSTRUMENTS = (
    Instrument("cases", _suite("--instruments", "cases")),
    Instrument("predicates", _tests("agreement/test_predicates.py")),
    Instrument("transitions", _suite("--instruments", "transitions", "--transitions", "60000")),
    Instrument("sequences", _suite("--instruments", "sequences", "--examples", "200")),
    Instrument("behavior", _tests("behavior")),
    Instrument("concurrency", _tests("concurrency")),
    Instrument("interop", _tests("interop")),
)


def damaged(fault: Fault, source: str) -> str:
    """The text of the file with the fault in it. Raises ValueError unless `find` occurs exactly once."""
    start, end = _section(fault, source)
    found = source[start:end].count(fault.find)
    if found != 1:
        raise ValueError(f"{fault.id}: {fault.find!r} occurs {found} times in {fault.statement or fault.file}")
    return source[:start] + source[start:end].replace(fault.find, fault.put) + source[end:]


def _section(fault: Fault, source: str) -> tuple[int, int]:
    if fault.statement is None:
        return 0, len(source)
    start = source.find(f"-- name: {fault.statement}\n")
    if start < 0:
        raise ValueError(f"{fault.id}: {fault.file} has no statement {fault.statement}")
    end = source.find("-- name: ", start + 1)
    return start, len(source) if end < 0 else end


def plant(fault: Fault | None, folder: Path) -> None:
    """Put a copy of the package with the fault, or a whole one, into the folder."""
    copy = folder / "anser"
    shutil.copytree(Path(anser.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if fault is not None:
        place = copy / fault.file
        place.write_text(damaged(fault, place.read_text("utf-8")), "utf-8")


def look(instrument: Instrument, folder: Path) -> tuple[bool, float]:
    """Whether the instrument fails on the package in the folder, and in what time."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    started = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, *instrument.command],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, time.monotonic() - started
    return done.returncode != 0, time.monotonic() - started


def sights(fault: Fault | None, instruments: Iterable[Instrument], *, first: bool) -> Iterator[Sight]:
    """What each instrument sees, in their order; with `first`, up to the first that notices."""
    with tempfile.TemporaryDirectory(prefix="anser-fault-") as folder:
        plant(fault, Path(folder))
        for instrument in instruments:
            noticed, seconds = look(instrument, Path(folder))
            yield Sight(fault.id if fault else "whole", instrument.name, noticed, seconds)
            if noticed and first:
                return


def run(
    faults: Iterable[Fault | None],
    instruments: tuple[Instrument, ...],
    *,
    first: bool,
    jobs: int,
    tell: Callable[[Fault | None, list[Sight]], None],
) -> list[Sight]:
    """All faults, `jobs` at a time; `tell` hears of each when it is through."""

    def one(fault: Fault | None) -> list[Sight]:
        seen = list(sights(fault, instruments, first=first))
        tell(fault, seen)
        return seen

    with ThreadPoolExecutor(jobs) as pool:
        return [sight for seen in pool.map(one, faults) for sight in seen]


def _row(fault: Fault | None, seen: list[Sight]) -> None:
    name, title = (fault.id, fault.title) if fault else ("whole", "nothing planted: every instrument must pass")
    noticed = [f"{sight.instrument} {sight.seconds:.1f} s" for sight in seen if sight.noticed]
    click.echo(f"{name}  {title}\n     {', '.join(noticed) if noticed else 'seen by nobody'}")


@click.command(short_help="Plant each known fault and tell who notices it.")
@click.option("--only", multiple=True, help="Plant these faults alone, by id, or by the defect whose fix they undo.")
@click.option("--instrument", "names", multiple=True, help="Use these instruments alone, by name.")
@click.option("--first", is_flag=True, help="Stop at the first instrument that notices.")
@click.option("--jobs", default=2, show_default=True, help="Faults at a time.")
@click.option("--json", "report", type=click.Path(path_type=Path), help="Write the matrix there.")
def mutants(only: tuple[str, ...], names: tuple[str, ...], first: bool, jobs: int, report: Path | None) -> None:
    """Plant each known fault in a copy of this build and tell which instrument notices it."""
    faults = [fault for fault in FAULTS if not only or {fault.id, *fault.undoes} & set(only)]
    instruments = tuple(instrument for instrument in INSTRUMENTS if not names or instrument.name in names)
    if not faults or not instruments:
        raise click.UsageError("no such fault or instrument: see spec/anser_spec/mutants/")
    started = time.monotonic()
    found = run([None, *faults], instruments, first=first, jobs=jobs, tell=_row)
    if report is not None:
        report.write_text(json.dumps([asdict(sight) for sight in found], indent=1) + "\n", "utf-8")
    alarms = [sight.instrument for sight in found if sight.fault == "whole" and sight.noticed]
    noticed = {sight.fault for sight in found if sight.noticed} - {"whole"}
    missed = [fault.id for fault in faults if fault.id not in noticed]
    click.echo(f"\n{_matrix(found, instruments)}")
    click.echo(f"\n{len(noticed)} of {len(faults)} faults noticed in {time.monotonic() - started:.0f} s")
    if alarms:
        click.echo(f"false alarm, on the whole build: {', '.join(alarms)}")
    if missed:
        click.echo(f"seen by nobody: {', '.join(missed)}")
    sys.exit(1 if missed or alarms else 0)


def _matrix(found: list[Sight], instruments: tuple[Instrument, ...]) -> str:
    """How many faults each instrument saw, and how many it alone saw."""
    planted = [sight for sight in found if sight.noticed and sight.fault != "whole"]
    seers: dict[str, list[str]] = {}
    for sight in planted:
        seers.setdefault(sight.fault, []).append(sight.instrument)
    lines = ["instrument     saw   alone"]
    for instrument in instruments:
        saw = sum(sight.instrument == instrument.name for sight in planted)
        alone = sum(names == [instrument.name] for names in seers.values())
        lines.append(f"{instrument.name:<12} {saw:>5} {alone:>7}")
    return "\n".join(lines)
