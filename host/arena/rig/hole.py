"""Watches one Hole: a single beam, through which things only fall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words import Edge, EdgeId, Seen, Sighting
from .file import Gate
from .file import Hole as HoleEntry
from .passage import wrapped

FALLING_US = (3_000, 500_000)  # how long a falling Mecha keeps the beam dark
EDGES_PER_DROP = 2  # a Hole's counter counts both edges of its beam
MISSED_US = 100_000  # the longest time in which a board does not look


class HoleWatch:
    """The state of one Hole. A drop is complete when the beam is clear again."""

    due_us: int | None = None  # a Hole never has to wait

    def __init__(self, hole: HoleEntry, gate: Gate) -> None:
        self.hole = hole
        self.place = hole.name
        self.counted = gate.counter >= 0
        self.flickers = False
        self.forget(None)

    def forget(self, counter: int | None) -> None:
        """Nothing is known: the board started. ``counter`` is 0 where all since then will be seen."""
        self.level: int | None = None
        self.dark: tuple[int, int, EdgeId | None] | None = None  # since when it is dark, and by which edge
        self.stuck = False
        self.counter = counter
        self.said = 0  # drops told since the last reading
        self.changed_us: int | None = None

    def begin(self, counter: int | None) -> None:
        """The first that is heard of the board: its counter's base, where all since its start will be seen."""
        self.counter = counter

    def lose(self) -> None:
        """Edges were lost: the level is unknown, while the counter went on counting."""
        self.level, self.dark, self.stuck = None, None, False

    @property
    def levels(self) -> list[int | None]:
        return [self.level]

    def fold(self, beam: int, edge: Edge) -> list[Sighting]:
        """What follows at once from one edge."""
        known, self.level, self.changed_us = self.level, edge.level, edge.latest_us
        if edge.level:
            self.dark, self.stuck = (edge.earliest_us, edge.latest_us, edge.id), False
            return []
        dark, stuck, self.dark, self.stuck = self.dark, self.stuck, None, False
        if known == 0:
            return []  # clear again, of what was never seen to go dark
        self.said += 1
        if dark is None:
            return [self._drop(edge.earliest_us, edge.latest_us, (edge.id,), 0.5, "Nobody saw it begin.")]
        ids = (dark[2], edge.id) if dark[2] is not None else (edge.id,)
        took_us = edge.latest_us - dark[1]
        if stuck:
            note = "Something had stayed in the Hole: a hand may have taken it out."
            return [self._drop(edge.earliest_us, edge.latest_us, ids, 0.5, note)]
        if took_us > FALLING_US[1]:
            return [self._drop(dark[0], edge.latest_us, ids, 0.5, "It took long for a fall: a hand?")]
        if took_us < FALLING_US[0]:
            return [self._drop(dark[0], edge.latest_us, ids, 0.5, "It was very short for a Mecha.")]
        return [self._drop(dark[0], edge.latest_us, ids, 1.0, "")]

    def count(self, edge: Edge) -> list[Sighting]:
        """What a reading of the counter adds: drops whose edges were missed."""
        assert edge.count is not None
        last, self.counter = self.counter, edge.count
        said, self.said = self.said, 0
        quiet_us, self.changed_us = self.changed_us, edge.latest_us
        self.level, self.dark = 0, None
        if last is None:
            return []
        more = wrapped(edge.count - last) // EDGES_PER_DROP - said
        if more <= 0:
            return []  # a short glitch that only the board's looking saw is told with little confidence
        since = min(max(quiet_us or 0, edge.earliest_us - MISSED_US), edge.earliest_us)
        note = "The counter saw it; its edges were missed."
        return [self._drop(since, edge.latest_us, (edge.id,), 0.8, note)]

    def later(self, at_us: int) -> list[Sighting]:
        return []

    def tick(self) -> list[Sighting]:
        return []

    def settle(self) -> list[Sighting]:
        """Nothing moves any more: what keeps the beam dark is stuck."""
        if self.dark is None or self.stuck:
            return []
        self.stuck = True
        earliest_us, latest_us, edge = self.dark
        return [
            Sighting(
                Seen.STUCK,
                self.place,
                earliest_us,
                latest_us,
                self.hole.box,
                self.hole.below,
                sides=(self.hole.box,),
                edges=(edge,) if edge is not None else (),
            )
        ]

    def say_level(self, beam: int, level: int, at_us: int) -> None:
        """Take a level from a status."""
        self.level, self.stuck = level, False
        self.dark = (at_us, at_us, None) if level else None

    def sick(self) -> str | None:
        return None

    def _drop(
        self, earliest_us: int, latest_us: int, ids: tuple[EdgeId, ...], confidence: float, note: str
    ) -> Sighting:
        return Sighting(
            Seen.DROP,
            self.place,
            earliest_us,
            latest_us,
            self.hole.box,
            self.hole.below,
            confidence=confidence * (0.5 if self.flickers else 1.0),
            edges=ids,
            note=note,
        )

    def to_json(self) -> dict[str, Any]:
        dark = self.dark
        return {
            "level": self.level,
            "dark": [dark[0], dark[1], *((dark[2].boot, dark[2].number) if dark[2] else ())] if dark else None,
            "stuck": self.stuck,
            "counter": self.counter,
            "said": self.said,
            "changed_us": self.changed_us,
        }

    def recall(self, data: Mapping[str, Any]) -> None:
        row = data["dark"]
        self.level, self.stuck, self.counter = data["level"], data["stuck"], data["counter"]
        self.dark = (row[0], row[1], EdgeId(*row[2:]) if len(row) == 4 else None) if row else None
        self.said, self.changed_us = data["said"], data["changed_us"]
