"""The places of jobs that run one after another, by the job's id."""

from __future__ import annotations

from typing import Any

from anser.types import Ordered
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T

__all__ = ["NOUNS"]


def _place(**given: Any) -> Ordered:
    return Ordered(**{"run_at": T} | given)


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="ordered",
        called="place",
        part="ordered",
        row=Ordered,
        key="job_id",
        read_key=int,
        make=_place,
        bare=lambda place: place,
    ),
)
