"""Saying a word again and again in the background: a heartbeat of a job, a renewal of a lock."""

from __future__ import annotations

import threading
from collections.abc import Callable

from anser.errors import AnserError, LeaseLost

__all__ = ["Keeper"]


class Keeper:
    """Says `word` every `every_s` seconds in a thread of its own, until it is stopped or the lease is lost.

    `lost` is set then, and `error` is the refusal. A word that fails for another reason, as when the file is busy, is
    no loss: it is said again (busy is not death), and the lease itself tells when it was too late.
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
