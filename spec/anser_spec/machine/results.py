"""Results of jobs: saved by holders and by who comes too late, looked at before and after the end, swept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anser.ops import Ack, Cancel, Fail, Op, ResultGet, ResultPrune, ResultSave, ResultSweep
from anser.types import DELAY_MAX_S, DEPTH_MAX
from anser_spec.machine.base import Family, rule_of
from anser_spec.machine.leases import GOOD, Leases, named_by
from anser_spec.machine.values import LIMITS, QUEUES, WORKERS, one_of, pick
from anser_spec.seeds.results import SEEDS

__all__ = ["FAMILY", "Results"]

NAME = "results"

VALUES: tuple[Any, ...] = (1, None, "", {"n": [1.5, "\u00e9'"]}, [[]], "x" * 1_000)
TTLS = (1, 2, 3, 60, DELAY_MAX_S)
TOO_DEEP: list[Any] = []
for _ in range(DEPTH_MAX):
    TOO_DEEP = [TOO_DEEP]
NAN = float("nan")
INVALID: tuple[Op, ...] = (
    ResultSave(**GOOD, value=NAN, ttl_s=1),
    ResultSave(**GOOD, value=TOO_DEEP, ttl_s=1),
    ResultSave(**GOOD, value=1, ttl_s=0),
    ResultSave(**GOOD, value=1, ttl_s=DELAY_MAX_S + 1),
    ResultSave(**GOOD | {"fence": 0}, value=1, ttl_s=1),
    ResultGet(queue="", id=1),
    ResultGet(queue="a", id=0),
    ResultSweep(limit=0),
    ResultPrune(older_than_s=-1),
    ResultPrune(older_than_s=0, limit=0),
    Ack(**GOOD, result=1),
    Ack(**GOOD, result="\ud800", result_ttl_s=1),
    Ack(**GOOD, result=1, result_ttl_s=0),
)


class Results(Leases):
    """Jobs that leave a result, and whoever looks at it: too early, in time, and when it is over."""

    def instants(self) -> Iterator[int]:
        yield from super().instants()
        yield from (result.expires_at for result in self.world.results.values() if result.expires_at is not None)

    @rule_of(NAME, which=pick, kind=pick, how=pick)
    def result(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them: each rule more makes the others rarer."""
        if kind % 8 < 4:
            self.result_life(which, kind // 8, how)
        elif kind % 8 < 6:
            self.result_word(which, kind // 8, how)
        else:
            self.result_looks(which, kind // 8, how)
        if any(result.expires_at is None for result in self.world.results.values()) and how % 4 < 3:
            self.do(ResultPrune(older_than_s=0, limit=one_of(LIMITS, how)))  # only a seed has one, so it is met at once

    def result_life(self, which: int, end: int, how: int) -> None:
        """A job is held, may save once or twice, comes to an end, and is looked at beside the end of its result."""
        job = self.hold(which, how)
        if job is None:
            return
        named = named_by(job)
        for _ in range(end % 3):
            self.do(ResultSave(**named, value=one_of(VALUES, how), ttl_s=one_of(TTLS, which)))
        self.look_for(job.queue, job.id, how)
        self.do(_end(named, end // 3, which, how))
        stored = self.world.results.get(job.id)
        if stored is not None and stored.expires_at is not None and how % 3 == 0:
            self.go_to(stored.expires_at + one_of((0, -1, 1), how // 3))
        self.look_for(job.queue, job.id, how)
        if how % 5 == 0:
            self.do(ResultSweep(limit=one_of(LIMITS, which)))

    def result_word(self, which: int, wrong: int, how: int) -> None:
        """A result saved with one thing wrong, or late; sometimes right."""
        leased = self.leased()
        named = named_by(one_of(leased, which)) if leased else GOOD
        wrongs: tuple[dict[str, Any], ...] = (
            {},
            {"fence": named["fence"] + 1},
            {"fence": max(named["fence"] - 1, 1)},
            {"worker": one_of(WORKERS, how)},
            {"queue": one_of(QUEUES, how)},
        )
        named = named | one_of(wrongs, wrong)
        ttl_s = one_of(TTLS, which)
        if how % 4:
            self.do(ResultSave(**named, value=one_of(VALUES, how), ttl_s=ttl_s))
        else:
            self.do(Ack(**named, result=one_of(VALUES, how), result_ttl_s=ttl_s))

    def result_looks(self, which: int, limit: int, how: int) -> None:
        """Any job there is or was, or one whose result alone is left; now and then the sweep, and the pruning."""
        alone = [(result.queue or "a", id) for id, result in self.world.results.items()]
        queue, id = one_of([*self.ids(), *alone], which)
        self.look_for(queue, id, how)
        if limit % 3 == 0:
            self.do(ResultSweep(limit=one_of(LIMITS, how)))
            self.do(ResultPrune(older_than_s=one_of((0, 1, 60), which), limit=one_of(LIMITS, how)))

    def look_for(self, queue: str, id: int, how: int) -> None:
        """Mostly in the job's own queue."""
        self.do(ResultGet(queue=queue if how % 4 else one_of(QUEUES, how // 4), id=id))


def _end(named: dict[str, Any], end: int, which: int, how: int) -> Op:
    """Done, with a result or without one, dead or cancelled."""
    match end % 5:
        case 0:
            return Cancel(queue=named["queue"], id=named["id"])
        case 1 | 2:
            return Ack(**named, result=one_of(VALUES, how), result_ttl_s=one_of(TTLS, which))
        case 3:
            return Fail(**named, error="e")
    return Ack(**named)


FAMILY = Family(NAME, Results, INVALID, tuple(SEEDS.values()), Results.result)
