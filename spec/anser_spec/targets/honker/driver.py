"""The real honker behind JSON-RPC 2.0, one object a line on stdin and stdout. A program of its own.

Run it with a folder that holds honker as its PYTHONPATH. It imports nothing of Anser, so that one process has one
SQLite.

Every operation can say what time it is. honker's clock is the machine's, so the stored instants are moved instead: the
rows are put into the file later by `real second - wanted now`, the operation runs, the rows are read back earlier by
the same, all within one second of the machine; if that second ended meanwhile, all of it is done again. So a boundary
second is exact, and nobody waits. An operation that names no instant is done in real time, on the file as it is.

Two ways to do an operation (`open`, `by`): `function` calls honker's SQL functions inside the transaction that puts
and reads the rows; `method` calls the methods of honker's queue, each with the transaction that it makes itself. Both
come to the same. What honker raises is rolled back, as its own methods do; a caller who catches the error inside his
transaction, or has autocommit, is left with what was done up to there (D11, E03), which is not looked at here.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import json
import sys
from collections.abc import Callable
from typing import Any

honker: Any = importlib.import_module("honker")

Outcome = dict[str, Any]  # {"answer": …} or {"error": …}
Rows = dict[str, Any]  # {"live": […], "dead": […], "locks": […], "last_id": n}, instants by the caller's clock

PROTOCOL = 1
SECONDS_MAX = 100  # a second may end under an operation now and then; a hundred in a row mean that it hangs
KINDS = {"database is locked": "busy", "must be a whole number": "invalid"}  # by what honker's errors say
FAILURE_CODE = -32000
NO_METHOD_CODE = -32601

LIVE = (
    *("id", "queue", "payload", "state", "priority", "run_at", "worker_id", "claim_expires_at"),
    *("attempts", "max_attempts", "created_at", "expires_at"),
)
DEAD = (
    *("id", "queue", "payload", "priority", "run_at", "attempts", "max_attempts"),
    *("last_error", "created_at", "died_at"),
)
LOCKS = ("name", "owner", "expires_at")
TABLES = {"live": LIVE, "dead": DEAD, "locks": LOCKS}
INSTANTS = {"run_at", "claim_expires_at", "created_at", "expires_at", "died_at"}

# Each operation that honker has: its SQL function, and the order in which that takes the arguments.
FUNCTIONS = {
    "enqueue": ("honker_enqueue", "queue payload run_at delay_s priority max_attempts expires_s"),
    "claim": ("honker_claim_batch", "queue worker n lease_s"),
    "next_claim_at": ("honker_queue_next_claim_at", "queue"),
    "ack": ("honker_ack", "id worker"),
    "ack_batch": ("honker_ack_batch", "ids worker"),
    "heartbeat": ("honker_heartbeat", "id worker lease_s"),
    "retry": ("honker_retry", "id worker delay_s error"),
    "fail": ("honker_fail", "id worker error"),
    "cancel": ("honker_cancel", "id"),
    "get_job": ("honker_get_job", "id"),
    "sweep_expired": ("honker_sweep_expired", "queue"),
    "lock_acquire": ("honker_lock_acquire", "lock owner ttl_s"),
    "lock_renew": ("honker_lock_renew", "lock owner ttl_s"),
    "lock_release": ("honker_lock_release", "lock owner"),
}
# The same by the methods of a queue, whose name and length of lease are the queue's own.
# No method tells whether a lock was had: it is asked by its function, in a transaction, as honker's own methods do.
METHODS = {
    "enqueue": ("enqueue", "payload tx run_at delay_s priority expires_s max_attempts"),
    "claim": ("claim_batch", "worker n"),
    "next_claim_at": ("_next_claim_at", ""),
    "ack": ("ack", "id worker"),
    "ack_batch": ("ack_batch", "ids worker"),
    "heartbeat": ("heartbeat", "id worker lease_s"),
    "retry": ("retry", "id worker delay_s error"),
    "fail": ("fail", "id worker error"),
    "cancel": ("cancel", "id"),
    "get_job": ("get_job", "id"),
    "sweep_expired": ("sweep_expired", ""),
}
WORDS = {"ack", "heartbeat", "retry", "fail"}  # about a lease: the answer 0 says that it does not hold
LOCK_WORDS = {"lock_renew", "lock_release"}  # so about a lock


class SecondOver(Exception):
    """The machine's second ended under an operation: it is to be done again."""


class Undo(Exception):
    """Leaves a transaction without a trace."""


class Driver:
    """A file of honker's, and the rows in it as the caller's clock tells them."""

    def __init__(self) -> None:
        self.db: Any = None
        self.by_method = False
        self.rows: Rows = {**{table: [] for table in TABLES}, "last_id": 0}

    def hello(self) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "implementation": "honker",
            "version": importlib.metadata.version("honker"),
            "language": "python",
            "clock": "shifted",
            "format": "honker",
            "features": sorted(FUNCTIONS),
        }

    def open(self, path: str, by: str = "function") -> None:
        self.db = honker.open(path)
        self.db.queue("queue")  # the first queue makes the tables
        self.by_method = by == "method"

    def load(self, rows: Rows) -> None:
        self.rows = rows

    def snapshot(self) -> Rows:
        return self.rows

    def apply(self, name: str, now: int | None, arguments: dict[str, Any]) -> Outcome:
        """Do one operation on the rows, and keep what it leaves; without an instant, on the file as it is."""
        if now is None:
            return self._as_it_is(name, arguments)
        attempt = self._by_method if self.by_method and name in METHODS else self._by_function
        for _ in range(SECONDS_MAX):
            with contextlib.suppress(SecondOver):
                outcome, rows = attempt(name, now, arguments)
                self.rows = rows or self.rows
                return outcome
        return failure("internal", f"{SECONDS_MAX} seconds in a row ended under {name}")

    def steps(self, now: int, rows: Rows, ops: list[tuple[str, dict[str, Any]]]) -> list[Outcome]:
        """Do each operation on these rows, and keep none: its outcome, with the rows where they changed."""
        outcomes: list[Outcome] = []
        with contextlib.suppress(Undo), self.db.transaction() as tx:
            for _ in range(SECONDS_MAX):
                second = put(tx, rows, now)
                with contextlib.suppress(SecondOver):
                    for name, arguments in ops[len(outcomes) :]:
                        outcomes.append(undone(tx, now, rows, second, name, arguments))
                    raise Undo
        return outcomes

    def _as_it_is(self, name: str, arguments: dict[str, Any]) -> Outcome:
        if self.by_method and name in METHODS:
            return by_method(self.db, name, arguments, 0)
        with contextlib.suppress(Undo), self.db.transaction() as tx:
            outcome: Outcome = by_function(tx, name, arguments, 0)
            if broke(outcome):
                raise Undo
        return outcome

    def _by_function(self, name: str, now: int, arguments: dict[str, Any]) -> tuple[Outcome, Rows | None]:
        with contextlib.suppress(Undo), self.db.transaction() as tx:
            second = put(tx, self.rows, now)
            outcome = by_function(tx, name, arguments, second - now)
            rows = taken_back(tx, self.rows, now, second)
            if broke(outcome):
                raise Undo
            return outcome, rows
        return outcome, None

    def _by_method(self, name: str, now: int, arguments: dict[str, Any]) -> tuple[Outcome, Rows | None]:
        with self.db.transaction() as tx:
            second = put(tx, self.rows, now)
        outcome = by_method(self.db, name, arguments, second - now)
        with self.db.transaction() as tx:
            return outcome, taken_back(tx, self.rows, now, second)


def undone(tx: Any, now: int, rows: Rows, second: int, name: str, arguments: dict[str, Any]) -> Outcome:
    """Do an operation on rows that were put, and leave no trace of it. Raises `SecondOver`."""
    tx.execute("savepoint step")
    try:
        changes = total_changes(tx)
        outcome = by_function(tx, name, arguments, second - now)
        unchanged = broke(outcome) or changes == total_changes(tx)
        if real_second(tx) != second:
            raise SecondOver
        return {**outcome, "rows": None if unchanged else taken_back(tx, rows, now, second)}
    finally:
        tx.execute("rollback to step")
        tx.execute("release step")


# --- rows


def real_second(tx: Any) -> int:
    return int(tx.query("select unixepoch() as second")[0]["second"])


def total_changes(tx: Any) -> int:
    return int(tx.query("select total_changes() as changes")[0]["changes"])


def put(tx: Any, rows: Rows, now: int) -> int:
    """Let the file hold these rows and no others, `now` being the machine's second, which is the answer."""
    second = real_second(tx)
    for table, columns in TABLES.items():
        tx.execute(f"delete from _honker_{table}")
        names = ", ".join(columns)
        for row in rows[table]:
            marks, values = stored(row, second - now)
            tx.execute(f"insert into _honker_{table} ({names}) values ({marks})", values)
    tx.execute("delete from sqlite_sequence where name = '_honker_live'")
    tx.execute("insert into sqlite_sequence (name, seq) values ('_honker_live', ?)", [rows["last_id"]])
    return second


def stored(row: dict[str, Any], shift_s: int) -> tuple[str, list[Any]]:
    """The places and values of an insert. Bytes that are no UTF-8 are laid down as text, the harder case."""
    values = moved(row, shift_s)
    marks = dict.fromkeys(values, "?")
    if isinstance(values.get("payload"), dict):
        payload = values["payload"] = bytes.fromhex(values["payload"]["hex"])
        try:
            payload.decode("utf-8")
        except UnicodeDecodeError:
            marks["payload"] = "cast(? as text)"
    return ", ".join(marks.values()), list(values.values())


def moved(row: dict[str, Any], by_s: int) -> dict[str, Any]:
    return {
        column: value + by_s if column in INSTANTS and value is not None else value for column, value in row.items()
    }


def taken_back(tx: Any, before: Rows, now: int, second: int) -> Rows | None:
    """The rows in the file, or None if they are those before. Raises `SecondOver` if they cannot be trusted."""
    after: Rows = {
        **{table: [found(row, now - second) for row in tx.query(select(table, TABLES[table]))] for table in TABLES},
        "last_id": tx.query("select seq from sqlite_sequence where name = '_honker_live'")[0]["seq"],
    }
    if real_second(tx) != second:
        raise SecondOver
    return None if after == before else after


def select(table: str, columns: tuple[str, ...]) -> str:
    """A payload is read as bytes beside its type: what is not UTF-8 would come out as an empty text."""
    read = ", ".join("cast(payload as blob) as payload" if name == "payload" else name for name in columns)
    typed = ", typeof(payload) as type" if "payload" in columns else ""
    return f"select {read}{typed} from _honker_{table} order by {columns[0]}"


def found(row: dict[str, Any], shift_s: int) -> dict[str, Any]:
    values = moved(row, shift_s)
    if "payload" not in values:
        return values
    payload = bytes(values["payload"])
    values["payload"] = {"hex": payload.hex()}
    if values.pop("type") == "text":
        with contextlib.suppress(UnicodeDecodeError):
            values["payload"] = payload.decode("utf-8")
    return values


# --- operations


def by_function(tx: Any, name: str, arguments: dict[str, Any], shift_s: int) -> Outcome:
    function, order = FUNCTIONS[name]
    given = moved(arguments, shift_s)
    values = [json.dumps(given[word]) if word == "ids" else given[word] for word in order.split()]
    statement = f"select {function}({','.join('?' * len(values))}) as answer"

    def call() -> Any:
        raw = tx.query(statement, values)[0]["answer"]
        return json.loads(raw) if isinstance(raw, str) and raw else raw

    return told(name, call, shift_s)


def by_method(db: Any, name: str, arguments: dict[str, Any], shift_s: int) -> Outcome:
    method, order = METHODS[name]
    given = {"tx": None, **moved(arguments, shift_s)}
    if name == "enqueue":
        given["payload"] = json.loads(given["payload"])  # the method writes the JSON text itself
    queue = honker.Queue(db, given.get("queue", "queue"), visibility_timeout_s=given.get("lease_s", 1))

    def call() -> Any:
        raw = getattr(queue, method)(*(given[word] for word in order.split()))
        return [claimed(job) for job in raw] if name == "claim" else raw

    return told(name, call, shift_s)


def claimed(job: Any) -> dict[str, Any]:
    return {"id": job.id, "attempts": job.attempts, "claim_expires_at": job.claim_expires_at}


def told(name: str, call: Callable[[], Any], shift_s: int) -> Outcome:
    """What the call comes to in the protocol's words: no job is null, a lease that does not hold an error."""
    try:
        raw = call()
    except (OverflowError, TypeError, ValueError) as error:
        return failure("invalid", str(error))
    except RuntimeError as error:  # the one kind that honker raises, whatever it or SQLite refuses
        return failure(next((kind for words, kind in KINDS.items() if words in str(error)), "internal"), str(error))
    if name in WORDS:
        return {"answer": None} if raw else failure("lease_lost", f"{name} answered {raw!r}")
    if name in LOCK_WORDS:
        return {"answer": True} if raw else failure("lease_lost", f"{name} answered {raw!r}")
    if name == "claim":
        return {"answer": [moved(job, -shift_s) for job in raw]}
    if name == "get_job":
        return {"answer": moved(raw, -shift_s) if raw else None}
    if name == "next_claim_at":
        return {"answer": raw - shift_s if raw else None}
    return {"answer": bool(raw) if name in ("cancel", "lock_acquire") else raw}


def failure(kind: str, text: str) -> Outcome:
    return {"error": {"code": FAILURE_CODE, "message": text, "data": {"kind": kind}}}


def broke(outcome: Outcome) -> bool:
    """Whether honker raised: then its own transaction would have been rolled back. A lost lease is an answer."""
    return "error" in outcome and outcome["error"]["data"]["kind"] != "lease_lost"


# --- messages


def reply(driver: Driver, method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method in FUNCTIONS:
        outcome = driver.apply(method, params.pop("now", None), params)
        return outcome if "error" in outcome else {"result": outcome["answer"]}
    if method in ("hello", "open", "load", "snapshot", "steps"):
        return {"result": getattr(driver, method)(**params)}
    return {"error": {"code": NO_METHOD_CODE, "message": f"no method {method}", "data": {"kind": "unsupported"}}}


def main() -> None:
    driver = Driver()
    for line in sys.stdin:
        request = json.loads(line)
        leave = request["method"] == "bye"
        response = {"result": None} if leave else reply(driver, request["method"], request.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **response}), flush=True)
        if leave:
            break  # the end of the process closes the file: not every honker can


if __name__ == "__main__":
    main()
