"""What a step of the model costs: it bounds how many worlds the instruments can look at."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from anser.ops import Ack, Claim, Enqueue
from anser.types import Enqueued
from anser_models import EMPTY, World, step

NOW = 1_000
CLAIM = Claim(queues=("mail",), worker="w", n=1, lease_s=10)


def world(jobs: int) -> World:
    """So many jobs, all due."""
    made = EMPTY
    for _ in range(jobs):
        made, _ = step(made, Enqueue(queue="mail", payload=1), NOW)
    return made


def test_the_model_enqueues_beside_two_jobs(benchmark: BenchmarkFixture) -> None:
    _, answer = benchmark(step, world(2), Enqueue(queue="mail", payload=1), NOW)

    assert answer == Enqueued(3, created=True)


def test_the_model_claims_one_of_two(benchmark: BenchmarkFixture) -> None:
    _, answer = benchmark(step, world(2), CLAIM, NOW)

    assert [job.id for job in answer] == [1]


def test_the_model_claims_one_of_a_hundred(benchmark: BenchmarkFixture) -> None:
    _, answer = benchmark(step, world(100), CLAIM, NOW)

    assert [job.id for job in answer] == [1]


def test_the_model_acks_one_of_two(benchmark: BenchmarkFixture) -> None:
    claimed, _ = step(world(2), CLAIM, NOW)

    after, answer = benchmark(step, claimed, Ack(queue="mail", id=1, worker="w", fence=1), NOW)

    assert answer is None
    assert list(after.jobs) == [2]
