"""The real firmware on the real interpreter behind a pseudo-terminal, and a host that does what a test says."""

from __future__ import annotations

import json
import os
import select
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from struct import pack, unpack
from typing import Any

from arena import wire
from arena.sim.board import VirtualBoard

FIRMWARE = Path(__file__).parents[2] / "firmware"
IDENTITY = b"\x24\x6f\x28\x01\x02\x03"

BOARD = {
    "name": "lower",
    "inputs": [
        {"pin": 4, "active": 0, "pull": "up", "kind": "beam"},
        {"pin": 13, "active": 0, "pull": "up", "kind": "beam"},
        {"pin": 32, "active": 0, "pull": "up", "kind": "beam"},
        {"pin": 33, "active": 0, "pull": "up", "kind": "switch"},
        {"pin": 14, "active": 0, "pull": "up", "kind": "beam"},
    ],
    "gates": [{"a": 0, "b": 1, "counter": 0}, {"a": 2, "b": -1, "counter": 1}],
    "strips": [{"pin": 23, "pixels": 8, "order": "GRB", "brightness": 127, "limit_ma": 1500}],
    "settle_us": 5000,
}


@dataclass(frozen=True)
class Message:
    """One frame from the board, its fields by name."""

    kind: str
    flags: int
    sequence: int
    ack: int
    fields: dict[str, Any]
    tail: bytes
    at: float

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


@dataclass(frozen=True)
class Seen:
    """One edge as it came over the line."""

    number: int
    ticks: int
    wraps: int
    late: int
    channel: int
    level: int


class Board:
    """A board that runs, and the host at the other end of its line."""

    def __init__(self, files: dict[str, bytes], folder: Path, **options: Any) -> None:
        self.console: list[bytes] = []
        self.stale: list[bytes] = []  # frames that were under way when a session began
        self.messages: list[Message] = []
        self.edges: list[Seen] = []  # accepted, in order
        self.lost: list[tuple[int, int]] = []  # first and last number of what the board has lost
        self.acknowledge = True
        self.drop: Callable[[Message], bool] = lambda message: False
        self.swallow: Callable[[], bool] = lambda: False  # whether a frame of the host's is lost
        self.wanted = 0
        self.session = 0
        self.applied: list[tuple[int, int, int]] = []  # when on the board's clock, pin, level
        self.pixels: list[str] = []  # everything that was ever written to the strip, as hex
        self.folder = folder
        self.virtual = VirtualBoard(
            "lower",
            files,
            IDENTITY,
            folder.parent / (folder.name + ".port"),
            folder=folder,
            on_applied=self._on_applied,
            on_pixels=lambda pin, data, at_us: self.pixels.append(data.hex()),
            **options,
        )
        self._sequence = 0
        self._acknowledged = 0
        self._lines = wire.Lines()
        self._lock = threading.Condition()
        self.virtual.start()
        self._port = os.open(self.virtual.port, os.O_RDWR | os.O_NOCTTY)
        self._running = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def stop(self) -> None:
        self._running = False
        self._reader.join(5)
        os.close(self._port)
        self.virtual.stop()

    # The line

    def _read(self) -> None:
        pinged = 0.0
        while self._running:
            if self.session and time.monotonic() - pinged > 1:
                pinged = time.monotonic()
                self.send("ping", pack("<I", 0xFFFFFFFF))
            try:
                if not select.select([self._port], [], [], 0.05)[0]:
                    continue
                data = os.read(self._port, 4096)
            except OSError:
                return
            with self._lock:
                for found in self._lines.feed(data):
                    if isinstance(found, bytes):
                        (self.stale if found[:1] == b"~" else self.console).append(found)
                    else:
                        self._take(found)
                self._lock.notify_all()

    def _take(self, frame: tuple[int, int, int, int, bytes]) -> None:
        kind, flags, sequence, ack, body = frame
        name, _, _, fields, _ = wire.MESSAGES[kind]
        values = dict(zip(fields.split(), wire.fixed(kind, body), strict=True))
        message = Message(name, flags, sequence, ack, values, wire.tail(kind, body), time.monotonic())
        if self.drop(message):
            return
        self.messages.append(message)
        if name != "edges":
            return
        first = message["first"]
        if first > self.wanted and flags & wire.GAP:
            self.lost.append((self.wanted, first - 1))
            self.wanted = first
        if first != self.wanted:
            self.send("ack", flags=wire.AGAIN if first > self.wanted else 0)
            return
        for at in range(0, len(message.tail), 8):
            ticks, late, channel, level = unpack(wire.EDGE, message.tail[at : at + 8])
            self.edges.append(Seen(self.wanted, ticks, message["wraps"], late, channel, level))
            self.wanted += 1
        if self.acknowledge:
            self.send("ack")

    def raw(self, data: bytes) -> None:
        os.write(self._port, data)

    def send(self, name: str, body: bytes = b"", flags: int = 0, skip: int = 0) -> None:
        kind = next(kind for kind, message in wire.MESSAGES.items() if message[0] == name)
        if self.acknowledge:
            self._acknowledged = self.wanted
        with self._lock:
            self._sequence = (self._sequence + 1 + skip) & 0xFFFF
            frame = wire.encode(kind, body, self._sequence, self._acknowledged, self.session, flags)
            if not self.swallow():
                self.raw(frame)

    def wait(self, name: str, since: int = 0, timeout: float = 10, **fields: object) -> Message:
        """The first message of that name with those fields among those from index ``since`` on."""
        found = self.wait_until(
            lambda: next(
                (
                    message
                    for message in self.messages[since:]
                    if message.kind == name and all(message[key] == value for key, value in fields.items())
                ),
                None,
            ),
            timeout,
            f"{name} {fields or ''}",
        )
        assert isinstance(found, Message)
        return found

    def wait_until(self, condition: Callable[[], object], timeout: float = 10, what: str = "it") -> object:
        deadline = time.monotonic() + timeout
        with self._lock:
            while not (found := condition()):
                left = deadline - time.monotonic()
                if left <= 0:
                    heard = [message.kind for message in self.messages[-8:]]
                    raise AssertionError(f"waited {timeout} s for {what}; heard {heard}, console {self.console[-12:]}")
                self._lock.wait(min(left, 0.05))
            return found

    def answered(self, timeout: float = 0.3) -> bool:
        """Wait until the board has dealt with everything that was sent."""
        return bool(self.wait_until(lambda: self.messages[-1].ack == self._sequence, timeout, "an acknowledgement"))

    def hello(self, session: int = 77, wanted: int | None = None) -> Message:
        boot = self.wait("beacon")["boot"]
        mark = len(self.messages)
        if wanted is not None:
            self.wanted = wanted
        self.session = 0
        self._lines.session = session
        self.send("hello", pack("<BB4sII", *wire.PROTOCOL, boot, session, self.wanted))
        self.session = session
        return self.wait("welcome", mark)

    def bye(self) -> None:
        self.send("bye")
        self.session = 0

    def fall_silent(self) -> None:
        """The host says nothing any more, as if its cable were out."""
        self.session = 0

    def file(self, kind: int) -> bytes:
        """A whole file, piece by piece."""
        text = b""
        while True:
            mark = len(self.messages)
            self.send("read", pack("<BH", kind, len(text)))
            piece = self.wait("text", mark, file=kind, offset=len(text))
            text += piece.tail
            if len(text) >= piece["total"]:
                return text

    def status(self) -> Message:
        """The next status."""
        return self.wait("status", len(self.messages))

    # The world

    def _on_applied(self, at_us: int, applied_us: int, pin: int, level: int, seen: bool) -> None:
        self.applied.append((self.virtual.ticks_us(applied_us), pin, level))

    def change(self, *changes: tuple[int, int], pause: float = 0.006) -> None:
        """Set pins one after the other, with a pause after each."""
        at_us = time.monotonic_ns() // 1000 + 2000
        pause_us = int(pause * 1e6)
        events = [(at_us + index * pause_us, pin, level) for index, (pin, level) in enumerate(changes)]
        target = len(self.applied) + len(events)
        self.virtual.feed(events)
        self.wait_until(lambda: len(self.applied) >= target, 20, "the pins to change")
        time.sleep(pause)

    def restart(self, cause: str) -> None:
        """Reset the board; what the host knows of it is over."""
        self.session = 0
        self.edges.clear()
        self.wanted = self._acknowledged = 0
        self.messages.clear()
        self.console.clear()
        self.virtual.reset(cause)


def files(config: object = BOARD, **changed: str | bytes) -> dict[str, bytes]:
    """Everything that a board's file system holds; ``changed`` replaces or adds, dots written as ``_dot_``."""
    held = {source.name: source.read_bytes() for source in FIRMWARE.glob("*.py")}
    held["wire.py"] = Path(wire.__file__).read_bytes()
    held["dictionary.json"] = json.dumps(wire.dictionary()).encode()
    if config is not None:
        held["board.json"] = config.encode() if isinstance(config, str) else json.dumps(config).encode()
    for name, text in changed.items():
        held[name.replace("_dot_", ".")] = text.encode() if isinstance(text, str) else text
    return held
