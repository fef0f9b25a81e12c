"""From the edge that completes a pass to the light that answers it: firmware, port, daemon, journal, and back."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from arena_process import Arena
from wired_table import WiredTable

PASSES = 150
# The Active Mecha goes round three Doors, so that each may flash again when its turn comes
ROUND = (("D3", "B5"), ("D4", "B4"), ("D7", "B3"))
PAUSE_S = 0.45


def edge_to_light_ms(folder: Path) -> list[float]:
    """Milliseconds of each pass: from the completing edge's application in the stand-in to the pixel write there."""
    watch = _Watch()
    with (
        WiredTable(folder / "boards", on_applied=watch.applied, on_pixels=watch.lit) as wired,
        Arena(folder / "data", *wired.ports) as arena,
    ):
        while arena.first_page()["paused"]:
            time.sleep(0.1)
        active = arena.first_page()["view"]["active"]["mecha"]
        for name in ("BBIT", "BUBO", "HOWLER", "SPIKE"):
            if name != active:
                arena.tap(do="put", piece=name, box="B1")
        time.sleep(3)
        for door, into in _rounds():
            watch.expect(wired, door, into)
            time.sleep(PAUSE_S)
        return watch.took_ms


def _rounds() -> Iterator[tuple[str, str]]:
    for number, step in enumerate(cycle(ROUND)):
        if number == PASSES:
            return
        yield step


class _Watch:
    """Pairs each completing edge with the first write after it that changes that Door's own pixels."""

    def __init__(self) -> None:
        self.took_ms: list[float] = []
        self._lock = threading.Lock()
        self._due_us: int | None = None
        self._edge_us: int | None = None
        self._door = slice(0)
        self._shown = b""

    def expect(self, wired: WiredTable, door: str, into: str) -> None:
        pixels = wired.rig.pixels()[door]
        with self._lock:
            self._edge_us = None
            self._door = slice(3 * pixels.first, 3 * (pixels.first + pixels.count))
            self._due_us = wired.pass_door(door, into)

    def applied(self, at_us: int, applied_us: int, pin: int, level: int, seen: bool) -> None:
        with self._lock:
            if self._due_us is not None and at_us >= self._due_us:
                self._edge_us, self._due_us = applied_us, None

    def lit(self, pin: int, data: bytes, at_us: int) -> None:
        with self._lock:
            if self._edge_us is not None and data[self._door] != self._shown[self._door]:
                self.took_ms.append((at_us - self._edge_us) / 1000)
                self._edge_us = None
            self._shown = data
