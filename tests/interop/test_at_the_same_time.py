"""Two processes of Anser and two of honker enqueue, claim, retry, fail and ack on one file, all at once.

In the end every job is accounted for: it was handled as often as it was to be, and is done or dead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

import anser
from anser.ops import Claim
from anser_spec.targets.honker.process import HonkerProcess
from tests.interop import plan

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 90

Event = dict[str, Any]

AS_PLANNED = {
    "ack": [(1, "ack")],
    "retry then ack": [(1, "retry"), (2, "ack")],
    "fail": [(1, "fail")],
    "retry for ever": [(1, "retry"), (2, "retry")],
}


def started(worker: str, path: Path, directory: Path) -> subprocess.Popen[str]:
    side = worker.partition("-")[0]
    places = [ROOT, directory] if side == "honker" else [ROOT]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(str(place.resolve()) for place in places)}
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.interop.side_{side}", str(path), worker],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(processes: dict[str, subprocess.Popen[str]]) -> list[Event]:
    """What all workers did, once they have left; each is ended by its own handle if it does not leave."""
    events: list[Event] = []
    try:
        for worker, process in processes.items():
            out, errors = process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == 0, f"{worker} ended with {process.returncode}:\n{errors}"
            events += [json.loads(line) for line in out.splitlines()]
    finally:
        for process in processes.values():
            if process.poll() is None:
                process.kill()
                process.communicate()
    return events


def abandoned(db: anser.Database, directory: Path) -> list[anser.ClaimedJob]:
    """Jobs held for one more second, half by a honker that is gone, half by the leases that this answers."""
    queue = db.queue("abandoned")
    queue.enqueue_many([{"by": "nobody", "fate": "ack"}] * plan.ABANDONED, max_attempts=plan.ATTEMPTS)
    process = HonkerProcess(directory, Path(db.path))
    process.do(Claim(queues=("abandoned",), worker="gone", n=plan.ABANDONED // 2, lease_s=1))
    process.close()
    return queue.claim_batch("gone", plan.ABANDONED, lease_s=1)


@pytest.mark.rule("STO-2", "STO-4", "JOB-1", "DED-1")
def test_every_job_of_either_side_is_handled_as_planned_and_none_is_lost(directory: Path, path: Path) -> None:
    with anser.open(path) as db:
        gone = abandoned(db, directory)

        events = told({worker: started(worker, path, directory) for worker in plan.WORKERS})

        fates = {event["id"]: event["fate"] for event in events if event["did"] == "enqueue"}
        assert len(fates) == plan.JOBS_EACH * len(plan.WORKERS)
        assert handled(events, fates.keys()) == {id: AS_PLANNED[fate] for id, fate in fates.items()}
        assert dead_in(db) == {id for id, fate in fates.items() if fate in plan.DEADLY}
        assert crossings(events) >= {("anser", "honker"), ("honker", "anser")}

        taken_over = {event["id"] for event in events if event.get("by") == "nobody"}
        words = handled(events, taken_over)
        assert len(taken_over) == plan.ABANDONED
        assert [said for said in words.values() if said not in ([(1, "ack")], [(2, "ack")])] == []
        assert [is_refused(job.ack) for job in gone] == [True] * (plan.ABANDONED // 2)


def handled(events: list[Event], ids: Collection[int]) -> dict[int, list[tuple[int, str]]]:
    """What was said about each of these jobs, with the attempt in which it was said."""
    words: dict[int, list[tuple[int, str]]] = {id: [] for id in ids}
    for event in events:
        if event["did"] != "enqueue" and event["id"] in words:
            words[event["id"]].append((event["attempt"], event["did"]))
    return {id: sorted(said) for id, said in words.items()}


def is_refused(late_word: Callable[[], None]) -> bool:
    try:
        late_word()
    except anser.LeaseLost:
        return True
    return False


def dead_in(db: anser.Database) -> set[int]:
    """The dead of all queues; nothing is live."""
    found: set[int] = set()
    for name in ("both", "abandoned", "from-anser", "from-honker"):
        queue = db.queue(name)
        assert queue.list_jobs() == ()
        found |= {job.id for job in queue.dead_list(limit=1_000)}
    return found


def crossings(events: list[Event]) -> set[tuple[str, str]]:
    """Which side enqueued, and which settled."""
    return {
        (event["by"].partition("-")[0], event["worker"].partition("-")[0])
        for event in events
        if event["did"] != "enqueue"
    }
