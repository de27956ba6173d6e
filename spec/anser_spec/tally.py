"""What a campaign is given and what it gives back: a bound of time or count, and figures with what was found wrong."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

__all__ = ["Budget", "Tally", "Tell", "Violation", "as_json", "as_lines"]

Tell = Callable[[str], None]  # hears of progress, a line at a time


@dataclass(slots=True)
class Budget:
    """How much an instrument may do: until so many seconds are over, so many rounds are done, or its work is."""

    seconds: float | None = None
    rounds: int | None = None
    done: int = 0
    began: float = field(default_factory=time.monotonic)

    def spent(self) -> bool:
        """Whether no further round may begin."""
        if self.rounds is not None and self.done >= self.rounds:
            return True
        return self.seconds is not None and time.monotonic() - self.began >= self.seconds


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that no rule allows: what was seen, the rules that it breaks, and the command that shows it again."""

    what: str
    rules: tuple[str, ...]
    replay: str


@dataclass(slots=True)
class Tally:
    """What one instrument covered, by noun ("statements stopped at": 1200), and what it found."""

    instrument: str
    covered: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # what could not be looked at here, and why
    seconds: float = 0.0


def as_json(tally: Tally) -> dict[str, Any]:
    """A tally as plain JSON values."""
    return {field.name: getattr(tally, field.name) for field in fields(tally)} | {
        "violations": [asdict(violation) for violation in tally.violations]
    }


def as_lines(tally: Tally) -> list[str]:
    """A tally for people."""
    figures = ", ".join(f"{count:,} {noun}" for noun, count in tally.covered.items())
    lines = [f"{tally.instrument}: {figures or 'nothing'}; {len(tally.violations)} violations; {tally.seconds:.0f} s"]
    lines += [f"  left out: {why}" for why in tally.left_out]
    for violation in tally.violations:
        lines += [f"  {', '.join(violation.rules)}: {violation.what}", f"    again: {violation.replay}"]
    return lines
