"""Everything that can run for as long as one likes, in one go: each instrument its share of the time, and one table."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from anser_spec import crash
from anser_spec.tally import Budget, Tally, as_json
from anser_spec.targets.known import TARGETS

__all__ = ["CAMPAIGNS", "Campaign", "command", "run_campaigns", "table"]


@dataclass(frozen=True, slots=True)
class Campaign:
    """A module with `run(budget, seed, tell)`, its share of the time, and whether it can look at other targets too."""

    module: str
    share: int
    any_target: bool = False


SHARES = {"kills": 3, "power": 3, "full-disk": 1}
CAMPAIGNS = {
    "sequences": Campaign("anser_spec.machine.rounds", 3, any_target=True),
    "churn": Campaign("anser_spec.churn.days", 2),
    **{name: Campaign(module, SHARES.get(name, 2)) for name, module in crash.INSTRUMENTS.items()},
}


@click.command("campaign", short_help="Run every long campaign, each its share of the time.")
@click.option("--target", type=click.Choice(sorted(TARGETS)), default="sqlite", show_default=True, help="What is held.")
@click.option("--only", type=click.Choice(list(CAMPAIGNS)), multiple=True, help="These campaigns alone.")
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="For how long; the rounds that are under way then are ended.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same again with the same.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the tallies there too, as JSON.")
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    default=Path("out"),
    show_default=True,
    help="The folder where counterexamples are saved.",
)
def command(target: str, only: tuple[str, ...], minutes: float, seed: int, json_path: Path | None, save: Path) -> None:
    """Run every long campaign on ever new seeds until the time is over, and print what each covered.

    On another target than `sqlite`, those that can look at it. Exit status: 0 no violation, 1 one, each printed with
    the command that shows it again, 2 wrong usage.
    """
    names = [name for name in only or CAMPAIGNS if target == "sqlite" or CAMPAIGNS[name].any_target]
    if not names:
        raise click.UsageError(f"none of these campaigns can look at {target}: take sequences or races")
    tallies = run_campaigns(names, minutes * 60, seed, target, save)
    click.echo(table(tallies))
    if json_path is not None:
        json_path.write_text(json.dumps([as_json(tally) for tally in tallies], indent=1) + "\n", "utf-8")
    sys.exit(1 if any(tally.violations for tally in tallies) else 0)


def run_campaigns(names: Sequence[str], seconds: float, seed: int, target: str, save: Path) -> list[Tally]:
    """One after the other. What one leaves of its time, the others share."""
    ends = time.monotonic() + seconds
    tallies = []
    for place, name in enumerate(names):
        shares = sum(CAMPAIGNS[later].share for later in names[place:])
        budget = Budget(seconds=max(ends - time.monotonic(), 0) * CAMPAIGNS[name].share / shares)
        tallies.append(_run(name, budget, seed, target, save))
    return tallies


def _run(name: str, budget: Budget, seed: int, target: str, save: Path) -> Tally:
    campaign = CAMPAIGNS[name]
    more: dict[str, Any] = {"target": TARGETS[target], "save": save} if campaign.any_target else {}
    tally: Tally = import_module(campaign.module).run(budget, seed, lambda text: _tell(name, text), **more)
    return tally


def _tell(name: str, text: str) -> None:
    click.echo(f"… {name}: {text}", err=True)


def table(tallies: Sequence[Tally]) -> str:
    """What each covered, a line a figure; then what was found, and how to see it again."""
    lines = []
    for tally in tallies:
        for place, (noun, count) in enumerate(tally.covered.items()):
            lines.append(f"{'' if place else tally.instrument:<14} {noun:<34} {count:>12,}")
        lines.append(f"{'':<14} {'seconds':<34} {tally.seconds:>12,.0f}")
        lines += [f"{'':<14} left out: {why}" for why in tally.left_out]
    violations = [violation for tally in tallies for violation in tally.violations]
    lines.append(f"\nviolations {len(violations)}")
    for violation in violations:
        lines += [f"{', '.join(violation.rules)}: {violation.what}", f"  again: {violation.replay}"]
    return "\n".join(lines)
