"""One movement, computed to rest: a fresh pymunk space, stepped by 1 ms, with beam times in between."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping

import pymunk

from .flight import BeamEvent, Flight, Pass, Spot
from .layout import MECHA_RADIUS_MM, Beam, Frame, Layout

STEP_US = 1_000
SAMPLE_US = 20_000
LONGEST_US = 12_000_000  # a movement that lasts longer is stopped: nothing real rolls for so long

# Invented, plausible for a 25 g figure with a smooth weighted base on printed cardboard
MASS_G = 25.0
ROLLING_MM_S2 = 1_600.0
MECHA_ELASTICITY, WALL_ELASTICITY = 0.85, 0.65
REST_MM_S = 4.0
JUMP_MM_S, JUMP_CHANCE = 3_000.0, 0.12  # squarely against an outer wall
DROP_MM_S = 800.0  # faster than this a Mecha flies over a Hole
FALL_DARK_US, FALL_CLEAR_US, FALL_US = 64_000, 111_000, 120_000  # beam 20 mm under the floor, 40 mm figure, 70 mm drop
PRESS_US, AIR_US = 250_000, 450_000  # the Launcher is held down, then the Mecha is in the air
SCATTER_MM, FLUB_CHANCE, FLUB_FACTOR = 45.0, 0.12, 3.0

_NOWHERE = pymunk.ShapeFilter(categories=0, mask=0)
_ON = {
    "lower": pymunk.ShapeFilter(categories=1, mask=1),
    "upper": pymunk.ShapeFilter(categories=2, mask=2),
    "air": _NOWHERE,
    "off": _NOWHERE,
}
_MECHA, _OUTER_WALL = 1, 2
Point = tuple[float, float]


class Motion:
    """Begin one with ``push`` or ``launch``, then ``run`` it; ``spots`` says where everything ended."""

    def __init__(self, layout: Layout, spots: Mapping[str, Spot], seed: str, flight: Flight) -> None:
        self.layout, self.flight = layout, flight
        self.chance = random.Random(seed)
        self.now_us = 0
        self.levels = {piece: spot.level for piece, spot in spots.items()}
        self.points: dict[str, Point] = {piece: (spot.x, spot.y) for piece, spot in spots.items()}
        self.bodies: dict[str, pymunk.Body] = {}
        self.shapes: dict[str, pymunk.Circle] = {}
        self.names: dict[pymunk.Shape, str] = {}
        self.awake = {flight.piece: None}  # in order: the mover, and whatever was ever touched
        self.jumping: list[str] = []
        self.landings: list[tuple[int, str, str, Point, Point]] = []  # at, piece, level, point, velocity
        self.changes: list[tuple[int, str, str, int]] = []  # at, place, beam, covered (+1) or no longer (-1)
        self.came_from: dict[tuple[str, str], str | None] = {}  # (piece, Door) -> the side, for pieces in frames
        self.covering: dict[str, set[tuple[str, str]]] = {piece: set() for piece in spots}
        self.space = pymunk.Space()
        self._fill()
        self.covered_first = Counter(key for keys in self.covering.values() for key in keys)

    def _fill(self) -> None:
        for wall in self.layout.walls:
            bar = pymunk.Segment(self.space.static_body, (wall.x0, wall.y0), (wall.x1, wall.y1), wall.radius)
            bar.elasticity, bar.friction, bar.filter = WALL_ELASTICITY, 0.3, _ON[wall.level]
            bar.collision_type = _OUTER_WALL if wall.outer else 0
            self.space.add(bar)
        for piece, level in self.levels.items():
            # Round and smooth: contact friction brakes it, its spin is left out
            body = pymunk.Body(mass=MASS_G, moment=math.inf)
            body.position = self.points[piece]
            circle = pymunk.Circle(body, MECHA_RADIUS_MM)
            circle.elasticity, circle.friction = MECHA_ELASTICITY, 0.2
            circle.filter, circle.collision_type = _ON[level], _MECHA
            self.space.add(body, circle)
            self.bodies[piece], self.shapes[piece], self.names[circle] = body, circle, piece
            for frame in self.layout.frames_on.get(level, ()):
                held = {(frame.name, beam.name) for beam in frame.beams if beam.covered(*self.points[piece])}
                if held:
                    self.came_from[piece, frame.name] = None
                    self.covering[piece] |= held
        self.space.on_collision(_MECHA, _MECHA, begin=self._mechas_meet)
        self.space.on_collision(_MECHA, _OUTER_WALL, begin=self._outer_wall_met)

    def push(self, speed_x: float, speed_y: float) -> None:
        """Give the mover its speed, in mm/s."""
        self.bodies[self.flight.piece].velocity = (speed_x, speed_y)

    def launch(self, aim_mm: Point) -> None:
        """Lift the mover into the Launcher, and let it land somewhere about ``aim_mm``."""
        piece, chance = self.flight.piece, self.chance
        start = self.points[piece]
        for name in self.layout.launchers[:1]:
            self.flight.beams += [BeamEvent(0, name, "switch", 1), BeamEvent(PRESS_US, name, "switch", 0)]
        self._lift(piece, "air")
        scatter = SCATTER_MM * (FLUB_FACTOR if chance.random() < FLUB_CHANCE else 1)
        x, y = aim_mm[0] + chance.gauss(0, scatter), aim_mm[1] + chance.gauss(0, scatter)
        heading = math.atan2(y - start[1], x - start[0]) + chance.gauss(0, 0.3)
        speed = chance.uniform(150, 600)
        level = "off" if self.layout.box_at("upper", x, y) is None else "upper"
        velocity = speed * math.cos(heading), speed * math.sin(heading)
        self.landings.append((PRESS_US + AIR_US, piece, level, (x, y), velocity))

    def run(self) -> Flight:
        """Compute until everything is at rest."""
        self._sample(self.flight.piece)
        while self.now_us < LONGEST_US and (self.landings or self._anything_moves()):
            self._land()
            self.space.step(STEP_US / 1e6)
            for piece in list(self.awake):
                self._follow(piece)
            self.now_us += STEP_US
            for piece in list(self.awake):
                self._brake(piece)
            for piece in self.jumping:
                self._lift(piece, "off")
                self._sample(piece)
                self.flight.outside.append(piece)
            self.jumping.clear()
            if self.now_us % SAMPLE_US == 0:
                for piece in self.awake:
                    if self.bodies[piece].velocity != (0, 0):
                        self._sample(piece)
        for piece in self.awake:
            self._sample(piece)
        self.flight.duration_us = self.now_us
        self.flight.passes.sort(key=lambda each: each.at_us)
        self._tell_beams()
        return self.flight

    def spots(self) -> dict[str, Spot]:
        return {
            piece: Spot("off", 0.0, 0.0) if level == "off" else Spot(level, *self.points[piece])
            for piece, level in self.levels.items()
        }

    # What meets what

    def _mechas_meet(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        first, second = sorted(self.names[shape] for shape in arbiter.shapes)
        self._touch(first, second)

    def _touch(self, first: str, second: str) -> None:
        self.flight.touched.append((self.now_us, first, second))
        mover = self.flight.piece
        for piece, other in ((first, second), (second, first)):
            self.awake.setdefault(piece)
            if other == mover and piece not in self.flight.hits:
                self.flight.hits.append(piece)

    def _outer_wall_met(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: object) -> None:
        piece = next(self.names[shape] for shape in arbiter.shapes if shape in self.names)
        square_on = abs(self.bodies[piece].velocity.dot(arbiter.normal))
        if square_on > JUMP_MM_S and self.chance.random() < JUMP_CHANCE:
            arbiter.process_collision = False
            self.jumping.append(piece)

    # Step by step

    def _anything_moves(self) -> bool:
        return any(self.bodies[piece].velocity != (0, 0) for piece in self.awake)

    def _follow(self, piece: str) -> None:
        """Note where a piece is after a step, and what that did to beams and Doors."""
        before, body = self.points[piece], self.bodies[piece]
        after = (body.position.x, body.position.y)
        if after == before:
            return
        if piece not in self.flight.samples:
            self._sample(piece)
        self.points[piece] = after
        for frame in self.layout.frames_on.get(self.levels[piece], ()):
            if frame.near(*after):
                self._watch(piece, frame, before, after)

    def _watch(self, piece: str, frame: Frame, before: Point, after: Point) -> None:
        covering = self.covering[piece]
        was_in = any((frame.name, beam.name) in covering for beam in frame.beams)
        last_us = self.now_us
        for beam in frame.beams:
            key = (frame.name, beam.name)
            was, now = key in covering, beam.covered(*after)
            if was != now:
                at_us = self.now_us + round(_crossing(beam, before, after) * STEP_US)
                self.changes.append((at_us, *key, 1 if now else -1))
                (covering.add if now else covering.remove)(key)
                last_us = max(last_us, at_us)
        is_in = any((frame.name, beam.name) in covering for beam in frame.beams)
        if is_in and not was_in:
            self.came_from[piece, frame.name] = frame.side(*before)
        elif was_in and not is_in:
            origin, target = self.came_from.pop((piece, frame.name)), frame.side(*after)
            if origin is not None:  # who stood in the frame before has not gone through in one move
                seen = self.flight.bounces if origin == target else self.flight.passes
                seen.append(Pass(last_us, piece, frame.name, origin, target))

    def _brake(self, piece: str) -> None:
        body = self.bodies[piece]
        velocity = body.velocity
        if velocity == (0, 0):
            return
        speed, brake = velocity.length, ROLLING_MM_S2 * STEP_US / 1e6
        body.velocity = (0, 0) if speed <= max(brake, REST_MM_S) else velocity * (1 - brake / speed)
        if self.levels[piece] == "upper" and speed < DROP_MM_S:
            for hole in self.layout.holes:
                if hole.under(*self.points[piece]):
                    self.changes.append((self.now_us + FALL_DARK_US, hole.name, "h", 1))
                    self.changes.append((self.now_us + FALL_CLEAR_US, hole.name, "h", -1))
                    self.flight.passes.append(Pass(self.now_us + FALL_CLEAR_US, piece, hole.name, hole.box, hole.below))
                    self._sample(piece)
                    self._lift(piece, "air")
                    onwards = (velocity.x / 2, velocity.y / 2)
                    self.landings.append((self.now_us + FALL_US, piece, "lower", self.points[piece], onwards))
                    break

    def _lift(self, piece: str, level: str) -> None:
        """Take a piece out of the plane: into the air, or off the table."""
        for key in sorted(self.covering[piece]):
            self.changes.append((self.now_us, *key, -1))
            self.came_from.pop((piece, key[0]), None)
        self.covering[piece].clear()
        self.levels[piece] = level
        self.shapes[piece].filter = _ON[level]
        self.bodies[piece].velocity = (0, 0)

    def _land(self) -> None:
        for landing in [each for each in self.landings if each[0] <= self.now_us]:
            self.landings.remove(landing)
            _, piece, level, point, velocity = landing
            launched = self.flight.kind == "launch" and piece == self.flight.piece and self.flight.touchdown is None
            if level == "off":
                self.levels[piece] = "off"
                self.flight.outside.append(piece)
                self.flight.touchdown = "outside"
                continue
            box = self.layout.box_at(level, *point)
            others = {n: at for n, at in self.points.items() if n != piece and self.levels[n] == level}
            spot = self.layout.free_spot(level, *point, others.values(), box=box, in_frames=True, over_holes=True)
            if launched:
                self.flight.touchdown = box
            for other, at in others.items():
                if math.dist(at, point) < 2 * MECHA_RADIUS_MM:
                    self._touch(*sorted((piece, other)))
            self.levels[piece], self.points[piece] = level, spot or point
            self.shapes[piece].filter = _ON[level]
            self.bodies[piece].position, self.bodies[piece].velocity = self.points[piece], velocity
            for frame in self.layout.frames_on[level]:
                for beam in frame.beams:
                    if beam.covered(*self.points[piece]):
                        self.covering[piece].add((frame.name, beam.name))
                        self.came_from[piece, frame.name] = None
                        self.changes.append((self.now_us, frame.name, beam.name, 1))
            self._sample(piece)

    # The record

    def _sample(self, piece: str) -> None:
        x, y = self.points[piece]
        samples = self.flight.samples.setdefault(piece, [])
        sample = (self.now_us, round(x, 1), round(y, 1), self.levels[piece])
        if not samples or samples[-1] != sample:
            samples.append(sample)

    def _tell_beams(self) -> None:
        """Several pieces may cover one beam: it changes when the first comes and the last goes."""
        covers = self.covered_first
        for at_us, place, beam, change in sorted(self.changes):
            was = covers[place, beam]
            covers[place, beam] += change
            if (was > 0) != (was + change > 0):
                self.flight.beams.append(BeamEvent(at_us, place, beam, int(was == 0)))
        self.flight.beams.sort(key=lambda event: event.at_us)


def _crossing(beam: Beam, before: Point, after: Point) -> float:
    """The share of a step after which a body on a straight way begins or ends to cover a beam."""
    was = beam.covered(*before)
    low, high = 0.0, 1.0
    for _ in range(12):  # a quarter of a microsecond
        middle = (low + high) / 2
        x = before[0] + (after[0] - before[0]) * middle
        y = before[1] + (after[1] - before[1]) * middle
        if beam.covered(x, y) == was:
            low = middle
        else:
            high = middle
    return high
