"""The bounds that more than one family keeps; those of one family stand with its nouns."""

from __future__ import annotations

__all__ = [
    "BATCH_MAX",
    "DELAY_MAX_S",
    "DEPTH_MAX",
    "INSTANT_MAX",
    "INTEGER_MAX",
    "INTEGER_MIN",
    "LEASE_MAX_S",
    "LIST_MAX",
    "NAME_MAX_BYTES",
    "PAYLOAD_MAX_BYTES",
]

INTEGER_MAX = 2**63 - 1  # what a SQLite column holds
INTEGER_MIN = -(2**63)
INSTANT_MAX = 253_402_300_799  # the last second of the year 9999
DELAY_MAX_S = 3_155_760_000  # 100 years; so that no sum of an instant and a duration can overflow
LEASE_MAX_S = 2_592_000  # 30 days; a longer job sends heartbeats, a longer lock is renewed
NAME_MAX_BYTES = 255  # queues, workers, locks and their owners
PAYLOAD_MAX_BYTES = 1_048_576
DEPTH_MAX = 100  # nested lists and objects; every binding's JSON reader takes that much
BATCH_MAX = 10_000
LIST_MAX = 10_000
