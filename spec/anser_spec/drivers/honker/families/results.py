"""Results by the id of their job. honker's method that looks one up answers the value, not its text."""

from __future__ import annotations

from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Call, Family, function, honker, queue_method
from anser_spec.drivers.honker.rows import Table

RESULTS = Table(
    name="results",
    columns=("job_id", "value", "created_at", "expires_at"),
    key=("job_id",),
    instants=frozenset({"created_at", "expires_at"}),
)


def _save(db: Any, given: Arguments) -> Any:
    honker.Queue(db, given["queue"]).save_result(given["id"], given["value"], ttl=given["ttl_s"])


def _nothing(raw: Any, by_s: int) -> None:  # noqa: ARG001  # function and method answer differently, and neither an end
    return None


FAMILY = Family(
    tables=(RESULTS,),
    calls={
        "result_save": Call(
            by_function=function("honker_result_save", "id text ttl_s"), by_method=_save, tell=_nothing
        ),
        "result_get": Call(by_function=function("honker_result_get", "id")),
        "result_sweep": Call(
            by_function=function("honker_result_sweep"),
            by_method=queue_method("sweep_results"),
        ),
    },
)
