"""What holds of notifications for every id and instant: who hears, what is lost, what is forgotten."""

from __future__ import annotations

from anser.ops import NotificationPrune
from anser.types import DELAY_MAX_S, Notification
from anser_models import World, step
from anser_spec.contracts.words import all_agree
from anser_spec.predicates import notifications
from anser_spec.predicates.notifications import ChannelRow, NotificationGiven, NotificationRow


def notification_heard_twins(right: bool, id: int, after_id: int) -> None:
    """The `where` of who hears keeps a row if and only if the model lets the listener hear it (NTF-2)."""
    assert id > 0
    assert after_id >= 0
    row = NotificationRow(id=id, channel="k" if right else "l")
    assert all_agree(row, NotificationGiven(after_id=after_id), notifications.HEARD)


def notification_lost_twins(right: bool, pruned_id: int, after_id: int) -> None:
    """So is what a listener lost (NTF-4)."""
    assert pruned_id > 0
    assert after_id >= 0
    row = ChannelRow(channel="k" if right else "l", pruned_id=pruned_id)
    assert all_agree(row, NotificationGiven(after_id=after_id), notifications.LOST)


def notification_old_twins(right: bool, created_at: int, before: int, now: int) -> None:
    """So is what is too old (NTF-7)."""
    assert now >= 0
    assert 0 <= now - before <= DELAY_MAX_S
    row = NotificationRow(channel="k" if right else "l", created_at=created_at)
    assert all_agree(row, NotificationGiven(before=before, now=now), notifications.OLD)


def notification_is_kept_until_its_age(created_at: int, older_than_s: int, now: int) -> None:
    """It is forgotten from the second on in which it is that old, and not before (NTF-7)."""
    assert created_at >= 0
    assert now >= 0
    assert 0 <= older_than_s <= DELAY_MAX_S
    world = World(notifications={5: Notification(5, "k", "1", created_at)}, last_notification=5)
    _, pruned = step(world, NotificationPrune(older_than_s=older_than_s), now)
    assert pruned == int(created_at + older_than_s <= now)
