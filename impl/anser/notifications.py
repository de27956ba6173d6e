"""Listening: what is told on a channel, as a program waits for it; in a thread, or in an event loop."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from anser.home import Home
from anser.ops import NotificationLast, NotificationRead, decode_or_raw
from anser.types import Heard, Notification
from anser.wake import checked_timeout

__all__ = ["Listener", "Lost", "Message"]

PAGE = 100  # notifications that are read at once, and kept until they are asked for


@dataclass(frozen=True, slots=True)
class Message:
    """A notification as it is heard."""

    row: Notification

    @property
    def id(self) -> int:
        """Its id, greater than that of all before it in the file (NTF-1)."""
        return self.row.id

    @property
    def channel(self) -> str:
        """The channel on which it was told."""
        return self.row.channel

    @property
    def created_at(self) -> int:
        """When it was told, in epoch seconds."""
        return self.row.created_at

    @property
    def payload(self) -> Any:
        """The value that was told, decoded anew at each look; what is no JSON is the text or bytes it is (NTF-9)."""
        return decode_or_raw(self.row.payload)


@dataclass(frozen=True, slots=True)
class Lost:
    """Some of what was told on the channel after `after_id` and up to `through_id` was pruned unheard (NTF-4).

    Whoever keeps a copy of what the notifications are about reads it anew.
    """

    channel: str
    after_id: int
    through_id: int


class Listener:
    """Hears one channel from an id on, in order, once each, and is told what it lost (NTF-2, NTF-4).

    `for heard in listener` waits for what comes, as `async for` does in an event loop; with `timeout_s` the loop ends
    when so many seconds go by without. Either can be begun again, and goes on where it was. `after_id` is the id of the
    last message that was given out: kept somewhere, it lets a later listener go on there.

    A listener is one thread's, or one event loop's. Each look is a read of its own, which takes no lock and waits for
    none; it is refused with `Invalid` while the thread is within a transaction. Raises `StorageError` once the database
    is closed.
    """

    def __init__(self, database: Home, channel: str, *, after_id: int | None, timeout_s: float | None) -> None:
        NotificationRead(channel=channel, after_id=0 if after_id is None else after_id).check()
        self.database = database
        self.channel = channel
        self.timeout_s = checked_timeout(timeout_s)
        self.after_id: int = database.run(NotificationLast(channel=channel)) if after_id is None else after_id
        self._read_id = self.after_id
        self._lost_id = 0
        self._heard: deque[Message | Lost] = deque()

    def __repr__(self) -> str:
        return f"<Listener to {self.channel!r} after {self.after_id} in {self.database.path!r}>"

    def hear(self, *, timeout_s: float | None = None) -> Message | Lost | None:
        """The next message, or what was lost before it; None when `timeout_s` seconds went by without."""
        return self.database.wake.until(self._next, checked_timeout(timeout_s))

    async def hear_async(self, *, timeout_s: float | None = None) -> Message | Lost | None:
        """As `hear`, for the event loop, which goes on meanwhile."""
        return await self.database.wake.until_async(self._next, checked_timeout(timeout_s))

    def __iter__(self) -> Iterator[Message | Lost]:
        while (found := self.hear(timeout_s=self.timeout_s)) is not None:
            yield found

    async def __aiter__(self) -> AsyncIterator[Message | Lost]:
        while (found := await self.hear_async(timeout_s=self.timeout_s)) is not None:
            yield found

    def _next(self) -> Message | Lost | None:
        """The first of what was read, or else of what there is to read now."""
        if not self._heard:
            self._look()
        if not self._heard:
            return None
        found = self._heard.popleft()
        if isinstance(found, Message):
            self.after_id = found.id
        return found

    def _look(self) -> None:
        """A loss is told once, before what is left: the next look, from the same id on, would tell it again."""
        op = NotificationRead(channel=self.channel, after_id=self._read_id, limit=PAGE)
        heard: Heard = self.database.run(op)
        if heard.lost_through_id is not None and heard.lost_through_id > self._lost_id:
            self._lost_id = heard.lost_through_id
            self._heard.append(Lost(self.channel, self._read_id, heard.lost_through_id))
        for row in heard.notifications:
            self._read_id = row.id
            self._heard.append(Message(row))
