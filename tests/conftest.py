"""What every test shares: how Hypothesis draws, and the binding of tests to rules.

`gate` draws the same examples each time, so a red run is red again; `--hypothesis-profile wide` looks for
new ones.
"""

from __future__ import annotations

from hypothesis import settings

pytest_plugins = ["anser_spec.pytest_plugin"]  # the mark `rule`, and what the run has seen

settings.register_profile("gate", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("wide", deadline=None, max_examples=1_000, print_blob=True)
settings.load_profile("gate")
