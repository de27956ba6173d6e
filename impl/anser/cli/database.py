"""The file that a command is about, as its arguments name it, and how its answer is told to programs."""

from __future__ import annotations

import json
from typing import Any

import click

from anser.database import Database, open_database
from anser.engine.examine import look
from anser.errors import Invalid
from anser.ops import to_json

__all__ = ["AS_JSON", "DATABASE", "opened", "say_json"]

DATABASE = click.argument("database", type=click.Path(exists=True, dir_okay=False), metavar="DB")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="One line of JSON.")


def opened(path: str) -> Database:
    """The file, opened. Raises `Invalid` for one that has no queue in it: to look at it would make it one."""
    if not look(path, integrity=False).tables:
        raise Invalid("DB", path, "no queue is in it: name a file that anser.open, or honker, has made")
    return open_database(path)


def say_json(answer: Any) -> None:
    """The answer on one line, as the rules write it."""
    click.echo(json.dumps(to_json(answer), ensure_ascii=False))
