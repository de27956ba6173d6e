"""Every operation in every small world: breadth first over the model's worlds, each step done by the target too.

Instants are kept relative to now, so the worlds of one job close: there is no other world left to try. Worlds of two
jobs are tried to a depth, a number of transitions, or a time. A disagreement does not end the search: the first of each
kind is kept, with the world it started from.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

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
from anser.types import BURIED_MAX, SETTLED_MAX, Dead, Held, Job, Lock, State
from anser_models import Quirk, Step, World, canonical, step
from anser_spec.judge import Batching, Difference, Judge, rules_seen
from anser_spec.seeds import CROWDS, SEED_NOW, SEEDS
from anser_spec.targets import Target
from anser_spec.witness import Mark, Witness

__all__ = ["Exploration", "Scope", "alphabet", "explore"]

HORIZON_S = 2  # a world with an instant farther ahead is checked and not gone on from, so that going back in time ends
MOVES_S = (1, 2, -1)
WORKERS = ("w1", "w2")
LOCKS = ("a", "b")
NESTED_MAX = 2  # nor is one in which a lock was acquired more often than that without a release
PROGRESS_EVERY = 5_000

Progress = Callable[[int, int], None]  # transitions, worlds


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """How far to look: at worlds of so many jobs and locks at most, and at the operations of those that are asked for.

    `depth` counts steps and moves of the clock from a start world; None is to the end.
    """

    jobs: int = 1
    locks: int = 0
    depth: int | None = None
    max_transitions: int | None = None
    max_seconds: float | None = None
    crowds: bool = False

    def __str__(self) -> str:
        sizes = {"job": self.jobs, "lock": self.locks}
        return " and ".join(f"{size} {kind}{'s' if size > 1 else ''}" for kind, size in sizes.items() if size)


@dataclass(slots=True)
class Exploration:
    """What was looked at, and what was found."""

    scope: Scope
    worlds: int = 0
    transitions: int = 0
    seconds: float = 0.0
    depth: int = 0  # every way of so many steps from a start was gone to its end
    closed: bool = False  # no world was left
    names: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    witnesses: dict[tuple[str, ...], Witness] = field(default_factory=dict)
    differences: dict[tuple[str, ...], Difference] = field(default_factory=dict)
    disagreements: int = 0

    @property
    def rate(self) -> float:
        """Transitions a second."""
        return self.transitions / self.seconds if self.seconds else 0.0


def explore(
    target: Target,
    scope: Scope,
    quirks: frozenset[Quirk] = frozenset(),
    progress: Progress = lambda *counts: None,  # noqa: ARG005 - nobody listens
) -> Exploration:
    """Try every operation in every world of the scope."""
    return _Explorer(target, scope, quirks, progress).run()


class _Explorer:
    def __init__(self, target: Target, scope: Scope, quirks: frozenset[Quirk], progress: Progress) -> None:
        self.judge = Judge(target, quirks)
        self.batching = target if isinstance(target, Batching) else None
        self.scope = scope
        self.progress = progress
        self.found = Exploration(scope)
        self.began = time.perf_counter()
        self.seen: set[object] = set()
        self.waiting: deque[tuple[World, int, int]] = deque()

    def run(self) -> Exploration:
        for start in SEEDS.values():
            self.add(start, SEED_NOW, 0)
        for start in CROWDS.values() if self.scope.crowds else ():
            self.try_all(self.judge.project(start), SEED_NOW, _crowd_alphabet(start))
        while self.waiting and not self.spent():
            world, now, depth = self.waiting[0]
            if depth == self.scope.depth:
                break
            self.waiting.popleft()
            self.found.depth = depth + 1
            self.check_deadline(world, now)
            for after in self.try_all(world, now, self.ops(world, now)):
                self.add(after, now, depth + 1)
            for by_s in MOVES_S:
                self.add(world, now + by_s, depth + 1)
        self.found.closed = not self.waiting
        self.found.depth = self.waiting[0][2] if self.waiting else self.found.depth
        self.found.seconds = time.perf_counter() - self.began
        self.found.worlds = len(self.seen)
        return self.found

    def ops(self, world: World, now: int) -> Iterator[Op]:
        if self.scope.jobs:
            yield from _job_alphabet(world, now)
        if self.scope.locks:
            yield from _lock_alphabet(world, LOCKS[: self.scope.locks])

    def spent(self) -> bool:
        limit, seconds = self.scope.max_transitions, self.scope.max_seconds
        if limit is not None and self.found.transitions >= limit:
            return True
        return seconds is not None and time.perf_counter() - self.began >= seconds

    def try_all(self, world: World, now: int, ops: Iterable[Op]) -> list[World]:
        """Every operation from this world, and where they lead."""
        fitting = [fitted for op in ops if (fitted := self.judge.fitted(op)) is not None]
        told = [(op, step) for op in fitting if not self.judge.is_silent(step := self.judge.step(world, op, now))]
        led = []
        for (op, step), (answer, held) in zip(told, self.done(world, now, [op for op, _ in told]), strict=True):
            difference = self.judge.compare(world, step, op, now, answer, held)
            self.note(world, op, now, step, difference)
            led.append(step.world)
        return led

    def done(self, world: World, now: int, ops: list[Op]) -> Iterable[tuple[Any, World]]:
        """What the target makes of each operation, one by one, or all in one where it can."""
        if self.batching is not None:
            return self.batching.steps(world, now, ops)
        return (self.done_alone(world, now, op) for op in ops)

    def done_alone(self, world: World, now: int, op: Op) -> tuple[Any, World]:
        self.judge.start(world, now)
        return self.judge.target.apply(op, now), self.judge.target.read()

    def note(self, world: World, op: Op, now: int, step: Step, difference: Difference | None) -> None:
        self.found.transitions += 1
        self.found.names.update(step.names)
        self.found.rules.update(rules_seen(step, op))
        if difference is not None:
            self.keep(world, op, now, step.names, difference)
        if self.found.transitions % PROGRESS_EVERY == 0:
            self.progress(self.found.transitions, len(self.seen))

    def keep(self, world: World, op: Op, now: int, names: tuple[str, ...], difference: Difference) -> None:
        """The search is breadth first, so the first of a kind is one of the shortest."""
        self.found.disagreements += 1
        kind = (op.name, difference.kind, *names)
        if kind not in self.found.differences:
            self.found.differences[kind] = difference
            self.found.witnesses[kind] = self.judge.witness(world, (Mark(now, op),), difference)

    def add(self, world: World, now: int, depth: int) -> None:
        if not self.holds(world) or _horizon(world) > now + HORIZON_S:
            return
        world = self.judge.project(world)
        key = distinct(world, now)
        if key not in self.seen:
            self.seen.add(key)
            self.waiting.append((world, now, depth))

    def holds(self, world: World) -> bool:
        """Whether the world is small enough to go on from."""
        nested = max((lock.depth for lock in world.locks.values()), default=0) > NESTED_MAX
        return _size(world) <= self.scope.jobs and len(world.locks) <= self.scope.locks and not nested

    def check_deadline(self, world: World, now: int) -> None:
        """The model's own promise: a claim changes a row at `next_claim_at`, and at no earlier instant (CLM-15)."""
        if self.judge.quirks or not self.scope.jobs:
            return
        for queues in (("a",), ("b",), ("a", "b")):
            op = NextClaimAt(queues=queues)
            _, at = step(world, op, now)
            last = now + HORIZON_S if at is None else at - 1
            early = [instant for instant in {now, last} if now <= instant <= last and _claimed(world, queues, instant)]
            if early or (at is not None and not _claimed(world, queues, at)):
                text = f"a claim changes rows at {early or 'no instant'}"
                difference = Difference(op, now, "model", f"{at}", text, ("CLM-15",))
                self.keep(world, op, now, ("deadline",), difference)


def _claimed(world: World, queues: tuple[str, ...], now: int) -> bool:
    after, _ = step(world, Claim(queues=queues, worker="w1", n=1, lease_s=1), now)
    return after.jobs != world.jobs


def _size(world: World) -> int:
    """How many jobs there are or were: ids that were given, and rows that share one."""
    return max(world.last_id, len(world.jobs) + len(world.dead) + len(world.finished))


def _horizon(world: World) -> int:
    instants = [0, *(job.died_at for job in world.dead.values()), *(lock.expires_at for lock in world.locks.values())]
    for job in world.jobs.values():
        instants += [job.run_at, job.expires_at or 0, job.lease.expires_at if job.lease else 0]
    return max(instants)


def distinct(world: World, now: int) -> object:
    """`canonical`, and the order of past instants, which decides who is first among several."""
    if len(world.jobs) + len(world.dead) < 2 and len(world.locks) < 2:
        return canonical(world, now)
    return (
        canonical(world, now),
        tuple(sorted(world.jobs, key=lambda id: (world.jobs[id].run_at, id))),
        tuple(sorted(world.jobs, key=lambda id: (world.jobs[id].expires_at or 0, id))),
        tuple(sorted(world.jobs, key=lambda id: (_lease_end(world.jobs[id]), id))),
        tuple(sorted(world.dead, key=lambda id: (world.dead[id].died_at, id))),
        tuple(sorted(world.locks, key=lambda name: (world.locks[name].expires_at, name))),
    )


def _lease_end(job: Job) -> int:
    return job.lease.expires_at if job.lease else 0


# --- the alphabet: the operations worth trying in a world


def alphabet(world: World, now: int) -> Iterator[Op]:
    """The operations to try in a world: a few of each kind, with arguments that meet what the world holds."""
    yield from _job_alphabet(world, now)
    yield from _lock_alphabet(world, LOCKS)


def _job_alphabet(world: World, now: int) -> Iterator[Op]:
    yield from _enqueues(now)
    yield from _claims()
    for job in world.jobs.values():
        yield from _words(job, world.last_fence)
    if not world.jobs:
        yield Ack(queue="a", id=1, worker="w1", fence=1)
    yield from _batches(world)
    yield from _upkeep(world)
    yield from _looks(world)


def _lock_alphabet(world: World, names: tuple[str, ...]) -> Iterator[Op]:
    for name in names:
        for owner in WORKERS:
            yield LockAcquire(lock=name, owner=owner, ttl_s=1)
            yield LockAcquire(lock=name, owner=owner, ttl_s=2)
        yield LockGet(lock=name)
        yield from _lock_words(world.locks.get(name) or Lock(name, "w1", world.last_fence or 1, None, 0, 1))
    yield LockList()
    yield LockList(after_name="a", limit=1)
    yield LockList(limit=1)
    yield LockSweep()
    yield LockSweep(limit=1)


def _lock_words(lock: Lock) -> Iterator[Op]:
    """Both words about the lock, right and with one thing wrong."""
    named: dict[str, Any] = {"lock": lock.name, "owner": lock.owner, "fence": lock.fence}
    yield LockRenew(**named, ttl_s=2)
    wrongs: list[dict[str, Any]] = [{}, {"fence": lock.fence + 1}, {"lock": _other(lock.name)}]
    wrongs += [{"owner": "w2" if lock.owner == "w1" else "w1"}]
    wrongs += [{"fence": lock.fence - 1}] if lock.fence > 1 else []
    for wrong in wrongs:
        yield LockRenew(**(named | wrong), ttl_s=1)
        yield LockRelease(**(named | wrong))


def _crowd_alphabet(world: World) -> Iterator[Op]:
    """The operations with bounds that only a crowd meets."""
    for n in (1, 2, BURIED_MAX + SETTLED_MAX):
        yield Claim(queues=("a",), worker="w1", n=n, lease_s=1)
        yield Claim(queues=("a", "b"), worker="w1", n=n, lease_s=1)
    yield SweepExpired(queue="b", limit=BURIED_MAX)
    yield ListJobs(queue="a", limit=BURIED_MAX)
    for job in list(world.jobs.values())[-3:]:
        yield from _words(job, world.last_fence)
        yield Cancel(queue=job.queue, id=job.id)


def _enqueues(now: int) -> Iterator[Op]:
    tries: dict[str, Any] = {"queue": "a", "payload": 1, "max_attempts": 2, "max_lapses": 1}
    yield Enqueue(**tries)
    yield Enqueue(**tries, delay_s=1, priority=1)
    yield Enqueue(**tries, expires_s=1, delay_s=1)
    yield Enqueue(**tries, unique_key="k")
    yield Enqueue(**tries, unique_key="k", expires_s=1)
    yield Enqueue(**tries, run_at=now - 1)
    yield Enqueue(queue="b", payload=1, max_attempts=1, max_lapses=0)
    one = Enqueue(**tries, unique_key="k")
    yield EnqueueMany(jobs=(one, one))
    yield EnqueueMany(jobs=(one, Enqueue(**tries, expires_s=1, delay_s=1)))


def _claims() -> Iterator[Op]:
    yield Claim(queues=("a",), worker="w1", n=1, lease_s=1)
    yield Claim(queues=("a",), worker="w2", n=2, lease_s=1)
    yield Claim(queues=("b", "a"), worker="w1", n=1, lease_s=2)


def _words(job: Job, last_fence: int) -> Iterator[Op]:
    """Each word about the job's lease, right and with one thing wrong."""
    lease = job.lease
    named: dict[str, Any] = {
        "queue": job.queue,
        "id": job.id,
        "worker": (lease.worker if lease else "") or "w1",
        "fence": (lease.fence if lease else last_fence) or 1,
    }
    yield from _each_word(named)
    yield Retry(**named, delay_s=1, error="e")
    yield Release(**named, delay_s=1)
    yield Heartbeat(**named, lease_s=2)
    if lease is None:
        return
    yield from _each_word(named | {"fence": named["fence"] + 1})
    if named["fence"] > 1:
        yield from _each_word(named | {"fence": named["fence"] - 1})
    yield from _each_word(named | {"worker": "w2" if named["worker"] == "w1" else "w1"})
    yield from _each_word(named | {"queue": _other(job.queue)})


def _each_word(named: dict[str, Any]) -> Iterator[Op]:
    yield Ack(**named)
    yield Fail(**named, error="e")
    yield Retry(**named, delay_s=0)
    yield Release(**named)
    yield Heartbeat(**named, lease_s=1)


def _batches(world: World) -> Iterator[Op]:
    held = tuple(Held(job.id, job.lease.fence if job.lease else 1) for job in world.jobs.values())
    held = tuple(one for one in held if one.fence > 0)
    if not held:
        return
    for worker in WORKERS:
        yield AckBatch(queue="a", worker=worker, held=held[::-1])
    yield AckBatch(queue="a", worker="w1", held=(held[0], held[0], Held(held[-1].id, held[-1].fence + 1)))


def _upkeep(world: World) -> Iterator[Op]:
    yield SweepExpired(queue="a")
    yield SweepExpired(queue="a", limit=1)
    for rows in (world.jobs, world.dead, world.finished):
        for id, row in rows.items():
            yield Cancel(queue=row.queue, id=id)
            yield Cancel(queue=_other(row.queue), id=id)
            if isinstance(row, Dead):
                yield DeadRequeue(queue=row.queue, id=id)
                yield DeadRequeue(queue=_other(row.queue), id=id)
    if not world.dead:
        yield DeadRequeue(queue="a", id=1)
    yield DeadPrune(queue="a", older_than_s=0, limit=1)
    yield DeadPrune(queue="a", older_than_s=1)
    yield QueuePause(queue="a")
    yield QueueResume(queue="a")


def _looks(world: World) -> Iterator[Op]:
    for rows in (world.jobs, world.dead, world.finished):
        for id, row in rows.items():
            yield GetJob(queue=row.queue, id=id)
            yield GetJob(queue=_other(row.queue), id=id)
    yield GetJob(queue="a", id=world.last_id + 1)
    yield ListJobs(queue="a", state=State.PENDING)
    yield ListJobs(queue="a", limit=1)
    yield DeadList(queue="a")
    yield DeadList(queue="a", after_id=1, limit=1)
    yield CountJobs(queue="a")
    yield NextClaimAt(queues=("a",))
    yield NextClaimAt(queues=("a", "b"))


def _other(queue: str) -> str:
    return "b" if queue == "a" else "a"
