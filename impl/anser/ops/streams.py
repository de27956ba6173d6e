"""Streams: published once, read by consumers who each see all, or shared by the workers of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anser.errors import Invalid
from anser.ops import checks
from anser.ops.base import Op
from anser.types import (
    BATCH_MAX,
    DELAY_MAX_S,
    INTEGER_MAX,
    KEY_MAX_BYTES,
    LEASE_MAX_S,
    LIST_MAX,
    STREAM_CLAIM_MAX,
    Held,
)

__all__ = [
    "StreamAck",
    "StreamClaim",
    "StreamForget",
    "StreamGetOffset",
    "StreamLag",
    "StreamPublish",
    "StreamReadSince",
    "StreamSaveOffset",
    "StreamTrim",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPublish(Op):
    """Append an entry to the topic. Answers its offset. `key` is the publisher's own word. Rules: STR-1."""

    name: ClassVar[str] = "stream_publish"
    topic: str
    payload: Any
    key: str | None = None

    def check(self) -> None:
        checks.name("topic", self.topic)
        if self.key is not None:
            checks.text("key", self.key, KEY_MAX_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReadSince(Op):
    """The entries of the topic behind `offset`, in their order. Answers `StreamPage`. Writes nothing.

    Rules: STR-2, STR-3.
    """

    name: ClassVar[str] = "stream_read_since"
    writes: ClassVar[bool] = False
    topic: str
    offset: int = 0
    limit: int = 100

    def check(self) -> None:
        checks.name("topic", self.topic)
        checks.whole("offset", self.offset, 0, INTEGER_MAX)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSaveOffset(Op):
    """The consumer has seen the topic up to `offset`. Answers whether that is news. Rules: STR-4."""

    name: ClassVar[str] = "stream_save_offset"
    topic: str
    consumer: str
    offset: int

    def check(self) -> None:
        checks.name("topic", self.topic)
        checks.name("consumer", self.consumer)
        checks.whole("offset", self.offset, 0, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamGetOffset(Op):
    """Up to where the consumer has seen the topic, 0 if it has saved nothing. Writes nothing. Rules: STR-4."""

    name: ClassVar[str] = "stream_get_offset"
    writes: ClassVar[bool] = False
    topic: str
    consumer: str

    def check(self) -> None:
        checks.name("topic", self.topic)
        checks.name("consumer", self.consumer)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader(Op):
    """One consumer or one group of a topic."""

    topic: str
    consumer: str | None = None
    group: str | None = None

    def check(self) -> None:
        checks.name("topic", self.topic)
        if self.consumer is not None:
            checks.name("consumer", self.consumer)
        if self.group is not None:
            checks.name("group", self.group)
        if (self.consumer is None) == (self.group is None):
            raise Invalid("group", self.group, "give consumer or group, one of them")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamLag(_Reader):
    """How many entries of the topic the consumer has not seen, or no worker of the group has acked. Writes nothing.

    Rules: STR-5.
    """

    name: ClassVar[str] = "stream_lag"
    writes: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamForget(_Reader):
    """Forget where the consumer or group is, and what the group has pending. Answers whether there was one.

    Rules: STR-11.
    """

    name: ClassVar[str] = "stream_forget"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTrim(Op):
    """Forget entries beyond the newest `keep`, or published `older_than_s` seconds ago or earlier. Answers how many.

    It looks at the first `limit` entries of the topic, or of all topics if None, that no group has pending. To keep a
    number is for one topic alone. Rules: STR-9, STR-10, STR-13.
    """

    name: ClassVar[str] = "stream_trim"
    topic: str | None = None
    keep: int | None = None
    older_than_s: int | None = None
    limit: int = 1_000

    def check(self) -> None:
        if self.topic is not None:
            checks.name("topic", self.topic)
        elif self.keep is not None:
            raise Invalid("topic", None, "name the topic whose newest are kept: those of all go by their age alone")
        if self.keep is not None:
            checks.whole("keep", self.keep, 0, INTEGER_MAX)
        if self.older_than_s is not None:
            checks.whole("older_than_s", self.older_than_s, 0, DELAY_MAX_S)
        elif self.keep is None:
            raise Invalid("older_than_s", None, "give keep or older_than_s, or both: without a bound all stay")
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamClaim(Op):
    """Give the worker up to `n` entries for `lease_s` seconds: lapsed ones again, then new ones.

    Answers a tuple of `StreamClaimed`. A group begins with its first claim, at the first entry there is.
    Rules: STR-6, STR-7.
    """

    name: ClassVar[str] = "stream_claim"
    topic: str
    group: str
    worker: str
    n: int
    lease_s: int

    def check(self) -> None:
        checks.name("topic", self.topic)
        checks.name("group", self.group)
        checks.name("worker", self.worker)
        checks.whole("n", self.n, 1, STREAM_CLAIM_MAX)
        checks.whole("lease_s", self.lease_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamAck(Op):
    """These entries are done with in the group, each judged alone: `held` names offset and fence.

    Answers the offsets that were held, in the order given. Rules: STR-8.
    """

    name: ClassVar[str] = "stream_ack"
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {"held": lambda held: tuple(Held(**one) for one in held)}
    topic: str
    group: str
    worker: str
    held: tuple[Held, ...]

    def check(self) -> None:
        checks.name("topic", self.topic)
        checks.name("group", self.group)
        checks.name("worker", self.worker)
        checks.length("held", self.held, 0, BATCH_MAX)
        for place, held in enumerate(self.held):
            try:
                checks.kind("", held, Held)
                checks.whole(".id", held.id, 1, INTEGER_MAX)
                checks.whole(".fence", held.fence, 1, INTEGER_MAX)
            except Invalid as refusal:
                raise Invalid(f"held[{place}]{refusal.argument}", refusal.value, refusal.remedy) from None


OPS: tuple[type[Op], ...] = (
    StreamPublish,
    StreamReadSince,
    StreamSaveOffset,
    StreamGetOffset,
    StreamLag,
    StreamForget,
    StreamTrim,
    StreamClaim,
    StreamAck,
)
