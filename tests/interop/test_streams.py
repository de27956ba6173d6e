"""honker and Anser on one topic: each reads what the other publishes, and goes on where the other's consumer was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import StreamGetOffset, StreamPublish, StreamReadSince, StreamSaveOffset
from anser_spec.targets.honker.process import HonkerProcess

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


@contextmanager
def subscribing(directory: Path, path: Path, times: int) -> Iterator[subprocess.Popen[str]]:
    """honker's subscriber in a process of its own; ended by its own handle if it does not leave."""
    places = os.pathsep.join(str(place.resolve()) for place in (ROOT, directory))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.interop.side_subscriber", str(path), "news", "c", str(times)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": places},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def said(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next thing that it says."""
    assert process.stdout is not None
    event: dict[str, Any] = json.loads(process.stdout.readline())
    return event


def payloads(subscription: anser.Subscription) -> list[Any]:
    return [one.payload for one in subscription if isinstance(one, anser.Entry)]


@pytest.fixture
def news(db: anser.Database) -> anser.Stream:
    return db.stream("news")


@pytest.mark.rule("STR-2", "STR-4", "STO-2")
def test_honkers_own_subscriber_reads_anser_and_anser_goes_on_where_it_was(
    news: anser.Stream, directory: Path, path: Path
) -> None:
    first = news.publish({"n": "é"}, key="k")
    with subscribing(directory, path, times=2) as honker:
        assert said(honker) == {"did": "subscribe"}
        second = news.publish(None)
        read = [said(honker), said(honker)]
        assert said(honker) == {"did": "publish"}
        assert honker.wait(PATIENCE_S) == 0

    assert read == [
        {"did": "read", "offset": first, "payload": {"n": "é"}, "key": "k"},
        {"did": "read", "offset": second, "payload": None, "key": None},
    ]
    assert news.get_offset("c") == second
    assert payloads(news.subscribe("c", timeout_s=0)) == [{"from": "honker é"}]


@pytest.mark.rule("STR-1", "STO-2")
def test_both_take_their_offsets_from_one_counter(db: anser.Database, honker: HonkerProcess) -> None:
    offsets = [
        db.stream("news").publish(1),
        honker.do(StreamPublish(topic="news", payload=2)),
        db.stream("more").publish(3),
        honker.do(StreamPublish(topic="more", payload=4, key="k")),
    ]

    assert offsets == [1, 2, 3, 4]
    assert payloads(db.stream("news").subscribe(timeout_s=0)) == [1, 2]
    assert [row["payload"] for row in honker.do(StreamReadSince(topic="more", offset=3))] == ["4"]


@pytest.mark.rule("STR-4", "STO-2")
def test_the_place_of_a_consumer_only_grows_whoever_saves_it(news: anser.Stream, honker: HonkerProcess) -> None:
    saved = [
        news.save_offset("c", 5),
        honker.do(StreamSaveOffset(topic="news", consumer="c", offset=4)),
        honker.do(StreamSaveOffset(topic="news", consumer="c", offset=6)),
        news.save_offset("c", 6),
    ]

    assert saved == [True, False, True, False]
    assert news.get_offset("c") == honker.do(StreamGetOffset(topic="news", consumer="c")) == 6


@pytest.mark.rule("STR-3", "STR-6", "STR-10")
def test_a_group_shares_what_honker_published_and_honker_reads_what_a_trim_left(
    news: anser.Stream, honker: HonkerProcess
) -> None:
    for n in range(3):
        honker.do(StreamPublish(topic="news", payload=n))

    (held,) = news.group("g").claim("w")
    trimmed = news.trim(keep=0)

    assert (held.payload, trimmed) == (0, 2)
    assert [row["offset"] for row in honker.do(StreamReadSince(topic="news"))] == [held.offset]
    assert news.read_since(0).lost_through_offset == 3
    assert honker.do(StreamPublish(topic="news", payload="next")) == 4
    held.ack()
    assert [entry.payload for entry in news.group("g").claim("w", 9)] == ["next"]
