"""The table's Boxes, Doors, Holes, Depots and Launchers, as the rules need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .content_check import Reader
from .teams import MECHAS


@dataclass(frozen=True, slots=True)
class Places:
    """The rig's map without its geometry. ``ways``: for each Door or Hole, (from, to) for every way through it."""

    labels: Mapping[str, str]
    upper: tuple[str, ...]
    lower: tuple[str, ...]
    launch_boxes: tuple[str, ...]
    doors: Mapping[str, tuple[str, str]]
    holes: Mapping[str, tuple[str, str]]
    depots: Mapping[str, str]
    launchers: tuple[str, ...]
    ways: Mapping[str, tuple[tuple[str, str], ...]]
    doors_of: Mapping[str, tuple[str, ...]]

    @property
    def boxes(self) -> tuple[str, ...]:
        return self.lower + self.upper

    def origin(self, place: str, target: str) -> str | None:
        """The Box from which one passes ``place`` into ``target``; ``None`` where no way leads there."""
        return next((origin for origin, into in self.ways.get(place, ()) if into == target), None)

    def box(self, name: str) -> str:
        """A Box in words."""
        if name == "outside":
            return "outside"
        label = self.labels.get(name, "")
        return f"{name} ({label})" if label and label != name else name

    def kind(self, place: str) -> str:
        return f"Hole {place}" if place in self.holes else f"Door {place}"


def load_places(data: object) -> Places:
    """The map of a setup; ``ContentError`` lists what the rules miss in it."""
    reader = Reader("the map")
    if not isinstance(data, Mapping):
        reader.wrong("map", data, "the rig file's map")
        reader.check()
    assert isinstance(data, Mapping)
    boxes = reader.table(data, "boxes")
    for name, box in boxes.items():
        reader.word(box, "level", f"boxes.{name}", ("lower", "upper"))
    lower = tuple(name for name, box in boxes.items() if box.get("level") == "lower")
    upper = tuple(name for name, box in boxes.items() if box.get("level") == "upper")
    if not upper or not lower:
        reader.wrong("boxes", list(boxes), "Boxes on both levels")
    doors = _doors(reader, reader.table(data, "doors"), boxes)
    holes = _holes(reader, reader.table(data, "holes"), boxes)
    depots = reader.table(data, "depots")
    for mecha in (name for team in MECHAS.values() for name in team):
        if depots.get(mecha, {}).get("box") not in boxes:
            reader.wrong(f"depots.{mecha}", depots.get(mecha), f"a Depot in one of the Boxes {', '.join(boxes)}")
    reader.check()
    ways = {door: ((a, b), (b, a)) for door, (a, b) in doors.items()}
    return Places(
        labels={name: str(box.get("label", "")) for name, box in boxes.items()},
        upper=upper,
        lower=lower,
        launch_boxes=tuple(name for name in lower if boxes[name].get("outer")),
        doors=doors,
        holes=holes,
        depots={mecha: depot["box"] for mecha, depot in depots.items()},
        launchers=tuple(data.get("launchers", {})),
        ways={**ways, **{hole: ((box, below),) for hole, (box, below) in holes.items()}},
        doors_of={box: tuple(door for door, ends in doors.items() if box in ends) for box in boxes},
    )


def _doors(reader: Reader, doors: Mapping[str, Any], boxes: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    found = {}
    for name, door in doors.items():
        ends = tuple(door.get("boxes", ()))
        if len(ends) == 2 and all(end in boxes for end in ends):
            found[name] = (ends[0], ends[1])
        else:
            reader.wrong(f"doors.{name}.boxes", list(ends), f"two of the Boxes {', '.join(boxes)}")
    return found


def _holes(reader: Reader, holes: Mapping[str, Any], boxes: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    found = {}
    for name, hole in holes.items():
        ends = (hole.get("box"), hole.get("below"))
        if all(end in boxes for end in ends):
            found[name] = ends
        else:
            reader.wrong(f"holes.{name}", list(ends), f"a Box and the Box below, of {', '.join(boxes)}")
    return found
