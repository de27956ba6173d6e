"""Results as those hold them who wait: the value, or an error that says why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anser.errors import JobCancelled, JobDead, ResultError, ResultMissing, ResultTimeout
from anser.home import Home
from anser.ops import ResultGet, decode
from anser.types import Result, ResultState
from anser.wake import checked_timeout

__all__ = ["await_result", "wait_result"]


def wait_result(database: Home, op: ResultGet, timeout_s: float | None) -> Any:
    """The value of the job's result as soon as it is seen (RES-10)."""
    return _value(op, database.wake.until(_ended(database, op), checked_timeout(timeout_s)))


async def await_result(database: Home, op: ResultGet, timeout_s: float | None) -> Any:
    """As `wait_result`, for the event loop, which goes on meanwhile."""
    return _value(op, await database.wake.until_async(_ended(database, op), checked_timeout(timeout_s)))


def _ended(database: Home, op: ResultGet) -> Callable[[], Result | None]:
    """A look at the job: what it came to, None while it is live."""

    def look() -> Result | None:
        result: Result = database.run(op)
        return None if result.state is ResultState.WAITING else result

    return look


def _value(op: ResultGet, result: Result | None) -> Any:
    """The value, or the error that the state means to who has waited."""
    job = f"job {op.id} of queue {op.queue!r}"
    if result is None:
        raise ResultTimeout(f"{job} is not done yet: wait longer, or see get_job")
    if result.state is ResultState.DEAD:
        raise JobDead(f"{job} is dead: {result.error}", result.error)
    if result.state is ResultState.CANCELLED:
        raise JobCancelled(f"{job} was cancelled")
    if result.state is ResultState.GONE:
        raise ResultMissing(f"{job} is not known: it never was, or history has forgotten it")
    if result.value is None:
        raise ResultMissing(f"{job} is done and has no result: it was acked without one, or the result is over")
    try:
        return decode(result.value)
    except ValueError as error:
        raise ResultError(f"the result of {job} cannot be read: {error}") from None
