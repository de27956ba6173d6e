"""`anser cron`: what a cron expression means, in words and in instants."""

from __future__ import annotations

import json

import click

from anser.clock import system_clock
from anser.cron import explain, local, parse
from anser.types import INSTANT_MAX, LIST_MAX

__all__ = ["cron"]


@click.group()
def cron() -> None:
    """Explain cron expressions."""


@cron.command("next")
@click.argument("expr")
@click.option("--tz", required=True, metavar="ZONE", help="The IANA time zone, as Europe/Paris.")
@click.option("--after", type=int, metavar="EPOCH", help="Boundaries later than this instant; now, if not given.")
@click.option("--count", type=click.IntRange(1, LIST_MAX), default=5, show_default=True, help="How many boundaries.")
@click.option("--json", "as_json", is_flag=True, help="""Only {"next": [epoch, …]}.""")
def next_boundaries(expr: str, tz: str, after: int | None, count: int, *, as_json: bool) -> None:
    """Explain EXPR and list its next boundaries.

    As the zone's clock shows them, and in epoch seconds. `@every` is counted from --after.
    """
    begin = system_clock() if after is None else after
    timetable = parse(expr, tz, anchor_at=begin)
    boundaries = timetable.boundaries(begin, INSTANT_MAX, limit=count)
    if as_json:
        click.echo(json.dumps({"next": boundaries}))
        return
    click.echo(f"{timetable.expr}: {explain(timetable)}")
    for at in boundaries:
        click.echo(f"{local(timetable, at).isoformat()}  {at}")
    if len(boundaries) < count:
        click.echo("and no more within 41 years")
