"""Cases: the fenced examples of the rules, read and run. `spec/README.md` has their language.

A case is run against a `Target`; the model is one. It looks at answers and at rows. A refusal is also held against
ERR-1: it must leave the world as it was. A target that does not have what the case is about skips it.
"""

from anser_spec.cases.lines import BACKOFF, Case, CaseError, Do, Then, Wait
from anser_spec.cases.read import all_cases, cases_of, read_case
from anser_spec.cases.run import Outcome, Verdict, run_case
from anser_spec.cases.values import T

__all__ = [
    "BACKOFF",
    "Case",
    "CaseError",
    "Do",
    "Outcome",
    "T",
    "Then",
    "Verdict",
    "Wait",
    "all_cases",
    "cases_of",
    "read_case",
    "run_case",
]
