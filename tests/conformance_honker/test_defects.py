"""The register on the published honker, by a run: steps, cases, and the probes for what neither shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from anser_spec.probes.ask import ask
from anser_spec.probes.on_anser import PROBES
from anser_spec.sightings import Sighted, diagnose
from anser_spec.targets.honker.process import ROOT
from anser_spec.targets.honker.target import HonkerTarget
from anser_spec.targets.sqlite import SqliteTarget


def test_honker_has_every_defect_of_the_register_that_was_seen_in_it(directory: Path) -> None:
    found = diagnose(lambda: HonkerTarget(directory))

    expected = {one.entry.id for one in found if "honker 0.5.0" in one.entry.seen_in}
    assert {one.entry.id for one in found if one.sighted is Sighted.PRESENT} == expected


@pytest.mark.parametrize("entry", sorted(PROBES))
def test_a_probe_tells_the_two_builds_apart(entry: str, directory: Path) -> None:
    honkers = ask("anser_spec.probes.on_honker", entry, path=(directory.resolve(), ROOT))
    ours = SqliteTarget().probe(entry)

    assert honkers is not None
    assert honkers[0]
    assert ours is not None
    assert not ours[0]


def test_an_entry_without_a_probe_is_told() -> None:
    assert SqliteTarget().probe("D02") is None


def test_a_probe_that_breaks_off_is_no_verdict() -> None:
    with pytest.raises(RuntimeError, match="broke off"):
        ask("anser_spec.probes.nowhere", "D02")
