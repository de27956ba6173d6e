"""What an operation costs on a database in memory, where no file system has a part; and a transition of both sides."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from anser.engine.sqlite import Engine, prepare
from anser.ops import Ack, Claim, CountJobs, Enqueue, GetJob, NextClaimAt
from anser.types import Enqueued, Job
from anser_spec.targets.sqlite import SqliteTarget
from anser_spec.transitions import Scope, explore

NOW = 1_000
DUE = 1_000
TRANSITIONS = 500
ENQUEUE = Enqueue(queue="mail", payload={"order": 42})
CLAIM = Claim(queues=("mail",), worker="w", n=1, lease_s=10)


@pytest.fixture
def engine() -> Iterator[Engine]:
    """A queue with jobs that are due."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare(connection)
    made = Engine(connection, lambda: NOW)
    for _ in range(DUE):
        made.run(ENQUEUE)
    yield made
    connection.close()


def test_a_job_is_enqueued(benchmark: BenchmarkFixture, engine: Engine) -> None:
    answer = benchmark(engine.run, ENQUEUE)

    assert isinstance(answer, Enqueued)


def test_a_job_is_claimed_acked_and_followed_by_another(benchmark: BenchmarkFixture, engine: Engine) -> None:
    def turn() -> None:
        (job,) = engine.run(CLAIM)
        engine.run(Ack(queue="mail", id=job.id, worker="w", fence=job.lease.fence))
        engine.run(ENQUEUE)

    benchmark(turn)

    assert engine.run(CountJobs(queue="mail")).due == DUE


def test_a_job_is_looked_up(benchmark: BenchmarkFixture, engine: Engine) -> None:
    assert isinstance(benchmark(engine.run, GetJob(queue="mail", id=1)), Job)


def test_the_next_deadline_is_looked_up(benchmark: BenchmarkFixture, engine: Engine) -> None:
    assert benchmark(engine.run, NextClaimAt(queues=("mail",))) == NOW


def test_five_hundred_transitions_are_done_by_both_sides_and_compared(benchmark: BenchmarkFixture) -> None:
    target = SqliteTarget()

    found = benchmark(explore, target, Scope(max_transitions=TRANSITIONS))

    target.close()
    assert found.transitions >= TRANSITIONS
    assert not found.disagreements
