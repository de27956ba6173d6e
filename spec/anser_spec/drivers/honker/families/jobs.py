"""Live jobs: they are added, looked at and taken back."""

from __future__ import annotations

import json
from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Call, Family, function, queue_method, yes_or_no
from anser_spec.drivers.honker.rows import Row, Table, moved

LIVE = Table(
    name="live",
    columns=(
        *("id", "queue", "payload", "state", "priority", "run_at", "worker_id", "claim_expires_at"),
        *("attempts", "max_attempts", "created_at", "expires_at"),
    ),
    key=("id",),
    instants=frozenset({"run_at", "claim_expires_at", "created_at", "expires_at"}),
    texts=frozenset({"payload"}),
    counter="last_id",
)


def _enqueued(db: Any, given: Arguments) -> Any:
    """By its method, which writes the JSON text itself."""
    method = queue_method("enqueue", "payload tx run_at delay_s priority expires_s max_attempts")
    return method(db, {"tx": None, **given, "payload": json.loads(given["payload"])})


def _row(raw: Any, by_s: int) -> Row | None:
    return moved(raw, LIVE.instants, by_s) if raw else None


FAMILY = Family(
    tables=(LIVE,),
    calls={
        "enqueue": Call(
            by_function=function("honker_enqueue", "queue payload run_at delay_s priority max_attempts expires_s"),
            by_method=_enqueued,
            instants=frozenset({"run_at"}),
        ),
        "cancel": Call(
            by_function=function("honker_cancel", "id"),
            by_method=queue_method("cancel", "id"),
            tell=yes_or_no,
        ),
        "get_job": Call(
            by_function=function("honker_get_job", "id", answers_json=True),
            by_method=queue_method("get_job", "id"),
            tell=_row,
        ),
    },
    kinds={"must be a whole number": "invalid"},
)
