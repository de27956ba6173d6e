"""A lock as its users hold it: for the body of a `with`, and no longer than it was asked for."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from anser.errors import AnserError, Conflict, LeaseLost, note
from anser.home import Home, Tx
from anser.keeper import Keeper, aside, check_spacing
from anser.ops import LockAcquire, LockRelease, LockRenew
from anser.types import Lock

__all__ = ["NamedLock"]


class NamedLock:
    """A lock of a file by name, held for the body of a `with` and for `ttl_s` seconds at most, unless it is renewed.

    To enter raises `Conflict` while another owner holds it. With `renew_s` it is renewed so often in the background; a
    transaction that somebody keeps open keeps that out too. When it is over all the same, another owner may have it:
    the body is told by `lost`, by the next `renew`, or else at its end. A body within the body, by the same owner,
    extends it and leaves it held (LCK-4, LCK-7). In an event loop, `async with` does the same.
    """

    def __init__(self, database: Home, name: str, *, owner: str, ttl_s: int, renew_s: float | None) -> None:
        self.database = database
        self.name = name
        self.owner = owner
        self.ttl_s = ttl_s
        self.renew_s = renew_s
        self._acquire = LockAcquire(lock=name, owner=owner, ttl_s=ttl_s)
        self._acquire.check()
        if renew_s is not None:
            check_spacing("renew_s", renew_s, ttl_s)
        self._row: Lock | None = None
        self._expires_at = 0  # beside the row: the background sets it, whoever enters and leaves sets the row
        self._bodies = 0
        self._keeper: Keeper | None = None

    def __repr__(self) -> str:
        return f"<NamedLock {self.name!r} of {self.owner!r} in {self.database.path!r}>"

    @property
    def row(self) -> Lock | None:
        """The lock as it was answered last; None outside of the `with`, and once it is known to be lost."""
        return None if self._row is None else replace(self._row, expires_at=self._expires_at)

    @property
    def lost(self) -> bool:
        """Whether the body may rely on it no more: a renewal was refused, or its end has come by the clock."""
        refused = self._keeper is not None and self._keeper.lost.is_set()
        return refused or self._row is None or self._expires_at <= self.database.clock()

    @property
    def fence(self) -> int:
        """The number of this holding, which only grows in a file (LCK-3). Raises `LeaseLost` outside of the `with`."""
        return self._held().fence

    @property
    def expires_at(self) -> int:
        """The instant at which it is over (LCK-2). Raises `LeaseLost` outside of the `with`."""
        return self._held().expires_at

    def renew(self, *, ttl_s: int | None = None, tx: Tx = None) -> int:
        """Let it end `ttl_s` seconds from now, by what it was asked for if None; answers its end (LCK-6).

        Raises `LeaseLost` when it is lost. With `tx` it is part of the caller's transaction: what the body writes
        there is committed only if the lock was still held.
        """
        row = self._held()
        wait = self.ttl_s if ttl_s is None else ttl_s
        op = LockRenew(lock=self.name, owner=self.owner, fence=row.fence, ttl_s=wait)
        expires_at: int = self.database.run(op, tx)
        self._expires_at = expires_at
        return expires_at

    def __enter__(self) -> Self:
        row: Lock | None = self.database.run(self._acquire)
        if row is None:
            raise Conflict(f"the lock {self.name!r} is held by another owner: try again later, or see lock_get")
        self._row, self._expires_at = row, row.expires_at
        self._bodies += 1
        if self.renew_s is not None and (self._keeper is None or self._keeper.lost.is_set()):
            self._keeper = Keeper(self.renew, self.renew_s, f"anser-lock {self.name}")
            self._keeper.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """A loss is raised after a body that ended well, and noted on the error of one that did not."""
        self._bodies -= 1
        if self._keeper is not None and not self._bodies:
            self._keeper.stop()
            self._keeper = None
        try:
            row = self._held()
            free: bool = self.database.run(LockRelease(lock=self.name, owner=self.owner, fence=row.fence))
            self._row = None if free else replace(row, depth=row.depth - 1)
        except AnserError as refusal:
            self._row = None
            if error is None:
                raise
            note(error, f"the lock {self.name!r} was not released: {refusal}")

    async def __aenter__(self) -> Self:
        return await aside(self.__enter__, take_back=lambda: self.__exit__(None, None, None))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await aside(lambda: self.__exit__(kind, error, trace))

    def _held(self) -> Lock:
        row = self.row
        if row is None:
            raise LeaseLost(f"the lock {self.name!r} is not held by {self.owner!r}: enter it by with")
        return row
