"""What one movement on the simulated table did: how it looked, what the beams saw, and the truth."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a piece is, in mm: ``level`` is "lower", "upper" or "off" (then x and y mean nothing)."""

    level: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class BeamEvent:
    """One input changes: ``beam`` is "a" or "b" of a Door, "h" of a Hole, "switch" of a Launcher.

    ``at_us`` counts from the movement's start; ``level`` is 1 where the beam is dark or the switch pressed.
    """

    at_us: int
    place: str
    beam: str
    level: int


@dataclass(frozen=True, slots=True)
class Pass:
    """A piece went completely through a Door, or down a Hole; ``at_us`` is when it was through."""

    at_us: int
    piece: str
    place: str
    origin: str
    target: str


@dataclass(slots=True)
class Flight:
    """One Flick, Launch or placing by hand, from its start to rest. Times are µs from the start.

    ``samples``: per piece that moved, (at_us, x_mm, y_mm, level) about 50 times a second; level is
    "lower", "upper", "air" or "off". ``passes`` are in the order of their completion, ``bounces``
    are retreats out of a Door's frame. ``hits`` are the pieces that the mover touched, ``outside``
    the pieces that left the Play area, ``landed`` the Box in which a Launch ended (or "outside"),
    ``stuck`` the pieces at rest in a Door's frame.
    """

    kind: str
    piece: str
    duration_us: int = 0
    samples: dict[str, list[tuple[int, float, float, str]]] = field(default_factory=dict)
    beams: list[BeamEvent] = field(default_factory=list)
    passes: list[Pass] = field(default_factory=list)
    bounces: list[Pass] = field(default_factory=list)
    hits: list[str] = field(default_factory=list)
    touched: list[tuple[int, str, str]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    landed: str | None = None
    touchdown: str | None = None
    stuck: list[tuple[str, str]] = field(default_factory=list)

    def truth(self) -> dict[str, Any]:
        """What a person watching would say, as JSON; no drawing, no beams."""
        whole = asdict(self)
        return {key: value for key, value in whole.items() if key not in ("samples", "beams")}
