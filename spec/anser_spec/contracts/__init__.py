"""What holds of the pure parts for every integer: contracts that CrossHair proves, or at least fails to refute.

Each function is a contract: its leading asserts say of which arguments, its last one what must hold; what CrossHair
takes for a leading assert would never be doubted, so there is one last, and a test sees it refuted when it says the
contrary. Nobody calls the contracts but CrossHair (`python -m anser_spec.crosshair`).

A family is a module, and the file beside it keeps the verdict that is expected of each of its contracts: `jobs.toml` of
those in `jobs.py`. Those named `…_twin` hold the twins of `anser_spec.predicates` against the model. There ids, queues
and workers are right or wrong, no more: conditions that compare nothing else stand on the grid alone. An instant is not
before the epoch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType

from anser_spec.contracts import arguments, backoff, claims, dead, jobs, leases, limits, locks, notifications

__all__ = ["CONTRACTS", "FAMILIES"]

FAMILIES: tuple[ModuleType, ...] = (jobs, claims, leases, dead, locks, notifications, limits, backoff, arguments)

_FOUND = [
    (name, value)
    for family in FAMILIES
    for name, value in vars(family).items()
    if inspect.isfunction(value) and value.__module__ == family.__name__ and not name.startswith("_")
]
CONTRACTS: dict[str, Callable[..., None]] = dict(_FOUND)  # in the order of the families, and of their modules
assert len(CONTRACTS) == len(_FOUND), "two families name a contract alike"
