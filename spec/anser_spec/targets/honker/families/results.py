"""Results by the id of their job. honker's name no queue, and it tells a value or nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from operator import attrgetter
from typing import Any

from anser.ops import Ack, ResultGet, ResultSave, ResultSweep
from anser.types import Result, ResultState, StoredResult
from anser_models import World
from anser_spec.targets.honker.families.base import Asking, Family, Row, Said, Table

__all__ = ["FAMILY"]

SWEEP_LIMIT = ResultSweep().limit


def _row(result: StoredResult) -> Row:
    return {
        "job_id": result.job_id,
        "value": result.value,
        "created_at": result.created_at,
        "expires_at": result.expires_at,
    }


def _result(row: Row, before: World) -> StoredResult:  # noqa: ARG001  # nothing of it is told but by the row
    return StoredResult(row["job_id"], None, row["value"], row["created_at"], row["expires_at"])


def _held(result: StoredResult) -> StoredResult:
    return replace(result, queue=None)


def _text(op: ResultSave) -> dict[str, Any]:
    """The text as Anser would write it, so that the rows can be compared; NaN too, which honker takes."""
    return {"text": json.dumps(op.value, ensure_ascii=False, separators=(",", ":"))}


def _saved(said: Said) -> int | None:
    stored = said.after.results.get(said.op.id)
    return None if stored is None else stored.expires_at


def _got(said: Said) -> Result:
    if said.answer is None:
        return Result(ResultState.WAITING)
    return Result(ResultState.SAVED, value=said.answer)


def _without_limit(op: ResultSweep) -> bool:
    return op.limit == SWEEP_LIMIT


def _limitless(op: ResultSweep) -> dict[str, Any]:  # noqa: ARG001  # whatever it was
    return {"limit": SWEEP_LIMIT}


def _without_result(op: Ack) -> bool:
    return op.result_ttl_s is None


def _resultless(op: Ack) -> dict[str, Any]:  # noqa: ARG001  # whatever it was
    return {"result": None, "result_ttl_s": None}


FAMILY = Family(
    parts=(
        Table(field="results", name="results", key=attrgetter("job_id"), held_value=_held, row=_row, from_row=_result),
    ),
    asking={
        Ack: Asking(can=_without_result, plain=_resultless),
        ResultSave: Asking(arguments=_text, told=_saved),
        ResultGet: Asking(told=_got),
        ResultSweep: Asking(can=_without_limit, plain=_limitless),
    },
)
