"""What values cost before a file is touched: checks, and payloads to and from their text."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from anser.ops import AckBatch, Claim, Enqueue, decode, encode
from anser.types import Held

PAYLOAD = {"to": "alice@example.com", "order": 42, "lines": [{"sku": "A-1", "count": 2, "price": 9.5}] * 10}


def test_an_enqueue_is_made_and_checked(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: Enqueue(queue="mail", payload=None, delay_s=60, unique_key="order-42").check())


def test_a_claim_is_made_and_checked(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: Claim(queues=("mail",), worker="worker-1", n=1, lease_s=300).check())


def test_an_ack_of_a_hundred_is_checked(benchmark: BenchmarkFixture) -> None:
    op = AckBatch(queue="mail", worker="worker-1", held=tuple(Held(id, 1) for id in range(1, 101)))

    benchmark(op.check)


def test_a_payload_of_half_a_kilobyte_is_encoded(benchmark: BenchmarkFixture) -> None:
    text = benchmark(encode, PAYLOAD)

    assert decode(text) == PAYLOAD


def test_a_payload_of_half_a_kilobyte_is_decoded(benchmark: BenchmarkFixture) -> None:
    value = benchmark(decode, encode(PAYLOAD))

    assert value == PAYLOAD
