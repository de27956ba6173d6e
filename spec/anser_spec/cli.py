"""The command `anser-spec`: hold a target against the rules, list the rules, diagnose a build.

Exit status: 0 when nothing failed, 1 when a rule failed or an instrument found a disagreement, 2 for wrong usage.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click

from anser_models import HONKER_0_5, Quirk
from anser_spec.judge import replay
from anser_spec.machine import run_sequences
from anser_spec.report import as_json, as_text
from anser_spec.rulebook import read_rules
from anser_spec.sightings import Sighted, diagnose
from anser_spec.suite import INSTRUMENTS, Plan, run_suite
from anser_spec.targets import Target
from anser_spec.witness import load

__all__ = ["COMMANDS", "PROFILES", "TARGETS", "main"]

TELL_EVERY_S = 2.0
CAMPAIGN_EXAMPLES = 500


def _sqlite() -> Target:
    from anser_spec.targets.sqlite import SqliteTarget

    return SqliteTarget()


def _model() -> Target:
    from anser_spec.targets.model import ModelTarget

    return ModelTarget()


def _honker() -> Target:
    from anser_spec.targets.honker import laid_directory, missing
    from anser_spec.targets.honker.target import HonkerTarget

    directory = laid_directory()
    reason = missing(directory)
    if reason is not None:
        raise click.UsageError(reason)
    return HonkerTarget(directory)


TARGETS: dict[str, Callable[[], Target]] = {"sqlite": _sqlite, "honker": _honker, "model": _model}
PROFILES: dict[str, frozenset[Quirk]] = {"anser": frozenset(), "honker-0.5": HONKER_0_5}
COMMANDS = {
    "mutants": "anser_spec.mutants"
}  # commands that have a module of their own, imported when they are asked for


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands)
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


target_option = click.option("--target", type=click.Choice(sorted(TARGETS)), default="sqlite", show_default=True)


@main.command()
@target_option
@click.option("--profile", type=click.Choice(sorted(PROFILES)), default="anser", show_default=True)
@click.option("--instruments", default=",".join(INSTRUMENTS), show_default=True, help="Which to run.")
@click.option("--only", default="", metavar="PREFIX", help="Judge only the rules whose ids begin so.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--examples", type=click.IntRange(0), default=300, show_default=True, help="How many sequences.")
@click.option("--steps", type=click.IntRange(1), default=60, show_default=True, help="Steps of each sequence.")
@click.option(
    "--transitions", type=click.IntRange(0), help="At most so many; else one job closes, two go 3 steps deep."
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the report there too.")
@click.option(
    "--save", type=click.Path(path_type=Path), default=Path("out"), show_default=True, help="Counterexamples."
)
@click.option("--replay", "replayed", type=click.Path(exists=True, path_type=Path), help="Only see this one again.")
def run(
    target: str,
    profile: str,
    instruments: str,
    only: str,
    seed: int,
    examples: int,
    steps: int,
    transitions: int | None,
    json_path: Path | None,
    save: Path,
    replayed: Path | None,
) -> None:
    """Hold a target against the rules, by every instrument."""
    if replayed is not None:
        _replay(replayed, target)
    names = tuple(instruments.split(","))
    unknown = [name for name in names if name not in INSTRUMENTS]
    if unknown:
        raise click.UsageError(f"no such instrument: {', '.join(unknown)}; there are {', '.join(INSTRUMENTS)}")
    plan = Plan(
        target=TARGETS[target],
        profile=profile,
        quirks=PROFILES[profile],
        instruments=names,
        seed=seed,
        examples=examples,
        steps=steps,
        transitions=transitions,
        only=only,
        save=save,
        tell=_told(),
    )
    report = run_suite(plan)
    click.echo(as_text(report))
    if json_path is not None:
        json_path.write_text(json.dumps(as_json(report), indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if report.failed else 0)


def _replay(path: Path, name: str) -> None:
    try:
        witness = load(path)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    target = TARGETS[name]()
    try:
        difference = replay(witness, target)
    finally:
        target.close()
    click.echo(str(difference) if difference else f"{len(witness.steps)} steps, and no difference any more")
    sys.exit(1 if difference else 0)


@main.command()
def rules() -> None:
    """List the rules."""
    for rule in read_rules().values():
        click.echo(f"{rule.id:<7} {rule.level.value:<6} {len(rule.blocks):>2} cases  {rule.title}")


@main.command()
@target_option
def defects(target: str) -> None:
    """Tell which known defects a build has."""
    found = diagnose(TARGETS[target])
    for one in found:
        click.echo(f"{one.entry.id:<4} {one.sighted.value:<9} {one.entry.title}  [{one.by}]")
    counts = {sighted: sum(one.sighted is sighted for one in found) for sighted in Sighted}
    click.echo("\n" + ", ".join(f"{count} {sighted.value}" for sighted, count in counts.items()))


@main.command()
@target_option
@click.option("--minutes", type=click.FloatRange(0), default=10.0, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="The first; each round takes the next.")
@click.option("--save", type=click.Path(path_type=Path), default=Path("out"), show_default=True)
def campaign(target: str, minutes: float, seed: int, save: Path) -> None:
    """Run sequences of ever new seeds until the time is over or one disagrees."""
    began = time.monotonic()
    steps = 0
    while time.monotonic() - began < minutes * 60:
        found = run_sequences(TARGETS[target], examples=CAMPAIGN_EXAMPLES, steps=100, seed=seed)
        steps += found.steps
        click.echo(f"seed {seed}: {found.sequences:,} sequences, {steps:,} steps in all", err=True)
        if found.witness is not None:
            path = found.witness.save(save / f"{target}-campaign-{seed}.json")
            click.echo(f"{found.difference}\n{found.witness.text()}\nsaved as {path}")
            sys.exit(1)
        seed += 1
    click.echo(f"no disagreement in {steps:,} steps")


if __name__ == "__main__":
    main()
