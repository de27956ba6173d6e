"""The time of one `next`: Anser, croniter and cronsim, on the same expressions in one zone, in one run.

`python benchmarks/test_cron.py` prints the table; as a test it holds the verdict that Anser is not the slower one. Two
ways are measured, as each library offers them: *after* makes the schedule from its text and asks for the boundary after
an instant, as a store does that keeps text; *chain* goes from boundary to boundary. All rounds visit every peer, so
what slows the machine down slows them all; figures are medians of rounds, ratios are taken within a round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import median
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

from anser.cron import parse

TZ = "America/New_York"
ZONE = ZoneInfo(TZ)
BEGIN = int(datetime(2025, 1, 1, tzinfo=ZONE).timestamp())
INSTANTS = [BEGIN + step * 631_123 for step in range(50)]  # a week and some hours apart, through the year
CHAIN = 50
ROUNDS = 15
EXPRESSIONS = (
    "* * * * *",
    "*/15 * * * *",
    "0 9 * * MON-FRI",
    "30 2 * * *",
    "*/5 9-17 * * 1-5",
    "0 0 1 * *",
    "0 0 L * *",
    "0 12 1 1 *",
    "0 0 29 2 *",
)

Next = Callable[[str], object]


def anser_after(expr: str) -> None:
    for at in INSTANTS:
        parse(expr, TZ).next_after(at)


def croniter_after(expr: str) -> None:
    for at in INSTANTS:
        croniter(expr, datetime.fromtimestamp(at, ZONE)).get_next(datetime).timestamp()


def cronsim_after(expr: str) -> None:
    for at in INSTANTS:
        next(CronSim(expr, datetime.fromtimestamp(at, ZONE))).timestamp()


def anser_next(expr: str) -> None:
    """Not a peer: what is left when the text was read before."""
    timetable = parse(expr, TZ)
    for at in INSTANTS:
        timetable.next_after(at)


def croniter_naive(expr: str) -> None:
    """Not a peer: what croniter takes as a calendar without zones, on which a rule of our own would have to be put."""
    for at in INSTANTS:
        croniter(expr, datetime.fromtimestamp(at, ZONE).replace(tzinfo=None)).get_next(datetime)


def anser_chain(expr: str) -> None:
    timetable = parse(expr, TZ)
    at = BEGIN
    for _ in range(CHAIN):
        at = timetable.next_after(at) or at


def croniter_chain(expr: str) -> None:
    dates = croniter(expr, datetime.fromtimestamp(BEGIN, ZONE))
    for _ in range(CHAIN):
        dates.get_next(datetime).timestamp()


def cronsim_chain(expr: str) -> None:
    dates = CronSim(expr, datetime.fromtimestamp(BEGIN, ZONE))
    for _ in range(CHAIN):
        next(dates).timestamp()


WAYS: dict[str, Sequence[Next]] = {
    "after": (anser_after, croniter_after, cronsim_after, anser_next, croniter_naive),
    "chain": (anser_chain, croniter_chain, cronsim_chain),
}


def measured(peers: Sequence[Next], expressions: Sequence[str] = EXPRESSIONS) -> dict[str, list[list[float]]]:
    """Microseconds of one `next`: for each expression the rounds, in each the peers in their order."""
    for peer in peers:
        peer(expressions[0])
    rounds: dict[str, list[list[float]]] = {expr: [] for expr in expressions}
    for _ in range(ROUNDS):
        for expr in expressions:
            rounds[expr].append([_microseconds(peer, expr) for peer in peers])
    return rounds


def _microseconds(peer: Next, expr: str) -> float:
    begun = time.perf_counter()
    peer(expr)
    return (time.perf_counter() - begun) / CHAIN * 1e6


def ratios(rounds: dict[str, list[list[float]]], peer: int) -> list[float]:
    """How many times longer than Anser that peer takes, the median of rounds, an expression each."""
    return [median(figures[peer] / figures[0] for figures in found) for found in rounds.values()]


def test_a_boundary_comes_sooner_than_from_croniter() -> None:
    for peers in WAYS.values():
        assert median(ratios(measured(peers, EXPRESSIONS[:6]), 1)) > 1


def main() -> None:
    for way, peers in WAYS.items():
        rounds = measured(peers)
        print(f"{way:20}" + "".join(f"{peer.__name__:>16}" for peer in peers) + "   µs, medians of rounds")
        for expr, found in rounds.items():
            print(f"{expr:20}" + "".join(f"{median(column):16.1f}" for column in zip(*found, strict=True)))
        overall = [median(median(column) for column in columns) for columns in _columns(rounds, len(peers))]
        print(f"{'median':20}" + "".join(f"{figure:16.1f}" for figure in overall))
        times = "".join(f"{median(ratios(rounds, peer)):15.1f}×" for peer in range(len(peers)))
        print(f"{'to Anser':20}{times}\n")


def _columns(rounds: dict[str, list[list[float]]], peers: int) -> list[list[list[float]]]:
    return [[[figures[peer] for figures in found] for found in rounds.values()] for peer in range(peers)]


if __name__ == "__main__":
    main()
