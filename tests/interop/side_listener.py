"""honker's own listener and teller for `test_notifications.py`, in a process that imports nothing of Anser.

It tells a line of JSON when it listens, then what it hears, until it has heard `times` notifications; then it tells its
own, by its transaction, and prunes.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from typing import Any

honker: Any = importlib.import_module("honker")


def tell(**event: Any) -> None:
    print(json.dumps(event), flush=True)


async def listen(db: Any, channel: str, times: int) -> None:
    listener = db.listen(channel, fallback_poll_s=None)
    tell(did="listen")
    for _ in range(times):
        heard = await listener.__anext__()
        tell(did="hear", id=heard.id, payload=heard.payload)


def main(path: str, channel: str, times: int, keep: int) -> None:
    db = honker.open(path)
    asyncio.run(listen(db, channel, times))
    with db.transaction() as tx:
        tell(did="notify", id=tx.notify(channel, {"from": "honker \u00e9"}))
    sys.stdin.readline()
    tell(did="prune", count=db.prune_notifications(max_keep=keep))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
