"""A day on a manual clock: minute by minute everybody does what they do, each hour it is looked whether all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import cast

from anser.home import Home
from anser.ops import Stats
from anser.retention import maintain
from anser_spec.churn.both import Both, Wrong
from anser_spec.churn.plan import MINUTE_S, UPKEEP_MIN, Plan, rows_beyond
from anser_spec.churn.rest import Rest
from anser_spec.churn.work import Work
from anser_spec.file import TABLES
from anser_spec.targets import Target

__all__ = ["BEGINS_AT", "Churned", "churn"]

BEGINS_AT = 1_792_886_400  # 2026-10-25 00:00 UTC; an hour later the clocks of Europe go back
UPKEEP_LIMIT = 1_000
UPKEEP_BATCHES = 1_000
Tell = Callable[[str], None]


@dataclass(slots=True)
class Churned:
    """What a day came to: `rows` are those of each table at its end, `most` the most at the end of any minute."""

    operations: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    maintained: Counter[str] = field(default_factory=Counter)
    rows: dict[str, int] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    compared: int = 0
    wrong: str | None = None


def churn(target: Target, plan: Plan, tell: Tell) -> Churned:
    """Live through the day, to its end or to the first thing that is wrong. The same plan does the same again."""
    both = Both(target, BEGINS_AT)
    found = Churned(both.operations, both.refusals, both.names)
    try:
        _live(both, plan, found, tell)
    except Wrong as wrong:
        found.wrong = str(wrong)
    found.compared = both.compared
    return found


def _live(both: Both, plan: Plan, found: Churned, tell: Tell) -> None:
    random = Random(plan.seed)
    work, rest = Work(both, plan, random), Rest(both, plan, random)
    rest.begin()
    for minute in range(plan.minutes):
        begins_at = BEGINS_AT + minute * MINUTE_S
        is_up = minute not in plan.outage
        both.now = begins_at
        work.produce(minute)
        rest.tell(minute)
        rest.publish(minute)
        if is_up:
            both.now = begins_at + random.randint(0, 5)
            rest.tick(minute)
            work.claim()
            both.now = begins_at + random.randint(10, 20)
            work.beat(minute)
            both.now = begins_at + random.randint(20, 40)
            work.settle(minute)
            rest.follow(minute)
        both.now = begins_at + random.randint(40, 50)
        work.ask(minute)
        rest.hear(minute)
        rest.locks(minute)
        rest.limits(minute)
        both.now = begins_at + MINUTE_S - 1
        if minute % UPKEEP_MIN == UPKEEP_MIN - 1:
            _upkeep(both, plan, found)
        _count(both, plan, found)
        if minute % 60 == 59:
            both.compare()
            tell(f"hour {minute // 60 + 1}: {sum(both.operations.values())} operations")


def _upkeep(both: Both, plan: Plan, found: Churned) -> None:
    """The policy's own chores; then somebody looks at what is there."""
    home = cast(Home, both)  # of its home a policy asks only that it runs operations
    found.maintained.update(maintain(home, plan.policy, limit=UPKEEP_LIMIT, batches=UPKEEP_BATCHES).rows)
    both.run(Stats())


def _count(both: Both, plan: Plan, found: Churned) -> None:
    """Each table is within its bound, and no job is lost; what is wrong once ends the day."""
    found.rows = {table.name: len(getattr(both.world, table.part)) for table in TABLES}
    found.most = {name: max(rows, found.most.get(name, 0)) for name, rows in found.rows.items()}
    if beyond := rows_beyond(both.world, plan):
        raise Wrong(f"at {both.now}: {'; '.join(beyond)}")
    if (lost := _lost(both)) != 0:
        raise Wrong(f"at {both.now}: {lost} jobs came and neither left nor are there (JOB-1)")


def _lost(both: Both) -> int:
    """Of the jobs that the events tell of: those that came, without those that left and those that live."""
    came, left = (sum(both.names[f"events_on.tells_{kind}"] for kind in kinds) for kinds in (CAME, LEFT))
    return came - left - len(both.world.jobs)


CAME = ("enqueued", "requeued")
LEFT = ("acked", "cancelled", "dead")
