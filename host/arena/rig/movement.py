"""When everything lies still again: one movement, from its first edge to *settled*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words import Seen, Sighting

QUIET_US = 600_000  # the least time without any edge
UNKNOWN_US = 1_500_000  # after something whose speed nobody measured
LONGEST_US = 2_500_000
PER_MM_S_US = 350  # a Mecha slides about 0.35 s for each m/s: friction of 0.3


def settling_us(speed_mm_s: float | None) -> int:
    """How long after a passage its piece may still move."""
    if speed_mm_s is None:
        return UNKNOWN_US
    return min(LONGEST_US, round(QUIET_US + speed_mm_s * PER_MM_S_US))


class Movement:
    """Begins with any sign of movement and ends once, when nothing can move any more."""

    def __init__(self) -> None:
        self.last_us: int | None = None  # None while everything lies still
        self.until_us: int | None = None  # what measured speeds say

    def edge(self, at_us: int) -> None:
        self.last_us = max(at_us, self.last_us or at_us)

    def sighting(self, sighting: Sighting) -> None:
        """A measured speed shortens the waiting to what it needs; a Launch or a drop lengthens it."""
        if sighting.seen is Seen.LAUNCH:
            until_us = sighting.latest_us + LONGEST_US
        elif sighting.seen is Seen.DROP:
            until_us = sighting.latest_us + UNKNOWN_US
        elif sighting.seen in (Seen.PASS, Seen.BOUNCE) and sighting.speed_mm_s is not None:
            until_us = sighting.latest_us + settling_us(sighting.speed_mm_s)
        else:
            return
        self.until_us = max(until_us, self.until_us or until_us)

    @property
    def due_us(self) -> int | None:
        """When it will have settled if nothing more happens."""
        if self.last_us is None:
            return None
        if self.until_us is None:
            return self.last_us + UNKNOWN_US
        return max(self.until_us, self.last_us + QUIET_US)

    def end(self) -> None:
        self.last_us = self.until_us = None

    def to_json(self) -> dict[str, Any]:
        return {"last_us": self.last_us, "until_us": self.until_us}

    def recall(self, data: Mapping[str, Any]) -> None:
        self.last_us, self.until_us = data["last_us"], data["until_us"]
