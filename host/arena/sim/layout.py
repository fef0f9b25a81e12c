"""The solid shape of one table, from the rig's map: walls, Door frames, beams, Holes and Depots.

Lengths are millimetres; y grows to the north. The map gives Boxes as rectangles; walls follow from
their edges, minus the Doors' openings. A beam needs something to sit in, so each Door gets two
posts that reach a little past its beams.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MECHA_RADIUS_MM = 15.0
WALL_RADIUS_MM = 2.0  # walls are 4 mm thick
POST_RADIUS_MM = 3.0
LEVELS = ("lower", "upper")


@dataclass(frozen=True, slots=True)
class Wall:
    """A straight rounded bar. ``outer``: nothing of its level lies behind it."""

    level: str
    x0: float
    y0: float
    x1: float
    y1: float
    radius: float
    outer: bool

    def gap_mm(self, x: float, y: float) -> float:
        """How far a point is from the bar's surface; negative inside."""
        dx, dy = self.x1 - self.x0, self.y1 - self.y0
        length2 = dx * dx + dy * dy
        t = 0.0 if length2 == 0 else max(0.0, min(1.0, ((x - self.x0) * dx + (y - self.y0) * dy) / length2))
        return math.hypot(x - self.x0 - t * dx, y - self.y0 - t * dy) - self.radius


@dataclass(frozen=True, slots=True)
class Beam:
    """One light beam across a Door's opening, from (x0, y0) to (x1, y1)."""

    name: str
    x0: float
    y0: float
    x1: float
    y1: float

    def covered(self, x: float, y: float) -> bool:
        """Whether a Mecha whose centre is at (x, y) keeps the beam dark."""
        dx = max(self.x0 - x, 0.0, x - self.x1)
        dy = max(self.y0 - y, 0.0, y - self.y1)
        return dx * dx + dy * dy < MECHA_RADIUS_MM * MECHA_RADIUS_MM


@dataclass(frozen=True, slots=True)
class Frame:
    """A Door: its opening, its two beams and the two Boxes, ``boxes[0]`` at the smaller coordinate."""

    name: str
    level: str
    boxes: tuple[str, str]
    x: float
    y: float
    width: float
    axis: str
    beams: tuple[Beam, Beam]

    def depth(self, x: float, y: float) -> float:
        """How far a point is past the middle of the Door, along the passing axis."""
        return x - self.x if self.axis == "x" else y - self.y

    def near(self, x: float, y: float) -> bool:
        """Whether a Mecha moving at most 10 mm a step may be at the beams: a cheap first look."""
        reach = self.width / 2 + MECHA_RADIUS_MM + 15
        return abs(x - self.x) < reach and abs(y - self.y) < reach

    def side(self, x: float, y: float) -> str:
        return self.boxes[self.depth(x, y) >= 0]

    def holds(self, x: float, y: float) -> bool:
        """Whether any part of a Mecha centred at (x, y) is between the posts, as the beams see it."""
        return self.beams[0].covered(x, y) or self.beams[1].covered(x, y)


@dataclass(frozen=True, slots=True)
class Hole:
    name: str
    box: str
    below: str
    x: float
    y: float
    radius: float

    def under(self, x: float, y: float) -> bool:
        """Whether a Mecha whose centre is at (x, y) has no floor under its middle."""
        return math.hypot(x - self.x, y - self.y) < self.radius


@dataclass(frozen=True, slots=True)
class Depot:
    piece: str
    box: str
    level: str
    x: float
    y: float


class Layout:
    """Everything solid on a table, ready for the physics. Immutable; shared by all copies."""

    def __init__(self, table_map: Mapping[str, Any]) -> None:
        self.boxes: dict[str, tuple[str, tuple[float, float, float, float]]] = {
            name: (box["level"], tuple(box["rect_mm"])) for name, box in table_map["boxes"].items()
        }
        self.outer_boxes = tuple(name for name, box in table_map["boxes"].items() if box.get("outer"))
        self.launch_boxes = tuple(table_map.get("launch_boxes") or self.outer_boxes)
        self.frames = tuple(_frame(name, door) for name, door in table_map["doors"].items())
        self.holes = tuple(
            Hole(name, hole["box"], hole["below"], hole["at_mm"][0], hole["at_mm"][1], hole["diameter_mm"] / 2)
            for name, hole in table_map["holes"].items()
        )
        self.depots = {
            piece: Depot(piece, depot["box"], self.boxes[depot["box"]][0], *depot["at_mm"])
            for piece, depot in table_map["depots"].items()
        }
        self.launchers = tuple(table_map["launchers"])
        self.walls = tuple(_walls(self.boxes.values(), self.frames))
        self.frames_on = {level: tuple(f for f in self.frames if f.level == level) for level in LEVELS}
        self.walls_on = {level: tuple(w for w in self.walls if w.level == level) for level in LEVELS}

    def box_at(self, level: str, x: float, y: float) -> str | None:
        for name, (box_level, (x0, y0, x1, y1)) in self.boxes.items():
            if box_level == level and x0 <= x <= x1 and y0 <= y <= y1:
                return name
        return None

    def centre(self, box: str) -> tuple[float, float]:
        x0, y0, x1, y1 = self.boxes[box][1]
        return (x0 + x1) / 2, (y0 + y1) / 2

    def free_spot(
        self,
        level: str,
        x: float,
        y: float,
        others: Iterable[tuple[float, float]],
        *,
        box: str | None = None,
        in_frames: bool = False,
        over_holes: bool = False,
    ) -> tuple[float, float] | None:
        """The spot nearest to (x, y) where a Mecha touches no wall and none of the ``others``.

        In ``box`` if given; clear of Doors' frames and Holes unless allowed. None if there is none.
        """
        taken = list(others)

        def free(px: float, py: float) -> bool:
            at = self.box_at(level, px, py)
            return (
                at is not None
                and (box is None or at == box)
                and all(math.hypot(px - ox, py - oy) >= 2 * MECHA_RADIUS_MM + 0.5 for ox, oy in taken)
                and all(wall.gap_mm(px, py) >= MECHA_RADIUS_MM + 0.2 for wall in self.walls_on[level])
                and (in_frames or not any(frame.holds(px, py) for frame in self.frames_on[level]))
                and (over_holes or not any(h.box == at and h.under(px, py) for h in self.holes))
            )

        for ring in range(200):  # 4 mm apart: 0.8 m covers any table
            steps = max(1, 6 * min(ring, 8))
            for step in range(steps):
                turn = 2 * math.pi * step / steps
                px, py = x + 4 * ring * math.cos(turn), y + 4 * ring * math.sin(turn)
                if free(px, py):
                    return px, py
        return None

    def opponents(self, piece: str, other: str) -> bool:
        """Whether two pieces' Depots lie in different Boxes: a team's Depots share one."""
        return self.depots[piece].box != self.depots[other].box

    def upper_boxes(self) -> tuple[str, ...]:
        return tuple(name for name, (level, _) in self.boxes.items() if level == "upper")


def _frame(name: str, door: Mapping[str, Any]) -> Frame:
    x, y = door["at_mm"]
    half, aside = door["width_mm"] / 2, door["spacing_mm"] / 2
    beams = tuple(
        Beam(beam, x + shift, y - half, x + shift, y + half)
        if door["axis"] == "x"
        else Beam(beam, x - half, y + shift, x + half, y + shift)
        for beam, shift in (("a", -aside), ("b", aside))
    )
    first, second = door["boxes"]
    return Frame(name, door["level"], (first, second), x, y, door["width_mm"], door["axis"], (beams[0], beams[1]))


def _walls(boxes: Iterable[tuple[str, tuple[float, float, float, float]]], frames: Iterable[Frame]) -> list[Wall]:
    # Edges on one line, by (level, direction, coordinate): how many Boxes border on each stretch
    lines: dict[tuple[str, str, float], list[tuple[float, float]]] = {}
    for level, (x0, y0, x1, y1) in boxes:
        for direction, coordinate, begin, end in (
            ("x", x0, y0, y1),
            ("x", x1, y0, y1),
            ("y", y0, x0, x1),
            ("y", y1, x0, x1),
        ):
            lines.setdefault((level, direction, coordinate), []).append((begin, end))
    walls = []
    for (level, direction, coordinate), edges in lines.items():
        here = [f for f in frames if f.level == level and f.axis == direction and f.depth(coordinate, coordinate) == 0]
        openings = [
            (along - f.width / 2 - POST_RADIUS_MM, along + f.width / 2 + POST_RADIUS_MM)
            for f in here
            for along in [f.y if direction == "x" else f.x]
        ]
        cuts = sorted({end for stretch in edges + openings for end in stretch})
        for begin, end in itertools.pairwise(cuts):
            middle = (begin + end) / 2
            borders = sum(a < middle < b for a, b in edges)
            if borders and not any(a < middle < b for a, b in openings):
                line = (
                    (coordinate, begin, coordinate, end) if direction == "x" else (begin, coordinate, end, coordinate)
                )
                walls.append(Wall(level, *line, WALL_RADIUS_MM, outer=borders == 1))
    for f in frames:
        reach = abs(f.depth(f.beams[0].x0, f.beams[0].y0)) + 2 - POST_RADIUS_MM
        for side in (-1, 1):
            aside = side * (f.width / 2 + POST_RADIUS_MM)
            line = (
                (f.x - reach, f.y + aside, f.x + reach, f.y + aside)
                if f.axis == "x"
                else (f.x + aside, f.y - reach, f.x + aside, f.y + reach)
            )
            walls.append(Wall(f.level, *line, POST_RADIUS_MM, outer=False))
    return walls
