"""The small types that the rooms share.

Imports nothing of the arena; everyone may import it. Times called ``*_us`` are microseconds on the
*table clock* (the host's monotonic clock, continued over restarts), unless they say ``board``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

PlaceId = str
"""A Box, Door, Hole, Launcher or button as the rig file names it, for example ``"D1"``."""

PieceId = str
"""A Mecha or die as its game names it, for example ``"BUBO"``."""

Seat = str
"""Who gives a command: a player (``"P1"``…), or ``TABLE``, the people at the table together."""

TABLE: Seat = "table"
SPECTATOR: Seat = "spectator"

OUTSIDE: PlaceId = "outside"
"""Not in the Play area: fallen off, KO'd, or held in a hand."""

Value = str | int | bool | None


@dataclass(frozen=True, slots=True)
class EdgeId:
    """The key of one edge: the board's random boot identity (8 hex digits) and the edge's number."""

    boot: str
    number: int


@dataclass(frozen=True, slots=True)
class Edge:
    """One change of one input, on the table clock.

    It happened between ``earliest_us`` and ``latest_us``: the width is how late the board may have
    seen it and how well the two clocks are known to agree. ``level`` is 1 where the input is
    *active* (a beam is dark, a switch pressed), whatever the wiring. A reading of a hardware gate
    counter travels in the same numbered stream: then ``count`` is the counter (16 bits, signed,
    wrapping) and ``level`` is 0.
    """

    id: EdgeId
    board: str
    channel: int
    level: int
    earliest_us: int
    latest_us: int
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Edges that a board made and nobody will ever see, or a time in which a board did not look.

    ``first``–``last`` are the missing numbers where known. ``reason`` is a sentence for people.
    """

    board: str
    boot: str
    first: int | None
    last: int | None
    reason: str


class Seen(StrEnum):
    """What a sighting says happened."""

    PASS = "pass"  # completely through a Door
    BOUNCE = "bounce"  # into a Door's frame and out on the same side
    STUCK = "stuck"  # still in the frame when movement ended
    DROP = "drop"  # down a Hole
    LAUNCH = "launch"  # the Launcher was released
    SETTLED = "settled"  # nothing has moved for the settling time
    PRESS = "press"  # a button
    SICK = "sick"  # a sensor that cannot be believed


@dataclass(frozen=True, slots=True)
class Sighting:
    """What the rig concludes from edges: only *what* moved, never who.

    ``origin`` and ``target`` are Boxes (``PASS``, ``DROP``; a ``BOUNCE`` has both the same).
    ``STUCK`` gives the two Boxes in ``origin`` and ``target``, and ``sides`` says from which of
    them it is seen. ``confidence`` runs from 0 to 1. ``note`` is a sentence for people.
    ``contradicts`` names the edges of a pass that was told before and that this ``SICK`` denies.
    """

    seen: Seen
    place: PlaceId
    earliest_us: int
    latest_us: int
    origin: PlaceId | None = None
    target: PlaceId | None = None
    sides: tuple[PlaceId, ...] = ()
    speed_mm_s: float | None = None
    length_mm: float | None = None
    confidence: float = 1.0
    edges: tuple[EdgeId, ...] = ()
    note: str = ""
    contradicts: tuple[EdgeId, ...] = ()


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a game tells the tracker, in plain words.

    ``known``: where each piece may be (one Box, several where unsure, ``OUTSIDE``).
    ``mover``: the piece that may move by itself now, or nobody.
    ``placing``: pieces that a hand is putting down now; passes are the hand's.
    ``stakes``: places where a pass would change the game.
    """

    known: Mapping[PieceId, tuple[PlaceId, ...]] = field(default_factory=dict)
    mover: PieceId | None = None
    placing: tuple[PieceId, ...] = ()
    stakes: tuple[PlaceId, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One piece that a sighting can have been; the weights of all candidates sum to 1."""

    piece: PieceId
    weight: float


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that somebody does to a game; the only way in which a game changes.

    ``do`` is the verb, ``args`` its choices by name, sorted, so that equal commands compare equal.
    """

    do: str
    args: tuple[tuple[str, Value], ...] = ()

    @staticmethod
    def of(do: str, **args: Value) -> Command:
        return Command(do, tuple(sorted(args.items())))

    def __getitem__(self, name: str) -> Value:
        for key, value in self.args:
            if key == name:
                return value
        raise KeyError(name)

    def get(self, name: str, default: Value = None) -> Value:
        return next((value for key, value in self.args if key == name), default)

    def to_json(self) -> dict[str, Value]:
        return {"do": self.do, **dict(self.args)}

    @staticmethod
    def from_json(data: Mapping[str, object]) -> Command:
        """The command in a JSON object; ``ValueError`` says what is wrong with it."""
        do = data.get("do")
        if not isinstance(do, str) or not do:
            raise ValueError(f'a command needs a verb under "do", not {do!r}')
        args: dict[str, Value] = {}
        for key, value in data.items():
            if key == "do":
                continue
            if value is not None and not isinstance(value, (str, int, bool)):
                raise ValueError(f'"{key}" of the command {do!r} must be a word or a number, not {value!r}')
            args[key] = value
        return Command.of(do, **args)


class Pattern(StrEnum):
    """How a cue fills its pixels; teams are told by pattern as well as by colour."""

    OFF = "off"
    SOLID = "solid"  # every pixel
    DOTS = "dots"  # every other pixel
    PULSE = "pulse"  # brightens and dims slowly, never over 1 Hz
    SPLIT = "split"  # the first half as SOLID in ``colour``, the second as DOTS in ``second``


@dataclass(frozen=True, slots=True)
class Cue:
    """What a place should show, in game terms. Colours are ``(red, green, blue)``, 0–255.

    ``answer`` asks for one brief flash before the cue, in answer to an event; a new number is a new
    flash, so that a cue can be compared and only what changed is sent.
    """

    pattern: Pattern
    colour: tuple[int, int, int] = (0, 0, 0)
    second: tuple[int, int, int] = (0, 0, 0)
    answer: int = 0
