"""Notifications: two busy channels and odd ones, listeners that come late, and prunings that take away before them."""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import NotificationLast, NotificationPrune, NotificationRead, Notify, Op
from anser.types import DELAY_MAX_S, INTEGER_MAX, LIST_MAX, NOTIFICATIONS_KEEP_MAX
from anser_spec.machine.base import Family, Machine, rule_of
from anser_spec.machine.values import LIMITS, QUEUES, one_of, pick
from anser_spec.seeds.notifications import SEEDS

__all__ = ["FAMILY", "Notifications"]

NAME = "notifications"

PAYLOADS = (1, None, "\u00e9\x00", {"": [1.5, -0.0]}, INTEGER_MAX)
KEEPS = (None, 0, 1, 2, NOTIFICATIONS_KEEP_MAX)
AGES = (None, 0, 1, 60, DELAY_MAX_S)

INVALID: tuple[Op, ...] = (
    Notify(channel="", payload=1),
    Notify(channel="a", payload=float("nan")),
    NotificationRead(channel="a\n", after_id=0),
    NotificationRead(channel="a", after_id=-1),
    NotificationRead(channel="a", after_id=0, limit=LIST_MAX + 1),
    NotificationLast(channel="\ud800"),
    NotificationPrune(),
    NotificationPrune(channel="", keep=1),
    NotificationPrune(keep=NOTIFICATIONS_KEEP_MAX + 1),
    NotificationPrune(keep=-1, older_than_s=1),
    NotificationPrune(older_than_s=-1),
    NotificationPrune(older_than_s=0.5),  # type: ignore[arg-type]  # fractions are refused
    NotificationPrune(keep=1, limit=0),
)


class Notifications(Machine):
    """What is told on channels, heard there, and forgotten."""

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (told.created_at for told in self.world.notifications.values())

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def notification(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them: each rule more makes the others rarer."""
        if kind % 8 < 3:
            self.notify(which, how)
        elif kind % 8 < 5:
            self.listen(which, how)
        elif kind % 8 < 7:
            self.notification_prune(which, how)
        else:
            self.notify_and_prune(which, how)

    def notify(self, channel: int, payload: int) -> None:
        names = QUEUES if payload % 4 == 3 else QUEUES[:2]
        self.do(Notify(channel=one_of(names, channel), payload=one_of(PAYLOADS, payload // 4)))

    def listen(self, which: int, how: int) -> None:
        """After an id that is there, that is gone, beside one, or that was never given."""
        channel = one_of(QUEUES[:2] if how % 4 else QUEUES, which)
        gone = self.world.channels.get(channel)
        ids = [0, *sorted(self.world.notifications), *([] if gone is None else [gone.pruned_id, gone.pruned_id - 1])]
        self.do(NotificationLast(channel=channel))
        self.do(
            NotificationRead(
                channel=channel,
                after_id=one_of((*ids, self.world.last_notification + 1), how // 4),
                limit=one_of(LIMITS, how),
            )
        )

    def notification_prune(self, which: int, how: int) -> None:
        """By rank, by age, or by both; of one channel, or of each."""
        keep, older_than_s = one_of(KEEPS, how), one_of(AGES, how // len(KEEPS))
        if (keep, older_than_s) == (None, None):
            keep = 1
        channel = one_of((None, None, *QUEUES[:2]), which)
        limit = one_of(LIMITS, which // 4)
        self.do(NotificationPrune(channel=channel, keep=keep, older_than_s=older_than_s, limit=limit))

    def notify_and_prune(self, which: int, how: int) -> None:
        """More than a pruning takes at once, and a listener who has heard some of it."""
        channel = one_of(QUEUES[:2], which)
        for payload in range(3):
            self.do(Notify(channel=channel, payload=payload))
        self.do(NotificationPrune(keep=how % 2, older_than_s=one_of((None, 0, 1), how // 2), limit=1 + how % 3))
        self.do(NotificationRead(channel=channel, after_id=max(self.world.last_notification - how % 4, 0)))


FAMILY = Family(NAME, Notifications, INVALID, tuple(SEEDS.values()), Notifications.notification)
