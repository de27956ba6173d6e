"""Windows by key and start, buckets by key, slots by key and job: the rows, also of what has passed."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from anser.types import Bucket, Slot, Window
from anser_models import World
from anser_spec.cases.nouns.base import Noun, Rows
from anser_spec.cases.values import T, instant_in

__all__ = ["NOUNS"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs(Rows):
    """Rows that two columns name together."""

    and_key: str

    def given(self, world: World, arguments: dict[str, Any]) -> World:
        row = self.make(**arguments)
        rows = {**getattr(world, self.part), self._pair(arguments): row}
        there: dict[str, Any] = {self.part: rows}
        return replace(world, **there)

    def then(self, absent: bool, arguments: dict[str, Any]) -> tuple[Any, ...]:
        if absent and not arguments:
            return ()
        if unknown := set(arguments) - {field.name for field in fields(self.row)}:
            raise ValueError(f"a {self.called} has no {', '.join(sorted(unknown))}")
        pair = self._pair(arguments)
        if absent and len(arguments) > len(pair):
            raise ValueError(f"then no {self.name} names the {self.key}, the {self.and_key} and nothing else")
        return (pair,)

    def _pair(self, arguments: dict[str, Any]) -> tuple[Any, Any]:
        return arguments[self.key], self.read_key(instant_in(arguments[self.and_key]))


def _window(*, start: int = T, count: int = 1, **given: Any) -> Window:
    return Window(start=start, count=count, **given)


def _bucket(*, at: int = T, **given: Any) -> Bucket:
    return Bucket(at=at, **given)


def _slot(*, fence: int = 1, **given: Any) -> Slot:
    return Slot(fence=fence, **given)


NOUNS: tuple[Noun, ...] = (
    _Pairs(
        name="window",
        called="window",
        part="windows",
        row=Window,
        key="key",
        and_key="start",
        read_key=int,
        make=_window,
        bare=lambda window: window,
    ),
    Rows(
        name="bucket",
        called="bucket",
        part="buckets",
        row=Bucket,
        key="key",
        read_key=str,
        make=_bucket,
        bare=lambda bucket: bucket,
    ),
    _Pairs(
        name="slot",
        called="slot",
        part="slots",
        row=Slot,
        key="key",
        and_key="job_id",
        read_key=int,
        make=_slot,
        bare=lambda slot: replace(slot, fence=0),
        numbered={"last_fence": lambda slot: int(slot.fence)},
    ),
)
