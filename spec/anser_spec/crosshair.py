"""Runs CrossHair over the contracts, and holds its verdicts against those that `contracts/*.toml` expect.

    python -m anser_spec.crosshair              every contract; exit status 1 if one has become worse
    python -m anser_spec.crosshair NAME …       only these
    python -m anser_spec.crosshair --update     keep what has become better, or is new

A verdict is `confirmed` (it holds on every path), `not confirmed` (no counterexample in the time allowed) or
`counterexample`. A contract whose leading asserts nothing meets is `unmet`; of one with `no verdict` CrossHair failed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from anser_spec.contracts import CONTRACTS, FAMILIES
from anser_spec.trace import rules_in, seen

__all__ = ["CONTRACTS", "EXPECTED", "QUICK", "Finding", "Said", "Verdict", "ask", "expected", "judge", "main", "prove"]

EXPECTED = Path(__file__).with_name("contracts")  # beside each family the verdicts that are expected of it
CPU_MAX_S = 20  # for the search of one contract
WALL_MAX_S = 60  # for a process of CrossHair, which may have less than a processor to itself
PROCESSES = 2

_MESSAGE = re.compile(r"^.*?:(?P<line>\d+): (?P<kind>\w+): (?P<text>.*)$", re.MULTILINE)
_HEAD = """\
# The verdict that CrossHair is expected to give of each contract here. `python -m anser_spec.crosshair --update` keeps
# what has become better, or is new. What has become worse is written by hand, with its reason.

"""


class Verdict(IntEnum):
    """From the best to the worst. Only the first two are ever expected."""

    CONFIRMED = 0
    NOT_CONFIRMED = 1
    UNMET = 2
    NO_VERDICT = 3
    COUNTEREXAMPLE = 4

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


_VERDICTS = {
    "Confirmed over all paths.": Verdict.CONFIRMED,
    "Not confirmed.": Verdict.NOT_CONFIRMED,
    "Unable to meet precondition.": Verdict.UNMET,
}
_EXPECTABLE = {str(verdict): verdict for verdict in (Verdict.CONFIRMED, Verdict.NOT_CONFIRMED)}

QUICK = tuple(name for name in CONTRACTS if name.endswith(("_twin", "_twins")))  # those that the gate proves


@dataclass(frozen=True, slots=True)
class Said:
    """What CrossHair says of one function: the line that it names, and its words, a counterexample among them."""

    line: int
    verdict: Verdict
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The worst that CrossHair said of one contract."""

    name: str
    verdict: Verdict
    text: str
    seconds: float


# --- CrossHair


def ask(target: str, wall_max_s: float = WALL_MAX_S) -> list[Said]:
    """What CrossHair says of the functions of a target, which its command line takes: `module.function`, or a path."""
    command = [sys.executable, "-P", "-m", "crosshair", "check", target]  # -P: this module has the name of the package
    options = ["--analysis_kind=asserts", "--report_all", f"--per_condition_timeout={CPU_MAX_S}"]
    try:
        done = subprocess.run(command + options, capture_output=True, text=True, timeout=wall_max_s, check=False)
    except subprocess.TimeoutExpired:
        return [Said(0, Verdict.NOT_CONFIRMED, f"nothing in {wall_max_s} s")]
    said = [_said(message) for message in _MESSAGE.finditer(done.stdout)]
    return said or [Said(0, Verdict.NO_VERDICT, (done.stderr or done.stdout).strip() or "nothing")]


def _said(message: re.Match[str]) -> Said:
    other = Verdict.COUNTEREXAMPLE if message["kind"] == "error" else Verdict.NO_VERDICT
    return Said(int(message["line"]), _VERDICTS.get(message["text"], other), message["text"])


def prove(names: Iterable[str]) -> Iterator[Finding]:
    """The finding of each contract, in the order given; `PROCESSES` at a time."""
    if find_spec("crosshair") is None:
        raise RuntimeError("CrossHair is not there: pip install crosshair-tool")
    with ThreadPoolExecutor(PROCESSES) as pool:
        yield from pool.map(_prove_one, names)


def _prove_one(name: str) -> Finding:
    began = time.perf_counter()
    worst = max(ask(f"{CONTRACTS[name].__module__}.{name}"), key=lambda said: said.verdict)
    return Finding(name, worst.verdict, worst.text, time.perf_counter() - began)


# --- the judgement


def expected(folder: Path = EXPECTED) -> dict[str, Verdict]:
    """The expected verdict of each contract. Raises KeyError for one that nobody may expect."""
    texts = [path.read_text(encoding="utf-8") for family in FAMILIES if (path := _path(folder, family)).exists()]
    return {name: _EXPECTABLE[said] for text in texts for name, said in tomllib.loads(text).items()}


def _path(folder: Path, family: ModuleType) -> Path:
    return folder / f"{family.__name__.rpartition('.')[2]}.toml"


def judge(finding: Finding, told: Mapping[str, Verdict]) -> str | None:
    """What is wrong with a finding, or None. The rules of a contract that is confirmed, as expected, count as seen."""
    limit = told.get(finding.name, Verdict.NOT_CONFIRMED)
    if finding.verdict > limit:
        return f"{finding.verdict}, expected {limit}: {finding.text}"
    if finding.name not in told:
        return "nothing is expected of it yet: run with --update"
    if finding.verdict is Verdict.CONFIRMED:
        for rule in rules_in(CONTRACTS[finding.name].__doc__ or ""):
            seen(rule, "predicates")
    return None


def updated(findings: Iterable[Finding], told: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """The expectation with what has become better or is new, without what is no contract any more."""
    found = {finding.name: finding.verdict for finding in findings if finding.verdict in _EXPECTABLE.values()}
    best = {name: min(found.get(name, verdict), verdict) for name, verdict in told.items()}
    return {name: (found | best)[name] for name in CONTRACTS if name in found | best}


def write(told: Mapping[str, Verdict], folder: Path = EXPECTED) -> None:
    """Keep an expectation, a file a family."""
    for family in FAMILIES:
        own = [name for name in told if CONTRACTS[name].__module__ == family.__name__]
        lines = "".join(f'{name} = "{told[name]}"\n' for name in own)
        _path(folder, family).write_text(_HEAD + lines, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m anser_spec.crosshair", description="Prove the contracts.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a contract; all of them if none is named")
    parser.add_argument("--update", action="store_true", help="keep what has become better, or is new")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.names) - CONTRACTS.keys())
    if unknown:
        parser.error(f"no contract is named {', '.join(unknown)}")
    told = expected()
    findings, began = [], time.perf_counter()
    for finding in prove(given.names or CONTRACTS):
        findings.append(finding)
        print(f"{finding.name:40} {finding.verdict!s:16} {finding.seconds:6.1f} s", flush=True)
    if given.update:
        write(updated(findings, told))
        told = expected()
    return _report(findings, told, time.perf_counter() - began)


def _report(findings: list[Finding], told: Mapping[str, Verdict], seconds: float) -> int:
    problems = {finding.name: problem for finding in findings if (problem := judge(finding, told)) is not None}
    problems |= {name: "expected, and no contract: run with --update" for name in told if name not in CONTRACTS}
    better = [finding.name for finding in findings if finding.name in told and finding.verdict < told[finding.name]]
    for name, problem in problems.items():
        print(f"{name}: {problem}")
    if better:
        print(f"better than expected, keep it with --update: {', '.join(better)}")
    confirmed = sum(finding.verdict is Verdict.CONFIRMED for finding in findings)
    print(f"{confirmed} of {len(findings)} contracts confirmed, {len(problems)} problems, {seconds:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
