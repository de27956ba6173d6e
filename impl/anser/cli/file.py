"""`anser doctor`, `anser stats`, `anser maintain`: what is wrong with a file, what is in it, and its upkeep."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

import click

from anser.database import open_database
from anser.doctor import Level, diagnose
from anser.errors import Invalid
from anser.ops import to_json
from anser.retention import Retention

__all__ = ["doctor", "maintain", "stats"]

DATABASE = click.argument("database", type=click.Path(exists=True, dir_okay=False), metavar="DB")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON value.")

WORDS = {"never": None, "yes": True, "no": False}


@click.command()
@DATABASE
@click.option("--integrity", is_flag=True, help="Read every page too.")
@AS_JSON
@click.pass_context
def doctor(ctx: click.Context, database: str, *, integrity: bool, as_json: bool) -> None:
    """Examine DB and the SQLite that this command has. Changes nothing.

    Exit status 1 if something is an error; a warning alone is 0.
    """
    found = diagnose(database, integrity=integrity)
    if as_json:
        click.echo(json.dumps(to_json(found)))
    for finding in () if as_json else found:
        click.echo(f"{finding.level:8}{finding.check}: {finding.text}")
    ctx.exit(int(any(finding.level is Level.ERROR for finding in found)))


@click.command()
@DATABASE
@AS_JSON
def stats(database: str, *, as_json: bool) -> None:
    """Count the rows of each table of DB that can grow, and tell the oldest instant in it. Visits every row."""
    with open_database(database) as db:
        found = db.stats()
    if as_json:
        click.echo(json.dumps(to_json(found)))
        return
    for table in found:
        oldest = "" if table.oldest_at is None else datetime.fromtimestamp(table.oldest_at, UTC).isoformat()
        click.echo(f"{table.rows:10} {table.table:24} {oldest}".rstrip())


@click.command()
@DATABASE
@click.option(
    "--keep",
    multiple=True,
    metavar="FIELD=VALUE",
    help=f"Seconds or never, yes or no, for one of {', '.join(field.name for field in fields(Retention))}.",
)
@click.option("--limit", type=int, default=1_000, show_default=True, help="Rows of one transaction.")
@click.option("--batches", type=int, default=1_000, show_default=True, help="Transactions at most.")
@AS_JSON
def maintain(database: str, *, keep: tuple[str, ...], limit: int, batches: int, as_json: bool) -> None:
    """Forget what DB has kept for long enough, by the default policy but for what --keep says."""
    policy = Retention(**dict(map(_kept, keep)))
    with open_database(database) as db:
        done = db.maintain(policy, limit=limit, batches=batches)
    if as_json:
        click.echo(json.dumps(asdict(done)))
        return
    for field, rows in done.rows.items():
        click.echo(f"{rows:10} {field}")
    if done.more:
        click.echo("there is more to do: call it again")


def _kept(said: str) -> tuple[str, Any]:
    """A field of the policy and its value."""
    field, _, word = said.partition("=")
    if field not in {known.name for known in fields(Retention)}:
        raise Invalid("keep", said, "name a field of the policy, as dead_s=86400")
    if word in WORDS:
        return field, WORDS[word]
    if not word.isdecimal():
        raise Invalid("keep", said, "pass seconds or never, yes or no")
    return field, int(word)
