"""Rate limits by window.

A window lies at a multiple of its length, which its row does not say, so a move by any other number of seconds would
take it out of its place. The try therefore moves the windows itself, from the caller's to the machine's and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anser_spec.drivers.honker.calls import Arguments, Call, Family, function
from anser_spec.drivers.honker.rows import Table, real_second

WINDOWS = Table(
    name="rate_limits",
    columns=("name", "window_start", "count"),
    key=("name", "window_start"),
    instants=frozenset({"window_start"}),
)

_TRY = function("honker_rate_limit_try", "key limit per_s")


def _try(tx: Any, given: Arguments) -> Any:
    """`epoch` is the caller's second 0 as the machine's clock tells it: by so much the rows were moved."""
    with _in_place(tx, given["per_s"], given["epoch"]):
        return _TRY(tx, given)


@contextmanager
def _in_place(tx: Any, per_s: Any, epoch: int) -> Iterator[None]:
    """The windows by as many lengths later as lie between the caller's window and the machine's, for the body."""
    by_s = 0
    if epoch and isinstance(per_s, int) and per_s > 0:
        second = real_second(tx)
        by_s = (second // per_s - (second - epoch) // per_s) * per_s - epoch
    _move(tx, by_s)
    yield
    _move(tx, -by_s)


def _move(tx: Any, by_s: int) -> None:
    """All rows go before any comes: two may change places."""
    if by_s == 0:
        return
    rows = tx.query("select name, window_start, count from _honker_rate_limits")
    tx.execute("delete from _honker_rate_limits")
    for row in rows:
        values = [row["name"], row["window_start"] + by_s, row["count"]]
        tx.execute("insert into _honker_rate_limits (name, window_start, count) values (?, ?, ?)", values)


def _allowed(raw: Any, by_s: int) -> bool:  # noqa: ARG001  # a yes or a no has no instants
    return bool(raw)


FAMILY = Family(
    tables=(WINDOWS,),
    calls={
        "rate_limit_try": Call(by_function=_try, tell=_allowed, instants=frozenset({"epoch"})),
        "rate_limit_sweep": Call(by_function=function("honker_rate_limit_sweep", "older_than_s")),
    },
    kinds={"limit and per must be positive": "invalid"},
)
