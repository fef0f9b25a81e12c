"""The simulated table: weighted round Mechas on two levels, as 2-D rigid bodies seen from above.

Pure and seeded: the same state and the same movement give the same flight, faster than real time.
Lengths are mm, speeds in arguments m/s, angles radians counter-clockwise from the east.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .flight import BeamEvent, Flight, Spot
from .layout import LEVELS, MECHA_RADIUS_MM, Layout
from .motion import Motion

TOP_SPEED_M_S = 6.0


class Impossible(ValueError):
    """A movement that nobody could make at a real table; the message says why."""


class Physics:
    """A table with its pieces. ``flick``, ``launch`` and ``place`` change it and return the Flight."""

    def __init__(self, table: Mapping[str, Any] | Layout, seed: int = 0) -> None:
        self.layout = table if isinstance(table, Layout) else Layout(table)
        self.seed = seed
        self.moves = 0
        self.spots: dict[str, Spot] = {d.piece: Spot(d.level, d.x, d.y) for d in self.layout.depots.values()}

    # State

    def dump(self) -> dict[str, Any]:
        """The whole state as JSON."""
        spots = {piece: [spot.level, spot.x, spot.y] for piece, spot in self.spots.items()}
        return {"seed": self.seed, "moves": self.moves, "spots": spots}

    @classmethod
    def load(cls, table: Mapping[str, Any] | Layout, state: Mapping[str, Any]) -> Physics:
        physics = cls(table, state["seed"])
        physics.moves = state["moves"]
        physics.spots = {piece: Spot(*spot) for piece, spot in state["spots"].items()}
        return physics

    def copy(self, seed: int | None = None) -> Physics:
        """The same table for looking ahead; another seed gives it other luck with jumps and Launches."""
        twin = Physics(self.layout, self.seed if seed is None else seed)
        twin.moves, twin.spots = self.moves, dict(self.spots)
        return twin

    def where(self, piece: str) -> tuple[str, ...]:
        """The Boxes that a piece is in, two where it reaches through a Door; ("outside",) off the table."""
        spot = self.spots[piece]
        box = self.layout.box_at(spot.level, spot.x, spot.y)
        if box is None:
            return ("outside",)
        for frame in self.layout.frames_on[spot.level]:
            if frame.holds(spot.x, spot.y) and abs(frame.depth(spot.x, spot.y)) < MECHA_RADIUS_MM:
                return (box, *(other for other in frame.boxes if other != box))
        return (box,)

    def dark(self) -> set[tuple[str, str]]:
        """The beams that pieces at rest keep dark, as (place, beam)."""
        return {
            (frame.name, beam.name)
            for spot in self.spots.values()
            if spot.level in LEVELS
            for frame in self.layout.frames_on[spot.level]
            for beam in frame.beams
            if beam.covered(spot.x, spot.y)
        }

    # Movements

    def flick(self, piece: str, angle_rad: float, speed_m_s: float) -> Flight:
        """Flick a piece. ``Impossible`` if it is off the table or the speed is not in 0–6 m/s."""
        spot = self._spot(piece)
        if spot.level == "off":
            raise Impossible(f"{piece} is off the table; place it before flicking it")
        if not 0 < speed_m_s <= TOP_SPEED_M_S or not math.isfinite(angle_rad):
            raise Impossible(f"a Flick needs a speed from 0 to {TOP_SPEED_M_S:g} m/s, not {speed_m_s!r}")
        motion = self._motion("flick", piece)
        motion.push(math.cos(angle_rad) * speed_m_s * 1_000, math.sin(angle_rad) * speed_m_s * 1_000)
        return self._run(motion)

    def launch(self, piece: str, aim_mm: tuple[float, float] | None = None) -> Flight:
        """Launch a piece from its outer Lower Box towards a point of the Upper level (its nearest Box's middle).

        It scatters, lands in an Upper Box or outside, and slides on. ``Impossible`` from any other Box.
        """
        spot = self._spot(piece)
        boxes = self.where(piece)
        if spot.level != "lower" or not set(boxes) & set(self.layout.launch_boxes):
            names = ", ".join(self.layout.launch_boxes)
            raise Impossible(f"{piece} can be launched from an outer Box ({names}), not from {' and '.join(boxes)}")
        if aim_mm is None:
            uppers = [self.layout.centre(box) for box in self.layout.upper_boxes()]
            aim_mm = min(uppers, key=lambda at: math.hypot(at[0] - spot.x, at[1] - spot.y))
        motion = self._motion("launch", piece)
        motion.launch(aim_mm)
        return self._run(motion)

    def place(
        self, piece: str, to: str | None = None, *, at_mm: tuple[float, float] | None = None, level: str = "lower"
    ) -> Flight:
        """Put a piece down by hand: ``to`` a Box, "depot" or "off", or ``at_mm`` on a level; nearest free spot.

        The hand breaks no beam; beams that the piece kept dark, or now covers at rest, do change.
        """
        self._spot(piece)
        before = self.dark()
        if at_mm is not None:
            spot = self._free(piece, level, *at_mm, by_hand=True)
        elif to == "off":
            spot = Spot("off", 0.0, 0.0)
        elif to == "depot":
            depot = self.layout.depots[piece]
            spot = self._free(piece, depot.level, depot.x, depot.y)
        elif to in self.layout.boxes:
            spot = self._free(piece, self.layout.boxes[to][0], *self.layout.centre(to), box=to)
        else:
            raise Impossible(f'a piece can be placed in a Box, on its "depot" or "off" the table, not at {to!r}')
        self.spots[piece] = spot
        self.moves += 1
        after = self.dark()
        flight = Flight("place", piece, samples={piece: [(0, spot.x, spot.y, spot.level)]})
        flight.beams = [BeamEvent(0, *key, 0) for key in sorted(before - after)]
        flight.beams += [BeamEvent(0, *key, 1) for key in sorted(after - before)]
        flight.stuck = stuck_pieces(self)
        return flight

    def _run(self, motion: Motion) -> Flight:
        flight = motion.run()
        self.spots = motion.spots()
        self.moves += 1
        flight.stuck = stuck_pieces(self)
        if flight.kind == "launch":
            flight.landed = self.where(flight.piece)[0]
        return flight

    def _motion(self, kind: str, piece: str) -> Motion:
        return Motion(self.layout, self.spots, f"{self.seed}/{self.moves}", Flight(kind, piece))

    def _free(self, piece: str, level: str, x: float, y: float, box: str | None = None, by_hand: bool = False) -> Spot:
        others = [(spot.x, spot.y) for name, spot in self.spots.items() if name != piece and spot.level == level]
        at = self.layout.free_spot(level, x, y, others, box=box, in_frames=by_hand)
        if at is None:
            raise Impossible(f"there is no free spot for {piece} on the {level.capitalize()} level there")
        return Spot(level, *at)

    def _spot(self, piece: str) -> Spot:
        if piece not in self.spots:
            raise Impossible(f"there is no {piece!r} on this table, only {', '.join(self.spots)}")
        return self.spots[piece]


def stuck_pieces(physics: Physics) -> list[tuple[str, str]]:
    """(piece, Door) for every piece at rest of which even a small part is in a Door's frame."""
    return [
        (piece, frame.name)
        for piece, spot in physics.spots.items()
        if spot.level in LEVELS
        for frame in physics.layout.frames_on[spot.level]
        if frame.holds(spot.x, spot.y)
    ]
