"""The house table's boards with nothing but their wires: tests and the bench move the beams themselves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from arena.rig import RigFile, load_rig
from arena.sim.board import VirtualBoard
from arena.sim.process import firmware_files, identity_of

REPOSITORY = Path(__file__).parents[2]
AHEAD_US = 20_000  # events are written a little ahead of their time


def load_house_rig() -> RigFile:
    path = REPOSITORY / "hardware" / "rig.toml"
    return load_rig(path.read_text(), str(path))


class WiredTable:
    """Both virtual boards of ``hardware/rig.toml`` with the real firmware, until the ``with`` ends."""

    def __init__(
        self,
        folder: Path,
        baud: int | None = None,
        on_applied: Callable[[int, int, int, int, bool], None] | None = None,
        on_pixels: Callable[[int, bytes, int], None] | None = None,
    ) -> None:
        self.rig = load_house_rig()
        self.boards = {
            name: VirtualBoard(
                name,
                firmware_files(self.rig, name, REPOSITORY / "firmware"),
                identity_of(self.rig, name),
                folder / f"port-{name}",
                baud,
                on_applied=on_applied,
                on_pixels=on_pixels,
            )
            for name in self.rig.boards
        }

    def __enter__(self) -> WiredTable:
        for board in self.boards.values():
            board.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, where: TracebackType | None
    ) -> None:
        for board in self.boards.values():
            board.stop()

    @property
    def ports(self) -> list[str]:
        return [argument for board in self.boards.values() for argument in ("--port", str(board.port))]

    def set_beam(self, place: str, beam: str, dark: bool, at_us: int | None = None) -> None:
        """Make one beam dark or clear, now or at a time of the machine's monotonic clock (µs)."""
        name, each = next(
            (name, each)
            for name, board in self.rig.boards.items()
            for each in board.inputs
            if each.place == place and (each.beam or "") == beam
        )
        level = each.active if dark else 1 - each.active
        self.boards[name].feed([(at_us or time.monotonic_ns() // 1000, each.pin, level)])

    def pass_door(self, door: str, into: str, speed_mm_s: float = 1000, length_mm: float = 30) -> int:
        """Move something through a Door into a Box at an even speed; returns when its last beam clears (µs)."""
        low, _ = self.rig.doors[door].boxes
        first, second = ("B", "A") if into == low else ("A", "B")
        start = time.monotonic_ns() // 1000 + AHEAD_US
        between = int(self.rig.doors[door].spacing_mm / speed_mm_s * 1e6)
        dark = int(length_mm / speed_mm_s * 1e6)
        self.set_beam(door, first, True, start)
        self.set_beam(door, second, True, start + between)
        self.set_beam(door, first, False, start + dark)
        self.set_beam(door, second, False, start + dark + between)
        return start + dark + between
