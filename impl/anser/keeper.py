"""Saying a word again and again in the background: a heartbeat of a job, a renewal of a lock; and saying one beside an
event loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from anser.errors import AnserError, Invalid, LeaseLost, note

__all__ = ["Keeper", "aside", "check_spacing"]

Answer = TypeVar("Answer")


class Keeper:
    """Says `word` every `every_s` seconds in a thread of its own, until it is stopped or the lease is lost.

    `lost` is set then, and `error` is the refusal. A word that fails for another reason, as when the file is busy, is
    no loss: it is said again (busy is not death), and the lease itself tells when it was too late. As a context manager
    it is started and stopped.
    """

    def __init__(self, word: Callable[[], object], every_s: float, name: str) -> None:
        self.lost = threading.Event()
        self.error: LeaseLost | None = None
        self._word = word
        self._every_s = every_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin; the first word is said when `every_s` seconds have gone by."""
        self._thread.start()

    def stop(self) -> None:
        """Say no more, and wait for a word that is being said."""
        self._stopping.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._stopping.wait(self._every_s):
            try:
                self._word()
            except LeaseLost as refusal:
                self.error = refusal
                self.lost.set()
                return
            except AnserError:
                continue  # the next word may be heard


def check_spacing(argument: str, every_s: object, within_s: int) -> None:
    """Raise `Invalid` unless these are seconds that leave a word its time before a lease of `within_s` seconds ends."""
    if isinstance(every_s, bool) or not isinstance(every_s, (int, float)) or not 0 < every_s < within_s:
        raise Invalid(argument, every_s, f"pass seconds, more than 0 and less than the {within_s} that it holds")


async def aside(say: Callable[[], Answer], take_back: Callable[[], object] | None = None) -> Answer:
    """Say a word in another thread, while the event loop goes on.

    Whoever is cancelled meanwhile, once or again and again, waits until it was said: nothing is left half done. What
    was answered is then taken back, since nobody has heard it.
    """
    saying = _in_thread(say)
    try:
        return await asyncio.shield(saying)
    except asyncio.CancelledError as cancelled:
        refusal = await _ended(saying)
        if take_back is not None and refusal is None:
            refusal = await _ended(_in_thread(take_back))
            if refusal is not None:
                note(cancelled, f"what was said was not taken back: {refusal}")
        raise


def _in_thread(say: Callable[[], Answer]) -> asyncio.Future[Answer]:
    """No task, which a loop that is shut down would cancel, while its thread goes on."""
    return asyncio.get_running_loop().run_in_executor(None, say)


async def _ended(saying: asyncio.Future[Any]) -> BaseException | None:
    """Wait until it was said, and answer what it raised. Who is cancelled already hears no second time of it."""
    while not saying.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([saying])
    return saying.exception()
