"""What holds of the checks of arguments that all operations share."""

from __future__ import annotations

from anser.ops.checks import whole
from anser_spec.contracts.words import accepts


def whole_accepts_what_lies_within(value: int, low: int, high: int) -> None:
    """A whole number within the range is accepted (ERR-5)."""
    assert low <= value <= high
    assert accepts(lambda: whole("n", value, low, high))


def whole_refuses_what_lies_beside(value: int) -> None:
    """A whole number on either side is refused (ERR-5)."""
    assert -5 <= value <= 15
    assert accepts(lambda: whole("n", value, 0, 10)) == (0 <= value <= 10)


def whole_refuses_what_lies_without(value: int, low: int, high: int) -> None:
    """So is every other; its message makes the value concrete, so this one cannot be proven (ERR-5)."""
    assert not low <= value <= high
    assert not accepts(lambda: whole("n", value, low, high))


def whole_refuses_booleans(value: bool) -> None:
    """A boolean is no number, though Python says so (ERR-5)."""
    assert True  # of whatever arguments: to CrossHair a first assert is what is asked of them
    assert not accepts(lambda: whole("n", value, 0, 10))
