"""Events as their readers hold them."""

from __future__ import annotations

from anser.home import Home, Tx
from anser.ops import EventPrune, EventRead, EventsOff, EventsOn
from anser.types import EventPage

__all__ = ["EventLog"]


class EventLog:
    """What a file tells of its jobs, if it was asked to: one event a transition, in the commit of the transition.

    A reader keeps the id of the last event that it has seen and reads on from there. `db.wake` tells when there may be
    more.
    """

    def __init__(self, database: Home) -> None:
        self.database = database

    def __repr__(self) -> str:
        return f"<EventLog of {self.database.path!r}>"

    def on(self, *, keep: int = 100_000, tx: Tx = None) -> bool:
        """Tell events from now on, whoever works on the file, and keep the newest `keep` (EVT-3, EVT-4).

        Answers whether that changed anything. Each transition then writes a row more.
        """
        changed: bool = self.database.run(EventsOn(keep=keep), tx)
        return changed

    def off(self, *, tx: Tx = None) -> bool:
        """Tell nothing more; what was told is kept. Answers whether that changed anything (EVT-3)."""
        changed: bool = self.database.run(EventsOff(), tx)
        return changed

    def read(self, *, after_id: int = 0, limit: int = 1_000, tx: Tx = None) -> EventPage:
        """The next events, and the last one after `after_id` that is kept no more, if any was missed (EVT-5)."""
        page: EventPage = self.database.run(EventRead(after_id=after_id, limit=limit), tx)
        return page

    def prune(self, *, older_than_s: int, limit: int = 1_000, tx: Tx = None) -> int:
        """Forget the oldest events, as far as they are so old; answers how many (EVT-6)."""
        forgotten: int = self.database.run(EventPrune(older_than_s=older_than_s, limit=limit), tx)
        return forgotten
