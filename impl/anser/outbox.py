"""What is to happen outside of the file once a transaction has committed: sent with it, delivered at least once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import isasyncgen, isasyncgenfunction, isawaitable, iscoroutinefunction, isgenerator, isgeneratorfunction
from typing import Any

from anser.backoff import Backoff
from anser.errors import Busy, Invalid, LeaseLost
from anser.home import Home, Tx
from anser.ops import Claim
from anser.queue import ClaimedJob, Queue
from anser.wake import check_stop

__all__ = ["Deliver", "Delivered", "Outbox", "OutboxMessage"]

IDLE_MAX_S = 1.0  # how long `run` waits before it asks again whether it is to stop
HEARTBEATS_A_LEASE = 3


@dataclass(frozen=True, slots=True)
class OutboxMessage:
    """What is to be delivered. Its `id` is given once in a file: with it a receiver can tell a second delivery."""

    id: int
    destination: str | None
    payload: Any
    attempts: int


@dataclass(frozen=True, slots=True)
class Delivered:
    """How many messages were delivered, how many failed, and how many were delivered though their lease was lost."""

    done: int
    failed: int
    lost: int


Deliver = Callable[[OutboxMessage], object]

_LATER = (iscoroutinefunction, isgeneratorfunction, isasyncgenfunction)  # to call one runs nothing of it


class Outbox:
    """Messages of a file to the world outside, by the name of the outbox (OUT-1).

    `deliver` is a function, or one for each destination; it returns when the message is delivered, and raises when it
    is not. Each destination has a queue of its own, `_outbox:<name>` or `_outbox:<name>:<destination>`, so one that is
    down holds up no other. Whatever can be asked of a queue can be asked of `queue(destination)`.
    """

    def __init__(
        self,
        database: Home,
        name: str,
        deliver: Deliver | Mapping[str, Deliver],
        *,
        lease_s: int,
        max_attempts: int,
        backoff: Backoff,
    ) -> None:
        if not isinstance(name, str) or not name or ":" in name:
            raise Invalid("name", name, "pass a name without a colon: that is where a destination begins")
        ways = dict[str | None, Deliver](deliver.items() if isinstance(deliver, Mapping) else {None: deliver}.items())
        if not ways:
            raise Invalid("deliver", deliver, "pass a function, or one for each destination")
        for destination, way in ways.items():
            if not callable(way) or any(is_later(way) for is_later in _LATER):
                raise Invalid("deliver", way, "pass a function that delivers before it returns")
            if destination is not None and (not isinstance(destination, str) or not destination):
                raise Invalid("destination", destination, "a destination has a name")
        self.database = database
        self.name = name
        self._ways = ways
        self._queues = {
            destination: Queue(
                database,
                f"_outbox:{name}" if destination is None else f"_outbox:{name}:{destination}",
                lease_s=lease_s,
                max_attempts=max_attempts,
                max_lapses=max_attempts,
                priority=0,
                expires_s=None,
                backoff=backoff,
            )
            for destination in ways
        }

    def __repr__(self) -> str:
        return f"<Outbox {self.name!r} in {self.database.path!r}>"

    def queue(self, destination: str | None = None) -> Queue:
        """The queue of a destination, for its dead, its counts and so on. Raises `Invalid` for one that is unknown."""
        if not isinstance(destination, str | None) or destination not in self._queues:
            known = ", ".join(repr(name) for name in self._queues)
            raise Invalid("destination", destination, f"nothing delivers there: pass one of {known}")
        return self._queues[destination]

    def send(self, payload: Any, *, destination: str | None = None, order_key: str | None = None, tx: Tx = None) -> int:
        """Let a message be delivered once this has committed; answers its id (OUT-1).

        With `tx` it is part of the caller's transaction: rolled back, nothing is sent. Messages with one `order_key` to
        one destination are delivered one after another (ORD-1).
        """
        return self.queue(destination).enqueue(payload, order_key=order_key, tx=tx).id

    def deliver_batch(self, worker: str, n: int = 100) -> Delivered:
        """Deliver up to `n` messages of each destination that are due, one by one (OUT-2).

        While one is delivered its lease is kept by heartbeats. One whose function raises is put back by the backoff, or
        dead after its last attempt, and the next one follows (OUT-3, OUT-4). Raises what a claim or an ack raises.
        """
        for queue in self._queues.values():
            Claim(queues=(queue.name,), worker=worker, n=n, lease_s=queue.lease_s).check()
        done = failed = lost = 0
        for destination, queue in self._queues.items():
            for _ in range(n):
                job = queue.claim_one(worker)
                if job is None:
                    break
                try:
                    delivered = self._deliver(job, destination)
                except LeaseLost:
                    lost += 1
                    continue
                done, failed = done + delivered, failed + (not delivered)
        return Delivered(done, failed, lost)

    def run(self, worker: str, stop: Callable[[], bool]) -> None:
        """Deliver what there is, wait for more, and so on until `stop` answers True (OUT-5).

        `stop` is asked before each message of a destination, and each second while there is none.

        A file that is busy is waited for. Any other failure of the file is raised: this never ends in silence.
        """
        check_stop(stop)
        while not stop():
            mark = self.database.wake.mark()
            try:
                if self.deliver_batch(worker, 1) == Delivered(0, 0, 0):
                    self.database.wake.wait(mark, self._idle_s())
            except Busy:
                self.database.wake.wait(mark, IDLE_MAX_S)

    def _deliver(self, job: ClaimedJob, destination: str | None) -> bool:
        """Whether it was delivered; what the function raised is kept as the job's error."""
        raised: Exception | None = None
        try:
            with job, job.heartbeat_every(job.queue.lease_s / HEARTBEATS_A_LEASE):
                try:
                    message = OutboxMessage(job.id, destination, job.payload, job.attempts)
                    _check_done(self._ways[destination](message))
                except Exception as error:  # whatever it is: the job keeps it, and the next message follows
                    raised = error
                    raise
        except Exception as error:
            if error is not raised:
                raise
            return False
        return True

    def _idle_s(self) -> float:
        """Until a message that was put back is due, and no longer than `stop` can wait."""
        soonest = [at for queue in self._queues.values() if (at := queue.next_claim_at()) is not None]
        return max(0.0, min([IDLE_MAX_S, *(at - self.database.clock() for at in soonest)]))


def _check_done(answer: object) -> None:
    """Raise unless the function has run. A lambda, or an object, may hand out what is to be awaited or looped over.

    What it handed out would not run at all, and the message be acked.
    """
    if isawaitable(answer) or isgenerator(answer) or isasyncgen(answer):
        if hasattr(answer, "close"):
            answer.close()
        raise TypeError(f"nothing was delivered: the function answered {answer!r}, which is still to run")
