"""How long a file keeps what, and the upkeep that holds it to that: nothing is kept for ever unless it was asked for.

A family that leaves rows behind adds a field to `Retention` and a line to `CHORES`. A table that needs none, for it has
as many rows as there are things of a kind, is named in `BOUNDED` with what bounds it (RTN-6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from anser.errors import Invalid
from anser.home import Home
from anser.ops import (
    DeadPrune,
    EventPrune,
    LimitSweep,
    LockSweep,
    NotificationPrune,
    Op,
    QueueList,
    RateLimitSweep,
    ResultPrune,
    ResultSweep,
    StreamTrim,
    SweepExpired,
)
from anser.types import DELAY_MAX_S

__all__ = ["BATCHES_MAX", "BOUNDED", "CHORES", "Chore", "Maintained", "Retention", "maintain"]

DAY_S = 86_400
BATCHES_MAX = 10_000  # batches of one call, of all chores together


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long what is over is kept: a field `…_s` in seconds from its end, None for ever; others whether at all.

    `expired_jobs`: jobs past their expiry are moved to the dead. `locks`, `results`, `slots`: those that are over are
    forgotten. `results_s`: results that were saved without an end. `streams_s`: entries of all topics, but those that
    a group has pending.
    """

    expired_jobs: bool = True
    dead_s: int | None = 30 * DAY_S
    locks: bool = True
    events_s: int | None = 7 * DAY_S
    notifications_s: int | None = 7 * DAY_S
    streams_s: int | None = 30 * DAY_S
    results: bool = True
    results_s: int | None = 30 * DAY_S
    rate_limits_s: int | None = 31 * DAY_S  # longer than the longest window, which would begin anew (LIM-8)
    slots: bool = True

    def check(self) -> None:
        """Raise `Invalid` for the first field that is no duration, or no truth."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not field.name.endswith("_s"):
                if not isinstance(value, bool):
                    raise Invalid(field.name, value, "pass True or False")
            elif value is not None and (type(value) is not int or not 0 <= value <= DELAY_MAX_S):
                raise Invalid(field.name, value, f"pass whole seconds from 0 to {DELAY_MAX_S}, or None for ever")


@dataclass(frozen=True, slots=True)
class Chore:
    """What holds tables to a field of the policy: an operation of its value, a queue, and a limit."""

    field: str
    tables: tuple[str, ...]
    op: Callable[[Any, str, int], Op]
    each_queue: bool = False


# In the order of the fields. What is of no queue is given none, and what has no age only that it is wanted.
CHORES: tuple[Chore, ...] = (
    Chore("expired_jobs", ("_honker_live",), lambda _, queue, limit: SweepExpired(queue=queue, limit=limit), True),
    Chore(
        "dead_s",
        ("_honker_dead",),
        lambda age_s, queue, limit: DeadPrune(queue=queue, older_than_s=age_s, limit=limit),
        True,
    ),
    Chore("locks", ("_honker_locks",), lambda _age, _queue, limit: LockSweep(limit=limit)),
    Chore("events_s", ("_anser_events",), lambda age_s, _, limit: EventPrune(older_than_s=age_s, limit=limit)),
    Chore(
        "notifications_s",
        ("_honker_notifications",),
        lambda age_s, _, limit: NotificationPrune(older_than_s=age_s, limit=limit),
    ),
    Chore("streams_s", ("_honker_stream",), lambda age_s, _, limit: StreamTrim(older_than_s=age_s, limit=limit)),
    Chore("results", ("_honker_results",), lambda _age, _queue, limit: ResultSweep(limit=limit)),
    Chore("results_s", ("_honker_results",), lambda age_s, _, limit: ResultPrune(older_than_s=age_s, limit=limit)),
    Chore(
        "rate_limits_s",
        ("_honker_rate_limits", "_anser_buckets"),
        lambda age_s, _, limit: RateLimitSweep(older_than_s=age_s, limit=limit),
    ),
    Chore("slots", ("_anser_slots",), lambda _age, _queue, limit: LimitSweep(limit=limit)),
)

# Tables that no chore empties, and what bounds each.
BOUNDED: dict[str, str] = {
    "_anser_finished": "the last ids",
    "_anser_ordered": "live jobs",
    "_anser_paused": "queues by name",
    "_anser_channels": "channels by name",
    "_honker_stream_consumers": "consumers by name",
    "_anser_stream_groups": "groups by name",
    "_anser_stream_pending": "what workers were given and have not acked",
    "_anser_stream_trimmed": "topics by name",
    "_anser_schedules": "schedules by name",
    "_honker_scheduler_tasks": "schedules by name",
    "_anser_fires": "live jobs of schedules, and those since the last tick of each",
    "_anser_events_on": "one row",
    "_anser_fence": "one row",
    "_anser_format": "one row",
}


@dataclass(frozen=True, slots=True)
class Maintained:
    """How many rows each field of the policy moved or took away, and whether there may be more to do."""

    rows: dict[str, int]
    more: bool


def maintain(database: Home, retention: Retention, *, limit: int, batches: int) -> Maintained:
    """Hold the file to the policy, in batches of `limit` rows, each a transaction of its own (RTN-3, RTN-4)."""
    if not issubclass(type(retention), Retention):
        raise Invalid("retention", retention, "pass a Retention, or None for the default policy")
    retention.check()
    if type(batches) is not int or not 1 <= batches <= BATCHES_MAX:
        raise Invalid("batches", batches, f"pass a whole number from 1 to {BATCHES_MAX}")
    done = {chore.field: 0 for chore in CHORES}
    left = batches
    for field, op in _wanted(database, retention, limit):
        moved = limit
        while moved == limit:
            if not left:
                return Maintained(done, more=True)
            left -= 1
            moved = int(database.run(op))
            done[field] += moved
    return Maintained(done, more=False)


def _wanted(database: Home, retention: Retention, limit: int) -> Iterator[tuple[str, Op]]:
    """The operations of a policy, in the order of its fields, with the field that wants each."""
    for chore in CHORES:
        value = getattr(retention, chore.field)
        if value is None or value is False:
            continue
        for queue in _queues(database) if chore.each_queue else ("",):
            yield chore.field, chore.op(value, queue, limit)


def _queues(database: Home) -> Iterator[str]:
    """Every queue that has jobs, page by page."""
    after_queue = ""
    while page := database.run(QueueList(after_queue=after_queue)):
        yield from page
        after_queue = page[-1]
