"""Events: told or not, read by somebody who comes too late or does not, and forgotten; and what the file holds."""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import Enqueue, EventPrune, EventRead, EventsOff, EventsOn, Op, QueueList, Stats
from anser.types import DELAY_MAX_S, EVENTS_MAX, LIST_MAX
from anser_spec.machine.base import Family, Machine, rule_of
from anser_spec.machine.values import LIMITS, QUEUES, one_of, pick
from anser_spec.seeds.events import SEEDS

__all__ = ["FAMILY", "Events"]

NAME = "events"

KEEPS = (EVENTS_MAX, 3, 1, 2)

INVALID: tuple[Op, ...] = (
    EventsOn(keep=0),
    EventsOn(keep=EVENTS_MAX + 1),
    EventRead(after_id=-1),
    EventRead(limit=LIST_MAX + 1),
    EventPrune(older_than_s=-1),
    EventPrune(older_than_s=0, limit=0),
    QueueList(after_queue="a\x00"),
    QueueList(limit=0),
)


class Events(Machine):
    """What happens to jobs is told, whatever rule it happens in."""

    def begun(self, first: int) -> None:
        """Mostly it is told from the beginning: without jobs, or before, there is little to see."""
        super().begun(first)
        if NAME in self.mixed and first // 2 % 4:
            self.do(EventsOn(keep=one_of(KEEPS, first // 8)))

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (event.at for event in self.world.events.values() if event.at is not None)

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def tell_and_read(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them: each rule more makes the others rarer. There is something to prune, then."""
        if kind % 8 < 2:
            self.do(EventsOn(keep=one_of(KEEPS, how)))
        elif kind % 8 == 2:
            self.do(EventsOff())
        elif kind % 8 < 6:
            after_ids = (0, self.world.last_event, max(self.world.last_event - 1, 0))
            self.do(EventRead(after_id=one_of(after_ids, which), limit=one_of(LIMITS, how // 4)))
            self.do(QueueList(after_queue=one_of(("", *QUEUES), which), limit=one_of(LIMITS, how // 4)))
            self.do(Stats())
        else:
            if not self.world.events:
                self.do(EventsOn(keep=one_of(KEEPS, how)))
                self.do(Enqueue(queue=one_of(QUEUES, which), payload=1))
            older_than_s = one_of((0, 0, 1, 60, DELAY_MAX_S), which)
            self.do(EventPrune(older_than_s=older_than_s, limit=one_of(LIMITS, how // 4)))


FAMILY = Family(NAME, Events, INVALID, tuple(SEEDS.values()), Events.tell_and_read)
