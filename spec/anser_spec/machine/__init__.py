"""Long runs: Hypothesis draws what is done next from what the model holds, and the target does it too.

It sees what the small worlds of `transitions` cannot hold: odd strings, numbers at their bounds, several queues, time
that goes far and back, a caller's transactions with errors caught inside, and whatever a file remembers that a world
does not show. After each step the answer, every row and the invariants are compared.

A run that never took some named transition proves nothing about it: the vacuity gate tells which.
"""

from anser_spec.machine.families import FAMILIES, INVALID, STARTS
from anser_spec.machine.report import SequenceReport
from anser_spec.machine.sequences import run_sequences

__all__ = ["FAMILIES", "INVALID", "STARTS", "SequenceReport", "run_sequences"]
