"""Locks by name. honker's have no fence and no depth, and it does not say when they were acquired."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from anser.ops import LockAcquire, LockRelease, LockRenew
from anser.types import Lock
from anser_models import World
from anser_spec.targets.honker.families.base import FENCE, Asking, Family, Row, Said, Table

__all__ = ["FAMILY"]


def _row(lock: Lock) -> Row:
    return {"name": lock.name, "owner": lock.owner, "expires_at": lock.expires_at}


def _lock(row: Row, before: World) -> Lock:  # noqa: ARG001  # nothing of it is told but by the row
    return Lock(row["name"], row["owner"], FENCE, None, row["expires_at"], 1)


def _held(lock: Lock) -> Lock:
    return replace(lock, fence=FENCE, acquired_at=None, depth=1)


def _acquired(said: Said) -> Lock | None:
    return said.after.locks.get(said.op.lock) if said.answer else None


def _renewed(said: Said) -> int:
    return said.after.locks[said.op.lock].expires_at


def _released(said: Said) -> bool:
    return said.op.lock not in said.after.locks


FAMILY = Family(
    parts=(Table(field="locks", name="locks", key=attrgetter("name"), held_value=_held, row=_row, from_row=_lock),),
    asking={
        LockAcquire: Asking(told=_acquired),
        LockRenew: Asking(told=_renewed),
        LockRelease: Asking(told=_released),
    },
    answers={Lock: _held},
)
