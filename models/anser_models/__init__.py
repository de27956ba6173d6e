"""The queue as a pure function: worlds, `step`, invariants, and the known defects as switches."""

from anser_models.invariants import INVARIANTS, broken
from anser_models.parts import canonical, shifted
from anser_models.quirks import HONKER_0_5, PROCESS_TZ, Quirk
from anser_models.step import TRANSITIONS, VERBS, Refused, Step, step, step_named
from anser_models.world import EMPTY, World

__all__ = [
    "EMPTY",
    "HONKER_0_5",
    "INVARIANTS",
    "PROCESS_TZ",
    "TRANSITIONS",
    "VERBS",
    "Quirk",
    "Refused",
    "Step",
    "World",
    "broken",
    "canonical",
    "shifted",
    "step",
    "step_named",
]
