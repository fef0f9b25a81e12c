"""Words for the table's tests: a race at a table with a real store, and sightings made by hand."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from arena.store import Store
from arena.table import Given, Table
from arena.words import TABLE, Command, EdgeId, Seat, Seen, Sighting
from little_race import DOORS, Race, Standing

MS = 1000


class RaceTable:
    """A race at a table; time stands still unless a test lets it pass."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now_us = 1_000_000
        self.told = 0
        self._ids = itertools.count(1)
        self._edges = itertools.count(1)
        self.open()

    def open(self) -> None:
        self.store = Store(self.path)
        self.table = Table(Race(), self.store, lambda: self.now_us, lambda: "2030-01-01T12:00:00+00:00")
        self.table.listen(self._tell)

    def _tell(self) -> None:
        self.told += 1

    def restart(self) -> None:
        """A new daemon on the same file."""
        self.store.close()
        self.open()
        assert self.table.resume()

    def close(self) -> None:
        self.store.close()

    @property
    def state(self) -> Standing:
        state: Standing = self.table.state
        return state

    def dump(self) -> str:
        return Race().dump(self.state)

    def wait(self, ms: int) -> None:
        self.now_us += ms * MS

    def give(self, do: str, seat: Seat = TABLE, id: str | None = None, **args: Any) -> Given:
        self.wait(100)
        return self.table.give(seat, Command.of(do, **args), id or f"c{next(self._ids)}")

    def answer(self, index: int) -> Given:
        self.wait(100)
        question = self.page()["question"]
        return self.table.answer(question["id"], index, f"c{next(self._ids)}")

    def page(self, seat: Seat = TABLE) -> dict[str, Any]:
        return self.table.page(seat)

    def texts(self, seat: Seat = TABLE) -> list[str]:
        return [line["text"] for line in self.page(seat)["log"]]

    def seq_of(self, text: str) -> int:
        """The journal number of the one line of the log with this text in it."""
        (found,) = {line["seq"] for line in self.page()["log"] if text in line["text"]}
        return int(found)

    def pass_seen(
        self, door: str, origin: str, *, at_us: int | None = None, width_us: int = 400, sure: float = 1.0
    ) -> Sighting:
        """A complete pass, finished now unless said otherwise; the race asks about one that is not very sure."""
        at_us = self.now_us if at_us is None else at_us
        target = next(box for box in DOORS[door] if box != origin)
        edges = tuple(EdgeId("a1b2c3d4", next(self._edges)) for _ in range(4))
        return Sighting(
            Seen.PASS, door, at_us - width_us, at_us, origin, target, speed_mm_s=800.0, confidence=sure, edges=edges
        )

    def see(self, *sightings: Sighting) -> None:
        self.table.on_sightings(sightings)

    def flick(self, door: str, origin: str) -> Sighting:
        """A moment later, a piece passes a Door."""
        self.wait(500)
        seen = self.pass_seen(door, origin)
        self.wait(5)
        self.see(seen)
        return seen

    def settle(self) -> None:
        last_us = self.now_us
        self.wait(900)
        self.see(Sighting(Seen.SETTLED, "", last_us, self.now_us, edges=(EdgeId("a1b2c3d4", next(self._edges)),)))
