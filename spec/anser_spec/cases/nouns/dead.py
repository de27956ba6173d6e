"""Dead jobs, by id. What a `given` does not say is sound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anser.types import Dead, Reason
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.nouns.jobs import SOUND
from anser_spec.cases.values import T

__all__ = ["NOUNS"]


def _dead(*, reason: str = Reason.FAILED, **given: Any) -> Dead:
    return Dead(reason=Reason(reason), **SOUND | {"last_error": reason, "died_at": T} | given)


NOUNS: tuple[Noun, ...] = (
    Rows(
        name="dead",
        called="dead job",
        part="dead",
        row=Dead,
        key="id",
        read_key=int,
        make=_dead,
        bare=lambda job: replace(job, reason=None),
        numbered={"last_id": lambda job: int(job.id)},
    ),
)
