"""Notifications. honker tells by a function, and forgets by a method of its database; it has no word to look at them.

The method makes a transaction of its own; it is lent ours in its place.
"""

from __future__ import annotations

import contextlib
from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Call, Family, function, honker
from anser_spec.drivers.honker.rows import Table

NOTIFICATIONS = Table(
    name="notifications",
    columns=("id", "channel", "payload", "created_at"),
    key=("id",),
    instants=frozenset({"created_at"}),
    texts=frozenset({"payload"}),
    counter="last_notification",
)


class Lent:
    """A database whose next transaction is one that is open already."""

    def __init__(self, tx: Any) -> None:
        self.tx = tx

    def transaction(self) -> Any:
        return contextlib.nullcontext(self.tx)


def _pruned(db: Any, given: Arguments) -> Any:
    return honker.Database.prune_notifications(db, older_than_s=given["older_than_s"], max_keep=given["keep"])


FAMILY = Family(
    tables=(NOTIFICATIONS,),
    calls={
        "notify": Call(by_function=function("notify", "channel payload")),
        "notification_prune": Call(by_function=lambda tx, given: _pruned(Lent(tx), given), by_method=_pruned),
    },
)
