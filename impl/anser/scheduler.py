"""The scheduler: who leads ticks, and sleeps until something is due. Any number may run on one file.

The leader is who holds the lock `scheduler`. That it still does is asked by the tick's own transaction (SCH-11), so a
leader that was frozen fires nothing after another has taken over.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from anser.database import Database
from anser.errors import AnserError, Busy, LeaseLost
from anser.ops import LockAcquire, LockRelease, LockRenew
from anser.types import SCHEDULER_LOCK, Lock, Ticked
from anser.wake import check_stop

__all__ = ["Scheduler"]

_LOOK_EVERY_S = 0.25  # how late a boundary, the end of another leader or a stop is seen at most


class Scheduler:
    """Fires the schedules of a file while it leads, and stands by while another does.

    `owner` names it and must be its own alone; one that nobody else has, if None. `ttl_s` is for how many seconds it
    leads without saying so again, and so how long nobody fires after it has crashed. Not to be shared between threads.
    As a context manager, it resigns when the body ends.
    """

    def __init__(self, database: Database, *, owner: str | None = None, ttl_s: int = 30) -> None:
        self.database = database
        self.owner = uuid.uuid4().hex if owner is None else owner
        self.ttl_s = ttl_s
        self._lock: Lock | None = None
        LockAcquire(lock=SCHEDULER_LOCK, owner=self.owner, ttl_s=ttl_s).check()

    def __repr__(self) -> str:
        return f"<Scheduler {self.owner!r} of {self.database.path!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.resign()

    @property
    def leads(self) -> bool:
        """Whether it led when it looked last."""
        return self._lock is not None

    def tick(self) -> Ticked | None:
        """Lead, if nobody else does, and fire what has come due; None while another leads.

        What a lost lead cost is nothing: the tick is refused whole, and the next one leads again or stands by.
        """
        lock = self._led()
        if lock is None:
            return None
        try:
            return self.database.schedules.tick(owner=self.owner, fence=lock.fence)
        except LeaseLost:
            self._lock = None
            return None

    def run(self, stop: Callable[[], bool]) -> None:
        """Tick whenever something is due until `stop` answers True, and then let another lead.

        A file that is busy is tried again; any other failure of the database is raised. In a thread, pass the `is_set`
        of a `threading.Event`: it is asked several times a second.
        """
        check_stop(stop)
        try:
            while not stop():
                mark = self.database.wake.mark()
                if not self._more():
                    self.database.wake.wait(mark, _LOOK_EVERY_S)
        finally:
            self.resign()

    def resign(self) -> None:
        """Lead no more, so that another may at once; it is no error to have lost the lead already."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        release = LockRelease(lock=SCHEDULER_LOCK, owner=self.owner, fence=lock.fence)
        with suppress(AnserError):  # it is over by itself in a while
            for _ in range(lock.depth):  # it had this owner before, whose process has crashed
                self.database.run(release)

    def _more(self) -> bool:
        """Tick if there is something to do; whether there is more. Only then is the write lock asked for."""
        try:
            if not self._wanted():
                return False
            ticked = self.tick()
        except Busy:
            return False
        return ticked is not None and ticked.more

    def _wanted(self) -> bool:
        """Something is due, or this one has to say that it leads, or nobody leads."""
        if self._lock is None:
            return self.database.lock_get(SCHEDULER_LOCK) is None
        soonest = self.database.schedules.soonest()
        now = self.database.clock()
        return self._is_old(self._lock, now) or (soonest is not None and soonest <= now)

    def _led(self) -> Lock | None:
        """The lock, had before or now; said again when half of its time is over."""
        lock = self._lock
        if lock is not None and self._is_old(lock, self.database.clock()):
            lock = self._renewed(lock)
        if lock is None:
            lock = self.database.run(LockAcquire(lock=SCHEDULER_LOCK, owner=self.owner, ttl_s=self.ttl_s))
        self._lock = lock
        return lock

    def _is_old(self, lock: Lock, now: int) -> bool:
        return lock.expires_at - now <= self.ttl_s // 2

    def _renewed(self, lock: Lock) -> Lock | None:
        try:
            expires_at: int = self.database.run(
                LockRenew(lock=SCHEDULER_LOCK, owner=self.owner, fence=lock.fence, ttl_s=self.ttl_s)
            )
        except LeaseLost:
            return None
        return Lock(lock.name, lock.owner, lock.fence, lock.acquired_at, expires_at, lock.depth)
