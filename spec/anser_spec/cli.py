"""The command `anser-spec`: hold a target against the rules, list the rules, diagnose a build. Needs the extra `spec`.

Exit status: 0 when nothing failed, 1 when a rule failed or an instrument found a disagreement, 2 for wrong usage and
for a run in which nothing was judged.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

try:
    import click
    import hypothesis  # noqa: F401 - only to tell at once, and in one line, that it is missing
except ModuleNotFoundError as error:
    if error.name not in ("click", "hypothesis"):
        raise
    print(f"anser-spec needs {error.name}, of the extra: pip install 'anser[spec]'", file=sys.stderr)
    sys.exit(2)

from anser_models import Quirk
from anser_spec.judge import replay
from anser_spec.report import as_json, as_text, counted
from anser_spec.rulebook import chosen_ids, read_rules
from anser_spec.sightings import Sighted, diagnose
from anser_spec.suite import INSTRUMENTS, Plan, run_suite
from anser_spec.targets.known import PROFILES, TARGETS, Missing
from anser_spec.witness import load

__all__ = ["COMMANDS", "PROFILES", "TARGETS", "main"]

TELL_EVERY_S = 2.0
HELP_WIDTH = 120


Decorated = TypeVar("Decorated", bound=Callable[..., object])
PATH = click.Path(path_type=Path)

COMMANDS = {  # those that have a module of their own, imported when they are asked for
    "campaign": ("anser_spec.campaign", "command"),
    "churn": ("anser_spec.churn", "command"),
    "crash": ("anser_spec.crash", "command"),
    "mutants": ("anser_spec.mutants", "mutants"),
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, name = COMMANDS[cmd_name]
            command: click.Command = getattr(import_module(module), name)
            return command
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Missing as missing:
            raise click.UsageError(str(missing)) from None


@click.group(cls=_Commands, context_settings={"max_content_width": HELP_WIDTH})
def main() -> None:
    """The rules of the queue, and what holds a build against them."""


def _told() -> Callable[[str], None]:
    """Progress on stderr, not more often than people read."""
    last = time.monotonic()

    def tell(text: str) -> None:
        nonlocal last
        if time.monotonic() - last >= TELL_EVERY_S:
            last = time.monotonic()
            click.echo(f"… {text}", err=True)

    return tell


def target_option(default: str | None = "sqlite", more: str = "") -> Callable[[Decorated], Decorated]:
    said = f"What is held against the rules.{more}"
    return click.option("--target", type=click.Choice(sorted(TARGETS)), default=default, show_default=True, help=said)


def save_option() -> Callable[[Decorated], Decorated]:
    said = "The folder where counterexamples are saved."
    return click.option("--save", type=PATH, default=Path("out"), show_default=True, help=said)


RUN_HELP = """Hold a target against the rules, by every instrument.

\b
Every rule, on this build:
  anser-spec run
One rule, on the published honker, by cases alone:
  anser-spec run --target honker --only CLM-2 --instruments cases

Exit status: 0 nothing failed; 1 a rule failed, or an instrument broke or took too little; 2 wrong usage, or nothing
was judged. With --replay: 1 the disagreement is still there, 0 it is not.
"""


@main.command(help=RUN_HELP, short_help="Hold a target against the rules.")
@target_option(None, " Of --replay: what the file names.  [default: sqlite]")
@click.option(
    "--profile",
    type=click.Choice(sorted(PROFILES)),
    help="What is right: `anser` is the rules, `honker-0.5` the same but for the known defects of that build. "
    "Of --replay: what the file names.  [default: anser]",
)
@click.option(
    "--instruments", default=",".join(INSTRUMENTS), show_default=True, help="Which to run, with commas between."
)
@click.option("--only", default="", metavar="ID", help="Judge that rule alone (CLM-1), or that family (CLM).")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed draws other sequences.")
@click.option("--examples", type=click.IntRange(0), default=300, show_default=True, help="How many sequences.")
@click.option("--steps", type=click.IntRange(1), default=60, show_default=True, help="Steps of each sequence.")
@click.option(
    "--transitions",
    type=click.IntRange(0),
    help="Stop after so many transitions.  [default: everything that one job can come to, and every way of "
    "3 steps with two]",
)
@click.option("--json", "json_path", type=PATH, help="Write the whole report there too, as JSON.")
@save_option()
@click.option(
    "--replay",
    "replayed",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Do nothing but the steps of a saved counterexample.",
)
@click.option("--summary", is_flag=True, help="Print only the sums and what did not pass.")
def run(
    target: str | None,
    profile: str | None,
    instruments: str,
    only: str,
    seed: int,
    examples: int,
    steps: int,
    transitions: int | None,
    json_path: Path | None,
    save: Path,
    replayed: Path | None,
    summary: bool,
) -> None:
    if replayed is not None:
        _replay(replayed, target, profile)
    profile = profile or "anser"
    plan = Plan(
        target=TARGETS[target or "sqlite"],
        profile=profile,
        quirks=PROFILES[profile],
        instruments=_instruments(instruments),
        seed=seed,
        examples=examples,
        steps=steps,
        transitions=transitions,
        only=_only(only),
        save=save,
        tell=_told(),
    )
    report = run_suite(plan)
    click.echo(as_text(report, summary=summary))
    if json_path is not None:
        json_path.write_text(json.dumps(as_json(report), indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if report.failed else 0 if report.judged else 2)


def _instruments(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in INSTRUMENTS]
    if unknown:
        raise click.UsageError(f"no such instrument: {', '.join(unknown)}; there are {', '.join(INSTRUMENTS)}")
    return names


def _only(only: str) -> str:
    if not chosen_ids(read_rules(), only):
        raise click.UsageError(f"no rule begins with {only}: anser-spec rules lists them")
    return only


def _replay(path: Path, target_name: str | None, profile: str | None) -> None:
    """The file says which target and profile it is about; what is given instead is taken."""
    try:
        witness = load(path)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    name = target_name or witness.target
    if name not in TARGETS:
        raise click.UsageError(f"{path} is about the target {name}, which is none of {', '.join(TARGETS)}: --target")
    if profile is not None:
        witness = replace(witness, quirks=PROFILES[profile])
    target = TARGETS[name]()
    try:
        difference = replay(witness, target)
    finally:
        target.close()
    click.echo(f"{path} on {name}, profile {_profile_of(witness.quirks)}: {counted(len(witness.steps), 'step')}")
    click.echo(str(difference) if difference else "no difference any more")
    sys.exit(1 if difference else 0)


def _profile_of(quirks: frozenset[Quirk]) -> str:
    known = [name for name, of in PROFILES.items() if of == quirks]
    return known[0] if known else f"anser with {', '.join(sorted(quirk.name for quirk in quirks))}"


@main.command()
def rules() -> None:
    """List the rules."""
    for rule in read_rules().values():
        click.echo(f"{rule.id:<7} {rule.level.value:<6} {counted(len(rule.blocks), 'case'):>8}  {rule.title}")


@main.command()
@target_option()
def defects(target: str) -> None:
    """Tell which known defects a build has.

    It tells, and does not fail. Exit status: 0 whatever it found, 2 wrong usage.
    """
    found = diagnose(TARGETS[target])
    for one in found:
        click.echo(f"{one.entry.id:<4} {one.sighted.value:<9} {one.entry.title}  [{one.by}]")
    counts = {sighted: sum(one.sighted is sighted for one in found) for sighted in Sighted}
    click.echo("\n" + ", ".join(f"{count} {sighted.value}" for sighted, count in counts.items()))


if __name__ == "__main__":
    main()
