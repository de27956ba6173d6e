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
from anser.cli.schedules import schedules
from anser.errors import Invalid

__all__ = ["main"]


class _Commands(click.Group):
    """A group that tells a refused argument as wrong usage, in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Invalid as refusal:
            click.echo(f"anser: {refusal}", err=True)
            ctx.exit(2)


@click.group(cls=_Commands)
def main() -> None:
    """A durable job queue in one SQLite file."""


main.add_command(cron)
main.add_command(schedules)
