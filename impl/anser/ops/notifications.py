"""Notifications: told on a channel, heard by whoever listens there, and forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from anser.errors import Invalid
from anser.ops import checks
from anser.ops.base import Op
from anser.types import DELAY_MAX_S, INTEGER_MAX, LIST_MAX, NOTIFICATIONS_KEEP_MAX

__all__ = ["NotificationLast", "NotificationPrune", "NotificationRead", "Notify"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify(Op):
    """Tell the payload to whoever listens to the channel, once the transaction is committed. Answers its id.

    The payload is any JSON value, as a job's. Rules: NTF-1, JOB-14.
    """

    name: ClassVar[str] = "notify"
    channel: str
    payload: Any

    def check(self) -> None:
        checks.name("channel", self.channel)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationRead(Op):
    """What was told on the channel after `after_id`, and whether some of it is gone. Answers `Heard`. Writes nothing.

    Rules: NTF-2, NTF-4.
    """

    name: ClassVar[str] = "notification_read"
    writes: ClassVar[bool] = False
    channel: str
    after_id: int
    limit: int = 100

    def check(self) -> None:
        checks.name("channel", self.channel)
        checks.whole("after_id", self.after_id, 0, INTEGER_MAX)
        checks.whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationLast(Op):
    """The id of what was told last on the channel, be it gone; 0 if nothing was. Writes nothing. Rules: NTF-5."""

    name: ClassVar[str] = "notification_last"
    writes: ClassVar[bool] = False
    channel: str

    def check(self) -> None:
        checks.name("channel", self.channel)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationPrune(Op):
    """Forget what is not among the newest `keep` of its channel, or was told `older_than_s` seconds ago or earlier.

    Of one channel, or of each; up to `limit` in all. One of the two must be given. Answers how many.
    Rules: NTF-6, NTF-7, NTF-8.
    """

    name: ClassVar[str] = "notification_prune"
    channel: str | None = None
    keep: int | None = None
    older_than_s: int | None = None
    limit: int = 1_000

    def check(self) -> None:
        if self.channel is not None:
            checks.name("channel", self.channel)
        if self.keep is not None:
            checks.whole("keep", self.keep, 0, NOTIFICATIONS_KEEP_MAX)
        if self.older_than_s is not None:
            checks.whole("older_than_s", self.older_than_s, 0, DELAY_MAX_S)
        elif self.keep is None:
            raise Invalid("older_than_s", None, "give it, or keep, or both: what is neither old nor many is kept")
        checks.whole("limit", self.limit, 1, LIST_MAX)


OPS: tuple[type[Op], ...] = (Notify, NotificationRead, NotificationLast, NotificationPrune)
