"""Choosing a movement by looking ahead: what a good player sees in the table before flicking.

Lengths are mm. Seeded, so that a scripted game can be played again.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .flight import Flight
from .layout import MECHA_RADIUS_MM, Frame, Hole, Layout
from .motion import ROLLING_MM_S2
from .physics import Impossible, Physics

CANDIDATES = 48
COLLECT, OUTSIDE, STUCK, HIT = 1_000.0, -250.0, -60.0, 25.0  # worth, against one mm nearer to a goal
LAUNCH_MM = 350.0  # what a Launch costs, as a way
FAR_MM = 3_000.0
TYPICAL_SPEED_M_S = (0.5, 2.6)


@dataclass(frozen=True, slots=True)
class Plan:
    """One movement that somebody means to make, and what looking ahead made of it."""

    kind: str
    piece: str
    angle_rad: float = 0.0
    speed_m_s: float = 0.0
    aim_mm: tuple[float, float] | None = None
    worth: float = -math.inf


class Planner:
    """Chooses for one piece at a time; ``goals`` are the Doors and Holes that still hold its markers."""

    def __init__(self, layout: Layout, chance: random.Random) -> None:
        self.layout, self.chance = layout, chance
        self.places: dict[str, Frame | Hole] = {
            **{frame.name: frame for frame in layout.frames},
            **{hole.name: hole for hole in layout.holes},
        }

    def choose(self, table: Physics, piece: str, goals: Collection[str], candidates: int = CANDIDATES) -> Plan:
        """The best of some dozens of movements. Luck with jumps and Launches is not known beforehand."""
        best = Plan("flick", piece, self.chance.uniform(-math.pi, math.pi), 1.0)
        plans = [*self._launches(table, piece, goals), *self._flicks(table, piece, goals, candidates)]
        for tried, plan in enumerate(plans):
            ahead = table.copy(seed=self.chance.getrandbits(32))
            try:
                flight = make(ahead, plan)
            except Impossible:
                continue
            worth = self.worth(ahead, flight, goals)
            if worth > best.worth:
                best = Plan(plan.kind, piece, plan.angle_rad, plan.speed_m_s, plan.aim_mm, worth)
            if best.worth >= (2 if tried < candidates / 2 else 0.8) * COLLECT:
                break  # good enough; people do not look for longer either
        return best

    def worth(self, table: Physics, flight: Flight, goals: Collection[str]) -> float:
        """How good a movement was for its mover: markers first, then how near it stands to the next."""
        mover = flight.piece
        taken = {passed.place for passed in flight.passes if passed.piece == mover} & set(goals)
        enemies = [piece for piece in flight.hits if self.layout.opponents(mover, piece)]
        worth = COLLECT * len(taken) + HIT * len(enemies) - self.way(table, mover, set(goals) - taken) / 4
        worth += OUTSIDE * len([piece for piece in flight.outside if not self.layout.opponents(mover, piece)])
        return worth + STUCK * sum(piece == mover for piece, _ in flight.stuck)

    def way(self, table: Physics, piece: str, goals: Collection[str]) -> float:
        """The shortest way from a piece to a goal, through Doors, Holes and by Launch."""
        if not goals:
            return 0.0
        spot = table.spots[piece]
        if spot.level == "off":
            depot = self.layout.depots[piece]
            start, box = (depot.x, depot.y), depot.box
        else:
            start, box = (spot.x, spot.y), table.where(piece)[0]
        heap: list[tuple[float, tuple[float, float], str]] = [(0.0, start, box)]
        seen: set[tuple[tuple[float, float], str]] = set()
        while heap:
            way, at, box = heapq.heappop(heap)
            if (at, box) in seen:
                continue
            seen.add((at, box))
            for name, point, beyond in self._exits(box):
                further = way + math.dist(at, point)
                if name in goals:
                    heapq.heappush(heap, (further, point, ""))
                heapq.heappush(heap, (further + 60, point, beyond))  # each Door on the way is a risk
            if box == "":
                return way
            if box in self.layout.launch_boxes:
                for upper in self.layout.upper_boxes():
                    heapq.heappush(heap, (way + LAUNCH_MM, self.layout.centre(upper), upper))
        return FAR_MM

    def _exits(self, box: str) -> Iterable[tuple[str, tuple[float, float], str]]:
        for frame in self.layout.frames:
            if box in frame.boxes:
                yield frame.name, (frame.x, frame.y), frame.boxes[frame.boxes[0] == box]
        for hole in self.layout.holes:
            if hole.box == box:
                yield hole.name, (hole.x, hole.y), hole.below

    def _launches(self, table: Physics, piece: str, goals: Collection[str]) -> list[Plan]:
        upper = [place for place in map(self.places.__getitem__, goals) if self._level(place) == "upper"]
        if not upper or not set(table.where(piece)) & set(self.layout.launch_boxes):
            return []
        aims = [self.layout.centre(box) for box in self.layout.upper_boxes()]
        return [Plan("launch", piece, aim_mm=aim) for aim in aims]

    def _flicks(self, table: Physics, piece: str, goals: Collection[str], candidates: int) -> Iterable[Plan]:
        chance, spot = self.chance, table.spots[piece]
        exits = [each for box in table.where(piece) for each in self._exits(box)]
        wanted = [each for each in exits if each[0] in goals]
        for number in range(candidates):
            # First straight at what it wants, then at any way out, then anywhere: walls lead to Doors, too
            near = wanted if wanted and number % 3 else exits
            speed = chance.uniform(*TYPICAL_SPEED_M_S)
            if near and number % 8 != 7:
                name, (x, y), _ = chance.choice(near)
                angle = math.atan2(y - spot.y, x - spot.x) + chance.gauss(0, 0.08)
                if isinstance(self.places[name], Hole):
                    speed = arriving_at(math.hypot(x - spot.x, y - spot.y), chance.uniform(0.1, 0.7))
            else:
                angle = chance.uniform(-math.pi, math.pi)
            yield Plan("flick", piece, angle, min(speed, 6.0))

    def _level(self, place: Frame | Hole) -> str:
        return place.level if isinstance(place, Frame) else "upper"

    def white_line(self, door: str, box: str) -> tuple[float, float]:
        """A point in ``box`` straight in front of a Door, where a Mecha stuck in it may be moved to."""
        frame = next(each for each in self.layout.frames if each.name == door)
        away = (3 * MECHA_RADIUS_MM) * (-1 if frame.boxes[0] == box else 1)
        return (frame.x + away, frame.y) if frame.axis == "x" else (frame.x, frame.y + away)


def arriving_at(way_mm: float, speed_m_s: float) -> float:
    """The speed with which to start in order to have ``speed_m_s`` left after a way."""
    return math.sqrt(speed_m_s**2 + 2 * ROLLING_MM_S2 * way_mm / 1e6)


def make(table: Physics, plan: Plan) -> Flight:
    """Make a planned movement on a table (or on a copy, to look ahead)."""
    if plan.kind == "launch":
        return table.launch(plan.piece, plan.aim_mm)
    return table.flick(plan.piece, plan.angle_rad, plan.speed_m_s)
