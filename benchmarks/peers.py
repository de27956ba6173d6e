"""One peer of the benchmark, in a process of its own: it works on its files when told to, one JSON object a line.

    python peers.py anser|honker|bare

It is told to make a file, to open it, to run SQL that is not measured, and to measure. Each peer imports its library
only when it is the one that runs: honker brings an SQLite of its own, and two of them in one process undo each other's
file locks.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

QUEUE = "bench"
WORKER = "worker"
LEASE_S = 300
PAYLOAD = {"to": "alice@example.com", "order": 42}

Rows = list[list[Any]]


class Peer(Protocol):
    """One open file. `n` is 1 or the number in a batch; `claim` has read the payloads of what it answers."""

    def execute(self, sql: str, parameters: Sequence[Any]) -> Rows:
        """One statement in a transaction of its own, not measured."""

    def enqueue(self, n: int) -> object:
        """Add `n` jobs in one commit."""

    def enqueue_joined(self, n: int) -> object:
        """Add `n` jobs one by one in a transaction of the caller's, and commit it."""

    def claim(self, n: int) -> list[Any]:
        """Lease `n` jobs in one commit."""

    def ack(self, jobs: list[Any]) -> object:
        """End what `claim` answered, in one commit."""

    def close(self) -> None:
        """Let the file go."""


class Anser:
    """The public interface, as an application uses it."""

    def __init__(self, path: str, synchronous: str) -> None:
        self.db = importlib.import_module("anser").open(path, synchronous=synchronous)
        self.queue = self.db.queue(QUEUE, lease_s=LEASE_S)

    def execute(self, sql: str, parameters: Sequence[Any]) -> Rows:
        with self.db.transaction() as tx:
            return [list(row) for row in tx.execute(sql, parameters)]

    def enqueue(self, n: int) -> object:
        return self.queue.enqueue(PAYLOAD) if n == 1 else self.queue.enqueue_many([PAYLOAD] * n)

    def enqueue_joined(self, n: int) -> object:
        with self.db.transaction() as tx:
            return [self.queue.enqueue(PAYLOAD, tx=tx) for _ in range(n)]

    def claim(self, n: int) -> list[Any]:
        if n > 1:
            jobs = self.queue.claim_batch(WORKER, n)
        else:
            job = self.queue.claim_one(WORKER)
            jobs = [] if job is None else [job]
        assert [job.payload["order"] for job in jobs] == [PAYLOAD["order"]] * n
        return list(jobs)

    def ack(self, jobs: list[Any]) -> object:
        return jobs[0].ack() if len(jobs) == 1 else self.queue.ack_batch(jobs)

    def close(self) -> None:
        self.db.close()


class Honker:
    """Its Python binding; batches by the methods that it has for them, or as its documentation makes them."""

    def __init__(self, path: str, synchronous: str) -> None:
        assert synchronous == "normal", "honker fixes it"
        self.db = importlib.import_module("honker").open(path)
        self.queue = self.db.queue(QUEUE, visibility_timeout_s=LEASE_S)

    def execute(self, sql: str, parameters: Sequence[Any]) -> Rows:
        with self.db.transaction() as tx:
            if sql.startswith(("select", "pragma")):
                return [list(row.values()) for row in tx.query(sql, list(parameters))]
            tx.execute(sql, list(parameters))
            return []

    def enqueue(self, n: int) -> object:
        return self.queue.enqueue(PAYLOAD) if n == 1 else self.enqueue_joined(n)

    def enqueue_joined(self, n: int) -> object:
        with self.db.transaction() as tx:
            return [self.queue.enqueue(PAYLOAD, tx=tx) for _ in range(n)]

    def claim(self, n: int) -> list[Any]:
        if n > 1:
            jobs = self.queue.claim_batch(WORKER, n)
        else:
            job = self.queue.claim_one(WORKER)
            jobs = [] if job is None else [job]
        assert [job.payload["order"] for job in jobs] == [PAYLOAD["order"]] * n
        return list(jobs)

    def ack(self, jobs: list[Any]) -> object:
        return jobs[0].ack() if len(jobs) == 1 else self.queue.ack_batch([job.id for job in jobs], WORKER)

    def close(self) -> None:
        self.db.close()


class Bare:
    """What one would write by hand on Anser's tables, with Anser's insert. No checks, no lapses, no history."""

    SELECT = (
        "select id, payload from _honker_live"
        " where queue = ? and state = 'pending' and run_at <= ? and (expires_at is null or expires_at > ?)"
        " order by priority desc, run_at, id limit ?"
    )
    TAKE = (
        "update _honker_live set state = 'processing', worker_id = ?, claim_expires_at = ?, attempts = attempts + 1"
        " where id = ?"
    )
    DELETE = "delete from _honker_live where id = ? and worker_id = ? and claim_expires_at >= ?"

    def __init__(self, path: str, synchronous: str) -> None:
        importlib.import_module("anser").open(path, synchronous=synchronous).close()  # makes the tables
        self.connection = importlib.import_module("sqlite3").connect(path, isolation_level=None)
        self.connection.execute(f"pragma synchronous = {synchronous}")
        self.insert: str = importlib.import_module("anser.sql").STATEMENTS["enqueue"]

    def execute(self, sql: str, parameters: Sequence[Any]) -> Rows:
        return [list(row) for row in self.connection.execute(sql, parameters)]

    def enqueue(self, n: int) -> object:
        if n == 1:
            return self.connection.execute(self.insert, self.row())
        self.connection.execute("begin immediate")
        self.connection.executemany(self.insert, [self.row() for _ in range(n)])
        return self.connection.execute("commit")

    def enqueue_joined(self, n: int) -> object:
        self.connection.execute("begin immediate")
        for _ in range(n):
            self.connection.execute(self.insert, self.row())
        return self.connection.execute("commit")

    def row(self) -> dict[str, Any]:
        """The parameters of Anser's insert."""
        now = int(time.time())
        job = {"queue": QUEUE, "payload": json.dumps(PAYLOAD), "priority": 0, "run_at": now, "now": now}
        return {**job, "max_attempts": 3, "max_lapses": 5, "expires_at": None, "unique_key": None}

    def claim(self, n: int) -> list[Any]:
        now = int(time.time())
        self.connection.execute("begin immediate")
        jobs = self.connection.execute(self.SELECT, (QUEUE, now, now, n)).fetchall()
        self.connection.executemany(self.TAKE, [(WORKER, now + LEASE_S, id) for id, _ in jobs])
        self.connection.execute("commit")
        assert [json.loads(payload)["order"] for _, payload in jobs] == [PAYLOAD["order"]] * n
        return list(jobs)

    def ack(self, jobs: list[Any]) -> object:
        now = int(time.time())
        self.connection.execute("begin immediate")
        self.connection.executemany(self.DELETE, [(id, WORKER, now) for id, _ in jobs])
        return self.connection.execute("commit")

    def close(self) -> None:
        self.connection.close()


PEERS: dict[str, Callable[[str, str], Peer]] = {"anser": Anser, "honker": Honker, "bare": Bare}


def measure(peer: Peer, work: str, n: int, operations_max: int, seconds_max: float) -> list[list[float]]:
    """Operations one after another: the seconds that each part of each took."""
    parts: dict[str, list[Callable[[Any], Any]]] = {
        "enqueue": [peer.enqueue],
        "enqueue_joined": [peer.enqueue_joined],
        "claim": [peer.claim, peer.ack],
    }
    operations: list[list[float]] = []
    end = time.perf_counter() + seconds_max
    while len(operations) < operations_max and time.perf_counter() < end:
        given: Any = n
        spent = []
        for part in parts[work]:
            began = time.perf_counter()
            given = part(given)
            spent.append(time.perf_counter() - began)
        operations.append(spent)
    return operations


def main() -> None:
    kind = PEERS[sys.argv[1]]
    open_files: dict[str, Peer] = {}
    for line in sys.stdin:
        request = json.loads(line)
        do, file = request.pop("do"), request.pop("file")
        answer: Any = None
        if do == "open":
            open_files[file] = kind(file, request["synchronous"])
        elif do == "close":
            open_files.pop(file).close()
        elif do == "execute":
            answer = open_files[file].execute(request["sql"], request["parameters"])
        else:
            answer = measure(open_files[file], **request)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
