"""A day of simulated churn: everything at once on a manual clock, on a file and by the model, with upkeep.

It sees what short runs cannot: a table that only grows, a chore that never gets to the end, a difference that needs a
long history. It does nothing of its own kind: every operation is one of those that the other instruments try.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

import click

from anser_models import TRANSITIONS
from anser_spec.churn.day import CAME, LEFT, Churned, churn
from anser_spec.churn.plan import BOUNDS, Plan
from anser_spec.report import counted
from anser_spec.targets.sqlite import SqliteTarget

__all__ = ["command", "told"]

COLUMNS = 4


@click.command("churn", short_help="Live through a simulated day.")
@click.option("--jobs", type=click.IntRange(1), default=100_000, show_default=True, help="Jobs that producers make.")
@click.option("--hours", type=click.IntRange(1), default=24, show_default=True, help="Hours that go by on the clock.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same again with the same.")
def command(jobs: int, hours: int, seed: int) -> None:
    """Live through a simulated day, on a file and by the model, and tell what was done and what is left.

    Each answer is compared, each hour every row; each minute the rows of each table are held against a bound.
    Exit status: 0 all agreed and bounded, 1 something was not, 2 wrong usage.
    """
    plan = Plan(jobs=jobs, hours=hours, seed=seed)
    target = SqliteTarget()
    started = time.monotonic()
    try:
        found = churn(target, plan, lambda text: click.echo(f"… {text}", err=True))
    finally:
        target.close()
    click.echo(told(found, plan))
    click.echo(f"{time.monotonic() - started:.0f} s")
    sys.exit(0 if found.wrong is None else 1)


def told(found: Churned, plan: Plan) -> str:
    """What a day came to, for people."""
    lines = [f"operations: {sum(found.operations.values()):,}", *_listed(found.operations)]
    lines += ["refused: " + ", ".join(f"{code} {count:,}" for code, count in sorted(found.refusals.items()))]
    ends = {kind: found.names[f"events_on.tells_{kind}"] for kind in (*CAME, *LEFT)}
    lines += ["jobs: " + ", ".join(f"{kind} {count:,}" for kind, count in ends.items())]
    lines += ["upkeep: " + ", ".join(f"{field} {rows:,}" for field, rows in sorted(found.maintained.items()))]
    lines += [f"transitions taken: {len(found.names.keys() & TRANSITIONS.keys())} of {len(TRANSITIONS)}", ""]
    lines += [f"{'table':<26} {'rows':>9} {'at most':>9} {'bound':>9}"]
    lines += [
        f"{name:<26} {rows:>9,} {found.most[name]:>9,} {BOUNDS[name](plan):>9,}" for name, rows in found.rows.items()
    ]
    agreed = f"the file and the model agree: each answer, and every row {counted(found.compared, 'time')}"
    return "\n".join([*lines, "", agreed if found.wrong is None else f"wrong: {found.wrong}"])


def _listed(operations: Mapping[str, int]) -> list[str]:
    """Some to a line, by name."""
    words = [f"{name} {count:,}".ljust(28) for name, count in sorted(operations.items())]
    return ["  " + " ".join(words[place : place + COLUMNS]).rstrip() for place in range(0, len(words), COLUMNS)]
