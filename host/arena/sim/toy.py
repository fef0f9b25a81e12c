"""The toy table: the true physics, the virtual boards that watch it, and what has happened on it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ..rig import RigFile
from .flight import BeamEvent, Flight
from .layout import Layout
from .physics import Impossible, Physics
from .suggest import suggest

AHEAD_US = 50_000  # a movement begins so long after it was computed, so that no beam is told late
KEPT = 500  # movements whose truth can still be asked for

BEAMS = {"a": "A", "b": "B", "h": "", "switch": ""}  # the physics' names to the rig file's


class WatchingBoard(Protocol):
    """What the toy table needs of a virtual board."""

    def feed(self, events: Sequence[tuple[int, int, int]]) -> None:
        """Set pins at their times: (monotonic µs, pin, electrical level)."""

    def pixels(self) -> Sequence[bytes]:
        """What each strip shows, three bytes red, green, blue a pixel."""


def now_us() -> int:
    return time.monotonic_ns() // 1000


class ToyTable:
    """One movement at a time: computed at once, then shown to boards and people as it happens."""

    def __init__(
        self,
        rig: RigFile,
        boards: Mapping[str, WatchingBoard],
        seed: int,
        kept: Path | None = None,
        clock: Callable[[], int] = now_us,
    ) -> None:
        self.map = rig.map()
        self.layout = Layout(self.map)
        self.boards, self.clock, self._kept = boards, clock, kept
        self.physics = self._recall(seed)
        self._pins = {
            (each.place, each.beam): (board.name, each.pin, each.active)
            for board in rig.boards.values()
            for each in board.inputs
        }
        self._pixels = rig.pixels()
        self._history: list[dict[str, Any]] = []
        self._flight: Flight | None = None
        self._began_us = self._ends_us = 0

    def _recall(self, seed: int) -> Physics:
        """The table as it was left when the simulation stopped, if that is of this rig file."""
        if self._kept is not None and self._kept.exists():
            try:
                physics = Physics.load(self.layout, json.loads(self._kept.read_text(encoding="utf-8")))
                if physics.spots.keys() == self.layout.depots.keys():
                    return physics
            except (ValueError, KeyError, TypeError):
                pass  # an older or broken file: begin on the Depots
        return Physics(self.layout, seed)

    def show_all(self) -> None:
        """Tell the boards every input as it is now; for their start."""
        dark = self.physics.dark()
        names = {beam: name for name, beam in BEAMS.items() if beam}
        self._feed(
            [
                BeamEvent(0, place, names.get(beam, "h"), int((place, names.get(beam, "h")) in dark))
                for place, beam in self._pins
            ],
            self.clock(),
        )

    # Movements

    @property
    def moving(self) -> bool:
        return self.clock() < self._ends_us

    def flick(self, piece: str, angle_rad: float, speed_m_s: float) -> dict[str, Any]:
        self._still()
        return self._begin(self.physics.flick(piece, angle_rad, speed_m_s))

    def launch(self, piece: str, aim_mm: tuple[float, float] | None = None) -> dict[str, Any]:
        self._still()
        return self._begin(self.physics.launch(piece, aim_mm))

    def place(self, piece: str, to: str | None, at_mm: tuple[float, float] | None, level: str) -> dict[str, Any]:
        self._still()
        return self._begin(self.physics.place(piece, to, at_mm=at_mm, level=level))

    def _still(self) -> None:
        if self.moving:
            raise Impossible("something is still moving; wait until the table is at rest")

    def _begin(self, flight: Flight) -> dict[str, Any]:
        by_hand = flight.kind == "place"
        self._began_us = self.clock() + (0 if by_hand else AHEAD_US)
        self._ends_us = self._began_us + flight.duration_us
        self._flight = flight
        self._feed(flight.beams, self._began_us)
        number = self._history[-1]["n"] + 1 if self._history else 1
        self._history.append(
            {
                "n": number,
                "at_us": self._began_us,
                "ends_us": self._ends_us,
                **flight.truth(),
                "suggest": suggest(flight, self.layout),
            }
        )
        del self._history[:-KEPT]
        if self._kept is not None:
            half = self._kept.with_suffix(".new")
            half.write_text(json.dumps(self.physics.dump()), encoding="utf-8")
            half.replace(self._kept)
        return {"n": number, "starts_in_ms": 0 if by_hand else AHEAD_US / 1000, "duration_ms": flight.duration_us / 1e3}

    def _feed(self, events: Sequence[BeamEvent], began_us: int) -> None:
        for name, board in self.boards.items():
            told = []
            for event in events:
                board_name, pin, active = self._pins.get((event.place, BEAMS[event.beam]), ("", 0, 0))
                if board_name == name:
                    told.append((began_us + event.at_us, pin, active if event.level else 1 - active))
            if told:
                board.feed(told)

    # Looking

    def truth(self, after: int = 0) -> list[dict[str, Any]]:
        """What has happened since movement ``after``, as far as it is at rest."""
        now = self.clock()
        return [entry for entry in self._history if entry["n"] > after and entry["ends_us"] <= now]

    def ends_in_s(self) -> float:
        return max(0.0, (self._ends_us - self.clock()) / 1e6)

    def key(self) -> tuple[int, bool]:
        """Something cheap that differs whenever the state does."""
        return self._history[-1]["n"] if self._history else 0, self.moving

    def state(self) -> dict[str, Any]:
        """Where everything is. While something moves, ``flight`` has its way and how long ago it began."""
        flight, moving = self._flight, self.moving
        last = self._history[-1] if self._history else None
        return {
            "n": last["n"] if last else 0,
            "moving": moving,
            "physics": self.physics.dump(),
            "pieces": {
                piece: {"level": spot.level, "at_mm": [round(spot.x, 1), round(spot.y, 1)], "boxes": self._where(piece)}
                for piece, spot in self.physics.spots.items()
            },
            "flight": {
                "piece": flight.piece,
                "kind": flight.kind,
                "age_ms": (self.clock() - self._began_us) / 1e3,
                "duration_ms": flight.duration_us / 1e3,
                "samples": flight.samples,
            }
            if moving and flight
            else None,
            "suggest": last["suggest"] if last and not moving else [],
        }

    def _where(self, piece: str) -> list[str]:
        return list(self.physics.where(piece))

    def lights(self) -> dict[str, list[list[int]]]:
        """What each place's pixels show now, as [red, green, blue]."""
        shown = {name: board.pixels() for name, board in self.boards.items()}
        lights = {}
        for place, run in self._pixels.items():
            strips = shown.get(run.board, ())
            colours = strips[run.strip] if run.strip < len(strips) else b""
            lights[place] = [list(colours[3 * i : 3 * i + 3]) for i in range(run.first, run.first + run.count)]
        return lights
