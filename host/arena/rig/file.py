"""The rig file as the daemon holds it: one physical table, checked, and what is made from it.

``loader.load_rig`` makes a ``RigFile``; nothing else should, for only it checks what a person wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..words import PieceId, PlaceId

Point = tuple[float, float]

SETTLE_US = 5000
"""How long a switch must be still before the board believes it; goes into ``board.json``."""

GATES = 8
"""How many gates a board takes; those with a counter come first, and only they need to be known there."""


@dataclass(frozen=True, slots=True)
class Box:
    """A Box: ``rect_mm`` is west, south, east, north. Only ``outer`` ones have a Launch Area."""

    name: PlaceId
    level: str
    outer: bool
    rect_mm: tuple[float, float, float, float]
    label: str

    def holds(self, point: Point) -> bool:
        west, south, east, north = self.rect_mm
        return west <= point[0] <= east and south <= point[1] <= north


@dataclass(frozen=True, slots=True)
class Door:
    """A Door. ``boxes[0]`` lies at the smaller coordinate along ``axis``, and so does beam A.

    Passing from ``boxes[0]`` to ``boxes[1]`` breaks A first and counts +4 on a gate counter.
    ``axis`` is the direction in which one passes, ``spacing_mm`` lies between the two beams.
    """

    name: PlaceId
    level: str
    boxes: tuple[PlaceId, PlaceId]
    at_mm: Point
    width_mm: float
    axis: str
    spacing_mm: float


@dataclass(frozen=True, slots=True)
class Hole:
    """A Hole in the floor of ``box``; what falls in arrives in the Box ``below``."""

    name: PlaceId
    box: PlaceId
    below: PlaceId
    at_mm: Point
    diameter_mm: float


@dataclass(frozen=True, slots=True)
class Depot:
    """The Depot of one piece."""

    piece: PieceId
    box: PlaceId
    at_mm: Point


@dataclass(frozen=True, slots=True)
class Input:
    """One input of a board. ``active`` is the pin's level when a beam is dark or a switch pressed.

    ``beam`` is "A" or "B" at a Door and "" elsewhere; ``kind`` is "beam" or "switch".
    """

    place: PlaceId
    beam: str
    channel: int
    pin: int
    active: int
    pull: str
    kind: str

    def says(self) -> str:
        """The input in an owner's words: "beam A of D1", "the beam of H1", "the switch of L1"."""
        if self.kind == "switch":
            return f"the switch of {self.place}"
        return f"beam {self.beam} of {self.place}" if self.beam else f"the beam of {self.place}"


@dataclass(frozen=True, slots=True)
class Gate:
    """What a hardware counter watches: a Door's two channels, or a Hole's one (``b`` is -1).

    ``index`` is how the wire names the gate; ``counter`` is the chip's unit, -1 where it has none.
    """

    place: PlaceId
    index: int
    a: int
    b: int
    counter: int


@dataclass(frozen=True, slots=True)
class Strip:
    """A chain of WS2812 pixels. ``places``: the first pixel and how many each place has."""

    index: int
    pin: int
    pixels: int
    order: str
    brightness: int
    limit_ma: int
    places: Mapping[PlaceId, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Board:
    """One ESP32. ``identity`` is its ``machine.unique_id()`` in hex, or "" while nobody entered it."""

    name: str
    kind: str
    identity: str
    supply_ma: int
    inputs: tuple[Input, ...]
    gates: tuple[Gate, ...]
    strips: tuple[Strip, ...]


@dataclass(frozen=True, slots=True)
class Pixels:
    """The run of pixels that belongs to one place."""

    board: str
    strip: int
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class RigFile:
    """One checked rig file. Mappings go by name, in the order of the file."""

    name: str
    title: str
    origin: str
    size_mm: Point
    wall_mm: float
    mecha_mm: float
    boxes: Mapping[PlaceId, Box]
    doors: Mapping[PlaceId, Door]
    holes: Mapping[PlaceId, Hole]
    launchers: Mapping[PlaceId, str]
    buttons: Mapping[PlaceId, str]
    depots: Mapping[PieceId, Depot]
    boards: Mapping[str, Board]

    def input(self, board: str, channel: int) -> Input | None:
        """The input that a board calls ``channel``, or ``None``: another file was flashed there."""
        inputs = self.boards[board].inputs if board in self.boards else ()
        return inputs[channel] if 0 <= channel < len(inputs) else None

    def pixels(self) -> dict[PlaceId, Pixels]:
        """Every place that has pixels, and where they are."""
        return {
            place: Pixels(board.name, strip.index, first, count)
            for board in self.boards.values()
            for strip in board.strips
            for place, (first, count) in strip.places.items()
        }

    def names(self) -> dict[str, str]:
        """Board identities (hex) to the names in this file, as far as an owner entered them."""
        return {board.identity: board.name for board in self.boards.values() if board.identity}

    def map(self) -> dict[str, Any]:
        """The table for pages, games and the simulation, as plain JSON values."""
        return {
            "title": self.title,
            "origin": self.origin,
            "size_mm": list(self.size_mm),
            "wall_mm": self.wall_mm,
            "mecha_mm": self.mecha_mm,
            "boxes": {
                box.name: {"level": box.level, "outer": box.outer, "rect_mm": list(box.rect_mm), "label": box.label}
                for box in self.boxes.values()
            },
            "doors": {
                door.name: {
                    "level": door.level,
                    "boxes": list(door.boxes),
                    "at_mm": list(door.at_mm),
                    "width_mm": door.width_mm,
                    "axis": door.axis,
                    "spacing_mm": door.spacing_mm,
                }
                for door in self.doors.values()
            },
            "holes": {
                hole.name: {
                    "box": hole.box,
                    "below": hole.below,
                    "at_mm": list(hole.at_mm),
                    "diameter_mm": hole.diameter_mm,
                }
                for hole in self.holes.values()
            },
            "depots": {depot.piece: {"box": depot.box, "at_mm": list(depot.at_mm)} for depot in self.depots.values()},
            "launchers": {name: {"label": label} for name, label in self.launchers.items()},
            "buttons": {name: {"label": label} for name, label in self.buttons.items()},
            "launch_boxes": [box.name for box in self.boxes.values() if box.outer and box.level == "lower"],
        }

    def board_json(self, name: str) -> bytes:
        """``board.json`` as it lies on that board, byte for byte: its digest is how the host knows it."""
        return json.dumps(self.board_config(name)).encode()

    def board_config(self, name: str) -> dict[str, Any]:
        """What ``board.json`` on that board says; an input's index is its channel."""
        board = self.boards[name]
        return {
            "name": board.name,
            "inputs": [
                {"pin": each.pin, "active": each.active, "pull": each.pull, "kind": each.kind} for each in board.inputs
            ],
            "gates": [{"a": gate.a, "b": gate.b, "counter": gate.counter} for gate in board.gates[:GATES]],
            "strips": [
                {
                    "pin": strip.pin,
                    "pixels": strip.pixels,
                    "order": strip.order,
                    "brightness": strip.brightness,
                    "limit_ma": strip.limit_ma,
                }
                for strip in board.strips
            ],
            "settle_us": SETTLE_US,
        }
