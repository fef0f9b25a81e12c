"""Notices that one beam of a Door stays silent while its partner is broken again and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .passage import Passage

SILENT = 4  # passages running on one beam alone, before its silent partner is called sick
SILENT_BUT_HEARD = 12  # the same where the partner has changed since the board started
APART_US = 300_000  # what follows sooner is a flicker, not another piece


class Partners:
    """How long each beam of one Door has been silent, beam 0 for A and 1 for B."""

    def __init__(self) -> None:
        self.silent = [0, 0]  # passages since it last changed
        self.heard = [False, False]  # since the board started
        self.counted_us = [0, 0]  # when the last of those passages was

    def passage(self, passage: Passage) -> bool:
        """Whether this passage is the one that makes a beam sick."""
        for beam in {mark.beam for mark in passage.marks}:
            self.silent[beam], self.heard[beam] = 0, True
        only = passage.only_beam()
        if only is None or passage.latest_us - self.counted_us[1 - only] < APART_US:
            return False
        silent = 1 - only
        self.counted_us[silent] = passage.latest_us
        self.silent[silent] += 1
        return self.silent[silent] == self._patience(silent)

    def sick(self, place: str) -> str | None:
        """Which beam is silent, in the owner's words."""
        for beam in (0, 1):
            if self.silent[beam] >= self._patience(beam):
                return (
                    f"Beam {'AB'[beam]} of {place} says nothing, while beam {'BA'[beam]} was broken "
                    f"{self.silent[beam]} times running: is it connected, and does its light meet its receiver?"
                )
        return None

    def _patience(self, beam: int) -> int:
        return SILENT_BUT_HEARD if self.heard[beam] else SILENT

    def to_json(self) -> dict[str, Any]:
        return {"silent": self.silent, "heard": self.heard, "counted_us": self.counted_us}

    def recall(self, data: Mapping[str, Any]) -> None:
        self.silent, self.heard, self.counted_us = (list(data[key]) for key in ("silent", "heard", "counted_us"))
