"""Both ends of the line in simulated time: the firmware's own half of the protocol, and the link's.

Only what lies below the protocol is stood in for: a board's inputs and strips, and a serial line with
its speed, its input ring of 260 bytes, and whatever faults a test asks for.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from binascii import a2b_base64
from collections import deque
from collections.abc import Callable
from pathlib import Path
from struct import pack
from types import ModuleType, SimpleNamespace
from typing import Any

from arena import wire
from arena.link.board import Board
from arena.link.session import Session
from arena.words import Edge, Gap

FIRMWARE = Path(__file__).parents[2] / "firmware"
BYTE_US = 87
INPUT_RING = 260
STEP_US = 500
IDENTITY = bytes(range(1, 9))
CONFIG = json.dumps({"name": "lower", "strips": [{"pixels": 32}, {"pixels": 4}]}).encode()


class _Below(ModuleType):
    """A module of the firmware below the protocol: its classes are named there, and stood in for here."""

    def __getattr__(self, name: str) -> type:
        return object


def _firmware_session() -> Any:
    """``firmware/session.py``, as it is."""
    names: dict[str, Any] = {path.stem: _Below(path.stem) for path in FIRMWARE.glob("*.py")}
    names["wire"] = wire
    names["clock"].MASK = wire.TICKS - 1
    names["strips"].PICTURE, names["strips"].WAITING, names["strips"].MAINTENANCE = "picture", "waiting", "maintenance"
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    try:
        spec = importlib.util.spec_from_file_location("firmware_session", FIRMWARE / "session.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name, old in before.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old
    return module


firmware = _firmware_session()


class Ring:
    """The board's edges, as the firmware's sampler keeps them."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.next = self.oldest = self.wraps = self.overflow = self.levels = 0
        self._edges: dict[int, tuple[int, bytes]] = {}

    def edge(self, ticks: int, wraps: int, late_us: int, channel: int, level: int) -> None:
        if self.next - self.oldest >= self.room:
            self.oldest += 1
            self.overflow += 1
        self._edges[self.next] = wraps, pack(wire.EDGE, ticks, late_us, channel, level)
        self.next += 1
        if not channel & wire.COUNTER:
            self.levels = self.levels & ~(1 << channel) | level << channel

    def forget(self, before: int) -> None:
        if self.oldest < before <= self.next:
            self.oldest = before

    def held(self, first: int) -> tuple[int, bytes]:
        wraps = self._edges[first][0]
        found = b""
        for number in range(first, min(self.next, first + wire.EDGES_PER_FRAME)):
            if self._edges[number][0] != wraps:
                break
            found += self._edges[number][1]
        return wraps, found

    def bitmap(self) -> int:
        return self.levels

    def worst_gap(self) -> int:
        return 900


class Picture:
    """The board's strips."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.strips = [bytearray(3 * size) for size in sizes]
        self.shows = "waiting"
        self.reflexes: dict[int, tuple[int, ...]] = {}

    def show(self, what: str) -> None:
        self.shows = what

    def picture(self, strip: int, first: int, colours: memoryview) -> bool:
        if strip >= len(self.strips) or 3 * first + len(colours) > len(self.strips[strip]):
            return False
        self.strips[strip][3 * first : 3 * first + len(colours)] = colours
        return True

    def set_reflex(self, channel: int, *rest: int) -> bool:
        self.reflexes[channel] = rest
        return True

    def clear_reflexes(self) -> None:
        self.reflexes.clear()

    @property
    def digest(self) -> int:
        found = 0
        for strip in self.strips:
            found = wire.digest(strip, found)
        return found


class Files:
    """The board's files."""

    def __init__(self, config: bytes, dictionary: bytes, crash: bytes) -> None:
        self._texts = {wire.CONFIG: config, wire.DICTIONARY: dictionary, wire.CRASH: crash}
        self.crash = crash
        self.digests = {kind: wire.digest(text) for kind, text in self._texts.items()}

    def piece(self, kind: int, offset: int, size: int) -> bytes:
        return self._texts.get(kind, b"")[offset : offset + size]

    def size(self, kind: int) -> int:
        return len(self._texts.get(kind, b""))


class SimulatedBoard:
    """One boot of a board. ``clock``: how its microseconds run against the world's: (offset, rate)."""

    def __init__(
        self,
        boot: bytes,
        now_us: int,
        *,
        reset: int = 1,
        config: bytes = CONFIG,
        ring: int = 512,
        clock: tuple[int, float] = (wire.TICKS - 3_000_000, 1.0),
        crash: bytes = b"",
    ) -> None:
        self._zero_us = now_us
        self._clock = clock
        self.ring = Ring(ring)
        self.picture = Picture((32, 4))
        self.truth: list[tuple[int, int, int]] = []  # by number: when it happened, channel, level
        self.session = firmware.Session(
            sampler=self.ring,
            gates=SimpleNamespace(totals=memoryview(bytearray(16))),
            picture=self.picture,
            files=Files(config, json.dumps(wire.dictionary()).encode(), crash),
            boot=boot,
            board=IDENTITY,
            reset=reset,
            now=self.ticks(now_us)[0],
        )
        self._input = bytearray()
        self.dropped = 0  # bytes that did not fit into the input ring
        self.most_input = 0

    def ticks(self, now_us: int) -> tuple[int, int]:
        """(ticks, wraps) that the board reads at that time."""
        offset, rate = self._clock
        whole = offset + round((now_us - self._zero_us) * rate)
        return whole % wire.TICKS, whole // wire.TICKS

    def edge(self, at_us: int, channel: int, level: int, late_us: int = 200) -> None:
        """Something happened at ``at_us``, and was seen up to ``late_us`` later."""
        ticks, wraps = self.ticks(at_us + late_us // 2)
        self.ring.edge(ticks, wraps, late_us, channel, level)
        self.truth.append((at_us, channel, level))

    def read(self, data: bytes) -> None:
        room = INPUT_RING - len(self._input)
        self.dropped += max(0, len(data) - room)
        self._input += data[:room]
        self.most_input = max(self.most_input, len(self._input))

    def step(self, now_us: int, line_free: bool) -> bytes | None:
        """What the superloop does in one round: one line in, one frame out."""
        ticks, self.ring.wraps = self.ticks(now_us)
        self.session.tick(ticks)
        line, newline, rest = self._input.partition(b"\n")
        if newline:
            self._input = rest
            if line.startswith(b"~"):
                self.session.receive(bytes(line), ticks)
        return self.session.frame(ticks) if line_free else None


Fault = Callable[[bytes], list[bytes]]
"""What becomes of one frame on the line: nothing, itself, twice itself, something broken."""


def perfect(frame: bytes) -> list[bytes]:
    return [frame]


def bad_line(chance: random.Random, share: float) -> Fault:
    """Loses, doubles, cuts and corrupts about that share of all frames."""

    def fault(frame: bytes) -> list[bytes]:
        if chance.random() >= share:
            return [frame]
        what = chance.randrange(5)
        if what == 0:
            return []
        if what == 1:
            return [frame, frame]
        if what == 2:
            return [frame[: chance.randrange(len(frame))]]
        if what == 3:
            at = chance.randrange(len(frame))
            return [frame[:at] + bytes([chance.randrange(256)]) + frame[at + 1 :]]
        return [b"\x00\xffgarbage" + frame]

    return fault


class World:
    """A board, a line, a host and a time. The host's memory and its edges outlive its restarts."""

    def __init__(self, board: SimulatedBoard | None = None, *, latency_us: int = 1000, name: str = "") -> None:
        self.now_us = 50_000_000
        self.board = board or SimulatedBoard(b"AAAA", self.now_us)
        self.latency_us = latency_us
        self.to_host: Fault = perfect
        self.to_board: Fault = perfect
        self.plugged = True
        self.edges: list[Edge] = []
        self.gaps: list[Gap] = []
        self.memory: dict[str, Any] = {}
        self.boards: dict[str, Board] = {}
        self.sent: list[bytes] = []  # everything that the host wrote
        self.refuse: Exception | None = None  # what keep raises
        self.sessions = 0
        self._name = name
        self._kept_next: dict[str, int] = {}
        self._wire_to_host: deque[tuple[int, bytes]] = deque()
        self._wire_to_board: deque[tuple[int, bytes]] = deque()
        self._host_free_us = self._board_free_us = 0
        self.session = self._new_session()

    def _new_session(self) -> Session:
        return Session(
            board_of=lambda identity: self.boards.setdefault(identity, Board(identity)),
            name_of=lambda identity, in_config: self._name or in_config,
            wanted=lambda boot: self._kept_next.get(boot, 0),
            keep=self._keep,
            memory=self.memory,
            number=self._number,
            now_us=self.now_us,
        )

    def _number(self) -> int:
        self.sessions += 1
        return 0x5E5500 + self.sessions

    def _keep(self, edges: list[Edge], gaps: list[Gap]) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.edges += edges
        self.gaps += gaps
        for gap in gaps:
            if gap.last is not None:
                self._kept_next[gap.boot] = max(self._kept_next.get(gap.boot, 0), gap.last + 1)
        for edge in edges:
            self._kept_next[edge.id.boot] = max(self._kept_next.get(edge.id.boot, 0), edge.id.number + 1)

    def restart_host(self, *, forget: bool = True) -> None:
        """The daemon was killed and is back, or only the port was opened anew."""
        if forget:
            self.boards = {}
        self.session = self._new_session()
        self._wire_to_host.clear()

    def replace_board(self, board: SimulatedBoard, banner: bytes = b"") -> None:
        """The board was reset; ``banner`` is what its boot loader prints."""
        self.board = board
        self._wire_to_board.clear()
        if banner:
            self.say(banner)

    def say(self, text: bytes) -> None:
        """The board prints something that is no frame."""
        self._wire_to_host.append((self.now_us + self.latency_us, text))

    def run(self, seconds: float, each: Callable[[], None] | None = None) -> None:
        end_us = self.now_us + round(seconds * 1e6)
        while self.now_us < end_us:
            self.now_us += STEP_US
            if each is not None:
                each()
            self._step()

    def run_until(self, condition: Callable[[], object], seconds: float = 10) -> float:
        """Seconds until something holds; fails where it does not within ``seconds``."""
        begin_us = self.now_us
        while not condition():
            assert self.now_us - begin_us < seconds * 1e6, "it never came to be"
            self.now_us += STEP_US
            self._step()
        return (self.now_us - begin_us) / 1e6

    def _step(self) -> None:
        now_us = self.now_us
        while self._wire_to_board and self._wire_to_board[0][0] <= now_us:
            self.board.read(self._wire_to_board.popleft()[1])
        frame = self.board.step(now_us, self._board_free_us <= now_us)
        if frame is not None:
            self._board_free_us = now_us + BYTE_US * len(frame)
            if self.plugged:
                for piece in self.to_host(frame):
                    self._wire_to_host.append((self._board_free_us + self.latency_us, piece))
        heard = False
        while self._wire_to_host and self._wire_to_host[0][0] <= now_us:
            self.session.receive(self._wire_to_host.popleft()[1], now_us)
            heard = True
        if heard or now_us >= self.session.next_tick_us:
            self.flush()

    def flush(self) -> None:
        data = self.session.to_send(self.now_us)
        if not data:
            return
        self.sent.append(data)
        if not self.plugged:
            return
        for frame in data.splitlines(keepends=True):
            self._host_free_us = max(self._host_free_us, self.now_us) + BYTE_US * len(frame)
            for piece in self.to_board(frame):
                self._wire_to_board.append((self._host_free_us + self.latency_us, piece))

    # What tests ask

    def live(self) -> bool:
        return self.session.live and self.session.board is not None and bool(self.session.board.name)

    def want(self, strip: int, first: int, colours: bytes) -> None:
        assert self.session.board is not None
        self.session.board.pixels.want(strip, first, colours)
        self.flush()

    def frames_sent(self, kind: int) -> list[bytes]:
        """The frames of one type that the host has written."""
        lines = [line for data in self.sent for line in data.splitlines(keepends=True)]
        return [line for line in lines if line.startswith(b"~") and a2b_base64(line[1:])[0] == kind]
