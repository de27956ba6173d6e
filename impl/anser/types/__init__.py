"""The nouns: values that the model, the implementation and the suite share. They mean nothing by themselves.

Instants are whole epoch seconds, durations whole seconds. A payload is the JSON text that the file holds, or the raw
bytes where the file holds something that is not UTF-8 text.
"""

# ruff: noqa: F403  # a family says once, in its own module, what it exports

from __future__ import annotations

from anser.types.bounds import *
from anser.types.events import *
from anser.types.jobs import *
from anser.types.limits import *
from anser.types.locks import *
from anser.types.notifications import *
from anser.types.orders import *
from anser.types.results import *
from anser.types.schedules import *
from anser.types.stats import *
