"""Limits as their users hold them: a window, a bucket, and a slot that a job has for the body of a `with`."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from anser.errors import AnserError, Conflict, note
from anser.home import Home, Tx
from anser.ops import LimitAcquire, LimitRelease, RateLimitTry, TokenBucketTry
from anser.types import Allowance, Lease

__all__ = ["JobLimit", "RateLimit", "TokenBucket"]


class RateLimit:
    """At most `limit` in each window of `per_s` seconds of the clock. Across an edge of windows twice that may pass.

    The windows are shared with other bindings of the file. Needed is a bound for every stretch of time: `TokenBucket`.
    """

    def __init__(self, database: Home, key: str, *, limit: int, per_s: int) -> None:
        self.database = database
        self.key = key
        self._try = RateLimitTry(key=key, limit=limit, per_s=per_s)
        self._try.check()

    def __repr__(self) -> str:
        return f"<RateLimit {self.key!r} of {self._try.limit} per {self._try.per_s} s in {self.database.path!r}>"

    def try_acquire(self, *, tx: Tx = None) -> Allowance:
        """Count one more, or answer from when on it may be tried again; never waits (LIM-1, LIM-2).

        With `tx` it counts only if the caller's transaction is committed.
        """
        allowance: Allowance = self.database.run(self._try, tx)
        return allowance


class TokenBucket:
    """`limit` tokens at first, and `limit` more each `per_s` seconds, evenly, up to `limit`.

    In any `d` seconds, at most `limit + d * limit / per_s` tokens are had (LIM-4).
    """

    def __init__(self, database: Home, key: str, *, limit: int, per_s: int) -> None:
        self.database = database
        self.key = key
        self.limit = limit
        self.per_s = per_s
        self._asked(1).check()

    def __repr__(self) -> str:
        return f"<TokenBucket {self.key!r} of {self.limit} per {self.per_s} s in {self.database.path!r}>"

    def try_acquire(self, n: int = 1, *, tx: Tx = None) -> Allowance:
        """Take `n` tokens, or none and answer from when on they may be there; never waits (LIM-4, LIM-5).

        With `tx` they are taken only if the caller's transaction is committed.
        """
        allowance: Allowance = self.database.run(self._asked(n), tx)
        return allowance

    def _asked(self, n: int) -> TokenBucketTry:
        return TokenBucketTry(key=self.key, limit=self.limit, per_s=self.per_s, n=n)


class _Leased(Protocol):
    """The job whose lease a slot is given to."""

    @property
    def id(self) -> int: ...

    @property
    def lease(self) -> Lease: ...

    @property
    def settled(self) -> bool: ...

    def crowded_out_by(self, error: Conflict) -> None: ...


class JobLimit:
    """One of `limit` slots of a key, for a job that is under a lease: so many do it at once, and no more.

    It is over with the lease at the latest, so a worker that dies gives it back by dying (LIM-10), and while heartbeats
    keep the lease they keep the slot. As a context manager: to enter raises `Conflict` while all are taken, and a job's
    own `with` that this ends puts the job back by the queue's backoff, and spends no attempt: crowds kill no job.
    """

    def __init__(self, database: Home, job: _Leased, queue: str, key: str, *, limit: int) -> None:
        self.database = database
        self.key = key
        self.limit = limit
        self._job = job
        self._queue = queue
        self._acquire().check()

    def __repr__(self) -> str:
        return f"<JobLimit {self.key!r} of {self.limit} for job {self._job.id} in {self.database.path!r}>"

    def acquire(self, *, tx: Tx = None) -> bool:
        """Have a slot, or answer False at once; one that the job has already is had (LIM-9). Raises `LeaseLost`."""
        had: bool = self.database.run(self._acquire(), tx)
        return had

    def release(self, *, tx: Tx = None) -> bool:
        """Give the slot back before the lease is over; answers whether there was one (LIM-11). Raises `LeaseLost`."""
        lease = self._job.lease
        op = LimitRelease(key=self.key, queue=self._queue, id=self._job.id, worker=lease.worker, fence=lease.fence)
        had: bool = self.database.run(op, tx)
        return had

    def __enter__(self) -> Self:
        if not self.acquire():
            crowded = Conflict(f"all {self.limit} slots of {self.key!r} are taken: try again later, or release the job")
            self._job.crowded_out_by(crowded)
            raise crowded
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """A body that settled its job has given the slot back by that. A loss is raised after one that ended well."""
        if self._job.settled:
            return
        try:
            self.release()
        except AnserError as refusal:
            if error is None:
                raise
            note(error, f"the slot of {self.key!r} was not given back: {refusal}")

    def _acquire(self) -> LimitAcquire:
        lease = self._job.lease
        return LimitAcquire(
            key=self.key,
            queue=self._queue,
            id=self._job.id,
            worker=lease.worker,
            fence=lease.fence,
            limit=self.limit,
        )
