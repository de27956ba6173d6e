"""honker's own subscriber and publisher for `test_streams.py`, in a process that imports nothing of Anser.

It tells a line of JSON for each event that it reads, until it has read `times` of them, saves its place, and publishes
one of its own in a transaction.
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


async def read(stream: Any, consumer: str, times: int) -> int:
    events = stream.subscribe(consumer=consumer, save_every_n=0, save_every_s=0)
    tell(did="subscribe")
    offset = 0
    for _ in range(times):
        event = await events.__anext__()
        offset = event.offset
        tell(did="read", offset=offset, payload=event.payload, key=event.key)
    return offset


def main(path: str, topic: str, consumer: str, times: int) -> None:
    db = honker.open(path)
    stream = db.stream(topic)
    stream.save_offset(consumer, asyncio.run(read(stream, consumer, times)))
    with db.transaction() as tx:
        stream.publish({"from": "honker \u00e9"}, key="h", tx=tx)
    tell(did="publish")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
