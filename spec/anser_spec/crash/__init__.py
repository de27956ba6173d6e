"""What survives: each operation stopped between its statements, processes killed, power lost, the file layer failing.

Each instrument is a module with `run(budget, seed, tell)`, which answers a `Tally`, and `again(word, tell)`, which does
one round again that a violation named. They are judged by the model, and know nothing of each other.
"""

from __future__ import annotations

import sys
from importlib import import_module

import click

from anser_spec.tally import Budget, Tally, as_lines

__all__ = ["INSTRUMENTS", "command", "run"]

INSTRUMENTS: dict[str, str] = {  # by name, the module; imported when it runs
}


def run(name: str, budget: Budget, seed: int) -> Tally:
    """One instrument by name, within its budget."""
    tally: Tally = import_module(INSTRUMENTS[name]).run(budget, seed, _tell)
    return tally


@click.command("crash", short_help="Stop, kill and cut the power, and tell what survives.")
@click.option("--only", type=click.Choice(list(INSTRUMENTS)), multiple=True, help="These instruments alone.")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="For how long, each its share.")
@click.option("--rounds", type=click.IntRange(1), help="So many rounds of each at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same again with the same.")
@click.option("--again", metavar="WORD", help="Do one round again, as a violation names it; with one --only.")
def command(only: tuple[str, ...], minutes: float | None, rounds: int | None, seed: int, again: str | None) -> None:
    """Stop an operation at each of its statements, kill processes, lose power, fail each read and write.

    Without a bound each instrument does all that there is. Exit status: 0 nothing is lost or half done, 1 something is,
    2 wrong usage.
    """
    names = only or tuple(INSTRUMENTS)
    if again is not None:
        if len(names) != 1:
            raise click.UsageError("--again needs the instrument: --only NAME")
        tallies = [import_module(INSTRUMENTS[names[0]]).again(again, _tell)]
    else:
        share = None if minutes is None else minutes * 60 / len(names)
        tallies = [run(name, Budget(share, rounds), seed) for name in names]
    for tally in tallies:
        click.echo("\n".join(as_lines(tally)))
    sys.exit(1 if any(tally.violations for tally in tallies) else 0)


def _tell(text: str) -> None:
    click.echo(f"… {text}", err=True)
