"""The verbs as values: one class an operation, its fields the arguments, `check()` every refusal that needs no file.

The class, the statement, the core's function, the model's function, the case's word and the protocol's method have one
name. What a verb *does* is not here: it is written in the core and in the model, and compared.

`check()` looks at the fields in the order in which they are declared and raises `Invalid` for the first that is wrong
(ERR-2). A payload is looked at last, by `encode`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar

from anser.errors import Invalid, shown
from anser.types import (
    BATCH_MAX,
    CLAIM_MAX,
    DELAY_MAX_S,
    DEPTH_MAX,
    ERROR_MAX_BYTES,
    INSTANT_MAX,
    INTEGER_MAX,
    INTEGER_MIN,
    KEY_MAX_BYTES,
    LEASE_MAX_S,
    LIST_MAX,
    NAME_MAX_BYTES,
    PAYLOAD_MAX_BYTES,
    PRIORITY_MAX,
    QUEUES_MAX,
    TRIES_MAX,
    Held,
    State,
)

__all__ = [
    "OPS",
    "Ack",
    "AckBatch",
    "Cancel",
    "Claim",
    "CountJobs",
    "DeadList",
    "DeadPrune",
    "DeadRequeue",
    "Enqueue",
    "EnqueueMany",
    "Fail",
    "GetJob",
    "Heartbeat",
    "ListJobs",
    "LockAcquire",
    "LockGet",
    "LockList",
    "LockRelease",
    "LockRenew",
    "LockSweep",
    "NextClaimAt",
    "Op",
    "QueuePause",
    "QueueResume",
    "Release",
    "Retry",
    "SweepExpired",
    "decode",
    "encode",
    "from_json",
    "to_json",
]


@dataclass(frozen=True, slots=True)
class Op:
    """An operation and its arguments. `name` is the one name that it has everywhere."""

    name: ClassVar[str]

    def check(self) -> None:
        """Raise `Invalid` for the first argument that no file could accept."""
        raise NotImplementedError(f"{type(self).__name__} has no checks")


# --- jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueue(Op):
    """Add a job; due at `run_at`, or `delay_s` from now, or now. Answers `Enqueued`.

    With a `unique_key` that a live job of the queue holds, the answer is that job and nothing is written.
    Rules: JOB-2, JOB-3, JOB-4, JOB-6, JOB-7, JOB-14.
    """

    name: ClassVar[str] = "enqueue"
    queue: str
    payload: Any
    run_at: int | None = None
    delay_s: int | None = None
    priority: int = 0
    max_attempts: int = 3
    max_lapses: int = 5
    expires_s: int | None = None
    unique_key: str | None = None

    def check(self) -> None:
        _name("queue", self.queue)
        if self.run_at is not None:
            _whole("run_at", self.run_at, 0, INSTANT_MAX)
        if self.delay_s is not None:
            _whole("delay_s", self.delay_s, 0, DELAY_MAX_S)
            if self.run_at is not None:
                raise Invalid("delay_s", self.delay_s, "give run_at or delay_s, not both")
        _whole("priority", self.priority, -PRIORITY_MAX, PRIORITY_MAX)
        _whole("max_attempts", self.max_attempts, 1, TRIES_MAX)
        _whole("max_lapses", self.max_lapses, 0, TRIES_MAX)
        if self.expires_s is not None:
            _whole("expires_s", self.expires_s, 1, DELAY_MAX_S)
        if self.unique_key is not None:
            _text("unique_key", self.unique_key, KEY_MAX_BYTES)
            if not self.unique_key:
                raise Invalid("unique_key", self.unique_key, "pass some text, or None for no key")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnqueueMany(Op):
    """Add jobs, all or none, in their order. Answers a tuple of `Enqueued`, one a job. Rules: JOB-8."""

    name: ClassVar[str] = "enqueue_many"
    jobs: tuple[Enqueue, ...]

    def check(self) -> None:
        _length("jobs", self.jobs, 0, BATCH_MAX)
        for place, job in enumerate(self.jobs):
            _kind(f"jobs[{place}]", job, Enqueue)
            try:
                job.check()
            except Invalid as refusal:
                raise Invalid(f"jobs[{place}].{refusal.argument}", refusal.value, refusal.remedy) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel(Op):
    """End a live job of the queue, pending or processing. Answers whether there was one. Rules: JOB-9."""

    name: ClassVar[str] = "cancel"
    queue: str
    id: int

    def check(self) -> None:
        _name("queue", self.queue)
        _whole("id", self.id, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetJob(Op):
    """Look a job of the queue up. Answers `Job`, `Dead`, `Finished`, or None. Writes nothing. Rules: JOB-10, JOB-11."""

    name: ClassVar[str] = "get_job"
    queue: str
    id: int

    def check(self) -> None:
        _name("queue", self.queue)
        _whole("id", self.id, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListJobs(Op):
    """The live jobs of a queue by id, after `after_id`. Answers a tuple of `Job`. Writes nothing. Rules: JOB-12."""

    name: ClassVar[str] = "list_jobs"
    queue: str
    state: State | None = None
    after_id: int = 0
    limit: int = 100

    def check(self) -> None:
        _name("queue", self.queue)
        if self.state not in (None, State.PENDING, State.PROCESSING):
            raise Invalid("state", self.state, "pass 'pending', 'processing', or None for both")
        _whole("after_id", self.after_id, 0, INTEGER_MAX)
        _whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountJobs(Op):
    """Count a queue's jobs. Answers `Counts`. Writes nothing. Rules: JOB-13."""

    name: ClassVar[str] = "count_jobs"
    queue: str

    def check(self) -> None:
        _name("queue", self.queue)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePause(Op):
    """Let nobody claim from the queue until it is resumed. Answers whether that changed anything. Rules: CLM-14."""

    name: ClassVar[str] = "queue_pause"
    queue: str

    def check(self) -> None:
        _name("queue", self.queue)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueResume(Op):
    """Let the queue be claimed from again. Answers whether that changed anything. Rules: CLM-14."""

    name: ClassVar[str] = "queue_resume"
    queue: str

    def check(self) -> None:
        _name("queue", self.queue)


# --- claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Op):
    """Lease up to `n` due jobs for `lease_s` seconds. Answers a tuple of `Job`, in claim order.

    First the lapsed leases of the queues are settled; jobs past saving that the claim meets are buried.
    Rules: CLM-1, CLM-2, CLM-3, CLM-4, CLM-5, CLM-6, CLM-7, CLM-13, CLM-16, CLM-17.
    """

    name: ClassVar[str] = "claim"
    queues: tuple[str, ...]
    worker: str
    n: int
    lease_s: int

    def check(self) -> None:
        _length("queues", self.queues, 1, QUEUES_MAX)
        for place, queue in enumerate(self.queues):
            _name(f"queues[{place}]", queue)
        if len(set(self.queues)) < len(self.queues):
            raise Invalid("queues", self.queues, "name each queue once")
        _name("worker", self.worker)
        _whole("n", self.n, 1, CLAIM_MAX)
        _whole("lease_s", self.lease_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextClaimAt(Op):
    """The first instant, now at the earliest, at which a claim would change a row; None for never.

    Writes nothing. Rules: CLM-15.
    """

    name: ClassVar[str] = "next_claim_at"
    queues: tuple[str, ...]

    def check(self) -> None:
        _length("queues", self.queues, 1, QUEUES_MAX)
        for place, queue in enumerate(self.queues):
            _name(f"queues[{place}]", queue)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word(Op):
    """What every word about a lease names: the job, who holds it, and the fence (CLM-8)."""

    queue: str
    id: int
    worker: str
    fence: int

    def check(self) -> None:
        _name("queue", self.queue)
        _whole("id", self.id, 1, INTEGER_MAX)
        _name("worker", self.worker)
        _whole("fence", self.fence, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ack(_Word):
    """The job is done. Answers None; refused with `LeaseLost`. Rules: CLM-8, CLM-9."""

    name: ClassVar[str] = "ack"


@dataclass(frozen=True, slots=True, kw_only=True)
class AckBatch(Op):
    """These jobs are done, each judged alone. Answers the ids that were held, in the order given. Rules: CLM-10."""

    name: ClassVar[str] = "ack_batch"
    queue: str
    worker: str
    held: tuple[Held, ...]

    def check(self) -> None:
        _name("queue", self.queue)
        _name("worker", self.worker)
        _length("held", self.held, 0, BATCH_MAX)
        for place, held in enumerate(self.held):
            try:
                _kind("", held, Held)
                _whole(".id", held.id, 1, INTEGER_MAX)
                _whole(".fence", held.fence, 1, INTEGER_MAX)
            except Invalid as refusal:
                raise Invalid(f"held[{place}]{refusal.argument}", refusal.value, refusal.remedy) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat(_Word):
    """Let the lease end `lease_s` seconds from now, sooner or later than before. Answers its last second.

    Refused with `LeaseLost`. Rules: CLM-8, CLM-11.
    """

    name: ClassVar[str] = "heartbeat"
    lease_s: int

    def check(self) -> None:
        _Word.check(self)
        _whole("lease_s", self.lease_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(_Word):
    """Put the job back and spend nothing, at its old place or due `delay_s` from now. Answers its `run_at`.

    Refused with `LeaseLost`. Rules: CLM-8, CLM-12.
    """

    name: ClassVar[str] = "release"
    delay_s: int | None = None

    def check(self) -> None:
        _Word.check(self)
        if self.delay_s is not None:
            _whole("delay_s", self.delay_s, 0, DELAY_MAX_S)


# --- retries and the dead


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(_Word):
    """The attempt failed: pending again `delay_s` from now, or dead if it was the last. Answers `Settled`.

    Refused with `LeaseLost`. Rules: CLM-8, RET-1, RET-2, RET-3.
    """

    name: ClassVar[str] = "retry"
    delay_s: int
    error: str | None = None

    def check(self) -> None:
        _Word.check(self)
        _whole("delay_s", self.delay_s, 0, DELAY_MAX_S)
        if self.error is not None:
            _text("error", self.error, ERROR_MAX_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(_Word):
    """The job is dead, whatever attempts it has left. Answers None; refused with `LeaseLost`. Rules: CLM-8, RET-4."""

    name: ClassVar[str] = "fail"
    error: str

    def check(self) -> None:
        _Word.check(self)
        _text("error", self.error, ERROR_MAX_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepExpired(Op):
    """Bury up to `limit` expired jobs that nobody holds, the longest expired first. Answers how many. Rules: DED-2."""

    name: ClassVar[str] = "sweep_expired"
    queue: str
    limit: int = 1_000

    def check(self) -> None:
        _name("queue", self.queue)
        _whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadList(Op):
    """The dead jobs of a queue by id, after `after_id`. Answers a tuple of `Dead`. Writes nothing. Rules: DED-3."""

    name: ClassVar[str] = "dead_list"
    queue: str
    after_id: int = 0
    limit: int = 100

    def check(self) -> None:
        _name("queue", self.queue)
        _whole("after_id", self.after_id, 0, INTEGER_MAX)
        _whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadRequeue(Op):
    """A dead job is pending again under its id, due now, all attempts and lapses before it, with no expiry.

    Answers None; refused with `NotFound`, or `Conflict` while a live job holds its unique key or id.
    Rules: DED-4, DED-5.
    """

    name: ClassVar[str] = "dead_requeue"
    queue: str
    id: int

    def check(self) -> None:
        _name("queue", self.queue)
        _whole("id", self.id, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadPrune(Op):
    """Forget up to `limit` jobs that died `older_than_s` seconds ago or earlier, first died first. Answers how many.

    Rules: DED-6.
    """

    name: ClassVar[str] = "dead_prune"
    queue: str
    older_than_s: int
    limit: int = 1_000

    def check(self) -> None:
        _name("queue", self.queue)
        _whole("older_than_s", self.older_than_s, 0, DELAY_MAX_S)
        _whole("limit", self.limit, 1, LIST_MAX)


# --- locks


@dataclass(frozen=True, slots=True, kw_only=True)
class LockAcquire(Op):
    """Take the lock for `ttl_s` seconds, if nobody else holds it. Answers `Lock`, or None.

    Its holder extends it by that, and has one acquire more to release. Rules: LCK-1, LCK-2, LCK-3, LCK-4.
    """

    name: ClassVar[str] = "lock_acquire"
    lock: str
    owner: str
    ttl_s: int

    def check(self) -> None:
        _name("lock", self.lock)
        _name("owner", self.owner)
        _whole("ttl_s", self.ttl_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRenew(Op):
    """Let the lock end `ttl_s` seconds from now, sooner or later than before. Answers its end.

    Refused with `LeaseLost`. Rules: LCK-5, LCK-6.
    """

    name: ClassVar[str] = "lock_renew"
    lock: str
    owner: str
    fence: int
    ttl_s: int

    def check(self) -> None:
        _name("lock", self.lock)
        _name("owner", self.owner)
        _whole("fence", self.fence, 1, INTEGER_MAX)
        _whole("ttl_s", self.ttl_s, 1, LEASE_MAX_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockRelease(Op):
    """Give one acquire back. Answers whether the lock is free now. Refused with `LeaseLost`. Rules: LCK-5, LCK-7."""

    name: ClassVar[str] = "lock_release"
    lock: str
    owner: str
    fence: int

    def check(self) -> None:
        _name("lock", self.lock)
        _name("owner", self.owner)
        _whole("fence", self.fence, 1, INTEGER_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockGet(Op):
    """Look the lock up. Answers `Lock` while somebody holds it, or None. Writes nothing. Rules: LCK-8."""

    name: ClassVar[str] = "lock_get"
    lock: str

    def check(self) -> None:
        _name("lock", self.lock)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockList(Op):
    """The locks that somebody holds by name, after `after_name`. Answers a tuple of `Lock`. Writes nothing.

    Rules: LCK-8.
    """

    name: ClassVar[str] = "lock_list"
    after_name: str = ""
    limit: int = 100

    def check(self) -> None:
        _text("after_name", self.after_name, NAME_MAX_BYTES)
        _whole("limit", self.limit, 1, LIST_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockSweep(Op):
    """Forget up to `limit` locks that are over, the longest over first. Answers how many. Rules: LCK-9."""

    name: ClassVar[str] = "lock_sweep"
    limit: int = 1_000

    def check(self) -> None:
        _whole("limit", self.limit, 1, LIST_MAX)


OPS: dict[str, type[Op]] = {
    op.name: op
    for op in (
        Enqueue,
        EnqueueMany,
        Cancel,
        GetJob,
        ListJobs,
        CountJobs,
        QueuePause,
        QueueResume,
        Claim,
        NextClaimAt,
        Ack,
        AckBatch,
        Heartbeat,
        Release,
        Retry,
        Fail,
        SweepExpired,
        DeadList,
        DeadRequeue,
        DeadPrune,
        LockAcquire,
        LockRenew,
        LockRelease,
        LockGet,
        LockList,
        LockSweep,
    )
}


# --- payloads

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # the stub lacks it; it is what `decode` comes to
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(r"[\[\]{}]")
_READ_DEPTH_MAX = 500  # deeper, and Python's own reader may fail on any stack
_WHITE_SPACE = " \t\n\r"  # JSON's own


def encode(payload: Any) -> str:
    """The compact JSON text of a payload, as the file holds it (JOB-14).

    Raises `Invalid` for what some binding could not read back: NaN and the infinities, a lone surrogate, a key that is
    not text, an integer beyond 64 bits, more than `DEPTH_MAX` levels, more than `PAYLOAD_MAX_BYTES` bytes of UTF-8.
    """
    _json(payload, 0)
    try:
        text = _ENCODER.encode(payload)
    except (TypeError, ValueError) as error:  # a dict of the caller's own may tell each of its readers something else
        raise Invalid(
            "payload", payload, f"it cannot be written as JSON ({error}): pass a plain dict or list"
        ) from None
    size = len(text) if text.isascii() else len(text.encode("utf-8"))
    if size > PAYLOAD_MAX_BYTES:
        raise Invalid(
            "payload", payload, f"its JSON takes {size} bytes, the limit is {PAYLOAD_MAX_BYTES}: store a reference"
        )
    return text


def decode(payload: str | bytes) -> Any:
    """The value of a stored payload. Raises ValueError for one that is not JSON text.

    Reading is as lenient as Python's reader: a NaN that another binding wrote is read.
    """
    if isinstance(payload, bytes):
        raise ValueError("the payload is not UTF-8 text")
    text = payload.strip(_WHITE_SPACE)
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("the payload is not JSON") from None
    except RecursionError:
        if _depth(text) <= _READ_DEPTH_MAX:
            raise  # the payload is sound: it is the caller's own stack that has no room left
        raise ValueError("the payload is nested too deeply") from None
    if end < len(text):
        raise ValueError("the payload goes on after its value")
    return value


def _depth(text: str) -> int:
    """How deep lists and objects are nested in a JSON text."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _json(value: Any, depth: int) -> None:
    if value is None or value is True or value is False:
        return
    if isinstance(value, str):
        if not value.isascii():
            _utf8("payload", value)
    elif isinstance(value, int):
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            raise Invalid("payload", value, "integers end at 64 bits in other bindings: pass text")
    elif isinstance(value, float):
        if value - value != 0.0:  # NaN and the infinities, the only floats for which this holds
            raise Invalid("payload", value, "JSON has no NaN and no infinities: pass None or text")
    elif isinstance(value, (dict, list, tuple)):
        _nested(value, depth + 1)
    else:
        raise Invalid(
            "payload", value, f"{type(value).__name__} is not JSON: pass a dict, list, text, number, bool or None"
        )


def _nested(value: dict[Any, Any] | list[Any] | tuple[Any, ...], depth: int) -> None:
    if depth > DEPTH_MAX:
        raise Invalid("payload", value, f"it is nested more than {DEPTH_MAX} levels deep: flatten it")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise Invalid("payload", key, "a key of a JSON object is text")
            if not key.isascii():
                _utf8("payload", key)
        value = list(value.values())
    for item in value:
        _json(item, depth)


# --- values as JSON, for case files, replays and the driver protocol


def to_json(value: Any) -> Any:
    """A value of `types` or `ops` as plain JSON values; bytes as {"hex": …}. A payload stays the text that it is."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    return value


def from_json(name: str, arguments: dict[str, Any]) -> Op:
    """The operation of that name from plain JSON arguments. Raises `Invalid` for a name or a field it does not have."""
    if name not in list(OPS):
        raise Invalid("op", name, f"pass one of {', '.join(sorted(OPS))}")
    kind = OPS[name]
    try:
        given = dict(arguments)
        if kind is EnqueueMany and "jobs" in given:
            given["jobs"] = tuple(from_json("enqueue", job) for job in given["jobs"])
        elif kind is AckBatch and "held" in given:
            given["held"] = tuple(Held(**held) for held in given["held"])
        elif isinstance(given.get("queues"), list):
            given["queues"] = tuple(given["queues"])
        if given.get("state") in list(State):
            given["state"] = State(given["state"])
        return kind(**given)
    except (TypeError, ValueError) as error:
        raise Invalid("op", name, str(error)) from None


# --- checks


def _whole(argument: str, value: object, low: int, high: int) -> None:
    if type(value) is int and low <= value <= high:
        return  # nearly always, and a claim's worth of them is checked at once
    if isinstance(value, bool) or not isinstance(value, int):
        raise Invalid(argument, value, f"pass a whole number from {low} to {high}")
    if not low <= value <= high:
        raise Invalid(argument, value, f"it must lie from {low} to {high}")


def _name(argument: str, value: object) -> None:
    _text(argument, value, NAME_MAX_BYTES)
    if not value:
        raise Invalid(argument, value, "a name has at least one character")
    if isinstance(value, str) and not str.isprintable(value):  # an enum that is text has a `str()` of its own
        raise Invalid(argument, value, "a name is printable text, with no control characters")


def _text(argument: str, value: object, max_bytes: int) -> None:
    if not isinstance(value, str):
        raise Invalid(argument, value, f"pass text, not {type(value).__name__}")
    size = _utf8(argument, value)
    if size > max_bytes:
        raise Invalid(argument, value, f"it takes {size} bytes of UTF-8, the limit is {max_bytes}")


def _utf8(argument: str, value: str) -> int:
    """Its length in UTF-8. A NUL is refused too: SQLite's own text functions end a text there."""
    if value.isascii():
        size = len(value)
    else:
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError:
            raise Invalid(argument, value, "it has a lone surrogate, which no UTF-8 text holds") from None
    if "\0" in value and argument != "payload":
        raise Invalid(argument, shown(value), "it has a NUL character, where SQLite's text functions end")
    return size


def _kind(argument: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise Invalid(argument, value, f"pass {kind.__name__}(…) values")


def _length(argument: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, tuple):
        raise Invalid(argument, value, "pass a tuple")
    if not low <= len(value) <= high:
        raise Invalid(argument, value, f"it has {len(value)} items, it must have from {low} to {high}")
