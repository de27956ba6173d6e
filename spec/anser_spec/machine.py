"""Long runs: Hypothesis draws what is done next from what the model holds, and the target does it too.

It sees what the small worlds of `transitions` cannot hold: odd strings, numbers at their bounds, several queues, time
that goes far and back, a caller's transactions with errors caught inside, and whatever a file remembers that a world
does not show. After each step the answer, every row and the invariants are compared.

A run that never took some named transition proves nothing about it: the vacuity gate tells which.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from anser.ops import (
    Ack,
    AckBatch,
    Cancel,
    Claim,
    CountJobs,
    DeadList,
    DeadPrune,
    DeadRequeue,
    Enqueue,
    EnqueueMany,
    Fail,
    GetJob,
    Heartbeat,
    ListJobs,
    LockAcquire,
    LockGet,
    LockList,
    LockRelease,
    LockRenew,
    LockSweep,
    NextClaimAt,
    Op,
    QueuePause,
    QueueResume,
    Release,
    Retry,
    SweepExpired,
)
from anser.types import (
    CLAIM_MAX,
    DELAY_MAX_S,
    ERROR_MAX_BYTES,
    INSTANT_MAX,
    INTEGER_MAX,
    INTEGER_MIN,
    KEY_MAX_BYTES,
    LEASE_MAX_S,
    LIST_MAX,
    NAME_MAX_BYTES,
    PRIORITY_MAX,
    TRIES_MAX,
    Held,
    Job,
    Lock,
    State,
)
from anser_models import TRANSITIONS, Quirk, World
from anser_spec.judge import Difference, Judge, Transactional, replay, rules_seen
from anser_spec.seeds import CROWDS, SEED_NOW, SEEDS
from anser_spec.shorten import shorten
from anser_spec.targets import Target
from anser_spec.witness import Mark, Witness

__all__ = ["INVALID", "SequenceReport", "run_sequences"]

Item = TypeVar("Item")
Progress = Callable[[int, int], None]  # sequences, steps


@dataclass(slots=True)
class SequenceReport:
    """What was run, and what was found."""

    seed: int
    examples: int
    steps_each: int
    at_least: int
    sequences: int = 0
    steps: int = 0
    seconds: float = 0.0
    names: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    unreachable: frozenset[str] = frozenset()  # transitions of operations that the target does not have
    difference: Difference | None = None
    witness: Witness | None = None

    @property
    def rate(self) -> float:
        """Steps a second."""
        return self.steps / self.seconds if self.seconds else 0.0

    @property
    def missing(self) -> list[str]:
        """The vacuity gate: named transitions that were taken too seldom for the run to say anything about them."""
        wanted = [name for name in TRANSITIONS if name not in self.unreachable]
        return [name for name in wanted if self.names[name] < self.at_least]


def run_sequences(
    target_factory: Callable[[], Target],
    *,
    examples: int,
    steps: int,
    seed: int,
    quirks: frozenset[Quirk] = frozenset(),
    at_least: int = 1,
    shrinking: bool = True,
    progress: Progress = lambda *counts: None,  # noqa: ARG005 - nobody listens
) -> SequenceReport:
    """Run sequences against one target; the same seed draws the same ones. Stops at a disagreement, made short.

    `shrinking` lets Hypothesis make its values simple too, which takes longer than to leave out steps.
    """
    report = SequenceReport(seed, examples, steps, at_least)
    target = target_factory()
    began = time.perf_counter()
    try:
        report.unreachable = frozenset(name for name in TRANSITIONS if not _reachable(name, target, quirks))
        _draw(Run(Judge(target, quirks), report, progress), shrinking)
    finally:
        report.seconds = time.perf_counter() - began
        target.close()
    return report


def _draw(run: Run, shrinking: bool) -> None:
    report, target = run.report, run.judge.target
    machine = seed(report.seed)(type("Seeded", (Sequences,), {"run": run}))
    asked = settings(
        max_examples=report.examples,
        stateful_step_count=report.steps_each,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink) if shrinking else (Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    try:
        run_state_machine_as_test(machine, settings=asked)
    except Disagreement as found:
        report.witness = shorten(found.witness, target)
        report.difference = replay(report.witness, target) or found.difference
    except Flaky:
        if run.last is None:
            raise
        report.witness, report.difference = run.last.witness, run.last.difference


def _reachable(name: str, target: Target, quirks: frozenset[Quirk]) -> bool:
    verb = name.partition(".")[0]
    return not quirks and verb in (*target.features, "lease")


@dataclass(slots=True)
class Run:
    """What all sequences of a run share. `last` is kept for a target that disagrees only now and then."""

    judge: Judge
    report: SequenceReport
    progress: Progress
    last: Disagreement | None = None


class Disagreement(Exception):
    """The end of a sequence that told the two apart."""

    def __init__(self, difference: Difference, witness: Witness) -> None:
        super().__init__(str(difference))
        self.difference = difference
        self.witness = witness


# --- what is drawn

QUEUES = ("a", "b", "a ", "e\u0301 \u540d \U0001f600", "x" * NAME_MAX_BYTES)
WORKERS = ("w1", "w2", "W1", "w" * NAME_MAX_BYTES)
KEYS = ("k", "K", "k ", "\u00e9'\"%", "k" * KEY_MAX_BYTES)
TEXTS = ("", "e", "failed", "\u00e9\n\t'", "x" * ERROR_MAX_BYTES)
PAYLOADS: tuple[Any, ...] = (
    1,
    None,
    True,
    "",
    "a\x00b\u2028\U0001f600",
    -0.0,
    1.5e300,
    INTEGER_MAX,
    INTEGER_MIN,
    [],
    {"": [{}, None, "\u00e9"]},
)
INSTANTS = (0, SEED_NOW, INSTANT_MAX)
DELAYS = (None, 0, 1, 2, 60, DELAY_MAX_S)
LEASES = (1, 2, 3, 60, LEASE_MAX_S)
PRIORITIES = (0, 1, -1, PRIORITY_MAX, -PRIORITY_MAX)
EXPIRIES = (None, 1, 2, 3, 60, DELAY_MAX_S)
TRIES = (1, 2, 3, TRIES_MAX)
LAPSES = (0, 1, 5, TRIES_MAX)
LIMITS = (1, 2, 1_000, LIST_MAX)

NAN = float("nan")
GOOD: dict[str, Any] = {"queue": "a", "id": 1, "worker": "w1", "fence": 1}
INVALID: tuple[Op, ...] = (
    Enqueue(queue="", payload=1),
    Enqueue(queue="a\n", payload=1),
    Enqueue(queue="x" * (NAME_MAX_BYTES + 1), payload=1),
    Enqueue(queue="\ud800", payload=1),
    Enqueue(queue="a", payload=NAN),
    Enqueue(queue="a", payload=[{"k": "\ud800"}]),
    Enqueue(queue="a", payload=INTEGER_MAX + 1),
    Enqueue(queue="a", payload=1, run_at=-1),
    Enqueue(queue="a", payload=1, run_at=INSTANT_MAX + 1),
    Enqueue(queue="a", payload=1, run_at=1, delay_s=1),
    Enqueue(queue="a", payload=1, delay_s=True),
    Enqueue(queue="a", payload=1, delay_s=1.0),  # type: ignore[arg-type]  # fractions are refused, whole ones too
    Enqueue(queue="a", payload=1, priority=PRIORITY_MAX + 1),
    Enqueue(queue="a", payload=1, max_attempts=0),
    Enqueue(queue="a", payload=1, max_lapses=-1),
    Enqueue(queue="a", payload=1, expires_s=0),
    Enqueue(queue="a", payload=1, expires_s=1, delay_s=1),
    Enqueue(queue="a", payload=NAN, expires_s=1, delay_s=1),
    Enqueue(queue="a", payload=1, unique_key=""),
    Enqueue(queue="a", payload=1, unique_key="k\x00"),
    EnqueueMany(jobs=(Enqueue(queue="a", payload=1), Enqueue(queue="a", payload=NAN))),
    EnqueueMany(jobs=(Enqueue(queue="a", payload=1, unique_key="k"), Enqueue(queue="a", payload=1, max_attempts=0))),
    EnqueueMany(jobs=(Enqueue(queue="a", payload=1), Enqueue(queue="a", payload=1, expires_s=1, delay_s=2))),
    Cancel(queue="a", id=0),
    GetJob(queue="a", id=INTEGER_MAX + 1),
    ListJobs(queue="a", state=State.DEAD),
    ListJobs(queue="a", limit=0),
    CountJobs(queue=""),
    QueuePause(queue=""),
    QueueResume(queue="a\x7f"),
    Claim(queues=(), worker="w1", n=1, lease_s=1),
    Claim(queues=("a", "a"), worker="w1", n=1, lease_s=1),
    Claim(queues=("a",), worker="", n=1, lease_s=1),
    Claim(queues=("a",), worker="w1", n=0, lease_s=1),
    Claim(queues=("a",), worker="w1", n=CLAIM_MAX + 1, lease_s=1),
    Claim(queues=("a",), worker="w1", n=1, lease_s=0),
    NextClaimAt(queues=("a", "")),
    Ack(**GOOD | {"fence": 0}),
    Ack(**GOOD | {"worker": ""}),
    AckBatch(queue="a", worker="w1", held=(Held(1, 1), Held(0, 1))),
    Heartbeat(**GOOD, lease_s=LEASE_MAX_S + 1),
    Release(**GOOD, delay_s=-1),
    Retry(**GOOD, delay_s=DELAY_MAX_S + 1),
    Retry(**GOOD, delay_s=0, error="\ud800"),
    Fail(**GOOD, error="x" * (ERROR_MAX_BYTES + 1)),
    SweepExpired(queue="a", limit=LIST_MAX + 1),
    DeadList(queue="a", after_id=-1),
    DeadRequeue(queue="a", id=-1),
    DeadPrune(queue="a", older_than_s=-1),
    LockAcquire(lock="", owner="w1", ttl_s=1),
    LockAcquire(lock="a", owner="w\n", ttl_s=1),
    LockAcquire(lock="a", owner="w1", ttl_s=0),
    LockAcquire(lock="a", owner="w1", ttl_s=0.5),  # type: ignore[arg-type]  # fractions are refused
    LockAcquire(lock="a", owner="w1", ttl_s=LEASE_MAX_S + 1),
    LockRenew(lock="a", owner="w1", fence=0, ttl_s=1),
    LockRenew(lock="a", owner="w1", fence=1, ttl_s=0),
    LockRelease(lock="a", owner="w1", fence=INTEGER_MAX + 1),
    LockGet(lock=""),
    LockList(after_name="\ud800"),
    LockSweep(limit=0),
)

STARTS: tuple[World, ...] = (*([SEEDS["empty"]] * (len(SEEDS) // 2)), *SEEDS.values(), *CROWDS.values())

pick = st.integers(0, 1_023)  # which of several: drawn before it is known how many there are, and small means the first


def one_of(items: Sequence[Item], place: int) -> Item:
    return items[place % len(items)]


@dataclass(frozen=True, slots=True)
class Known:
    """A lease that a claim once answered, whatever became of it."""

    queue: str
    id: int
    worker: str
    fence: int


@dataclass(frozen=True, slots=True)
class KnownLock:
    """A lock that an acquire once answered, whatever became of it."""

    lock: str
    owner: str
    fence: int


def word(kind: int, named: dict[str, Any], how: int) -> Op:
    """One of the words about a lease; `how` picks its other arguments."""
    delay_s = one_of(DELAYS, how)
    match kind % 5:
        case 0:
            return Ack(**named)
        case 1:
            return Retry(**named, delay_s=delay_s or 0, error=one_of((None, *TEXTS), how // len(DELAYS)))
        case 2:
            return Release(**named, delay_s=delay_s if how // len(DELAYS) % 2 else None)
        case 3:
            return Heartbeat(**named, lease_s=one_of(LEASES, how))
    return Fail(**named, error=one_of(TEXTS, how))


# --- the machine


class Sequences(RuleBasedStateMachine):
    """One sequence: the model's world is the judge's, and each rule draws from it."""

    run: ClassVar[Run]

    def __init__(self) -> None:
        super().__init__()
        self.judge, self.report = self.run.judge, self.run.report
        self.now = SEED_NOW
        self.start = STARTS[0]
        self.marks: list[Mark] = []
        self.known: list[Known] = []
        self.known_locks: list[KnownLock] = []
        self.inside = False

    def do(self, op: Op) -> Any:
        """The next step, in the form in which the target has it; None where it has none such."""
        fitted = self.judge.fitted(op)
        if fitted is None:
            return None
        self.marks.append(Mark(self.now, fitted))
        step, difference = self.judge.do(fitted, self.now)
        self.report.names.update(step.names)
        self.report.rules.update(rules_seen(step, fitted))
        self.settle(difference)
        return step.answer

    def mark(self, act: str) -> None:
        self.marks.append(Mark(self.now, act))
        self.inside = act == "begin"
        self.report.rules["STO-6"] += 1
        self.settle(self.judge.mark(act, self.now))

    def settle(self, difference: Difference | None) -> None:
        self.report.steps += 1
        if difference is not None:
            witness = self.judge.witness(self.start, tuple(self.marks), difference)
            self.run.last = Disagreement(difference, witness)
            raise self.run.last

    def teardown(self) -> None:
        self.judge.end()
        self.report.sequences += 1
        self.run.progress(self.report.sequences, self.report.steps)

    # --- what the world holds

    @property
    def world(self) -> World:
        return self.judge.world

    def queues(self) -> list[str]:
        """Queues in which something is, those that the rules use first."""
        return [*QUEUES[:2], *sorted({job.queue for job in self.world.jobs.values()} - set(QUEUES[:2]))]

    def waiting(self) -> list[str]:
        """The queues in which a job is due; any, if none is."""
        due = {job.queue for job in self.world.jobs.values() if job.lease is None and job.run_at <= self.now}
        return sorted(due) or self.queues()

    def leased(self) -> list[Job]:
        return [job for job in self.world.jobs.values() if job.lease is not None and job.lease.worker]

    def held(self) -> list[Job]:
        return [job for job in self.leased() if job.lease is not None and job.lease.expires_at >= self.now]

    def ids(self) -> list[tuple[str, int]]:
        """Every job there is or was, and one that never was, with its queue."""
        rows = [(row.queue, row.id) for rows in (self.world.jobs, self.world.dead) for row in rows.values()]
        return [*rows, *((row.queue, row.id) for row in self.world.finished.values()), ("a", self.world.last_id + 1)]

    def deadlines(self) -> list[int]:
        """Every instant at which something may change, soonest first."""
        instants = {job.died_at for job in self.world.dead.values()}
        for job in self.world.jobs.values():
            instants.add(job.run_at)
            instants |= {job.expires_at} if job.expires_at is not None else set()
            instants |= {job.lease.expires_at} if job.lease is not None else set()
        instants |= {lock.expires_at for lock in self.world.locks.values()}
        return sorted(instants)

    # --- how it begins

    @initialize(place=st.integers(0, len(STARTS) - 1), first=pick)
    def begin_with(self, place: int, first: int) -> None:
        """A world to begin with; half of them are claimed from at once, before anything else happens to what is odd."""
        self.start = self.judge.project(STARTS[place])
        self.judge.start(self.start, self.now)
        self.marks.clear()
        self.known.clear()
        self.known_locks.clear()
        if first % 2:
            self.claim(0, first, first, 0)

    @rule(place=st.integers(0, len(STARTS) - 1), first=pick)
    def begin_again(self, place: int, first: int) -> None:
        """Now and then a sequence begins anew: Hypothesis varies what comes later more than what comes first."""
        if not self.inside and first % 4 == 0:
            self.now = SEED_NOW
            self.begin_with(place, first // 4)

    # --- jobs

    @rule(queue=pick, tries=pick, delay=pick)
    def enqueue(self, queue: int, tries: int, delay: int) -> None:
        self.do(
            Enqueue(
                queue=one_of(QUEUES[:2], queue),
                payload=1,
                delay_s=one_of((None, 1, 2), delay),
                priority=one_of((0, 1), tries),
                max_attempts=one_of((1, 2), tries // 2),
                max_lapses=one_of((0, 1), tries // 4),
            )
        )

    @rule(
        queue=st.sampled_from(QUEUES),
        payload=st.sampled_from(PAYLOADS),
        times=pick,
        priority=st.sampled_from(PRIORITIES),
        tries=pick,
        key=pick,
    )
    def enqueue_odd(self, queue: str, payload: Any, times: int, priority: int, tries: int, key: int) -> None:
        run_at = one_of((None, None, self.now - 1, self.now + 1, *INSTANTS), times)
        self.do(
            Enqueue(
                queue=queue,
                payload=payload,
                run_at=None if run_at is None else max(run_at, 0),
                delay_s=one_of(DELAYS, times) if run_at is None else None,
                priority=priority,
                max_attempts=one_of(TRIES, tries),
                max_lapses=one_of(LAPSES, tries),
                expires_s=one_of(EXPIRIES, times // len(DELAYS)),
                unique_key=one_of((None, *KEYS), key),
            )
        )

    @rule(queue=pick, expiry=pick)
    def enqueue_with_key(self, queue: int, expiry: int) -> None:
        self.do(self.keyed(queue, expiry))

    def keyed(self, queue: int, expiry: int) -> Enqueue:
        return Enqueue(
            queue=one_of(QUEUES[:2], queue),
            payload=2,
            max_attempts=1,
            max_lapses=0,
            expires_s=one_of((None, 1, 2), expiry),
            unique_key=one_of(KEYS[:2], queue // 2),
        )

    @rule(first=pick, second=pick, times=pick)
    def enqueue_many(self, first: int, second: int, times: int) -> None:
        jobs = (
            self.keyed(first, times),
            self.keyed(second, times // 3),
            replace(self.keyed(first, 0), unique_key=None),
        )
        self.do(EnqueueMany(jobs=jobs[: times % 4]))

    @rule(which=pick, wrong=pick)
    def cancel(self, which: int, wrong: int) -> None:
        queue, id = one_of(self.ids(), which)
        self.do(Cancel(queue=queue if wrong % 4 else "b", id=id))

    # --- claims

    @rule(queue=pick, worker=pick, n=pick, wide=pick)
    def claim(self, queue: int, worker: int, n: int, wide: int) -> None:
        """Mostly from one queue; else from several, in any order that is a rotation."""
        first = one_of(self.waiting(), queue)
        if wide % 4 < 3:
            self.claim_as((first,), one_of(WORKERS, worker), one_of((1, 2, 3), n), one_of((2, 1, 3), n // 3))
        else:
            others = [one_of(QUEUES, queue + place) for place in range(1, 1 + wide // 4 % len(QUEUES))]
            queues = tuple(dict.fromkeys((first, *others)))
            self.claim_as(queues, one_of(WORKERS, worker), one_of((1, 2, CLAIM_MAX), n), one_of(LEASES, n // 3))

    @rule(queue=pick, expiry=pick, late=st.integers(1, 3))
    def die(self, queue: int, expiry: int, late: int) -> None:
        """A worker takes a job that may expire and is not heard of again, for about as long as its lease lasts."""
        if expiry % 2:
            self.do(replace(self.keyed(queue, expiry), max_lapses=expiry // 2 % 2, priority=PRIORITY_MAX))
        self.claim_as((one_of(QUEUES[:2], queue),), one_of(WORKERS, expiry // 4), 1, 1)
        self.go_to(self.now + late)
        if late == 3:
            self.sweep_expired(queue, 0)

    def claim_as(self, queues: tuple[str, ...], worker: str, n: int, lease_s: int) -> None:
        claimed = self.do(Claim(queues=queues, worker=worker, n=n, lease_s=lease_s))
        for job in claimed if isinstance(claimed, tuple) else ():
            self.known.append(Known(job.queue, job.id, worker, job.lease.fence))

    # --- words about a lease

    def hold(self, which: int, how: int) -> Job | None:
        """A job whose lease holds. Where none does, one is claimed, and where none is, it is enqueued before."""
        if not self.held():
            if not self.world.jobs:
                self.enqueue(which, how, 0)
            self.claim_as((one_of(self.waiting(), which),), one_of(WORKERS, how), 1, one_of(LEASES, how))
        held = self.held()
        return one_of(held, which) if held else None

    @rule(which=pick, kind=pick, how=pick)
    def say(self, which: int, kind: int, how: int) -> None:
        """A word about a lease that holds."""
        job = self.hold(which, how)
        if job is not None:
            self.do(word(kind, _named(job), how))

    @rule(which=pick, kind=pick, how=pick, offset=st.sampled_from((1, 0, 2)))
    def say_at_the_edge(self, which: int, kind: int, how: int, offset: int) -> None:
        """A word about a lease in its last second, or one or two seconds later."""
        job = self.hold(which, how)
        if job is not None and job.lease is not None:
            self.go_to(job.lease.expires_at + offset)
            self.do(word(kind, _named(job), how))

    @rule(which=pick, kind=pick, how=pick, wrong=pick)
    def say_wrong(self, which: int, kind: int, how: int, wrong: int) -> None:
        """A word about such a lease with one thing wrong."""
        leased = self.leased()
        named = _named(one_of(leased, which)) if leased else GOOD
        fence = named["fence"]
        wrongs: tuple[dict[str, Any], ...] = (
            {"fence": fence + 1},
            {"fence": max(fence - 1, 1)},
            {"worker": one_of(WORKERS, how)},
            {"queue": one_of(QUEUES, how)},
            {"id": named["id"] + 1},
            {"fence": INTEGER_MAX},
        )
        self.do(word(kind, named | one_of(wrongs, wrong), how))

    @rule(which=pick, kind=pick, how=pick)
    def say_late(self, which: int, kind: int, how: int) -> None:
        """A word about a lease that was given once; without any, a claim."""
        if self.known:
            known = self.known[-1 - which % len(self.known)]
            self.do(word(kind, {name: getattr(known, name) for name in GOOD}, how))
        else:
            self.claim(which, kind, how, 0)

    @rule(first=pick, second=pick, third=pick)
    def ack_batch(self, first: int, second: int, third: int) -> None:
        known = self.known or [Known(**GOOD)]
        chosen = [known[-1 - place % len(known)] for place in (first, second, third)]
        held = tuple(Held(lease.id, lease.fence) for lease in chosen)
        self.do(AckBatch(queue=chosen[0].queue, worker=chosen[0].worker, held=held[: third % 4]))

    # --- upkeep

    @rule(queue=pick, limit=pick)
    def sweep_expired(self, queue: int, limit: int) -> None:
        self.do(SweepExpired(queue=one_of(QUEUES[:3], queue), limit=one_of(LIMITS, limit)))

    @rule(which=pick, wrong=pick)
    def dead_requeue(self, which: int, wrong: int) -> None:
        dead = [(job.queue, job.id) for job in self.world.dead.values()] or self.ids()
        queue, id = one_of(dead, which)
        self.do(DeadRequeue(queue=queue if wrong % 4 else "b", id=id))

    @rule(queue=pick, limit=pick, older=pick)
    def dead_prune(self, queue: int, limit: int, older: int) -> None:
        older_than_s = one_of((1, 60, DELAY_MAX_S, 0), older)
        self.do(DeadPrune(queue=one_of(self.queues(), queue), older_than_s=older_than_s, limit=one_of(LIMITS, limit)))

    @rule(queue=pick, way=pick)
    def pause(self, queue: int, way: int) -> None:
        """A queue that is paused is mostly resumed soon: else little would be claimed."""
        paused = sorted(self.world.paused)
        if paused and way % 4:
            self.do(QueueResume(queue=one_of(paused, queue)))
        else:
            self.do(one_of((QueuePause, QueueResume), way // 4)(queue=one_of(self.queues(), queue)))

    # --- locks

    @rule(which=pick, kind=pick, how=pick)
    def lock(self, which: int, kind: int, how: int) -> None:
        """One rule for all of them: each rule more makes the others rarer."""
        if kind % 8 < 3:
            self.lock_acquire(which, how, kind // 8)
        elif kind % 8 < 5:
            self.lock_word(which, kind // 8, how)
        elif kind % 8 < 7:
            self.lock_within(which, how)
        else:
            self.lock_looks(which, how)

    def lock_acquire(self, name: int, owner: int, ttl: int) -> None:
        """Mostly one of two names by one of two owners, so that they meet; or one that is held, by its holder."""
        held = [lock for lock in self.world.locks.values() if lock.expires_at > self.now]
        if held and ttl % 4 == 2:
            again = one_of(held, name)
            self.do(LockAcquire(lock=again.name, owner=again.owner, ttl_s=one_of(LEASES, owner)))
            return
        wide = ttl % 4 == 3
        op = LockAcquire(
            lock=one_of(QUEUES if wide else QUEUES[:2], name),
            owner=one_of(WORKERS if wide else WORKERS[:2], owner),
            ttl_s=one_of(LEASES, ttl),
        )
        lock = self.do(op)
        if isinstance(lock, Lock):
            self.known_locks.append(KnownLock(lock.name, lock.owner, lock.fence))

    def lock_word(self, which: int, wrong: int, late: int) -> None:
        """A word about a lock that was had lately; sometimes with one thing wrong, or at the edge of its end."""
        if not self.known_locks:
            self.lock_acquire(which, wrong, late)
        locks = [KnownLock(lock.name, lock.owner, lock.fence) for lock in self.world.locks.values()]
        known = one_of(locks if locks and which % 4 else self.known_locks[-4:] or [KnownLock("a", "w1", 1)], which // 4)
        wrongs: tuple[dict[str, Any], ...] = (
            *({} for _ in range(5)),
            {"fence": known.fence + 1},
            {"fence": max(known.fence - 1, 1)},
            {"owner": one_of(WORKERS, which)},
            {"lock": one_of(QUEUES, which)},
        )
        there = self.world.locks.get(known.lock)
        if there is not None and late % 4 == 0:
            self.go_to(there.expires_at + one_of((-1, 0, 1), late // 4))
        named = {"lock": known.lock, "owner": known.owner, "fence": max(known.fence, 1), **one_of(wrongs, wrong)}
        if late % 3:
            self.do(LockRelease(**named))
        else:
            self.do(LockRenew(**named, ttl_s=one_of(LEASES, which)))

    def lock_within(self, which: int, how: int) -> None:
        """A body within a body: two acquires by one owner and two releases, now and then a second or two between."""
        named = {"lock": one_of(QUEUES[:2], which), "owner": one_of(WORKERS[:2], how)}
        outer = self.do(LockAcquire(**named, ttl_s=one_of(LEASES, how // 2)))
        if isinstance(outer, Lock):
            self.known_locks.append(KnownLock(outer.name, outer.owner, outer.fence))
            self.do(LockAcquire(**named, ttl_s=one_of(LEASES, how // 8)))
            for later in (how // 32, how // 96):
                self.go_to(self.now + later % 3)
                self.do(LockRelease(**named, fence=outer.fence))

    def lock_looks(self, name: int, limit: int) -> None:
        """Both looks, and now and then the sweep."""
        self.do(LockGet(lock=one_of(QUEUES[:3], name)))
        self.do(LockList(after_name=one_of(("", *QUEUES), name), limit=one_of(LIMITS, limit)))
        if limit % 3 == 0:
            self.do(LockSweep(limit=one_of(LIMITS, limit // 3)))

    # --- looks

    @rule(which=pick, wrong=pick, limit=pick)
    def look(self, which: int, wrong: int, limit: int) -> None:
        """All the looks in a row: they cost little beside the draw."""
        queue, id = one_of(self.ids(), which)
        bounds: dict[str, Any] = {
            "queue": queue,
            "after_id": one_of((0, id), limit),
            "limit": one_of(LIMITS, limit // 2),
        }
        self.do(GetJob(queue=queue if wrong % 4 else "b", id=id))
        self.do(ListJobs(**bounds, state=one_of((None, State.PENDING, State.PROCESSING), limit)))
        self.do(DeadList(**bounds))
        self.do(CountJobs(queue=queue))
        self.do(NextClaimAt(queues=QUEUES if wrong % 2 else (queue,)))

    @rule(op=st.sampled_from(INVALID))
    def refused(self, op: Op) -> None:
        self.do(op)

    # --- time

    @rule(which=st.integers(0, 3), offset=st.sampled_from((0, 1, -1)))
    def wait_until(self, which: int, offset: int) -> None:
        """One of the next deadlines, or a second beside it."""
        ahead = [at for at in self.deadlines() if at >= self.now] or [self.now + 1]
        self.go_to(one_of(ahead, which) + offset)

    @rule(which=pick, offset=st.sampled_from((0, 1, -1)), by_s=st.sampled_from((None, 1, -1, 60, -60)))
    def move(self, which: int, offset: int, by_s: int | None) -> None:
        """Any deadline, past or to come, or a second beside it; or some seconds on or back."""
        deadlines = self.deadlines()
        self.go_to(one_of(deadlines, which) + offset if deadlines and by_s is None else self.now + (by_s or 1))

    def go_to(self, at: int) -> None:
        self.now = min(max(at, 0), INSTANT_MAX)

    # --- the caller's transactions

    @rule(how=pick)
    def transact(self, how: int) -> None:
        """Begin a transaction of the caller's, or end the one that is open: about one step in four is in one."""
        if self.inside:
            self.mark(one_of(("commit", "rollback"), how))
        elif isinstance(self.judge.target, Transactional) and how % 2 == 0:
            self.mark("begin")


def _named(job: Job) -> dict[str, Any]:
    assert job.lease is not None, "only leased jobs are named"
    return {"queue": job.queue, "id": job.id, "worker": job.lease.worker, "fence": max(job.lease.fence, 1)}
