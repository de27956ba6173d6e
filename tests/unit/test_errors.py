"""Errors: a tree with stable codes, and texts that say what was wrong, which value, and what to do."""

from __future__ import annotations

import copy
import pickle

import pytest

import anser
from anser import errors

CODES = {
    "AnserError": "internal",
    "Invalid": "invalid",
    "NotFound": "not_found",
    "LeaseLost": "lease_lost",
    "Conflict": "conflict",
    "Busy": "busy",
    "FormatError": "format",
    "StorageError": "storage",
    "ResultError": "result",
    "JobDead": "job_dead",
    "JobCancelled": "job_cancelled",
    "ResultMissing": "result_missing",
    "ResultTimeout": "result_timeout",
}


class Unspeakable:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def test_every_error_has_its_code() -> None:
    assert {name: getattr(errors, name).code for name in errors.__all__} == CODES


def test_every_error_is_an_anser_error_and_none_is_another() -> None:
    kinds = [getattr(anser, name) for name in errors.__all__ if name != "AnserError"]
    waits = [kind for kind in kinds if issubclass(kind, anser.ResultError) and kind is not anser.ResultError]

    others = set(kinds) - set(waits)
    assert all(kind.__mro__[1:] == (anser.AnserError, Exception, BaseException, object) for kind in others)
    assert all(kind.__bases__[0] is anser.ResultError for kind in waits)
    assert issubclass(anser.ResultTimeout, TimeoutError)
    assert len({kind.code for kind in kinds}) == len(kinds)


def test_a_refusal_names_the_argument_the_value_and_the_remedy() -> None:
    refusal = anser.Invalid("delay_s", 1.5, "pass a whole number from 0 to 9")

    assert str(refusal) == "delay_s = 1.5: pass a whole number from 0 to 9"
    assert (refusal.argument, refusal.value, refusal.remedy) == ("delay_s", 1.5, "pass a whole number from 0 to 9")


def test_a_long_value_is_cut_in_the_text_and_kept_in_the_error() -> None:
    refusal = anser.Invalid("queue", "x" * 1_000, "shorten it")

    assert str(refusal) == f"queue = '{'x' * 79}… (1002 characters): shorten it"
    assert refusal.value == "x" * 1_000


@pytest.mark.parametrize("value", [Unspeakable(), [Unspeakable()], 10**5_000], ids=["object", "list", "int"])
def test_a_value_that_cannot_be_shown_is_named_by_its_kind(value: object) -> None:
    assert str(anser.Invalid("payload", value, "pass JSON")) == f"payload = <{type(value).__name__}>: pass JSON"


@pytest.mark.parametrize("levels", [1_000, 100_000])
def test_a_value_nested_without_end_is_named_by_its_kind(levels: int) -> None:
    value: list[object] = []
    for _ in range(levels):
        value = [value]

    assert str(anser.Invalid("payload", value, "flatten it")).startswith("payload = ")


@pytest.mark.parametrize(
    "error",
    [
        anser.AnserError("internal"),
        anser.Invalid("delay_s", 1.5, "pass a whole number"),
        anser.NotFound("no"),
        anser.LeaseLost("no"),
        anser.Conflict("no"),
        anser.Busy("no"),
        anser.FormatError("no"),
        anser.ResultError("no"),
        anser.JobDead("no", "why"),
        anser.ResultTimeout("no"),
        anser.StorageError("no"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_can_be_sent_to_another_process(error: anser.AnserError) -> None:
    error.add_note("on its way")

    for sent in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(sent) is type(error)
        assert (str(sent), sent.code, sent.__notes__) == (str(error), error.code, ["on its way"])
        assert getattr(sent, "argument", None) == getattr(error, "argument", None)
