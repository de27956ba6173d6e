"""Dead jobs. honker puts them there and has no word about them."""

from __future__ import annotations

from anser_spec.drivers.honker.calls import Call, Family, function, queue_method
from anser_spec.drivers.honker.rows import Table

DEAD = Table(
    name="dead",
    columns=(
        *("id", "queue", "payload", "priority", "run_at", "attempts", "max_attempts"),
        *("last_error", "created_at", "died_at"),
    ),
    key=("id",),
    instants=frozenset({"run_at", "created_at", "died_at"}),
    texts=frozenset({"payload"}),
)

FAMILY = Family(
    tables=(DEAD,),
    calls={
        "sweep_expired": Call(
            by_function=function("honker_sweep_expired", "queue"),
            by_method=queue_method("sweep_expired"),
        ),
    },
)
