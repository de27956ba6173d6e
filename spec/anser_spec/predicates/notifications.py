"""What decides about notifications: who hears which, what a listener lost, and what is forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from anser.ops import NotificationLast, NotificationPrune, NotificationRead
from anser.types import Channel, Notification
from anser_models import VERBS, World
from anser_models.predicates import too_old
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.logic import Truth, at_most, below, both, same

__all__ = ["NO_DECISION", "TABLE", "ChannelRow", "NotificationGiven", "NotificationRow"]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationRow:
    """The columns that conditions name."""

    id: int = field(default=5, metadata=tried(4, 5, 6))
    channel: str = field(default="k", metadata=tried("j", "k", "l"))
    created_at: int = field(default=10, metadata=tried(9, 10, 11))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRow:
    """What a channel says of what is gone."""

    channel: str = field(default="k", metadata=tried("j", "k", "l"))
    pruned_id: int = field(default=5, metadata=tried(4, 5, 6))


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationGiven(Given):
    """The channel, the place in it from which a listener hears, and up to where a pruning goes."""

    channel: str = "k"
    after_id: int = 5
    through_id: int = 5
    before: int = 10


TOLD = Table("_honker_notifications", NotificationRow, NotificationGiven)
GONE = Table("_anser_channels", ChannelRow, NotificationGiven)

# --- the model's side


def _told(row: NotificationRow, given: NotificationGiven, *newer: Notification) -> Draft:
    """The world whose only notifications are the row and those newer ones, about to be changed."""
    told = (Notification(row.id, row.channel, "1", row.created_at), *newer)
    return Draft(World(notifications={one.id: one for one in told}), given.now, frozenset())


def _gone(row: ChannelRow, given: NotificationGiven) -> Draft:
    return Draft(World(channels={row.channel: Channel(row.channel, row.pruned_id)}), given.now, frozenset())


def heard(row: NotificationRow, given: NotificationGiven) -> bool:
    """`notification_read` answers the row."""
    op = NotificationRead(channel=given.channel, after_id=given.after_id)
    return bool(VERBS["notification_read"](_told(row, given), op).notifications)


def lost(row: ChannelRow, given: NotificationGiven) -> bool:
    """`notification_read` says that something is gone."""
    op = NotificationRead(channel=given.channel, after_id=given.after_id)
    return VERBS["notification_read"](_gone(row, given), op).lost_through_id is not None


def is_last(row: NotificationRow, given: NotificationGiven) -> bool:
    """`notification_last` answers the row's id."""
    return bool(VERBS["notification_last"](_told(row, given), NotificationLast(channel=given.channel)))


def is_last_gone(row: ChannelRow, given: NotificationGiven) -> bool:
    """`notification_last` answers what is gone."""
    return bool(VERBS["notification_last"](_gone(row, given), NotificationLast(channel=given.channel)))


def ranked(row: NotificationRow, given: NotificationGiven) -> bool:
    """The row counts among those of the channel: none of it is kept."""
    return bool(VERBS["notification_prune"](_told(row, given), NotificationPrune(channel=given.channel, keep=0)))


def pruned_beyond(row: NotificationRow, given: NotificationGiven) -> bool:
    """`notification_prune` forgets the row, or what is newer, where only what is newer than `through_id` is kept."""
    kept = Notification(given.through_id + 1, given.channel, "1", 10)
    if row.id == kept.id:
        return False
    op = NotificationPrune(channel=given.channel, keep=1)
    return bool(VERBS["notification_prune"](_told(row, given, kept), op))


def pruned_old(row: NotificationRow, given: NotificationGiven) -> bool:
    """`notification_prune` forgets the row; it takes an age where the statement takes an instant."""
    age = given.now - given.before
    told = _told(row, given)
    old = bool(VERBS["notification_prune"](told, NotificationPrune(channel=given.channel, older_than_s=age)))
    notification = Notification(row.id, row.channel, "1", row.created_at)
    predicate = row.channel == given.channel and too_old(notification, age, given.now)
    assert old == predicate, "the model writes one meaning twice, and differently"
    return old


# --- the table


def _of_the_channel(row: NotificationRow, given: NotificationGiven) -> Truth:
    return same(row.channel, given.channel)


HEARD = Condition(
    table=TOLD,
    text="channel = :channel and id > :after_id",
    rules=("NTF-2",),
    twin=lambda row, given: both(_of_the_channel(row, given), below(given.after_id, row.id)),
    model=heard,
)
LOST = Condition(
    table=GONE,
    text="channel = :channel and pruned_id > :after_id",
    rules=("NTF-4",),
    twin=lambda row, given: both(same(row.channel, given.channel), below(given.after_id, row.pruned_id)),
    model=lost,
)
LAST = Condition(table=TOLD, text="channel = :channel", rules=("NTF-5",), twin=_of_the_channel, model=is_last)
LAST_GONE = Condition(
    table=GONE,
    text="channel = :channel",
    rules=("NTF-5",),
    twin=lambda row, given: same(row.channel, given.channel),
    model=is_last_gone,
)
RANKED = replace(LAST, rules=("NTF-6",), model=ranked)
BEYOND = Condition(
    table=TOLD,
    text="channel = :channel and id <= :through_id",
    rules=("NTF-6",),
    twin=lambda row, given: both(_of_the_channel(row, given), at_most(row.id, given.through_id)),
    model=pruned_beyond,
)
OLD = Condition(
    table=TOLD,
    text="channel = :channel and created_at <= :before",
    rules=("NTF-7",),
    twin=lambda row, given: both(_of_the_channel(row, given), at_most(row.created_at, given.before)),
    model=pruned_old,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "notification_read": (HEARD,),
    "notification_lost": (LOST,),
    "notification_last": (LAST, LAST_GONE),
    "notification_beyond": (RANKED,),
    "notification_prune_beyond": (BEYOND,),
    "notification_prune_old": (OLD,),
}
NO_DECISION: dict[str, tuple[str, str]] = {
    "notification_next_channel": ("channel > :channel", "it walks from one channel to the next, and leaves none out"),
}
