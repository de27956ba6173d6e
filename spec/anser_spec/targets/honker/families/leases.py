"""Words about a lease. honker has no fence, and answers yes or no."""

from __future__ import annotations

from typing import Any

from anser.ops import AckBatch, Heartbeat, Retry
from anser.types import Settled, State
from anser_spec.targets.honker.families.base import FENCE, Asking, Constant, Family, Said

__all__ = ["FAMILY"]


def _ids(op: AckBatch) -> dict[str, Any]:
    return {"ids": [held.id for held in op.held]}


def _acked(said: Said) -> tuple[int, ...] | Any:
    """The ids that are gone, or what honker said where that is another number."""
    left = said.before.jobs.keys() - said.after.jobs.keys()
    gone = tuple(dict.fromkeys(held.id for held in said.op.held if held.id in left))
    return gone if len(gone) == said.answer else said.answer


def _beaten(said: Said) -> int | None:
    job = said.after.jobs.get(said.op.id)
    return None if job is None or job.lease is None else job.lease.expires_at


def _settled(said: Said) -> Settled:
    job = said.after.jobs.get(said.op.id)
    return Settled(State.DEAD, None) if job is None else Settled(job.state, job.run_at)


def _of_text(op: Retry) -> bool:
    return op.error is not None


def _with_text(op: Retry) -> dict[str, Any]:
    return {"error": op.error or ""}


FAMILY = Family(
    parts=(Constant("last_fence", FENCE),),
    asking={
        AckBatch: Asking(arguments=_ids, told=_acked),
        Heartbeat: Asking(told=_beaten),
        Retry: Asking(can=_of_text, plain=_with_text, told=_settled),
    },
)
