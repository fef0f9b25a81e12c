"""What one object does between the moment a gate's first beam goes dark and both are clear again.

The two beams are a quadrature pair: their states clear, A, A and B, B lie on a circle of four quarter
steps. Once round is +4 (from the first Box to the second) or −4; there and back is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from ..words import Edge, EdgeId

SAME_LOOK_US = 20  # edges this near were seen in one look at the pins: nothing real is so fast
LOOK_US = 100  # between two looks of the board's sampler
POSITION = {(0, 0): 0, (1, 0): 1, (1, 1): 2, (0, 1): 3}


class Mark(NamedTuple):
    """One change of a beam, 0 for A and 1 for B. ``id`` is ``None`` where a status told it."""

    beam: int
    level: int
    earliest_us: int
    latest_us: int
    id: EdgeId | None

    @staticmethod
    def of(beam: int, edge: Edge) -> Mark:
        return Mark(beam, edge.level, edge.earliest_us, edge.latest_us, edge.id)


def quarter_steps(before: tuple[int, int], after: tuple[int, int]) -> int:
    """How far round the circle one beam's change goes: +1 or −1."""
    return 1 if (POSITION[after] - POSITION[before]) % 4 == 1 else -1


def wrapped(difference: int) -> int:
    """The difference of two readings of a wrapping 16-bit counter."""
    return (difference + 0x8000) % 0x10000 - 0x8000


@dataclass(slots=True)
class Passage:
    """The marks so far, never none.

    ``net`` counts quarter steps. ``missed``: an edge must be lacking. ``half``: something was there
    before anybody looked. ``stuck_on``: the beams (bits) that were dark when it was told as stuck,
    ``told``: how many marks came before that.
    """

    marks: list[Mark] = field(default_factory=list)
    net: int = 0
    missed: bool = False
    half: bool = False
    stuck_on: int = 0
    told: int = 0

    @property
    def first_beam(self) -> int:
        return self.marks[0].beam

    @property
    def earliest_us(self) -> int:
        """The beginning of what happened last: of the passage, or of the part after it was stuck."""
        return self.marks[min(self.told, len(self.marks) - 1)].earliest_us

    @property
    def latest_us(self) -> int:
        return self.marks[-1].latest_us

    def ids(self) -> tuple[EdgeId, ...]:
        return tuple(mark.id for mark in self.marks if mark.id is not None)

    def only_beam(self) -> int | None:
        """The one beam that changed, or ``None`` where both did."""
        beams = {mark.beam for mark in self.marks}
        return beams.pop() if len(beams) == 1 else None

    def unordered(self) -> bool:
        """Whether the board saw changes of both beams in one look."""
        return any(together(*pair) for pair in pairwise(self.marks))

    def pulses(self, beam: int) -> list[tuple[Mark, Mark]]:
        """The times in which a beam was dark, as (dark, clear)."""
        found, dark = [], None
        for mark in self.marks:
            if mark.beam != beam:
                continue
            if mark.level:
                dark = mark
            elif dark is not None:
                found.append((dark, mark))
                dark = None
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "marks": [[*mark[:4], *((mark.id.boot, mark.id.number) if mark.id else ())] for mark in self.marks],
            "net": self.net,
            "missed": self.missed,
            "half": self.half,
            "stuck_on": self.stuck_on,
            "told": self.told,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Passage:
        marks = [
            Mark(row[0], row[1], row[2], row[3], EdgeId(row[4], row[5]) if len(row) == 6 else None)
            for row in data["marks"]
        ]
        return Passage(marks, data["net"], data["missed"], data["half"], data["stuck_on"], data["told"])


def together(first: Mark, second: Mark) -> bool:
    """Whether one look at the pins saw both changes, so that nobody knows which came first."""
    return first.beam != second.beam and abs(second.latest_us - first.latest_us) <= SAME_LOOK_US


@dataclass(frozen=True, slots=True)
class Measure:
    """Speed and length of what passed, with the range of lengths that the edges' lateness leaves open."""

    speed_mm_s: float
    length_mm: float
    shortest_mm: float
    longest_mm: float


def measure(first: tuple[Mark, Mark], second: tuple[Mark, Mark], spacing_mm: float) -> Measure | None:
    """From the dark times of the beam broken first and of the other; ``None`` where it was too fast to say.

    A piece slows down on its way, so its speed is the mean of the speeds at its two ends.
    """
    marks = (*first, *second)
    # All edges of a board share the clocks' uncertainty: only what is more than the least is lateness
    least = min(mark.latest_us - mark.earliest_us for mark in marks)
    late = max(mark.latest_us - mark.earliest_us for mark in marks) - least + LOOK_US
    delays = [second[end].latest_us - first[end].latest_us for end in (0, 1)]
    dark = sum(pulse[1].latest_us - pulse[0].latest_us for pulse in (first, second)) / 2
    if min(delays) <= 0:
        return None
    mean = sum(spacing_mm / delay for delay in delays) / 2
    slowest = spacing_mm / (max(delays) + late)
    fastest = spacing_mm / (min(delays) - late) if min(delays) > late else float("inf")
    return Measure(mean * 1e6, mean * dark, slowest * max(0.0, dark - late), fastest * (dark + late))


def alike(values: Sequence[float], factor: float) -> bool:
    """Whether all values are positive and none is more than ``factor`` times another."""
    return min(values) > 0 and max(values) <= factor * min(values)


def two_in_a_row(passage: Passage) -> tuple[Passage, Passage] | None:
    """Two objects so near behind one another that some beam was always dark, each as its own passage.

    Each beam was dark twice, and the second beam did everything after the first by the same delay.
    A single object would have had to turn back twice inside the frame.
    """
    first, second = passage.pulses(passage.first_beam), passage.pulses(1 - passage.first_beam)
    if len(first) != 2 or len(second) != 2:
        return None
    pairs = list(zip(first, second, strict=True))
    delays = [after[end].latest_us - before[end].latest_us for before, after in pairs for end in (0, 1)]
    if not alike(delays, 1.6):
        return None
    one, two = (Passage(sorted((*before, *after), key=lambda mark: mark.latest_us)) for before, after in pairs)
    return one, two
