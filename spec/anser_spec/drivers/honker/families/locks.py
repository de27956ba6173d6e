"""Locks by name.

No method tells whether a lock was had: it is asked by its function, in a transaction, as honker's own methods do.
"""

from __future__ import annotations

from anser_spec.drivers.honker.calls import Call, Family, function, held, yes_or_no
from anser_spec.drivers.honker.rows import Table

LOCKS = Table(
    name="locks",
    columns=("name", "owner", "expires_at"),
    key=("name",),
    instants=frozenset({"expires_at"}),
)

FAMILY = Family(
    tables=(LOCKS,),
    calls={
        "lock_acquire": Call(by_function=function("honker_lock_acquire", "lock owner ttl_s"), tell=yes_or_no),
        "lock_renew": Call(by_function=function("honker_lock_renew", "lock owner ttl_s"), tell=held),
        "lock_release": Call(by_function=function("honker_lock_release", "lock owner"), tell=held),
    },
)
