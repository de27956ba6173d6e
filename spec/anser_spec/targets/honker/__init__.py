"""The published honker as a target: laid beside the project (`lay`), run in a process of its own
(`anser_spec.drivers.honker`), and spoken to in JSON lines (`process`, `target`). What of a world its tables hold, and
what its answers tell, is told by `families`, a module each, and put together by `rows`.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["DIRECTORY_VARIABLE", "PUBLISHED", "WHY_NOT", "laid_directory", "missing"]

PUBLISHED = "0.5.0"
DIRECTORY_VARIABLE = "ANSER_HONKER"
WHY_NOT = "why-not"  # the file in a folder where honker could not be laid


def laid_directory(root: Path = Path()) -> Path:
    """Where honker is laid: the folder that the environment names, or `.honker` in the project's root."""
    return Path(os.environ.get(DIRECTORY_VARIABLE) or root / ".honker")


def missing(directory: Path, version: str = PUBLISHED) -> str | None:
    """None if that honker is laid there, or else why not, for a test or a command that is skipped."""
    why_not = directory / WHY_NOT
    if why_not.is_file():
        return why_not.read_text(encoding="utf-8").strip()
    if not (directory / f"honker-{version}.dist-info").is_dir():
        return f"honker {version} is not laid in {directory}: make honker, or name its folder in {DIRECTORY_VARIABLE}"
    return None
