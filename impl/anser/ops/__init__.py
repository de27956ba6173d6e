"""The verbs as values: one class an operation, its fields the arguments, `check()` every refusal that needs no file.

The class, the statement, the core's function, the model's function, the case's word and the protocol's method have one
name. What a verb *does* is not here: it is written in the core and in the model, and compared.

`check()` looks at the fields in the order in which they are declared and raises `Invalid` for the first that is wrong
(ERR-2). A payload is looked at last, by `encode`.
"""

# ruff: noqa: F403  # a family says once, in its own module, what it exports

from __future__ import annotations

from anser.ops.base import Op as Op
from anser.ops.claims import *
from anser.ops.dead import *
from anser.ops.events import *
from anser.ops.families import *
from anser.ops.jobs import *
from anser.ops.leases import *
from anser.ops.limits import *
from anser.ops.locks import *
from anser.ops.notifications import *
from anser.ops.payload import *
from anser.ops.results import *
from anser.ops.schedules import *
from anser.ops.stats import *
from anser.ops.wire import *
