"""Anser, the published honker and bare `sqlite3` side by side in one run on one file system: `make bench`.

Each peer is a process of its own (`peers.py`) with its own copy of each file. A round visits every cell, and in each
cell every peer, in an order that turns from round to round, so what slows the machine down slows them all. A figure is
the median of all operations; a ratio is taken within each round, and the median of rounds is shown. README.md says what
is measured.

Exit status: 0 the three verdicts hold, 1 one does not, or honker could not be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
HONKER = ROOT / ".honker"

DEPTH_RATIO_MAX = 2.0  # a claim at the worst depth, to one on the shallow queue
BARE_RATIO_MAX = 1.5  # an enqueue, to bare sqlite3 doing the same insert
ROUNDS = 9
ROUND_S = 0.1  # of one peer in one cell; the first round warms up and is not counted
DUE_SHARE = 10  # one measurement adds or takes a tenth of the due jobs at most; then the file is brought back
JOBS_MAX = 1_000  # of one measurement
FIRST_ID = 1_000_000  # of a file that has been in use; Anser's history is full
HISTORY = 100_000
HIGH_PRIORITY = 10
HOUR_S = 3_600


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a file holds at the start of each measurement, beside jobs that are due."""

    name: str
    due: int
    delayed: int = 0  # of a higher priority
    in_flight: int = 0
    expired: int = 0  # due before all others
    synchronous: str = "normal"


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of the table: an operation on `n` jobs, on the file of a scenario."""

    scenario: Scenario
    work: str
    n: int
    peers: tuple[str, ...] = ("anser", "honker", "bare")

    @property
    def name(self) -> str:
        words = {"enqueue": "enqueue {}", "enqueue_joined": "enqueue {} one by one, tx=", "claim": "claim+ack {}"}
        return words[self.work].format(self.n)


SHALLOW = Scenario("1 k due", 1_000)
DEEP = Scenario("100 k due", 100_000)
CROWDED = Scenario("1 k due, 100 k delayed above, 10 k in flight", 1_000, delayed=100_000, in_flight=10_000)
IN_FLIGHT = Scenario("1 k due, 10 k in flight", 1_000, in_flight=10_000)
EXPIRED = Scenario("1 k due, 10 k expired before them", 1_000, expired=10_000)
DURABLE = Scenario("1 k due, synchronous FULL", 1_000, synchronous="full")

NEEDED = (
    *(Cell(scenario, work, n) for work in ("enqueue", "claim") for n in (1, 100) for scenario in (SHALLOW, DEEP)),
    *(Cell(CROWDED, "claim", n) for n in (1, 100)),
)
EXTRA = (
    Cell(SHALLOW, "enqueue_joined", 100),
    *(Cell(scenario, "claim", n) for scenario in (IN_FLIGHT, EXPIRED) for n in (1, 100)),
    Cell(DURABLE, "enqueue", 1, ("anser", "bare")),
)
CELLS = NEEDED + EXTRA
SCENARIOS = tuple(dict.fromkeys(cell.scenario for cell in CELLS))

FILL = """
with recursive place (i) as (select 1 union all select i + 1 from place where i < :count)
insert into _honker_live (
    queue, payload, state, priority, run_at, worker_id, claim_expires_at, attempts, created_at, expires_at
)
select 'bench', '{"to":"alice@example.com","order":42}', :state, :priority, :run_at, :worker, :claim_expires_at,
    :attempts, :now, :expires_at
from place
"""
HISTORY_FILL = """
with recursive place (i) as (select 1 union all select i + 1 from place where i < :count)
insert into _anser_finished (id, queue, state, attempts, ended_at)
select :last - :count + i, 'bench', 'done', 1, :now from place
"""
COUNT = "select count(*) from _honker_live where queue = 'bench' and state = 'pending' and priority = 0 and run_at > ?"
TOP_UP = """
with recursive place (i) as (select 1 union all select i + 1 from place where i < ?)
insert into _honker_live (queue, payload, run_at, created_at)
select 'bench', '{"to":"alice@example.com","order":42}', ?, ? from place
"""
TRIM = """
delete from _honker_live
where id in (
    select id from _honker_live
    where queue = 'bench' and state = 'pending' and priority = 0 and run_at > ?
    order by run_at desc, id desc
    limit ?
)
"""


class Process:
    """A peer's process, asked one thing at a time."""

    def __init__(self, kind: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        if kind == "honker":
            environment["PYTHONPATH"] = str(HONKER)
        self._process = subprocess.Popen(
            [sys.executable, str(FOLDER / "peers.py"), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, do: str, file: Path, **arguments: Any) -> Any:
        """What the peer answers; RuntimeError when it died instead, having said why on stderr."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, "file": str(file), **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a peer died while it was to {do} {file.name}")
        return json.loads(line)

    def end(self) -> None:
        """The peer ends at the end of its input."""
        self._process.communicate()


# --- files


def fill(path: Path, scenario: Scenario, now: int) -> None:
    """The rows that stay, in a closed file that already has its tables."""
    row = {"state": "pending", "priority": 0, "run_at": now, "worker": None, "claim_expires_at": None}
    row |= {"attempts": 0, "now": now, "expires_at": None}
    leased = {"state": "processing", "worker": "another", "claim_expires_at": now + HOUR_S, "attempts": 1}
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("insert into sqlite_sequence (name, seq) values ('_honker_live', ?)", (FIRST_ID,))
        for count, changed in (
            (scenario.expired, {"run_at": now - HOUR_S, "expires_at": now - 1}),
            (scenario.in_flight, {"run_at": now - HOUR_S, **leased}),
            (scenario.delayed, {"run_at": now + HOUR_S, "priority": HIGH_PRIORITY}),
            (scenario.due, {}),
        ):
            if count:
                connection.execute(FILL, {**row, **changed, "count": count})
        if connection.execute("select count(*) from sqlite_master where name = '_anser_finished'").fetchone()[0]:
            connection.execute(HISTORY_FILL, {"count": HISTORY, "last": FIRST_ID, "now": now})
    connection.close()


def level(process: Process, path: Path, due: int, since: int) -> None:
    """Bring the jobs that are due back to their number."""
    ((count,),) = process.ask("execute", path, sql=COUNT, parameters=[since])
    if count < due:
        now = int(time.time())
        process.ask("execute", path, sql=TOP_UP, parameters=[due - count, now, now])
    elif count > due:
        process.ask("execute", path, sql=TRIM, parameters=[since, count - due])


# --- rounds


@dataclass(frozen=True, slots=True)
class Sample:
    """One peer's part of a round in one cell: each operation's seconds, by part (a claim and its ack are two)."""

    operations: list[list[float]]

    @property
    def parts(self) -> list[float]:
        """The median of each part."""
        return [median(part) for part in zip(*self.operations, strict=True)]

    @property
    def seconds(self) -> float:
        """Of an operation: the sum of its parts' medians, which a pause in one of them does not move."""
        return sum(self.parts)


Samples = dict[tuple[Cell, str], list[Sample]]


class Bench:
    """The peers with their files, and the rounds that have been run."""

    def __init__(self, folder: Path, kinds: Sequence[str]) -> None:
        self.folder = folder
        self.processes = {kind: Process(kind) for kind in kinds}
        self.samples: Samples = defaultdict(list)
        self.began = int(time.time())
        self.first_claim_s: dict[str, float] = {}

    def prepare(self) -> None:
        """Let each peer make its files, fill them, and let it open them again."""
        for scenario in SCENARIOS:
            for kind, process in self.peers(scenario):
                path = self.path(scenario, kind)
                process.ask("open", path, synchronous=scenario.synchronous)
                process.ask("close", path)
                fill(path, scenario, self.began)
                process.ask("open", path, synchronous=scenario.synchronous)

    def peers(self, scenario: Scenario) -> Iterator[tuple[str, Process]]:
        """Who has a file of this scenario."""
        kinds = {kind for cell in CELLS if cell.scenario == scenario for kind in cell.peers}
        return ((kind, process) for kind, process in self.processes.items() if kind in kinds)

    def path(self, scenario: Scenario, kind: str) -> Path:
        return self.folder / f"{SCENARIOS.index(scenario)}-{kind}.db"

    def round(self, number: int) -> None:
        """Every cell, every peer; round 0 warms up."""
        for cell in CELLS:
            kinds = [kind for kind in cell.peers if kind in self.processes]
            turn = number % len(kinds)
            for kind in kinds[turn:] + kinds[:turn]:
                sample = self.sample(cell, kind, first=number == 0)
                if number:
                    self.samples[cell, kind].append(sample)

    def sample(self, cell: Cell, kind: str, *, first: bool) -> Sample:
        path, process = self.path(cell.scenario, kind), self.processes[kind]
        if first and cell == Cell(EXPIRED, "claim", 1):
            ((claim_s, _),) = process.ask("measure", path, work="claim", n=1, operations_max=1, seconds_max=ROUND_S)
            self.first_claim_s[kind] = claim_s
        jobs = min(cell.scenario.due // DUE_SHARE, JOBS_MAX)
        operations: list[list[float]] = []
        spent = 0.0
        while spent < ROUND_S:
            level(process, path, cell.scenario.due, self.began - 1)
            most = max(1, jobs // cell.n)
            more = process.ask(
                "measure", path, work=cell.work, n=cell.n, operations_max=most, seconds_max=ROUND_S - spent
            )
            operations += more
            spent += sum(map(sum, more))
        return Sample(operations)

    def end(self) -> None:
        for process in self.processes.values():
            process.end()


# --- the report


@dataclass(frozen=True, slots=True)
class Verdict:
    """One line of what was asked for."""

    text: str
    holds: bool


class Report:
    """Figures and ratios from the samples."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples

    def seconds(self, cell: Cell, kind: str) -> float | None:
        """An operation's seconds: the median of all rounds."""
        operations = self.operations(cell, kind)
        return Sample(operations).seconds if operations else None

    def jobs_per_s(self, cell: Cell, kind: str) -> float | None:
        """All jobs over all seconds, those of the checkpoints too."""
        operations = self.operations(cell, kind)
        return cell.n * len(operations) / sum(map(sum, operations)) if operations else None

    def operations(self, cell: Cell, kind: str) -> list[list[float]]:
        return [operation for sample in self.samples.get((cell, kind), ()) for operation in sample.operations]

    def ratio(self, cell: Cell, over: str, under: str) -> float | None:
        """How many times what `under` takes `over` takes: the median over rounds."""
        pairs = list(zip(self.samples.get((cell, over), ()), self.samples.get((cell, under), ()), strict=False))
        return median(one.seconds / other.seconds for one, other in pairs) if pairs else None

    def claim_ratio(self, cell: Cell) -> float:
        """Anser's claim alone, without the ack, to the one on the shallow queue."""
        shallow = self.samples[Cell(SHALLOW, "claim", cell.n), "anser"]
        pairs = zip(self.samples[cell, "anser"], shallow, strict=True)
        return median(one.parts[0] / other.parts[0] for one, other in pairs)

    def lines(self) -> Iterator[str]:
        """The table."""
        yield (f"{'':72} {'Anser':>16} {'honker 0.5':>16} {'bare sqlite3':>16} {'Anser÷bare':>11} {'honker÷Anser':>13}")
        for place, cell in enumerate(CELLS):
            if place == len(NEEDED):
                yield "beside what is asked for:"
            kinds = ("anser", "honker", "bare")
            figures = [_figure(self.seconds(cell, kind), self.jobs_per_s(cell, kind)) for kind in kinds]
            ratios = [_ratio(self.ratio(cell, "anser", "bare")), _ratio(self.ratio(cell, "honker", "anser"))]
            yield f"{cell.name:25} {cell.scenario.name:46} {' '.join(figures)} {ratios[0]:>11} {ratios[1]:>13}"

    def verdicts(self) -> Iterator[Verdict]:
        """What has to hold."""
        deep = {cell: self.claim_ratio(cell) for cell in NEEDED if cell.work == "claim" and cell.scenario != SHALLOW}
        worst = max(deep, key=lambda cell: deep[cell])
        yield Verdict(
            f"claim at the worst depth ÷ shallow: {deep[worst]:.2f}, at most {DEPTH_RATIO_MAX} "
            f"(claim {worst.n}; {worst.scenario.name})",
            deep[worst] <= DEPTH_RATIO_MAX,
        )
        ones = [self.ratio(cell, "anser", "bare") or 0.0 for cell in NEEDED if (cell.work, cell.n) == ("enqueue", 1)]
        yield Verdict(
            f"enqueue one a commit ÷ bare sqlite3: {', '.join(map(_ratio, ones))}, at most {BARE_RATIO_MAX}",
            max(ones) <= BARE_RATIO_MAX,
        )
        ahead = [self.ratio(cell, "honker", "anser") for cell in CELLS if "honker" in cell.peers]
        yield Verdict(
            f"every figure ahead of honker's: honker ÷ Anser {', '.join(map(_ratio, ahead))}",
            all(ratio is not None and ratio > 1 for ratio in ahead),
        )


def _figure(seconds: float | None, jobs_per_s: float | None) -> str:
    """Microseconds an operation, and jobs a second."""
    return f"{seconds * 1e6:8.0f} {jobs_per_s:7.0f}" if seconds and jobs_per_s else f"{'—':>16}"


def _ratio(ratio: float | None) -> str:
    return "—" if ratio is None else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def file_system(folder: Path) -> str:
    """Its type and device, where the system tells."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text("utf-8").splitlines()]
    except OSError:
        return "unknown"
    holding = [mount for mount in mounts if folder.is_relative_to(mount[1])]
    device, _, kind, *_ = max(holding, key=lambda mount: len(mount[1]))
    return f"{kind} on {device}"


def heading(folder: Path, rounds: int) -> str:
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {file_system(folder)}\n"
        f"synchronous NORMAL for all (honker fixes it); {rounds} rounds of {ROUND_S} s a figure; "
        "µs: the median of the operations; jobs/s: all jobs over all seconds, checkpoints too; ratios: of the µs"
    )


def as_json(report: Report, verdicts: Sequence[Verdict], folder: Path, rounds: int) -> dict[str, Any]:
    """The figures, and those of each round."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "file_system": file_system(folder),
        "rounds": rounds,
        "cells": [
            {
                "operation": cell.name,
                "jobs": cell.n,
                "scenario": asdict(cell.scenario),
                "needed": cell in NEEDED,
                "anser_to_bare": report.ratio(cell, "anser", "bare"),
                "honker_to_anser": report.ratio(cell, "honker", "anser"),
                "peers": {
                    kind: {
                        "us": seconds * 1e6,
                        "jobs_per_s": report.jobs_per_s(cell, kind),
                        "rounds_us": [[part * 1e6 for part in one.parts] for one in report.samples[cell, kind]],
                    }
                    for kind in cell.peers
                    if (seconds := report.seconds(cell, kind))
                },
            }
            for cell in CELLS
        ],
        "verdicts": [asdict(verdict) for verdict in verdicts],
    }


def side_by_side(folder: Path, rounds: int, json_path: Path | None) -> bool:
    """Run the peers, print the table and the verdicts; whether all of them hold."""
    kinds = ["anser", "honker", "bare"]
    why_not = HONKER / "why-not"
    if why_not.exists() or not HONKER.exists():
        print(f"honker is not measured: {why_not.read_text('utf-8') if why_not.exists() else 'run make honker'}")
        kinds.remove("honker")
    print(heading(folder, rounds), flush=True)
    bench = Bench(folder, kinds)
    try:
        bench.prepare()
        for number in range(rounds + 1):
            print(f"\rround {number} of {rounds} …", end="" if number < rounds else "\r\n", file=sys.stderr, flush=True)
            bench.round(number)
    finally:
        bench.end()
    report = Report(bench.samples)
    verdicts = list(report.verdicts())
    print(*report.lines(), sep="\n")
    first = ", ".join(f"{kind} {seconds * 1e3:.0f} ms" for kind, seconds in bench.first_claim_s.items())
    print(f"the first claim there, which meets the 10 k expired, is in no figure: {first}\n")
    for verdict in verdicts:
        print(f"{'holds' if verdict.holds else 'FAILS'}  {verdict.text}")
    if json_path:
        json_path.write_text(json.dumps(as_json(report, verdicts, folder, rounds), indent=1) + "\n", "utf-8")
    return all(verdict.holds for verdict in verdicts)


def micro() -> bool:
    """What one process can measure alone, by pytest-benchmark."""
    options = ["--benchmark-only", "--benchmark-max-time=0.2", "--benchmark-columns=median,iqr,rounds"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", *options, str(FOLDER)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, help="where the files go (default: a temporary folder beside the project)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="that are counted (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures of each round there")
    parser.add_argument("--peers-only", action="store_true", help="leave out what one process measures alone")
    arguments = parser.parse_args()
    home = arguments.dir or ROOT / "out"
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=home) as folder:
        holds = side_by_side(Path(folder).resolve(), arguments.rounds, arguments.json)
    return 0 if (arguments.peers_only or micro()) and holds else 1


if __name__ == "__main__":
    sys.exit(main())
