"""A stream as its users hold it: what is published, who reads all of it, and workers who share it."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from anser.clock import steady_clock
from anser.errors import AnserError, Invalid, LeaseLost, note
from anser.home import Home, Tx
from anser.keeper import aside
from anser.ops import (
    StreamAck,
    StreamClaim,
    StreamForget,
    StreamGetOffset,
    StreamLag,
    StreamPublish,
    StreamReadSince,
    StreamSaveOffset,
    StreamTrim,
    decode_or_raw,
)
from anser.types import Held, StreamClaimed, StreamEntry, StreamPage
from anser.wake import checked_timeout, countdown

__all__ = ["ClaimedEntry", "Entry", "Group", "Stream", "Subscription", "TrimmedUnseen"]

PAGE = 100  # entries that are read at once, and kept until they are asked for


@dataclass(frozen=True, slots=True)
class Entry:
    """What was published once, as a reader is given it."""

    row: StreamEntry

    @property
    def offset(self) -> int:
        """Its place, greater than that of all entries before it in the file (STR-1)."""
        return self.row.offset

    @property
    def topic(self) -> str:
        """The topic to which it was published."""
        return self.row.topic

    @property
    def key(self) -> str | None:
        """The publisher's own word."""
        return self.row.key

    @property
    def created_at(self) -> int:
        """When it was published, in epoch seconds."""
        return self.row.created_at

    @property
    def payload(self) -> Any:
        """The value that was published, decoded anew at each look; what is no JSON is the text or bytes it is."""
        return decode_or_raw(self.row.payload)


@dataclass(frozen=True, slots=True)
class TrimmedUnseen:
    """Entries of the topic behind `after_offset`, up to `through_offset`, were trimmed before they were seen.

    Rules: STR-3.
    """

    topic: str
    after_offset: int
    through_offset: int


class Stream:
    """One topic of a database. Methods are operations of `anser.ops`; those with `tx` join the caller's transaction.

    Durations are whole seconds. Each raises `Invalid` for a wrong argument before anything is written.
    """

    def __init__(self, database: Home, topic: str) -> None:
        StreamReadSince(topic=topic).check()
        self.database = database
        self.topic = topic

    def __repr__(self) -> str:
        return f"<Stream {self.topic!r} in {self.database.path!r}>"

    def publish(self, payload: Any, *, key: str | None = None, tx: Tx = None) -> int:
        """Append any JSON value; answers its offset. With `tx` it is there when the transaction commits (STR-1)."""
        offset: int = self.database.run(StreamPublish(topic=self.topic, payload=payload, key=key), tx)
        return offset

    def read_since(self, offset: int = 0, *, limit: int = 100, tx: Tx = None) -> StreamPage:
        """The entries behind an offset, and whether some of them were trimmed (STR-2, STR-3)."""
        page: StreamPage = self.database.run(StreamReadSince(topic=self.topic, offset=offset, limit=limit), tx)
        return page

    def save_offset(self, consumer: str, offset: int, *, tx: Tx = None) -> bool:
        """The consumer has seen all up to there; answers whether that is news. It only grows (STR-4).

        With `tx` it is saved together with what the consumer made of the entry: each has its effect once.
        """
        saved: bool = self.database.run(StreamSaveOffset(topic=self.topic, consumer=consumer, offset=offset), tx)
        return saved

    def get_offset(self, consumer: str, *, tx: Tx = None) -> int:
        """Up to where the consumer has seen the topic; 0 if it has saved nothing (STR-4)."""
        offset: int = self.database.run(StreamGetOffset(topic=self.topic, consumer=consumer), tx)
        return offset

    def lag(self, *, consumer: str | None = None, group: str | None = None, tx: Tx = None) -> int:
        """How many entries the consumer, or the group, has still before it (STR-5)."""
        lag: int = self.database.run(StreamLag(topic=self.topic, consumer=consumer, group=group), tx)
        return lag

    def forget(self, *, consumer: str | None = None, group: str | None = None, tx: Tx = None) -> bool:
        """Forget a consumer, or a group and what it has pending; answers whether there was one (STR-11)."""
        known: bool = self.database.run(StreamForget(topic=self.topic, consumer=consumer, group=group), tx)
        return known

    def trim(
        self, *, keep: int | None = None, older_than_s: int | None = None, limit: int = 1_000, tx: Tx = None
    ) -> int:
        """Forget entries beyond the newest `keep`, or older than that; answers how many (STR-9, STR-10)."""
        op = StreamTrim(topic=self.topic, keep=keep, older_than_s=older_than_s, limit=limit)
        trimmed: int = self.database.run(op, tx)
        return trimmed

    def subscribe(
        self,
        consumer: str | None = None,
        *,
        offset: int | None = None,
        save_every_s: float = 1.0,
        timeout_s: float | None = None,
    ) -> Subscription:
        """Read on from where the consumer is, or from behind an offset, and go on with what comes (STR-12).

        `save_every_s` is how often its place is saved while entries come. The loop ends when `timeout_s` seconds go by
        without an entry, and never if None. Without a consumer nothing is saved.
        """
        return Subscription(self, consumer, offset=offset, save_every_s=save_every_s, timeout_s=timeout_s)

    def group(self, name: str) -> Group:
        """Workers who share the topic under a name; nothing is written before the first claim (STR-6)."""
        return Group(self, name)


class Subscription:
    """A consumer that reads a topic in order, and saves where it is (STR-2, STR-12).

    `for entry in subscription` waits for what comes, as `async for` does in an event loop. Who asks for the next entry
    has seen the one before. Used by `with`, the last one counts as seen when the body ends, and not when it raises.

    A subscription is one thread's, or one event loop's. It takes the write lock only to save.
    """

    def __init__(
        self,
        stream: Stream,
        consumer: str | None,
        *,
        offset: int | None,
        save_every_s: float,
        timeout_s: float | None,
    ) -> None:
        StreamReadSince(topic=stream.topic, offset=0 if offset is None else offset).check()
        if checked_timeout(save_every_s, argument="save_every_s") is None:
            raise Invalid("save_every_s", None, "pass seconds, 0 to save after each entry")
        self.stream = stream
        self.consumer = consumer
        self.save_every_s = save_every_s
        self.timeout_s = checked_timeout(timeout_s)
        saved = 0 if consumer is None else stream.get_offset(consumer)
        self.offset = saved if offset is None else offset
        self._database = stream.database
        self._given: int | None = None
        self._saved_offset = self._read_offset = self.offset
        self._lost_offset = 0
        self._saved_at = steady_clock()
        self._entries: deque[Entry | TrimmedUnseen] = deque()

    def __repr__(self) -> str:
        return f"<Subscription of {self.consumer!r} to {self.stream.topic!r} at {self.offset}>"

    def hear(self, *, timeout_s: float | None = None) -> Entry | TrimmedUnseen | None:
        """The next entry, or what was trimmed before it; None when `timeout_s` seconds went by without."""
        left_s = countdown(checked_timeout(timeout_s))
        if self._seen():
            self.save()
        while True:
            mark = self._database.wake.mark()
            if (found := self._next()) is not None:
                return found
            if self.save():
                continue  # which is a commit too
            wait_s = left_s()
            if wait_s == 0 or not self._database.wake.wait(mark, wait_s):
                return None

    async def hear_async(self, *, timeout_s: float | None = None) -> Entry | TrimmedUnseen | None:
        """As `hear`, for the event loop, which goes on meanwhile, also while a save waits for the write lock."""
        left_s = countdown(checked_timeout(timeout_s))
        if self._seen():
            await aside(self.save)
        while True:
            mark = self._database.wake.mark()
            if (found := self._next()) is not None:
                return found
            if self._is_ahead():
                await aside(self.save)
                continue
            wait_s = left_s()
            if wait_s == 0 or not await self._database.wake.wait_async(mark, wait_s):
                return None

    def save(self) -> bool:
        """Save the place, if there is something to save; answers whether there was."""
        if self.consumer is None or not self._is_ahead():
            return False
        self.stream.save_offset(self.consumer, self.offset)
        self._saved_offset, self._saved_at = self.offset, steady_clock()
        return True

    def close(self) -> None:
        """All that was given out is seen, and saved. What comes is read by a subscription begun anew, or this one."""
        self._seen()
        self.save()

    def __iter__(self) -> Iterator[Entry | TrimmedUnseen]:
        while (found := self.hear(timeout_s=self.timeout_s)) is not None:
            yield found

    async def __aiter__(self) -> AsyncIterator[Entry | TrimmedUnseen]:
        while (found := await self.hear_async(timeout_s=self.timeout_s)) is not None:
            yield found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The entry in hand is seen if the body ended well; a place that cannot be saved is told then."""
        if error is None:
            self.close()
            return
        self._given = None
        try:
            self.save()
        except AnserError as refusal:
            note(error, f"the place of {self.consumer!r} was not saved: {refusal}")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await aside(lambda: self.__exit__(kind, error, trace))

    def _seen(self) -> bool:
        """What was given out last is behind the reader, who asks for the next; whether its place is to be saved now."""
        if self._given is not None:
            self.offset, self._given = self._given, None
        return self._is_ahead() and steady_clock() - self._saved_at >= self.save_every_s

    def _is_ahead(self) -> bool:
        """Whether there is a place to save that is not saved yet."""
        return self.consumer is not None and self.offset > self._saved_offset

    def _next(self) -> Entry | TrimmedUnseen | None:
        if not self._entries:
            self._look()
        if not self._entries:
            return None
        found = self._entries.popleft()
        if isinstance(found, Entry):
            self._given = found.offset
        return found

    def _look(self) -> None:
        """A loss is told once, before what is left: the next look, from the same offset on, would tell it again."""
        page = self.stream.read_since(self._read_offset, limit=PAGE)
        if page.lost_through_offset is not None and page.lost_through_offset > self._lost_offset:
            self._lost_offset = page.lost_through_offset
            self._entries.append(TrimmedUnseen(self.stream.topic, self._read_offset, page.lost_through_offset))
        for row in page.entries:
            self._read_offset = row.offset
            self._entries.append(Entry(row))


class Group:
    """The workers who share a topic: each entry is given to one of them, and again if it is not acked in time."""

    def __init__(self, stream: Stream, name: str) -> None:
        StreamLag(topic=stream.topic, group=name).check()
        self.stream = stream
        self.name = name
        self._own = name, stream.topic

    def __repr__(self) -> str:
        return f"<Group {self.name!r} of {self.stream!r}>"

    def claim(self, worker: str, n: int = 1, *, lease_s: int = 300) -> list[ClaimedEntry]:
        """Up to `n` entries for `lease_s` seconds: lapsed ones again, then new ones; none if there are none (STR-6).

        It does not wait: who wants to asks again, or waits for a commit first.
        """
        op = StreamClaim(topic=self.stream.topic, group=self.name, worker=worker, n=n, lease_s=lease_s)
        return [ClaimedEntry(self, worker, claimed) for claimed in self.stream.database.run(op)]

    def ack(self, entries: Iterable[ClaimedEntry], *, tx: Tx = None) -> tuple[int, ...]:
        """These are done with in the group; answers the offsets of those that were still in hand (STR-8).

        They are of one worker. With `tx` that is committed together with what the worker made of them.
        """
        entries = list(entries)
        for place, entry in enumerate(entries):
            if not isinstance(entry, ClaimedEntry) or (entry.group.name, entry.group.stream.topic) != self._own:
                raise Invalid(f"entries[{place}]", entry, f"pass entries that were claimed from {self!r}")
        workers = {entry.worker for entry in entries}
        if not entries:
            return ()
        if len(workers) > 1:
            raise Invalid("entries", entries, "ack those of one worker at a time")
        held = tuple(Held(entry.offset, entry.claimed.fence) for entry in entries)
        op = StreamAck(topic=self.stream.topic, group=self.name, worker=workers.pop(), held=held)
        acked: tuple[int, ...] = self.stream.database.run(op, tx)
        return acked


class ClaimedEntry:
    """An entry in the hands of a worker of a group, until it is acked or lapses."""

    def __init__(self, group: Group, worker: str, claimed: StreamClaimed) -> None:
        self.group = group
        self.worker = worker
        self.claimed = claimed
        self.entry = Entry(claimed.entry)

    def __repr__(self) -> str:
        return f"<ClaimedEntry {self.offset} of {self.group!r}, with {self.worker!r}>"

    @property
    def offset(self) -> int:
        """Its place in the topic (STR-1)."""
        return self.entry.offset

    @property
    def key(self) -> str | None:
        """The publisher's own word."""
        return self.entry.key

    @property
    def payload(self) -> Any:
        """The value that was published, decoded anew at each look; what is no JSON is the text or bytes it is."""
        return self.entry.payload

    @property
    def expires_at(self) -> int:
        """The last second, in epoch seconds, in which it can be acked (STR-7)."""
        return self.claimed.expires_at

    @property
    def deliveries(self) -> int:
        """How often it was given to somebody, this time included (STR-7)."""
        return self.claimed.deliveries

    def ack(self, *, tx: Tx = None) -> None:
        """It is done with in the group. Raises `LeaseLost` when it lapsed, and nothing was written (STR-8).

        With `tx` it is a part of the caller's transaction, which is to be rolled back then: so the effect of an entry
        on the file is had once.
        """
        if not self.group.ack([self], tx=tx):
            raise LeaseLost(f"entry {self.offset} is no longer with {self.worker!r} in group {self.group.name!r}")
