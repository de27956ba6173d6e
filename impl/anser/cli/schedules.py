"""`anser schedules`: look at the schedules of a file, tick once, take one over from honker."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from anser.database import Database, open_database
from anser.errors import AnserError
from anser.ops import to_json
from anser.scheduler import Scheduler
from anser.types import LIST_MAX, Misfire, Overlap, Schedule

__all__ = ["schedules"]

Answer = TypeVar("Answer")

_MISFIRE = click.Choice([each.value for each in Misfire])
_OVERLAP = click.Choice([each.value for each in Overlap])
_PATH = click.argument("path", metavar="DB", type=click.Path(exists=True, dir_okay=False))
_JSON = click.option("--json", "as_json", is_flag=True, help="One line of JSON.")


@click.group()
def schedules() -> None:
    """Look at the schedules of a file, and fire them.

    Exit status: 0 done, 1 the file said no or could not be used, 2 wrong usage.
    """


@schedules.command("list")
@_PATH
@click.option("--after", "after_name", default="", help="Schedules behind this name.")
@click.option("--limit", type=click.IntRange(1, LIST_MAX), default=100, show_default=True, help="How many.")
@_JSON
def list_(path: str, after_name: str, limit: int, *, as_json: bool) -> None:
    """List the schedules of DB by name: when each fires next, and how it stands."""
    with _opened(path) as database:
        found = _done(lambda: database.schedules.list(after_name=after_name, limit=limit))
    if as_json:
        _say(found)
        return
    for schedule in found:
        click.echo(_line(schedule))


@schedules.command()
@_PATH
@_JSON
def tick(path: str, *, as_json: bool) -> None:
    """Fire what has come due in DB, once; where another scheduler leads, exit 1."""
    with _opened(path) as database:
        scheduler = Scheduler(database)
        ticked = _done(scheduler.tick)
        scheduler.resign()
    if ticked is None:
        raise click.ClickException("another scheduler leads: see the lock 'scheduler'")
    if as_json:
        _say(ticked)
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
@_PATH
@click.argument("name")
@click.option("--tz", required=True, metavar="ZONE", help="The IANA time zone that was meant, as Europe/Paris.")
@click.option("--cron", metavar="EXPR", help="What is meant, where honker reads its expression otherwise.")
@click.option("--misfire", type=_MISFIRE, default=Misfire.LATEST.value, show_default=True)
@click.option("--grace-s", type=int, default=60, show_default=True, help="With skip: how late a boundary may be.")
@click.option("--overlap", type=_OVERLAP, default=Overlap.ALLOW.value, show_default=True)
@_JSON
def adopt(path: str, name: str, *, as_json: bool, **options: Any) -> None:
    """Take the schedule NAME of DB over from honker, into a time zone."""
    with _opened(path) as database:
        registered = _done(lambda: database.schedules.adopt(name, **options))
    if as_json:
        _say(registered)
        return
    next_fire = "never" if registered.next_fire_at is None else _at(registered.next_fire_at)
    click.echo(f"{name}: {registered.change}, fires next {next_fire}")


def _opened(path: str) -> Database:
    return _done(lambda: open_database(path))


def _done(do: Callable[[], Answer]) -> Answer:
    """What it answers; wrong usage is told by the command itself, any other refusal in one line, with status 1."""
    try:
        return do()
    except AnserError as refusal:
        if refusal.code == "invalid":
            raise
        raise click.ClickException(str(refusal)) from None


def _say(answer: Any) -> None:
    click.echo(json.dumps(to_json(answer), ensure_ascii=False))


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
