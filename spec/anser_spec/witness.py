"""A counterexample as a value and as a file: a start world, steps, and what differed after the last of them.

The file is JSON that a person can read and shorten by hand:

    {"target": "sqlite", "quirks": [], "start": {…}, "steps": [[1000, "claim", {…}], [1000, "rollback"]], "found": "…"}
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anser.ops import Op, from_json, to_json
from anser.types import Dead, Finished, Job, Lease, Lock, Reason, State
from anser_models import Quirk, World

__all__ = ["MARKS", "Mark", "Witness", "load", "world_from_json", "world_to_json"]

MARKS = ("begin", "commit", "rollback")


@dataclass(frozen=True, slots=True)
class Mark:
    """One step: an operation at an instant, or the begin or end of a transaction of the caller's."""

    now: int
    act: Op | str


@dataclass(frozen=True, slots=True)
class Witness:
    """How to see a disagreement again."""

    target: str
    quirks: frozenset[Quirk]
    start: World
    steps: tuple[Mark, ...]
    found: str

    def save(self, path: Path) -> Path:
        """Write the file, its folder too where it is missing. Answers its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text() + "\n", encoding="utf-8")
        return path

    def text(self) -> str:
        """The file's text: one step a line."""
        fields = {
            "target": self.target,
            "quirks": sorted(quirk.name for quirk in self.quirks),
            "start": world_to_json(self.start),
            "steps": [_mark_to_json(mark) for mark in self.steps],
            "found": self.found,
        }
        return "{\n" + ",\n".join(f'  "{name}": {_laid_out(value)}' for name, value in fields.items()) + "\n}"


def load(path: Path) -> Witness:
    """The witness that a file tells of. Raises ValueError for a file that is not one."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Witness(
            found["target"],
            frozenset(Quirk[name] for name in found["quirks"]),
            world_from_json(found["start"]),
            tuple(_mark_from_json(step) for step in found["steps"]),
            found["found"],
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a saved counterexample: {error!r}") from None


def world_to_json(world: World) -> dict[str, Any]:
    """A world as plain JSON values; jobs as lists, by id."""
    return {
        "jobs": [to_json(job) for _, job in sorted(world.jobs.items())],
        "dead": [to_json(job) for _, job in sorted(world.dead.items())],
        "finished": [to_json(job) for _, job in sorted(world.finished.items())],
        "paused": sorted(world.paused),
        "last_id": world.last_id,
        "last_fence": world.last_fence,
        "locks": [to_json(lock) for _, lock in sorted(world.locks.items())],
    }


def world_from_json(found: dict[str, Any]) -> World:
    """The world that `world_to_json` wrote."""
    return World(
        {job["id"]: _job(job) for job in found["jobs"]},
        {job["id"]: _dead(job) for job in found["dead"]},
        {job["id"]: Finished(**{**job, "state": State(job["state"])}) for job in found["finished"]},
        frozenset(found["paused"]),
        found["last_id"],
        found["last_fence"],
        {lock["name"]: Lock(**lock) for lock in found["locks"]},
    )


def _job(found: dict[str, Any]) -> Job:
    lease = None if found["lease"] is None else Lease(**found["lease"])
    return Job(**{**found, "payload": _payload(found), "state": State(found["state"]), "lease": lease})


def _dead(found: dict[str, Any]) -> Dead:
    reason = None if found["reason"] is None else Reason(found["reason"])
    return Dead(**{**found, "payload": _payload(found), "reason": reason})


def _payload(found: dict[str, Any]) -> str | bytes:
    payload: str | dict[str, str] = found["payload"]
    return bytes.fromhex(payload["hex"]) if isinstance(payload, dict) else payload


def _mark_to_json(mark: Mark) -> list[Any]:
    if isinstance(mark.act, str):
        return [mark.now, mark.act]
    return [mark.now, mark.act.name, to_json(mark.act)]


def _mark_from_json(step: list[Any]) -> Mark:
    now, name, *arguments = step
    if name in MARKS:
        return Mark(now, name)
    return Mark(now, from_json(name, arguments[0]))


def _laid_out(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value)
    return "[\n" + ",\n".join(f"    {json.dumps(item)}" for item in value) + "\n  ]"
