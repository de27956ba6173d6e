"""What holds in every world that the operations can make. Each invariant answers what is wrong, or None."""

from __future__ import annotations

from anser_models.parts import INVARIANTS
from anser_models.world import World

__all__ = ["INVARIANTS", "broken"]


def broken(world: World) -> list[str]:
    """Every invariant that the world breaks, by name and finding."""
    found = ((invariant.__name__, invariant(world)) for invariant in INVARIANTS)
    return [f"{name}: {finding}" for name, finding in found if finding is not None]
