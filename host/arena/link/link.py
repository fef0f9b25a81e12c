"""All boards: finds their ports, keeps a session with each, and is the one stream of edges.

Belongs to one event loop. ``keep`` is called on it, and so is everything that a caller does here.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from ..words import Edge, Gap
from .board import Board, read_config, reflex_bodies
from .health import BoardHealth, of_board, of_session
from .pixels import Pixels
from .port import Port, PortError, absent, find_ports, open_port
from .session import Session, State

LOOK_S = 0.2  # how often a port is looked for that is not there; costs one file look-up
FIND_S = 2.0  # how often all serial ports are listed, where none were named; costs milliseconds in a thread
SILENT_S = 10.0  # a found port that no board answers on is let go after so long ...
AVOID_S = 20.0  # ... and tried again after so long: it may be anybody's device
PARTING_S = 0.5  # the most that waiting for a board's last answer may take


class Link:
    """The boards as one.

    ``ports``: paths, or ``None`` to find them. ``names``: what boards of known identity are called;
    others are called as their configuration says. ``clock`` is the table clock in µs. ``keep`` makes
    edges durable before it returns, else raises, and ``run`` ends with what it raised. ``wanted``
    gives the first edge of a boot that is not held. ``on_change`` says that ``boards()`` reads
    differently. ``configs``: digest of the configuration that the rig file gives each board, by name.
    ``memory`` keeps small JSON values over restarts.
    """

    def __init__(
        self,
        *,
        ports: Sequence[str] | None,
        names: Mapping[str, str],
        clock: Callable[[], int],
        keep: Callable[[list[Edge], list[Gap]], None],
        wanted: Callable[[str], int],
        on_change: Callable[[], None],
        configs: Mapping[str, int] | None = None,
        memory: MutableMapping[str, Any] | None = None,
    ) -> None:
        self._ports = None if ports is None else list(dict.fromkeys(ports))
        self._names = {identity.lower(): name for identity, name in names.items()}
        self._clock = clock
        self._keep = keep
        self._wanted = wanted
        self._on_change = on_change
        self._configs = dict(configs or {})
        self._memory: MutableMapping[str, Any] = {} if memory is None else memory
        self._boards: dict[str, Board] = {}  # by identity
        self._pixels: dict[str, Pixels] = {}  # by name, also of boards that are not there
        self._reflexes: dict[str, tuple[bytes, ...]] = {}
        self._lines: dict[str, _Line] = {}  # by path
        self._faults: dict[str, PortError] = {}  # why a port is not open
        self._avoid: dict[str, float] = {}  # found ports that nobody answered on, until when
        self._released_until: float | None = None
        self._wake = asyncio.Event()
        self._failed: BaseException | None = None
        self._closing = False

    async def run(self) -> None:
        """Serve the boards until ``close()``; raises what ``keep`` raised."""
        loop = asyncio.get_running_loop()
        found: list[str] = []
        find_at = loop.time()
        while not self._closing and self._failed is None:
            if self._released_until is not None and loop.time() >= self._released_until:
                self.resume()
            if self._released_until is None:
                if self._ports is None and loop.time() >= find_at:
                    found = await asyncio.to_thread(find_ports)
                    find_at = loop.time() + FIND_S
                await self._look(found if self._ports is None else self._ports)
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), LOOK_S)
        if self._failed is not None:
            self._hang_up()
            raise self._failed

    async def close(self) -> None:
        """Say goodbye to every board and let go of the ports."""
        self._closing = True
        self._wake.set()
        for line in self._lines.values():
            line.part()
        await self._until(lambda: all(line.port.idle for line in self._lines.values()))
        self._hang_up()

    # Light

    def show(self, board: str, strip: int, first: int, colours: bytes) -> None:
        """These pixels have these RGB colours from now on, on a board that may be there or not yet."""
        self._pixels_of(board).want(strip, first, colours)
        self._flush_board(board)

    def reflex(self, board: str, entries: Sequence[Sequence[int]]) -> None:
        """How a board answers by itself: (channel, strip, first, pixels, red, green, blue, ms) each; all of them."""
        self._reflexes[board] = reflex_bodies(entries)
        for line in self._lines.values():
            if line.session.board is not None and line.session.board.name == board:
                line.session.board.reflexes = self._reflexes[board]
                line.session.sync_reflexes()
        self._flush_board(board)

    # Health and maintenance

    def boards(self) -> list[BoardHealth]:
        """Every board that is or was here, every port without one, every board of the rig file that is missing."""
        told = []
        here = set()
        for path, line in self._lines.items():
            told.append(of_session(line.session, path, self._configs, self._notes(line)))
            if line.session.board is not None:
                here.add(line.session.board.identity)
        released = self._released_until is not None
        for identity, board in self._boards.items():
            if identity in here:
                continue
            who = board.says()
            if released:
                words = f"The port of {who} is free for other programs."
                told.append(of_board(board, None, State.RELEASED, words))
            else:
                words = f"{who[0].upper()}{who[1:]} is unplugged. It goes on recording while it has power."
                told.append(of_board(board, None, State.GONE, words))
        for path, fault in self._faults.items():
            if path not in self._lines and not (fault.missing and self._boards):
                told.append(BoardHealth("", "", "", path, State.WAITING, str(fault)))
        for name in sorted(self._configs.keys() - {health.name for health in told}):
            words = f'The rig file\'s board "{name}" has not been seen yet. Is it plugged in?'
            told.append(BoardHealth(name, "", "", None, State.RELEASED if released else State.WAITING, words))
        return told

    def dictionary(self, identity: str) -> Mapping[str, Any] | None:
        """What a board says of its own protocol, once it was read."""
        board = self._boards.get(identity)
        return self._memory.get(f"dictionary:{board.dictionary_digest:08x}") if board else None

    async def release(self, seconds: float) -> None:
        """Let go of the ports for so long, so that other programs (mpremote) can use them."""
        loop = asyncio.get_running_loop()
        self._released_until = loop.time() + seconds
        for line in self._lines.values():
            line.session.release(int(seconds + 0.999))
            line.flush()
        await self._until(lambda: all(line.session.released and line.port.idle for line in self._lines.values()))
        self._hang_up()
        self._on_change()

    def resume(self) -> None:
        """Take the ports back, now."""
        self._released_until = None
        self._avoid.clear()
        self._wake.set()
        self._on_change()

    # Inside

    async def _look(self, paths: Sequence[str]) -> None:
        """Open what is there and not open yet."""
        now = asyncio.get_running_loop().time()
        for path, line in list(self._lines.items()):
            if self._ports is None and line.session.board is None and now - line.since >= SILENT_S:
                self._avoid[path] = now + AVOID_S
                words = f"On {path} no board of the arena answers. If one is there, flash it or press its reset button."
                self._faults[path] = PortError(words)
                self._drop(line)
        for path in [path for path in self._faults if path not in paths]:
            del self._faults[path]
        for path in paths:
            if path in self._lines or self._avoid.get(path, now) > now:
                continue
            try:
                if os.name != "nt" and not os.path.exists(path):
                    raise absent(path)
                device = await asyncio.to_thread(open_port, path)
            except PortError as fault:
                if str(fault) != str(self._faults.get(path)):
                    self._faults[path] = fault
                    self._on_change()
                continue
            if self._closing or self._released_until is not None:
                device.close()
                return
            self._faults.pop(path, None)
            self._lines[path] = _Line(self, path, device)
            self._on_change()

    def _board_of(self, identity: str) -> Board:
        return self._boards.setdefault(identity, Board(identity))

    def _name_of(self, identity: str, in_config: str) -> str:
        name = self._names.get(identity, in_config)
        if not name:
            return ""
        for other in [other for other in self._boards.values() if other.name == name and other.identity != identity]:
            if any(line.session.board is other for line in self._lines.values()):
                return identity  # two boards of one name would be one to the rig: the first keeps it
            del self._boards[other.identity]  # this board takes its place
        board = self._board_of(identity)
        if board.pixels is not self._pixels_of(name):
            board.pixels = self._pixels[name]
            if board.config:
                board.take_config(board.config)
            board.pixels.forget()
        board.reflexes = self._reflexes.get(name, ())
        return name

    def _notes(self, line: _Line) -> list[str]:
        board = line.session.board
        if board is None or board.name != board.identity:
            return []
        if not read_config(board.config or b"")[0]:
            return ["Its configuration gives it no name: flash it."] if board.config else []
        return ["Another board has the name in its configuration: flash one of them anew."]

    def _pixels_of(self, name: str) -> Pixels:
        return self._pixels.setdefault(name, Pixels())

    def _flush_board(self, name: str) -> None:
        for line in self._lines.values():
            if line.session.board is not None and line.session.board.name == name:
                line.flush_soon()

    def _lost(self, line: _Line, reason: str) -> None:
        self._drop(line)
        self._wake.set()
        self._on_change()

    def _drop(self, line: _Line) -> None:
        line.close()
        self._lines.pop(line.path, None)

    def _hang_up(self) -> None:
        for line in list(self._lines.values()):
            self._drop(line)

    def _fail(self, problem: BaseException) -> None:
        self._failed = self._failed or problem
        self._wake.set()

    async def _until(self, done: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + PARTING_S
        while not done() and loop.time() < end:
            await asyncio.sleep(0.005)


class _Line:
    """One open port, its session and its timer."""

    def __init__(self, link: Link, path: str, device: Any) -> None:
        self._link = link
        self._loop = asyncio.get_running_loop()
        self.path = path
        self.since = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._soon = False
        self._receiving = False
        self._parted = False
        self.session = Session(
            board_of=link._board_of,
            name_of=link._name_of,
            wanted=link._wanted,
            keep=link._keep,
            memory=link._memory,
            number=lambda: secrets.randbits(32),
            now_us=link._clock(),
        )
        self.port = Port.start(device, self._received, lambda reason: link._lost(self, reason))
        self.flush()

    def flush(self) -> None:
        """Send what may go out, and be woken when there is more."""
        self._soon = False
        if self.port.closed or self._parted:
            return
        now_us = self._link._clock()
        data = self.session.to_send(now_us)
        if data:
            self.port.write(data)
        if self.port.closed:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(max(0, self.session.next_tick_us - now_us) / 1e6, self.flush)
        if self.session.changed:
            self.session.changed = False
            self._link._on_change()

    def flush_soon(self) -> None:
        """Once for all that is said in this turn of the event loop."""
        if not self._soon:
            self._soon = True
            if not self._receiving:  # else it goes out as soon as the edges are dealt with
                self._loop.call_soon(self.flush)

    def part(self) -> None:
        """Say goodbye, and nothing after it."""
        self._parted = True
        self.port.write(self.session.bye())

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.port.close()

    def _received(self, data: bytes) -> None:
        self._receiving = True
        try:
            self.session.receive(data, self._link._clock())
        except Exception as problem:  # what `keep` raised: nothing of it was acknowledged
            self._link._fail(problem)
            return
        finally:
            self._receiving = False
        self.flush()
