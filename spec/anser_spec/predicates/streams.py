"""What decides in streams: what is behind a place, who has an entry, what is given again, and what is trimmed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from anser.ops import (
    StreamAck,
    StreamClaim,
    StreamForget,
    StreamGetOffset,
    StreamLag,
    StreamReadSince,
    StreamSaveOffset,
    StreamTrim,
)
from anser.types import (
    INTEGER_MAX,
    Held,
    StreamConsumer,
    StreamEntry,
    StreamGroup,
    StreamPending,
    StreamTrimmed,
)
from anser_models import VERBS, World
from anser_models.predicates import kept_by
from anser_models.step import Draft
from anser_spec.predicates.condition import AnyCondition, Condition, Given, Table, tried
from anser_spec.predicates.logic import Truth, at_most, below, both, either, negated, same

__all__ = ["NO_DECISION", "TABLE", "StreamGiven", "StreamRow"]

# --- what a condition speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRow:
    """The columns that conditions name, of whichever table of streams."""

    offset: int = field(default=1, metadata=tried(1, 2, 3))
    topic: str = field(default="t", metadata=tried("t", "u"))
    name: str = field(default="c", metadata=tried("c", "d"))
    group_name: str = field(default="g", metadata=tried("g", "h"))
    worker: str = field(default="w", metadata=tried("w", "v"))
    fence: int = field(default=5, metadata=tried(4, 5, 6))
    expires_at: int = field(default=10, metadata=tried(9, 10, 11))
    created_at: int = field(default=10, metadata=tried(9, 10, 11))


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamGiven(Given):
    """The place, the reader or the word that an operation names. A word about entries names the first, if `found`."""

    topic: str = "t"
    consumer: str = "c"
    group_name: str = "g"
    worker: str = "w"
    fence: int = 5
    offset: int = field(default=2, metadata=tried(1, 2, 3))
    beyond: int | None = field(default=None, metadata=tried(2, None))
    before: int | None = field(default=None, metadata=tried(10, None))

    OUTSIDE: ClassVar[Mapping[str, str]] = {**Given.OUTSIDE, "entry.offset": "offset", "held.offset": ":offset"}


ENTRIES = Table("_honker_stream", StreamRow, StreamGiven)
CONSUMERS = Table("_honker_stream_consumers", StreamRow, StreamGiven)
GROUPS = Table("_anser_stream_groups", StreamRow, StreamGiven)
PENDING = Table("_anser_stream_pending", StreamRow, StreamGiven)
TRIMMED = Table("_anser_stream_trimmed", StreamRow, StreamGiven)

# --- the model's side


def entry(row: StreamRow) -> StreamEntry:
    return StreamEntry(row.offset, row.topic, None, "1", row.created_at)


def held(row: StreamRow) -> StreamPending:
    return StreamPending(row.topic, row.group_name, row.offset, row.worker, row.fence, row.expires_at, 1)


def published(row: StreamRow, given: StreamGiven) -> Draft:
    """The world whose only entry is the row, about to be changed."""
    return Draft(World(stream={row.offset: entry(row)}), given.now, frozenset())


def seen(row: StreamRow, given: StreamGiven) -> Draft:
    """The world whose only consumer is the row."""
    consumer = StreamConsumer(row.topic, row.name, row.offset)
    return Draft(World(stream_consumers={(row.topic, row.name): consumer}), given.now, frozenset())


def shared(row: StreamRow, given: StreamGiven, *, there: bool = True) -> Draft:
    """The world whose only group has the row pending, and nothing else before it. Its entry may be gone."""
    world = World(
        stream={row.offset: entry(row)} if there else {},
        stream_groups={(row.topic, group): StreamGroup(row.topic, group, INTEGER_MAX) for group in ("g", "h")},
        stream_pending={(row.topic, row.group_name, row.offset): held(row)},
    )
    return Draft(world, given.now, frozenset())


def group_has(row: StreamRow, given: StreamGiven, *, there: bool) -> bool:
    """The row counts to what the group has before it."""
    draft = shared(row, given, there=there)
    draft.world.stream_groups[given.topic, given.group_name] = StreamGroup("t", "g", INTEGER_MAX)
    return bool(VERBS["stream_lag"](draft, StreamLag(topic=given.topic, group=given.group_name)) == 1)


def matches_pending(row: StreamRow, given: StreamGiven) -> bool:
    """An entry of that offset is pending: so it is told by a lag, and is not trimmed."""
    draft = shared(StreamRow(offset=given.offset), given, there=False)
    draft.world.stream[row.offset] = entry(row)
    counted = VERBS["stream_lag"](draft, StreamLag(topic="t", group="g")) == 1
    stays = VERBS["stream_trim"](draft, StreamTrim(topic="t", keep=0)) == 0
    assert counted == stays, "the model writes one meaning twice, and differently"
    return bool(stays)


def given_again(row: StreamRow, given: StreamGiven) -> bool:
    """A claim gives the row to somebody else."""
    op = StreamClaim(topic=given.topic, group=given.group_name, worker="nobody yet", n=1, lease_s=1)
    draft = shared(row, given, there=given.found)
    draft.world.stream_groups[given.topic, given.group_name] = StreamGroup("t", "g", INTEGER_MAX)
    return bool(VERBS["stream_claim"](draft, op))


def acked(row: StreamRow, given: StreamGiven) -> bool:
    """The word about entry 1, or about another one, is heard. `kept_by` says the same of what it finds."""
    named = Held(1 if given.found else 9, given.fence)
    op = StreamAck(topic=given.topic, group=given.group_name, worker=given.worker, held=(named,))
    heard: bool = VERBS["stream_ack"](shared(row, given), op) == (1,)
    found = (row.topic, row.group_name, row.offset) == (given.topic, given.group_name, named.id)
    predicate = found and kept_by(held(row), given.worker, given.fence, given.now)
    assert heard == predicate, "the model writes one meaning twice, and differently"
    return heard


def lost(row: StreamRow, given: StreamGiven) -> bool:
    """Who reads is told that the row was trimmed."""
    draft = Draft(World(stream_trimmed={row.topic: StreamTrimmed(row.topic, row.offset)}), given.now, frozenset())
    page = VERBS["stream_read_since"](draft, StreamReadSince(topic=given.topic, offset=given.offset))
    return page.lost_through_offset is not None


def trimmed(row: StreamRow, given: StreamGiven) -> bool:
    """The row is beyond the newest to be kept, of which the last is `beyond`, or too old."""
    draft = published(row, given)
    keep = None
    if given.beyond is not None:
        draft.world.stream.setdefault(given.beyond, entry(StreamRow(offset=given.beyond, created_at=given.now + 9)))
        keep = sum(offset > given.beyond for offset in draft.world.stream)
    older_than_s = None if given.before is None else given.now - given.before
    VERBS["stream_trim"](draft, StreamTrim(topic=row.topic, keep=keep, older_than_s=older_than_s))
    return row.offset not in draft.world.stream


def trims(row: StreamRow, given: StreamGiven) -> bool:
    """A trim of everything takes the row, which is pending if `found`."""
    draft = shared(row, given) if given.found else published(row, given)
    return bool(VERBS["stream_trim"](draft, StreamTrim(topic=given.topic, keep=0)))


def trim_is_told(row: StreamRow, given: StreamGiven) -> bool:
    """The last offset that was trimmed, the row's, is that of `offset` after it is trimmed."""
    world = World(
        stream={given.offset: entry(StreamRow(offset=given.offset))},
        stream_trimmed={"t": StreamTrimmed("t", row.offset)},
    )
    draft = Draft(world, given.now, frozenset())
    VERBS["stream_trim"](draft, StreamTrim(topic="t", keep=0))
    return draft.world.stream_trimmed["t"].offset > row.offset


def trims_of_each(row: StreamRow, given: StreamGiven) -> bool:
    """A trim of all topics, of whatever age, takes the row, which is pending if `found`."""
    draft = shared(row, given) if given.found else published(row, given)
    return bool(VERBS["stream_trim"](draft, StreamTrim(older_than_s=given.now - row.created_at)))


def too_old_of_each(row: StreamRow, given: StreamGiven) -> bool:
    """A trim of all topics takes the row for its age."""
    op = StreamTrim(older_than_s=given.now - (given.now if given.before is None else given.before))
    return given.before is not None and bool(VERBS["stream_trim"](published(row, given), op))


def saves(row: StreamRow, given: StreamGiven) -> bool:
    op = StreamSaveOffset(topic=row.topic, consumer=row.name, offset=given.offset)
    return bool(VERBS["stream_save_offset"](seen(row, given), op))


def group_forgotten(row: StreamRow, given: StreamGiven) -> bool:
    """What the group has pending is forgotten with it, and nothing else."""
    draft = shared(row, given)
    VERBS["stream_forget"](draft, StreamForget(topic=given.topic, group=given.group_name))
    return not draft.world.stream_pending


def group_found(row: StreamRow, given: StreamGiven) -> bool:
    there = {(row.topic, row.group_name): StreamGroup(row.topic, row.group_name, row.offset)}
    draft = Draft(World(stream_groups=there), given.now, frozenset())
    return bool(VERBS["stream_forget"](draft, StreamForget(topic=given.topic, group=given.group_name)))


# --- the twins


def _behind(row: StreamRow, given: StreamGiven) -> Truth:
    return both(same(row.topic, given.topic), below(given.offset, row.offset))


def _of_consumer(row: StreamRow, given: StreamGiven) -> Truth:
    return both(same(row.topic, given.topic), same(row.name, given.consumer))


def _of_group(row: StreamRow, given: StreamGiven) -> Truth:
    return both(same(row.topic, given.topic), same(row.group_name, given.group_name))


# --- the table


BEHIND = Condition(
    table=ENTRIES,
    text="topic = :topic and offset > :offset",
    rules=("STR-2",),
    twin=_behind,
    model=lambda row, given: bool(
        VERBS["stream_read_since"](
            published(row, given), StreamReadSince(topic=given.topic, offset=given.offset)
        ).entries
    ),
)
LOST = replace(BEHIND, table=TRIMMED, rules=("STR-3",), model=lost)
SAVED = Condition(
    table=CONSUMERS,
    text="offset < :offset",
    rules=("STR-4",),
    twin=lambda row, given: below(row.offset, given.offset),
    model=saves,
)
CONSUMER = Condition(
    table=CONSUMERS,
    text="topic = :topic and name = :consumer",
    rules=("STR-4",),
    twin=_of_consumer,
    model=lambda row, given: (
        VERBS["stream_get_offset"](seen(row, given), StreamGetOffset(topic=given.topic, consumer=given.consumer)) > 0
    ),
)
CONSUMER_FORGOTTEN = replace(
    CONSUMER,
    rules=("STR-11",),
    model=lambda row, given: VERBS["stream_forget"](
        seen(row, given), StreamForget(topic=given.topic, consumer=given.consumer)
    ),
)
GROUP = Condition(
    table=GROUPS,
    text="topic = :topic and group_name = :group_name",
    rules=("STR-6", "STR-11"),
    twin=_of_group,
    model=group_found,
)
GROUP_FORGOTTEN = replace(GROUP, table=PENDING, rules=("STR-11",), model=group_forgotten)
UNACKED = Condition(
    table=PENDING,
    text=f"{GROUP.text} and exists (…)",
    rules=("STR-5",),
    twin=lambda row, given: both(_of_group(row, given), given.found),
    model=lambda row, given: group_has(row, given, there=given.found),
)
THERE = Condition(
    table=ENTRIES,
    text="entry.offset = held.offset",
    rules=("STR-5", "STR-7"),
    twin=lambda row, given: same(row.offset, given.offset),
    model=matches_pending,
)
STAYS = replace(THERE, text="held.offset = entry.offset", rules=("STR-10",))
IN_TOPIC = Condition(
    table=ENTRIES,
    text="topic = :topic",
    rules=("STR-9",),
    twin=lambda row, given: same(row.topic, given.topic),
    model=lambda row, given: VERBS["stream_trim"](published(row, given), StreamTrim(topic=given.topic, keep=0)) == 1,
)
FREE = Condition(
    table=ENTRIES,
    text="topic = :topic and not exists (…)",
    rules=("STR-10",),
    twin=lambda row, given: both(same(row.topic, given.topic), negated(given.found)),
    model=trims,
)
TOO_MANY_OR_OLD = Condition(
    table=ENTRIES,
    text="offset <= :beyond or created_at <= :before",
    rules=("STR-9",),
    twin=lambda row, given: either(at_most(row.offset, given.beyond), at_most(row.created_at, given.before)),
    model=trimmed,
)
FREE_OF_EACH = replace(
    FREE,
    text="not exists (…)",
    rules=("STR-10", "STR-13"),
    twin=lambda row, given: negated(given.found),  # noqa: ARG005  # it asks nothing of the row
    model=trims_of_each,
)
OLD_OF_EACH = Condition(
    table=ENTRIES,
    text="created_at <= :before",
    rules=("STR-13",),
    twin=lambda row, given: at_most(row.created_at, given.before),
    model=too_old_of_each,
)
TOLD = replace(SAVED, table=TRIMMED, rules=("STR-3",), model=trim_is_told)
LAPSED = Condition(
    table=PENDING,
    text=f"{GROUP.text} and expires_at < :now and exists (…)",
    rules=("STR-7",),
    twin=lambda row, given: both(_of_group(row, given), below(row.expires_at, given.now), given.found),
    model=given_again,
)
ACKED = Condition(
    table=PENDING,
    text=f"{GROUP.text} and offset in (…) and worker = :worker and fence = :fence and expires_at >= :now",
    rules=("STR-7", "STR-8"),
    twin=lambda row, given: both(
        _of_group(row, given),
        given.found and row.offset == 1,
        same(row.worker, given.worker),
        same(row.fence, given.fence),
        at_most(given.now, row.expires_at),
    ),
    model=acked,
)

TABLE: dict[str, tuple[AnyCondition, ...]] = {
    "stream_read_since": (BEHIND,),
    "stream_lost": (LOST,),
    "stream_save_offset": (SAVED,),
    "stream_get_offset": (CONSUMER,),
    "stream_group_offset": (GROUP,),
    "stream_behind": (BEHIND,),
    "stream_unacked": (UNACKED, THERE),
    "stream_forget_consumer": (CONSUMER_FORGOTTEN,),
    "stream_forget_group": (GROUP,),
    "stream_forget_pending": (GROUP_FORGOTTEN,),
    "stream_beyond": (IN_TOPIC,),
    "stream_trim": (FREE, STAYS, TOO_MANY_OR_OLD),
    "stream_trim_each": (FREE_OF_EACH, STAYS, OLD_OF_EACH),
    "stream_trim_told": (TOLD,),
    "stream_claim_lapsed": (LAPSED, THERE),
    "stream_ack": (ACKED,),
}
NO_DECISION: dict[str, tuple[str, str]] = {
    "stream_claim_again": (f"{GROUP.text} and offset = :offset", "it takes the row that the claim has found"),
    "stream_entry": ("offset = :offset", "it reads the row that the claim has found"),
}
