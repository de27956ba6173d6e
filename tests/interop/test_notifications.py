"""honker and Anser on one channel: each hears what the other tells, and what honker prunes is told as lost."""

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
from anser.ops import NotificationPrune, Notify
from anser_spec.targets.honker.process import HonkerProcess

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


@contextmanager
def listening(directory: Path, path: Path, times: int, keep: int) -> Iterator[subprocess.Popen[str]]:
    """honker's listener in a process of its own; ended by its own handle if it does not leave."""
    places = os.pathsep.join(str(place.resolve()) for place in (ROOT, directory))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.interop.side_listener", str(path), "orders", str(times), str(keep)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": places},
        stdin=subprocess.PIPE,
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
    """The next thing that it says; it says little, and waits for us in between."""
    assert process.stdout is not None
    event: dict[str, Any] = json.loads(process.stdout.readline())
    return event


@pytest.mark.rule("NTF-3", "NTF-4", "NTF-10")
def test_honkers_own_listener_hears_anser_and_is_heard_and_what_it_prunes_is_told(
    db: anser.Database, directory: Path, path: Path
) -> None:
    listener = db.listen("orders")
    with listening(directory, path, times=2, keep=2) as honker:
        assert said(honker) == {"did": "listen"}
        db.notify("users", "elsewhere")
        with db.transaction() as tx:
            first = db.notify("orders", {"n": "é"}, tx=tx)
        second = db.notify("orders", None)
        heard = [said(honker), said(honker)]
        told = said(honker)
        late = db.listen("orders", after_id=0)
        answer = [listener.hear(timeout_s=PATIENCE_S) for _ in range(3)]
        honker.communicate("go on\n", timeout=PATIENCE_S)

    assert heard == [
        {"did": "hear", "id": first, "payload": {"n": "é"}},
        {"did": "hear", "id": second, "payload": None},
    ]
    assert [one.payload for one in answer if isinstance(one, anser.Message)] == [
        {"n": "é"},
        None,
        {"from": "honker é"},
    ]
    assert late.hear() == anser.Lost("orders", 0, first)
    assert [one.id for one in db.notification_read("orders", after_id=0).notifications] == [second, told["id"]]
    assert listener.hear(timeout_s=0) is None


@pytest.mark.rule("NTF-1", "NTF-10", "STO-2")
def test_both_take_their_ids_from_one_counter(db: anser.Database, honker: HonkerProcess) -> None:
    ids = [
        db.notify("orders", 1),
        honker.do(Notify(channel="orders", payload=2)),
        db.notify("users", 3),
        honker.do(Notify(channel="users", payload=4)),
    ]

    assert ids == [1, 2, 3, 4]
    assert [one.payload for one in db.listen("users", after_id=0, timeout_s=0) if isinstance(one, anser.Message)] == [
        3,
        4,
    ]


@pytest.mark.rule("NTF-4", "NTF-5", "NTF-10")
def test_a_pruning_by_honker_leaves_a_new_listener_without_a_loss(db: anser.Database, honker: HonkerProcess) -> None:
    db.notify("orders", 1)
    db.notify("users", 2)
    pruned = honker.do(NotificationPrune(keep=0))

    before, now = db.listen("orders", after_id=0, timeout_s=0), db.listen("orders", timeout_s=0)

    assert pruned == 2
    assert list(before) == [anser.Lost("orders", 0, 1)]
    assert list(now) == []


@pytest.mark.rule("NTF-6", "NTF-10", "STO-2")
def test_anser_prunes_what_honker_told(db: anser.Database, honker: HonkerProcess) -> None:
    for n in range(3):
        honker.do(Notify(channel="orders", payload=n))

    assert db.notification_prune(keep=1) == 2
    assert [one.payload for one in db.notification_read("orders", after_id=0).notifications] == ["2"]
