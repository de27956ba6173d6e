"""Windows and buckets in use, and slots of leases that hold, that are over, and of jobs that are gone."""

from __future__ import annotations

from anser.types import Bucket, Slot, Window
from anser_models import World
from anser_spec.seeds.base import SEED_NOW, world
from anser_spec.seeds.jobs import pending, processing

__all__ = ["SEEDS", "slots", "windows"]


def windows(*given: Window) -> dict[tuple[str, int], Window]:
    return {(one.key, one.start): one for one in given}


def slots(*given: Slot) -> dict[tuple[str, int], Slot]:
    return {(one.key, one.job_id): one for one in given}


SEEDS: dict[str, World] = {
    "window_open": world(windows=windows(Window("a", SEED_NOW, 1))),
    "windows_passed": world(windows=windows(Window("a", SEED_NOW - 2, 2), Window("b", SEED_NOW - 4, 1))),
    "bucket_empty": world(Bucket("a", 2, 3, 0, SEED_NOW)),
    "bucket_full_again": world(Bucket("a", 2, 3, 1, SEED_NOW - 3)),
    "slot_held": world(processing(1), slots=slots(Slot("a", 1, 1))),
    "slot_of_an_earlier_lease": world(processing(1, fence=2), slots=slots(Slot("a", 1, 1))),
    "slots_over": world(
        pending(1),
        last_fence=2,
        slots=slots(Slot("a", 1, 1), Slot("a", 2, 2), Slot("a", 3, 1)),
    ),
    "slot_and_another_lease": world(
        processing(1), processing(2, fence=2, ends_at=SEED_NOW + 1), slots=slots(Slot("a", 1, 1))
    ),
}
