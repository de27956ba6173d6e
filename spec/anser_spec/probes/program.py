"""A probe as a program: the entry and a fresh path in, one line of JSON out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping

__all__ = ["Probe", "main"]

Probe = Callable[[str], str | None]  # a fresh path -> what went wrong, None if nothing did


def main(probes: Mapping[str, Probe]) -> None:
    """Run the probe that the command line names; without a path, tell which there are."""
    if len(sys.argv) < 3:
        print(json.dumps(sorted(probes)))
        return
    wrong = probes[sys.argv[1]](sys.argv[2])
    print(json.dumps({"present": wrong is not None, "by": wrong}))
