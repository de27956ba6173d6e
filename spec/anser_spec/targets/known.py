"""The targets and the profiles that a command knows by name."""

from __future__ import annotations

from collections.abc import Callable

from anser_models import HONKER_0_5, Quirk
from anser_spec.targets import Target

__all__ = ["PROFILES", "TARGETS", "Missing"]


class Missing(Exception):
    """A target that is not on this machine; the text says what brings it."""


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
        raise Missing(reason)
    return HonkerTarget(directory)


TARGETS: dict[str, Callable[[], Target]] = {"sqlite": _sqlite, "honker": _honker, "model": _model}
PROFILES: dict[str, frozenset[Quirk]] = {"anser": frozenset(), "honker-0.5": HONKER_0_5}
