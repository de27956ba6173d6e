"""`anser schedules`: look at the schedules of a file, tick once, take one over from honker."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from anser.cli.database import AS_JSON, DATABASE, opened, say_json
from anser.errors import Conflict
from anser.scheduler import Scheduler
from anser.types import LIST_MAX, Misfire, Overlap, Schedule

__all__ = ["schedules"]

_MISFIRE = click.Choice([each.value for each in Misfire])
_OVERLAP = click.Choice([each.value for each in Overlap])


@click.group()
def schedules() -> None:
    """List, fire and adopt the schedules of a file."""


@schedules.command("list")
@DATABASE
@click.option("--after", "after_name", default="", help="Schedules behind this name.")
@click.option("--limit", type=click.IntRange(1, LIST_MAX), default=100, show_default=True, help="How many.")
@AS_JSON
def list_(database: str, after_name: str, limit: int, *, as_json: bool) -> None:
    """List the schedules of DB by name.

    When each fires next, and how often it fired and missed.
    """
    with opened(database) as db:
        found = db.schedules.list(after_name=after_name, limit=limit)
    if as_json:
        say_json(found)
        return
    for schedule in found:
        click.echo(_line(schedule))


@schedules.command()
@DATABASE
@AS_JSON
def tick(database: str, *, as_json: bool) -> None:
    """Fire what has come due in DB, once.

    Exit status 1 where another scheduler leads.
    """
    with opened(database) as db, Scheduler(db) as scheduler:
        ticked = scheduler.tick()
    if ticked is None:
        raise Conflict("another scheduler leads: see the lock 'scheduler'")
    if as_json:
        say_json(ticked)
        return
    for fired in ticked.fired:
        click.echo(f"fired   {fired.schedule}  {_at(fired.fire_at)}  job {fired.job_id}")
    for missed in ticked.missed:
        click.echo(f"missed  {missed.schedule}  {missed.count}  {missed.reason}")
    for bad in ticked.bad:
        click.echo(f"bad     {bad.schedule}  {bad.error}")
    if ticked.more:
        click.echo("more is due: tick again")


@schedules.command()
@DATABASE
@click.argument("name")
@click.option("--tz", required=True, metavar="ZONE", help="The IANA time zone that was meant, as Europe/Paris.")
@click.option("--cron", metavar="EXPR", help="What is meant, where honker reads its expression otherwise.")
@click.option(
    "--misfire", type=_MISFIRE, default=Misfire.LATEST.value, show_default=True, help="Of several that came due."
)
@click.option("--grace-s", type=int, default=60, show_default=True, help="With skip: how late a boundary may be.")
@click.option(
    "--overlap",
    type=_OVERLAP,
    default=Overlap.ALLOW.value,
    show_default=True,
    help="Whether to fire while a job of it is live.",
)
@AS_JSON
def adopt(database: str, name: str, *, as_json: bool, **options: Any) -> None:
    """Take a schedule over from honker.

    The schedule NAME of DB is fired by Anser then, by the clocks of a time zone, and no more by honker.
    """
    with opened(database) as db:
        registered = db.schedules.adopt(name, **options)
    if as_json:
        say_json(registered)
        return
    next_fire = "never" if registered.next_fire_at is None else _at(registered.next_fire_at)
    click.echo(f"{name}: {registered.change}, fires next {next_fire}")


def _line(schedule: Schedule) -> str:
    if schedule.error is not None:
        stands = f"bad: {schedule.error}"
    elif schedule.next_fire_at is None:
        stands = "over"
    else:
        stands = f"next {_at(schedule.next_fire_at)}{' (paused)' if schedule.paused else ''}"
    counts = f"fired {schedule.fires}, missed {schedule.missed}"
    return f"{schedule.name}  {schedule.cron} ({schedule.tz}) to {schedule.queue}  {stands}  {counts}"


def _at(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
