"""Results, by the id of their job: the rows, also of results that are over."""

from __future__ import annotations

from typing import Any

from anser.types import StoredResult
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS"]


def _result(**given: Any) -> StoredResult:
    return StoredResult(**{"created_at": T} | given)


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="result",
        called="result",
        part="results",
        row=StoredResult,
        key="job_id",
        read_key=int,
        make=_result,
        bare=lambda result: result,
        numbered={"last_id": lambda result: int(result.job_id)},
    ),
)
