"""What decides about jobs that run one after another: whether somebody of the order key is there already."""

from __future__ import annotations

from dataclasses import dataclass, field

from anser.ops import Enqueue
from anser.types import TURN_AT, Ordered
from anser_models import VERBS, World
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.logic import both, same

__all__ = ["NO_DECISION", "TABLE", "PlaceGiven", "PlaceRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """The columns that the condition names."""

    queue: str = field(default="a", metadata=tried("a", "b"))
    order_key: str = field(default="k", metadata=tried("k", "l", "K"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceGiven(Given):
    """The line in which a job is to stand."""

    queue: str = "a"
    order_key: str = "k"


def waits_behind(row: PlaceRow, given: PlaceGiven) -> bool:
    """A job that is enqueued waits for the one whose place the row is."""
    world = World(ordered={7: Ordered(7, row.queue, row.order_key, given.now)}, last_id=7)
    draft = Draft(world, given.now, frozenset())
    VERBS["enqueue"](draft, Enqueue(queue=given.queue, payload=1, order_key=given.order_key))
    return draft.world.jobs[8].run_at == TURN_AT


WAITS = Condition(
    table=Table("_anser_ordered", PlaceRow, PlaceGiven),
    text="queue = :queue and order_key = :order_key",
    rules=("ORD-1",),
    twin=lambda row, given: both(same(row.queue, given.queue), same(row.order_key, given.order_key)),
    model=waits_behind,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {"order_waits": (WAITS,)}
NO_DECISION: dict[str, tuple[str, str]] = {}
