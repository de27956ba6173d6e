"""What a day is: how much of everything, how long things are kept, and so how many rows each table may ever have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from anser.retention import Retention
from anser.types import FIRES_MAX, HISTORY_IDS
from anser_models import World
from anser_spec.file import TABLES

__all__ = [
    "BOUNDS",
    "EVENTS_KEEP",
    "KEEP_S",
    "LOCK_TTL_S",
    "MINUTE_S",
    "POLICY",
    "RESULT_TTL_S",
    "SLOTS",
    "UPKEEP_MIN",
    "Plan",
    "rows_beyond",
]

MINUTE_S = 60
HOUR_S = 3_600
UPKEEP_MIN = 10
OUTAGE_MAX_MIN = 60
CLEARED_MIN = 90  # the outage, and the longest delay: after that a job has left, or is dead
BURST = 2  # times the jobs of a mean minute that one worker may claim in one
MARGIN_PERCENT = 125  # of the jobs of a mean stretch of time: what chance may bring in any
RESULT_TTL_S = 900
LOCK_TTL_S = 600
SLOTS = 2  # of a key
KEEP_S = 1_800  # what has an age and is no dead job
EVENTS_KEEP = 250
DIE_OF = 4  # one in so many jobs at most
KEPT_OF = 8  # one in so many jobs at most keeps a result

AGES_S: dict[str, Any] = {field.name: KEEP_S for field in fields(Retention) if field.name.endswith("_s")}
POLICY = Retention(**AGES_S | {"dead_s": HOUR_S, "rate_limits_s": HOUR_S})  # a new family has its age here at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The size of a day: how many of each there are, and how much comes in a minute."""

    jobs: int = 100_000
    hours: int = 24
    seed: int = 0
    schedules: int = 50
    queues: int = 5
    workers: int = 4
    channels: int = 4
    topics: int = 3
    keys: int = 5  # of windows and buckets that come again and again
    fires_a_minute: int = 5
    fires_each_minute: int = 3  # schedules that fire so often that an outage leaves many of theirs
    notifications_a_minute: int = 3
    published_a_minute: int = 4
    limit_tries_a_minute: int = 2
    policy: Retention = POLICY

    @property
    def minutes(self) -> int:
        return self.hours * 60

    @property
    def claimed_a_minute(self) -> int:
        """How many jobs a worker claims in a minute at most: together they overtake those who make them."""
        return math.ceil(self.jobs / self.minutes) * BURST

    @property
    def outage(self) -> range:
        """The minutes in which nobody works and nobody ticks, in the middle of the day."""
        begins = self.minutes // 2
        return range(begins, begins + min(OUTAGE_MAX_MIN, self.minutes // 4))

    def made_in(self, minutes: int) -> int:
        """How many jobs come in so many minutes at most, from producers and schedules."""
        mean = minutes * (self.jobs / self.minutes + self.fires_a_minute)
        return math.ceil(mean * MARGIN_PERCENT / 100)


def kept_min(age_s: int) -> int:
    """For how many minutes a row of that age may be there: until the next upkeep, and the minute under way."""
    return age_s // MINUTE_S + UPKEEP_MIN + 1


# Every table, and the most rows that it may have at the end of any minute. One that is missing here has no bound.
BOUNDS: dict[str, Callable[[Plan], int]] = {
    "_honker_live": lambda plan: plan.made_in(CLEARED_MIN),
    "_honker_dead": lambda plan: plan.made_in(kept_min(HOUR_S) + CLEARED_MIN) // DIE_OF,
    "_anser_finished": lambda plan: HISTORY_IDS + plan.made_in(CLEARED_MIN),
    "_anser_paused": lambda plan: plan.queues,
    "_anser_ordered": lambda plan: plan.made_in(CLEARED_MIN),
    "_honker_locks": lambda plan: plan.keys + 1 + kept_min(LOCK_TTL_S),
    "_honker_notifications": lambda plan: plan.notifications_a_minute * kept_min(KEEP_S),
    "_anser_channels": lambda plan: plan.channels,
    "_anser_events": lambda _: EVENTS_KEEP,
    "_honker_results": lambda plan: plan.claimed_a_minute * plan.workers * kept_min(RESULT_TTL_S) // KEPT_OF,
    "_honker_rate_limits": lambda plan: plan.limit_tries_a_minute * kept_min(HOUR_S),
    "_anser_buckets": lambda plan: plan.keys + kept_min(HOUR_S),
    "_anser_slots": lambda plan: plan.keys * SLOTS * (UPKEEP_MIN + 1),
    "_anser_schedules": lambda plan: plan.schedules,
    "_anser_fires": lambda plan: 2 * plan.schedules + plan.fires_each_minute * FIRES_MAX,
    "_honker_scheduler_tasks": lambda _: 0,
    "_honker_stream": lambda plan: plan.published_a_minute * kept_min(KEEP_S),
    "_honker_stream_consumers": lambda plan: plan.topics * 3,
    "_anser_stream_groups": lambda plan: plan.topics,
    "_anser_stream_pending": lambda plan: plan.published_a_minute * kept_min(KEEP_S),
    "_anser_stream_trimmed": lambda plan: plan.topics,
}


def rows_beyond(world: World, plan: Plan) -> list[str]:
    """The tables that have more rows than their bound, or no bound at all, and by how much."""
    found = []
    for table in TABLES:
        rows = len(getattr(world, table.part))
        if table.name not in BOUNDS:
            found.append(f"{table.name} has {rows} rows and no bound: give it one in BOUNDS")
        elif rows > (bound := BOUNDS[table.name](plan)):
            found.append(f"{table.name} has {rows} rows, and {bound} at most are allowed")
    return found
