"""What Anser says no with: a small tree, each kind with a stable code.

    AnserError
    ├── Invalid        invalid      an argument is wrong; nothing was written
    ├── NotFound       not_found    no such dead job in this queue
    ├── LeaseLost      lease_lost   the lease or lock that the call names does not hold (any more)
    ├── Conflict       conflict     another live job has the unique key, or the id; another owner has the lock
    ├── Busy           busy         another connection kept the write lock too long
    ├── FormatError    format       the file is not one that this version may write
    ├── StorageError   storage      the database itself failed: I/O, full disk, corrupt file
    └── ResultError    result       who waited for a job's result gets none; it cannot be read, or it is one of:
        ├── JobDead        job_dead        the job is dead; `error` is its last one
        ├── JobCancelled   job_cancelled   the job was cancelled
        ├── ResultMissing  result_missing  the job is done and has no result (any more), or nobody knows it
        └── ResultTimeout  result_timeout  the job is not done yet; it is a `TimeoutError` too

An operation that is refused leaves every row as it was (ERR-1). When several refusals apply, the first in the
operation's own order is given (ERR-2). A failure of the database is never told as one of the others (ERR-3).
"""

from __future__ import annotations

from contextlib import suppress

__all__ = [
    "AnserError",
    "Busy",
    "Conflict",
    "FormatError",
    "Invalid",
    "JobCancelled",
    "JobDead",
    "LeaseLost",
    "NotFound",
    "ResultError",
    "ResultMissing",
    "ResultTimeout",
    "StorageError",
]

_SHOWN_CHARS = 80


class AnserError(Exception):
    """The root: `code` is stable, the text is for people."""

    code = "internal"


class Invalid(AnserError):
    """An argument is wrong. The text names the argument, its value, and what to pass instead.

    `argument` is the name of the operation's field, so a program can tell which.
    """

    code = "invalid"

    def __init__(self, argument: str, value: object, remedy: str) -> None:
        super().__init__(f"{argument} = {shown(value)}: {remedy}")
        self.argument = argument
        self.value = value
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[Invalid], tuple[str, object, str], dict[str, object]]:
        """So that it can be sent from one process to another, with its notes."""
        return type(self), (self.argument, self.value, self.remedy), self.__dict__


class NotFound(AnserError):
    """The job is not where the operation looks for it."""

    code = "not_found"


class LeaseLost(AnserError):
    """The lease or lock does not hold: it ran out, was taken over, or the job has ended or was cancelled."""

    code = "lease_lost"


class Conflict(AnserError):
    """Somebody else holds it: a live job the key or the id, another owner the lock."""

    code = "conflict"


class Busy(AnserError):
    """Another connection held the write lock for longer than the busy timeout. Nothing was written: try again."""

    code = "busy"


class FormatError(AnserError):
    """The file's format is newer than this version knows, or its tables are not the queue's."""

    code = "format"


class StorageError(AnserError):
    """SQLite failed underneath: the text carries its own message. Nothing of the operation was kept."""

    code = "storage"


class ResultError(AnserError):
    """Who waited for a job's result gets none. By itself: there is one, and it cannot be read."""

    code = "result"


class JobDead(ResultError):
    """The job that was waited for is dead. `error` is the last that it left, if it left one."""

    code = "job_dead"

    def __init__(self, text: str, error: str | None) -> None:
        super().__init__(text)
        self.error = error

    def __reduce__(self) -> tuple[type[JobDead], tuple[str, str | None], dict[str, object]]:
        """So that it can be sent from one process to another, with its notes."""
        return type(self), (str(self), self.error), self.__dict__


class JobCancelled(ResultError):
    """The job that was waited for was cancelled."""

    code = "job_cancelled"


class ResultMissing(ResultError):
    """The job is done and has no result, or has none any more; or there is no such job."""

    code = "result_missing"


class ResultTimeout(ResultError, TimeoutError):
    """The time to wait is over, and the job is not done yet."""

    code = "result_timeout"


def note(error: BaseException, text: str) -> None:
    """Add a note to an error that is not ours; one that refuses to be changed is raised as it is."""
    with suppress(Exception):
        error.add_note(text)


def shown(value: object) -> str:
    """`repr` of a value, cut for a message; a value whose repr fails is named by its type."""
    try:
        text = repr(value)
    except Exception:  # a caller's own __repr__ may raise anything; the refusal must still be told
        text = f"<{type(value).__name__}>"
    if len(text) > _SHOWN_CHARS:
        return f"{text[:_SHOWN_CHARS]}… ({len(text)} characters)"
    return text
