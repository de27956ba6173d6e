"""Worlds to begin with: what another binding, an older build or a crash may have left, and crowds that meet the bounds.

All are worlds at `SEED_NOW`. A family is added by its module and a line in the tables here.
"""

from __future__ import annotations

from anser_models import World
from anser_spec.seeds import claims, events, jobs, leases, limits, locks, notifications, orders, results, schedules
from anser_spec.seeds import dead as dead_jobs
from anser_spec.seeds.base import SEED_NOW, world
from anser_spec.seeds.dead import dead
from anser_spec.seeds.events import event
from anser_spec.seeds.jobs import pending, processing
from anser_spec.seeds.locks import lock
from anser_spec.seeds.notifications import notification
from anser_spec.seeds.results import result
from anser_spec.seeds.schedules import honker_schedule, schedule

__all__ = [
    "CROWDS",
    "SEEDS",
    "SEED_NOW",
    "dead",
    "event",
    "honker_schedule",
    "lock",
    "notification",
    "pending",
    "processing",
    "result",
    "schedule",
    "world",
]

SEEDS: dict[str, World] = {
    **jobs.SEEDS,
    **claims.SEEDS,
    **leases.SEEDS,
    **dead_jobs.SEEDS,
    **locks.SEEDS,
    **notifications.SEEDS,
    **events.SEEDS,
    **results.SEEDS,
    **limits.SEEDS,
    **orders.SEEDS,
    **schedules.SEEDS,
}
CROWDS: dict[str, World] = {
    **jobs.CROWDS,
    **claims.CROWDS,
    **leases.CROWDS,
    **schedules.CROWDS,
}
