"""Jobs are claimed, and a claim comes neither too early nor too late."""

from __future__ import annotations

from collections.abc import Iterator

from anser.ops import Claim, NextClaimAt, Op
from anser.types import BURIED_MAX, SETTLED_MAX
from anser_models import World, step
from anser_spec.alphabets.base import HORIZON_S, Alphabet
from anser_spec.judge import Difference

__all__ = ["ALPHABET"]


def operations(world: World, now: int, size: int) -> Iterator[Op]:  # noqa: ARG001 - the same in every world
    yield Claim(queues=("a",), worker="w1", n=1, lease_s=1)
    yield Claim(queues=("a",), worker="w2", n=2, lease_s=1)
    yield Claim(queues=("b", "a"), worker="w1", n=1, lease_s=2)
    yield NextClaimAt(queues=("a",))
    yield NextClaimAt(queues=("a", "b"))


def crowd(world: World) -> Iterator[Op]:  # noqa: ARG001 - the same in every world
    for n in (1, 2, BURIED_MAX + SETTLED_MAX):
        yield Claim(queues=("a",), worker="w1", n=n, lease_s=1)
        yield Claim(queues=("a", "b"), worker="w1", n=n, lease_s=1)


def breaches(world: World, now: int) -> Iterator[Difference]:
    """The model promises that a claim changes a row at `next_claim_at`, and at no earlier instant (CLM-15)."""
    for queues in (("a",), ("b",), ("a", "b")):
        op = NextClaimAt(queues=queues)
        _, at = step(world, op, now)
        last = now + HORIZON_S if at is None else at - 1
        early = [instant for instant in {now, last} if now <= instant <= last and _claimed(world, queues, instant)]
        if early or (at is not None and not _claimed(world, queues, at)):
            text = f"a claim changes rows at {early or 'no instant'}"
            yield Difference(op, now, "model", f"{at}", text, ("CLM-15",))


def _claimed(world: World, queues: tuple[str, ...], now: int) -> bool:
    after, _ = step(world, Claim(queues=queues, worker="w1", n=1, lease_s=1), now)
    return after.jobs != world.jobs


ALPHABET = Alphabet(kind="jobs", operations=operations, crowd=crowd, breaches=breaches)
