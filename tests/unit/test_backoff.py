"""The wait before the next attempt: values, bounds, and that it saturates at every attempt number."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anser
from anser.backoff import raw_delay_s
from anser.types import DELAY_MAX_S

LOWEST: Callable[[int, int], int] = min
HIGHEST: Callable[[int, int], int] = max


@pytest.mark.rule("RET-5")
def test_without_jitter_the_wait_grows_by_the_factor_to_the_cap() -> None:
    backoff = anser.Backoff(base=3, factor=2, cap=40, jitter="none")

    assert [backoff.delay_s(attempt) for attempt in range(1, 8)] == [3, 6, 12, 24, 40, 40, 40]


@pytest.mark.parametrize(
    ("base", "factor", "cap", "waits"),
    [
        (0, 2, 40, [0, 0, 0]),
        (5, 1, 40, [5, 5, 5]),
        (50, 2, 40, [40, 40, 40]),
        (5, 2, 0, [0, 0, 0]),
        (1, 1_000, DELAY_MAX_S, [1, 1_000, 1_000_000]),
        (DELAY_MAX_S, 1_000, DELAY_MAX_S, [DELAY_MAX_S] * 3),
        (40, 2, 40, [40, 40, 40]),
        (20, 2, 40, [20, 40, 40]),
    ],
)
@pytest.mark.rule("RET-5", "ERR-4")
def test_the_wait_at_the_edges_of_its_parts(base: int, factor: int, cap: int, waits: list[int]) -> None:
    backoff = anser.Backoff(base=base, factor=factor, cap=cap, jitter="none")

    assert [backoff.delay_s(attempt) for attempt in (1, 2, 3)] == waits


@pytest.mark.parametrize("attempt", [31, 62, 63, 64, 310, 1_100, 10**6, 2**63 - 1])
@pytest.mark.parametrize("jitter", ["none", "equal", "full"])
@pytest.mark.rule("RET-6")
def test_the_wait_saturates_at_every_attempt_number(attempt: int, jitter: Any) -> None:
    backoff = anser.Backoff(base=2, factor=2, cap=3_600, jitter=jitter)

    assert backoff.delay_s(attempt, HIGHEST) == 3_600


@pytest.mark.rule("RET-6")
def test_a_wait_that_never_grows_is_had_at_once_at_every_attempt_number() -> None:
    assert raw_delay_s(base=5, factor=1, cap=10, attempt=10**18) == 5
    assert raw_delay_s(base=0, factor=1_000, cap=10, attempt=10**18) == 0


@pytest.mark.parametrize(
    ("jitter", "bounds"), [("none", [(7, 7), (14, 14)]), ("equal", [(4, 7), (7, 14)]), ("full", [(0, 7), (0, 14)])]
)
@pytest.mark.rule("RET-7")
def test_jitter_draws_between_its_bounds(jitter: Any, bounds: list[tuple[int, int]]) -> None:
    backoff = anser.Backoff(base=7, factor=2, cap=100, jitter=jitter)

    assert [backoff.bounds_s(attempt) for attempt in (1, 2)] == bounds
    assert [backoff.delay_s(attempt, LOWEST) for attempt in (1, 2)] == [low for low, _ in bounds]
    assert [backoff.delay_s(attempt, HIGHEST) for attempt in (1, 2)] == [high for _, high in bounds]


@pytest.mark.rule("RET-7")
def test_the_draw_of_jitter_reaches_both_ends_and_lies_between() -> None:
    backoff = anser.Backoff(base=3, factor=1, cap=3, jitter="full")
    draw = random.Random(0).randint

    assert {backoff.delay_s(1, draw) for _ in range(200)} == {0, 1, 2, 3}


def test_the_draw_is_by_default_one_of_whole_numbers_within_the_bounds() -> None:
    backoff = anser.Backoff(base=3, factor=1, cap=3, jitter="equal")

    assert {backoff.delay_s(1) for _ in range(200)} == {2, 3}


@given(
    base=st.integers(0, DELAY_MAX_S),
    factor=st.integers(1, 1_000),
    cap=st.integers(0, DELAY_MAX_S),
    attempt=st.integers(1, 10**9),
    jitter=st.sampled_from(["none", "equal", "full"]),
)
@pytest.mark.rule("RET-5", "RET-6", "RET-7")
def test_the_wait_is_what_the_formula_says_within_the_cap(
    base: int, factor: int, cap: int, attempt: int, jitter: Any
) -> None:
    backoff = anser.Backoff(base=base, factor=factor, cap=cap, jitter=jitter)
    exponent = min(attempt - 1, 40)  # by then every factor but 1 has passed every cap

    shortest, longest = backoff.bounds_s(attempt)

    assert longest == min(cap, base * factor**exponent)
    assert 0 <= shortest <= longest
    assert jitter == "full" or shortest >= longest / 2


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("base", [-1, DELAY_MAX_S + 1, 1.0, True, None, "2", float("nan"), 2**63]),
        ("factor", [0, -1, 1_001, 1.5, True, None, "2"]),
        ("cap", [-1, DELAY_MAX_S + 1, 1.0, False, None, "2"]),
        ("jitter", [None, "", "Full", "some", 0, True, ["full"]]),
    ],
)
@pytest.mark.rule("ERR-5")
def test_a_wrong_part_of_a_backoff_is_refused_by_name(argument: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(anser.Invalid) as refusal:
            anser.Backoff(**{argument: value})

        assert refusal.value.argument == argument
        assert str(refusal.value).startswith(f"{argument} = {value!r}: pass ")


@pytest.mark.parametrize("attempt", [0, -1, 1.0, True, None, "1"])
@pytest.mark.rule("ERR-5")
def test_there_is_no_wait_after_an_attempt_that_never_was(attempt: Any) -> None:
    with pytest.raises(anser.Invalid, match=r"^attempt = "):
        anser.Backoff().delay_s(attempt)


def test_equal_backoffs_are_one_value() -> None:
    assert anser.Backoff() == anser.Backoff(base=10, factor=2, cap=3_600, jitter="equal")
    assert len({anser.Backoff(), anser.Backoff(base=10)}) == 1
