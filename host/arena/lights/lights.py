"""From cues to runs of pixels: only what changed. Pure: time is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..rig import RigFile
from ..words import Cue, Pattern, PlaceId
from .place import LitPlace

DARK = Cue(Pattern.OFF)


@dataclass(frozen=True, slots=True)
class Run:
    """Pixels of one strip from ``first`` on: ``colours`` holds red, green, blue of each, 0–255."""

    board: str
    strip: int
    first: int
    colours: bytes


class Lights:
    """All pixels of a table. Places without pixels may have cues; they just show nothing."""

    def __init__(self, rig_file: RigFile) -> None:
        self._pixels = rig_file.pixels()
        self._places = {place: LitPlace(pixels.count) for place, pixels in self._pixels.items()}
        self._begun = False
        self.next_tick_us: int | None = None
        """When ``tick`` will have something to do: a flash ends, a pulse goes on, a change was held back."""

    def show(self, cues: Mapping[PlaceId, Cue], now_us: int) -> list[Run]:
        """The cues from now on, for every place; one that is not named is dark.

        The first cues of all do not flash: what they answer was long ago, before a restart.
        """
        for place, lit in self._places.items():
            lit.show(cues.get(place, DARK), self._begun)
        self._begun = True
        return self.tick(now_us)

    def tick(self, now_us: int) -> list[Run]:
        """What changes by itself by this time."""
        runs = []
        for place, lit in self._places.items():
            before = lit.shown
            after = lit.step(now_us)
            if after is not None:
                pixels = self._pixels[place]
                first, colours = _changed(before, after)
                runs.append(Run(pixels.board, pixels.strip, pixels.first + first, colours))
        dues = (lit.due_us(now_us) for lit in self._places.values())
        self.next_tick_us = min((due for due in dues if due is not None), default=None)
        return runs


def _changed(before: bytes | None, after: bytes) -> tuple[int, bytes]:
    """The shortest run that holds every pixel that differs, as (first pixel, colours)."""
    if before is None:
        return 0, after
    different = [at // 3 for at in range(0, len(after), 3) if before[at : at + 3] != after[at : at + 3]]
    first, last = different[0], different[-1]
    return first, after[3 * first : 3 * last + 3]
