"""`anser doctor`, `anser stats`, `anser maintain`: what is wrong with a file, what is in it, and its upkeep."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import click

from anser.cli.database import AS_JSON, DATABASE, opened, say_json
from anser.doctor import Level, diagnose
from anser.errors import Invalid
from anser.retention import Retention
from anser.types import INSTANT_MAX

__all__ = ["doctor", "maintain", "stats"]

TRUTHS = {"yes": True, "no": False}


@click.command()
@DATABASE
@click.option("--integrity", is_flag=True, help="Read every page too.")
@AS_JSON
@click.pass_context
def doctor(ctx: click.Context, database: str, *, integrity: bool, as_json: bool) -> None:
    """Tell what is wrong with DB.

    Examines the file, and the SQLite that this command has. Changes nothing. Exit status 1 if something is an error; a
    warning alone is 0.
    """
    found = diagnose(database, integrity=integrity)
    if as_json:
        say_json(found)
    for finding in () if as_json else found:
        click.echo(f"{finding.level:8}{finding.check}: {finding.text}")
    ctx.exit(int(any(finding.level is Level.ERROR for finding in found)))


@click.command()
@DATABASE
@AS_JSON
def stats(database: str, *, as_json: bool) -> None:
    """Count the rows of DB.

    Table by table, with the oldest instant in it. Visits every row.
    """
    with opened(database) as db:
        found = db.stats()
    if as_json:
        say_json(found)
        return
    for table in found:
        click.echo(f"{table.rows:10} {table.table:24} {_told(table.oldest_at)}".rstrip())


@click.command()
@DATABASE
@click.option(
    "--keep",
    multiple=True,
    metavar="FIELD=VALUE",
    help=f"One of {', '.join(field.name for field in fields(Retention))}: seconds or never for …_s, else yes or no.",
)
@click.option("--limit", type=int, default=1_000, show_default=True, help="Rows of one transaction.")
@click.option("--batches", type=int, default=1_000, show_default=True, help="Transactions at most.")
@AS_JSON
def maintain(database: str, *, keep: tuple[str, ...], limit: int, batches: int, as_json: bool) -> None:
    """Forget what DB kept for long enough.

    By the default policy, but for what --keep says: as --keep dead_s=604800 --keep events_s=never --keep locks=no.
    """
    policy = Retention(**dict(map(_kept, keep)))
    with opened(database) as db:
        done = db.maintain(policy, limit=limit, batches=batches)
    if as_json:
        say_json(done)
        return
    for field, rows in done.rows.items():
        click.echo(f"{rows:10} {field}")
    if done.more:
        click.echo("there is more to do: call it again")


def _told(at: int | None) -> str:
    """An instant as people read it; one that is in no calendar, as a foreign hand may have written it, as it is."""
    if at is None:
        return ""
    return datetime.fromtimestamp(at, UTC).isoformat() if 0 <= at <= INSTANT_MAX else str(at)


def _kept(said: str) -> tuple[str, Any]:
    """A field of the policy and its value."""
    field, _, word = said.partition("=")
    if field not in {known.name for known in fields(Retention)}:
        raise Invalid("keep", said, "name a field of the policy, as dead_s=86400")
    if not field.endswith("_s"):
        if word not in TRUTHS:
            raise Invalid("keep", said, "pass yes or no")
        return field, TRUTHS[word]
    if word != "never" and not word.isdecimal():
        raise Invalid("keep", said, "pass whole seconds, or never")
    return field, None if word == "never" else int(word)
