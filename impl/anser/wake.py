"""Waiting until somebody commits to the file, whichever thread or process it is. Nothing here knows what was written.

A waiter takes a mark, looks at the file, and waits from the mark on if it found nothing: a commit between the two is
not missed. To be woken says that it is worth another look, no more. One thread asks SQLite for its `data_version`
while anybody waits, and none does while nobody waits.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from anser.clock import steady_clock
from anser.engine.sqlite import Watch
from anser.errors import AnserError, Invalid
from anser.types import DELAY_MAX_S

__all__ = ["Wake", "check_stop", "checked_timeout", "countdown"]

LOOK_EVERY_S = 0.005  # a look costs some 10 microseconds

Found = TypeVar("Found")  # None among what it may be


class Wake:
    """The commits of one file, to be waited for. Safe to share between threads and event loops."""

    def __init__(self, watch: Callable[[], Watch]) -> None:
        self._open = watch
        self._watch: Watch | None = None
        self._turn = threading.Lock()
        self._seen = 0
        self._waiters: dict[object, Callable[[], None]] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def mark(self) -> int:
        """Where the file is now; to be taken before the look that `wait` follows."""
        with self._turn:
            self._look()
            return self._seen

    def wait(self, mark: int, timeout_s: float | None) -> bool:
        """Wait until something was committed after the mark; answers False when `timeout_s` seconds went by without.

        It returns at once when the database is closed: the next look raises.
        """
        woken = threading.Event()
        token = self._enter(mark, woken.set)
        try:
            return woken.wait(timeout_s)
        finally:
            self._leave(token)

    async def wait_async(self, mark: int, timeout_s: float | None) -> bool:
        """As `wait`, for the event loop, which goes on meanwhile."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(woken.set)

        token = self._enter(mark, wake)
        try:
            await asyncio.wait_for(woken.wait(), timeout_s)
        except TimeoutError:
            return False
        finally:
            self._leave(token)
        return True

    def until(self, look: Callable[[], Found], timeout_s: float | None) -> Found:
        """What `look` finds, now or after a commit. Answers None when `timeout_s` seconds went by and it found none."""
        left = countdown(timeout_s)
        while True:
            mark = self.mark()
            found = look()
            left_s = left()
            if found is not None or left_s == 0:
                return found
            self.wait(mark, left_s)

    async def until_async(self, look: Callable[[], Found], timeout_s: float | None) -> Found:
        """As `until`, for the event loop. The looks are done on it: let them be short."""
        left = countdown(timeout_s)
        while True:
            mark = self.mark()
            found = look()
            left_s = left()
            if found is not None or left_s == 0:
                return found
            await self.wait_async(mark, left_s)

    def close(self) -> None:
        """Wake everybody, for good."""
        with self._turn:
            self._closed = True
            self._wake_all()
            self._shut()

    def _enter(self, mark: int, wake: Callable[[], None]) -> object:
        token = object()
        with self._turn:
            self._look()
            if self._closed or self._seen != mark:
                wake()
                return token
            self._waiters[token] = wake
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="anser-wake", daemon=True)
                self._thread.start()
        return token

    def _leave(self, token: object) -> None:
        with self._turn:
            self._waiters.pop(token, None)

    def _run(self) -> None:
        """The thread: look until nobody waits. A file that cannot be looked at wakes all: their own look tells why."""
        pause = threading.Event()
        while True:
            with self._turn:
                try:
                    self._look()
                except AnserError:
                    self._wake_all()
                if not self._waiters:
                    self._thread = None
                    return
            pause.wait(LOOK_EVERY_S)

    def _look(self) -> None:
        """Whoever looks wakes all: a commit is told once, and the next look would not see it."""
        if self._closed:
            return
        if self._watch is None:
            self._watch = self._open()
        if self._watch.moved():
            self._seen += 1
            self._wake_all()

    def _wake_all(self) -> None:
        waiters, self._waiters = self._waiters, {}
        for wake in waiters.values():
            wake()

    def _shut(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None


def countdown(timeout_s: float | None) -> Callable[[], float | None]:
    """How many of those seconds are left at each call, 0 when none is; None for who has no end."""
    began = steady_clock()
    return lambda: None if timeout_s is None else max(began + timeout_s - steady_clock(), 0)


def checked_timeout(timeout_s: float | None, *, argument: str = "timeout_s") -> float | None:
    """How long somebody wants to wait, None for ever. Raises `Invalid` for what is no such number."""
    number = isinstance(timeout_s, (int, float)) and not isinstance(timeout_s, bool)
    if timeout_s is None or (number and 0 <= timeout_s <= DELAY_MAX_S):
        return timeout_s
    raise Invalid(argument, timeout_s, f"pass seconds from 0 to {DELAY_MAX_S}, or None to wait for ever")


def check_stop(stop: object) -> None:
    """Raise `Invalid` for a `stop` that cannot be asked: a loop in a thread would end, and nobody look at why."""
    if not callable(stop):
        raise Invalid("stop", stop, "pass a function that answers whether to stop, as is_set of an Event")
