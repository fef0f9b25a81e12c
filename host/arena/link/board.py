"""What is known of one board, however often its cable is pulled, its port changes or it restarts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from struct import error, pack
from typing import Any

from .. import wire
from .clock import BoardClock
from .pixels import Pixels

MOST_REFLEXES = 64


@dataclass(slots=True)
class Board:
    """Facts by the latest introduction and status; ``None`` and 0 where it has not said so yet."""

    identity: str
    name: str = ""  # empty until the configuration or the rig file tells it
    boot: str = ""
    clock: BoardClock = field(default_factory=BoardClock)  # of this boot
    pixels: Pixels = field(default_factory=Pixels)
    reflexes: tuple[bytes, ...] = ()
    protocol: tuple[int, int] = (0, 0)
    firmware: tuple[int, int, int] = (0, 0, 0)
    reset: str = ""
    crashed: bool = False
    behind: bool = False  # it counts edges from anew under a boot identity that the store knows: none would be kept
    config: bytes | None = None
    config_digest: int = 0
    dictionary_digest: int = 0
    crash: str = ""
    ring: int = 0
    status: dict[str, Any] = field(default_factory=dict)
    status_at_us: int | None = None

    def says(self) -> str:
        return f'the board "{self.name}"' if self.name else f"the board {self.identity}"

    def welcome(self, told: Mapping[str, Any], cause: str) -> None:
        """The fields of its WELCOME; ``cause`` is what the console told of the reset, if it did."""
        self.protocol = told["major"], told["minor"]
        self.firmware = tuple(told["firmware"])
        self.crashed = bool(told["crashed"])
        self.reset = wire.RESETS[told["reset"]] if told["reset"] < len(wire.RESETS) else wire.RESETS[0]
        if self.crashed:
            self.reset = "an error in its program"
        elif cause and (self.reset == wire.RESETS[0] or "voltage" in cause):
            self.reset = cause  # the board itself takes a voltage that sank for power that came on
        self.config_digest = told["config"]
        self.dictionary_digest = told["dictionary"]
        self.ring = told["ring"]
        self.status = {"heap": told["heap"], "uptime_ms": told["uptime_ms"]}
        self.status_at_us = None

    def take_config(self, text: bytes) -> str:
        """Learn from its ``board.json``: gives its name there, and sizes the pixels. Anything may stand in it."""
        self.config = text
        name, sizes = read_config(text)
        self.pixels.resize(sizes)
        return name


def read_config(text: bytes) -> tuple[str, list[int]]:
    """The name and the strips' sizes in a ``board.json``; empty where they do not stand there."""
    try:
        data = json.loads(text)
        name = data.get("name", "")
        sizes = [int(strip.get("pixels", 0)) for strip in data.get("strips", [])]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return "", []
    if not isinstance(name, str) or not name.isprintable():
        name = ""
    return name[:32], [size for size in sizes if size >= 0]


def reflex_bodies(entries: Sequence[Sequence[int]]) -> tuple[bytes, ...]:
    """The bodies of REFLEX frames: one that clears the table, then the entries."""
    if len(entries) > MOST_REFLEXES:
        raise ValueError(f"a board takes up to {MOST_REFLEXES} reflexes, not {len(entries)}")
    try:
        packed = [pack(wire.REFLEX_ENTRY, *entry) for entry in entries]
    except error as problem:
        raise ValueError(
            f"a reflex is channel, strip, first pixel, pixels, red, green, blue, milliseconds: {problem}"
        ) from None
    most = wire.MAX_BODY // wire.MESSAGES[wire.REFLEX][4]
    return b"", *(b"".join(packed[at : at + most]) for at in range(0, len(packed), most))
