"""The command `anser`. Needs the extra `cli`.

Exit status: 0 done, 1 it failed, 2 for wrong usage: an argument that is refused is one line on stderr.
"""

from __future__ import annotations

import sys
from typing import Any

try:
    import click
except ModuleNotFoundError as error:
    if error.name != "click":
        raise
    print("anser needs click, of the extra: pip install 'anser[cli]'", file=sys.stderr)
    sys.exit(2)

from anser.cli.cron import cron
from anser.cli.file import doctor, maintain, stats
from anser.cli.schedules import schedules
from anser.errors import AnserError, Invalid

__all__ = ["main"]


class _Commands(click.Group):
    """A group that tells a refusal in one line, and a refused argument as wrong usage."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Invalid as refusal:
            click.echo(f"anser: {refusal}", err=True)
            ctx.exit(2)
        except AnserError as refusal:
            click.echo(f"anser: {refusal}", err=True)
            ctx.exit(1)


@click.group(cls=_Commands)
def main() -> None:
    """A durable job queue in one SQLite file.

    Exit status: 0 done, 1 it failed or was refused, 2 wrong usage.
    """


for command in (cron, doctor, maintain, schedules, stats):
    main.add_command(command)
