"""What every operation is: a name, a place in or beside the write lock, and arguments that can be checked and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from anser.errors import Invalid

__all__ = ["Op", "as_tuple"]


@dataclass(frozen=True, slots=True)
class Op:
    """An operation and its arguments. `name` is the one name that it has everywhere.

    One that only looks says that it does not write, and then never waits for the write lock (STO-8). `readers` are for
    the fields whose JSON is not their value already.
    """

    name: ClassVar[str]
    writes: ClassVar[bool] = True
    readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    def check(self) -> None:
        """Raise `Invalid` for the first argument that no file could accept."""
        raise NotImplementedError(f"{type(self).__name__} has no checks")

    @classmethod
    def read(cls, arguments: Mapping[str, Any]) -> Self:
        """The operation with these plain JSON arguments. Raises `Invalid` for a field that it lacks, or needs."""
        try:
            given = dict(arguments)
            for field, reader in cls.readers.items():
                if field in given:
                    given[field] = reader(given[field])
            return cls(**given)
        except (TypeError, ValueError) as error:
            raise Invalid("op", cls.name, str(error)) from None


def as_tuple(value: Any) -> Any:
    """A list of JSON as an argument holds it; what is no list stays, so that the check can refuse it by name."""
    return tuple(value) if isinstance(value, list) else value
