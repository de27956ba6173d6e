"""The planted faults fit the code as it is, and an instrument that looks at a damaged build sees the damage."""

from __future__ import annotations

from pathlib import Path

import pytest

import anser
from anser_spec.mutants import FAULTS, INSTRUMENTS, Fault, damaged, sights
from anser_spec.register import read_register
from anser_spec.rulebook import read_rules

CASES = next(instrument for instrument in INSTRUMENTS if instrument.name == "cases")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_planted_fault_is_one_place_of_the_code_and_breaks_rules_that_exist(fault: Fault) -> None:
    source = (Path(anser.__file__).parent / fault.file).read_text("utf-8")

    planted = damaged(fault, source)

    assert planted != source
    assert set(fault.rules) <= set(read_rules())


def test_the_faults_have_different_ids() -> None:
    assert len({fault.id for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_has_its_id_from_a_family_whose_rule_it_breaks(fault: Fault) -> None:
    family, _, number = fault.id.rpartition("P")

    assert family in {"", *(f"{rule.partition('-')[0]}-" for rule in fault.rules)}
    assert number.isdecimal()
    assert family or int(number) <= 40


def test_each_fix_of_the_catalogued_defects_is_undone_by_a_fault() -> None:
    undone = {entry for fault in FAULTS for entry in fault.undoes}
    register = read_register()

    assert undone <= set(register)
    assert [id for id in register if id.startswith("D") and id not in undone] == []


def test_a_fault_that_fits_nowhere_is_told() -> None:
    stale = Fault("P00", "a fault of code that is gone", (), "ops.py", "no such line", "another")

    with pytest.raises(ValueError, match="occurs 0 times"):
        damaged(stale, "what the file says")


@pytest.mark.parametrize("id", ["P01", "P09"])
def test_the_cases_see_a_planted_fault(id: str) -> None:
    fault = next(fault for fault in FAULTS if fault.id == id)

    (sight,) = sights(fault, [CASES], first=False)

    assert sight.noticed


def test_the_cases_see_nothing_in_a_whole_build() -> None:
    (sight,) = sights(None, [CASES], first=False)

    assert not sight.noticed
