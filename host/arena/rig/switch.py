"""Watches one switch: the Launcher's, whose release is a Launch, or a button."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words import Edge, PlaceId, Seen, Sighting

CONTACT_US = 15_000  # a contact that closes for less is only rattling
AGAIN_US = 150_000  # nobody presses again so soon


class SwitchWatch:
    """The state of one switch. Contacts rattle for some milliseconds when they close and open."""

    due_us: int | None = None
    counted = False

    def __init__(self, place: PlaceId, launcher: bool) -> None:
        self.place = place
        self.launcher = launcher
        self.flickers = False
        self.forget(None)

    def forget(self, counter: int | None) -> None:
        """Nothing is known: the board started, or edges were lost."""
        self.level: int | None = None
        self.closed_us: int | None = None
        self.told_us: int | None = None

    def begin(self, counter: int | None) -> None:
        """The first that is heard of the board."""

    def lose(self) -> None:
        self.forget(None)

    @property
    def levels(self) -> list[int | None]:
        return [self.level]

    def fold(self, beam: int, edge: Edge) -> list[Sighting]:
        """A Launch when the Launcher is let go, a press when a button goes down."""
        known, self.level = self.level, edge.level
        closed_us = self.closed_us
        if edge.level:
            self.closed_us = edge.latest_us
        else:
            self.closed_us = None
        if self.told_us is not None and 0 <= edge.latest_us - self.told_us < AGAIN_US:
            return []
        if not self.launcher:
            return [self._told(Seen.PRESS, edge, 1.0)] if edge.level and known != 1 else []
        if edge.level or known == 0:
            return []
        if closed_us is None:
            return [self._told(Seen.LAUNCH, edge, 0.7)]  # nobody saw it pressed, but it must have been
        return [self._told(Seen.LAUNCH, edge, 1.0)] if edge.latest_us - closed_us >= CONTACT_US else []

    def _told(self, seen: Seen, edge: Edge, confidence: float) -> Sighting:
        self.told_us = edge.latest_us
        return Sighting(seen, self.place, edge.earliest_us, edge.latest_us, confidence=confidence, edges=(edge.id,))

    def count(self, edge: Edge) -> list[Sighting]:
        return []

    def later(self, at_us: int) -> list[Sighting]:
        return []

    def tick(self) -> list[Sighting]:
        return []

    def settle(self) -> list[Sighting]:
        return []

    def say_level(self, beam: int, level: int, at_us: int) -> None:
        """Take a level from a status."""
        self.level = level
        self.closed_us = at_us if level else None

    def sick(self) -> str | None:
        return None

    def to_json(self) -> dict[str, Any]:
        return {"level": self.level, "closed_us": self.closed_us, "told_us": self.told_us}

    def recall(self, data: Mapping[str, Any]) -> None:
        self.level, self.closed_us, self.told_us = data["level"], data["closed_us"], data["told_us"]
