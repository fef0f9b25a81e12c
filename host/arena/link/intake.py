"""A board's edges on their way to being kept: in order, once, on the table clock, losses told.

Sans-IO. Holds at most a few frames' worth: what is not durable is not acknowledged, and so comes again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, MutableMapping
from struct import iter_unpack
from typing import Any

from .. import wire
from ..words import Edge, EdgeId, Gap
from .board import Board
from .clock import whole_clock_us

HELD_FRAMES = 16  # that came before the board's clock and name were known
LATE_MOST_US = 0xFFFF  # or more


class Intake:
    """The edges of one session. ``kept`` is what the host acknowledges: the first edge that is not durable."""

    def __init__(self, keep: Callable[[list[Edge], list[Gap]], None], memory: MutableMapping[str, Any]) -> None:
        self._keep = keep
        self._memory = memory
        self.kept = 0
        self._next = 0
        self._new: list[Edge] = []
        self._gaps: list[Gap] = []
        self._restarted: tuple[str, str] | None = None  # identity and boot whose restart is among the gaps
        self._held: deque[tuple[int, bytes]] = deque(maxlen=HELD_FRAMES)

    def begin(self, wanted: int) -> None:
        """A session in which the board sends from ``wanted`` on."""
        self.kept = self._next = wanted
        self._held.clear()

    def take(self, board: Board, flags: int, body: bytes, now_us: int) -> bool:
        """The body of one EDGES; ``False`` where edges before it are missing, which the board must send again."""
        if not board.name or not board.clock.ready:
            self._held.append((flags, body))
            return True
        first, wraps = wire.fixed(wire.EDGES, body)
        if first > self._next:
            if not flags & wire.GAP:
                return False
            lost = first - self._next
            what = "1 edge is" if lost == 1 else f"{lost} edges are"
            reason = f'The board "{board.name}" saw more than it could keep: {what} lost.'
            self._gaps.append(Gap(board.name, board.boot, self._next, first - 1, reason))
            self._next = first
        for number, item in enumerate(iter_unpack(wire.EDGE, wire.tail(wire.EDGES, body)), first):
            if number >= self._next:
                self._new.append(_edge(board, number, wraps, item, now_us))
                self._next = number + 1
        return True

    def take_held(self, board: Board, now_us: int) -> None:
        """Take what came early, once the board's name and clock are known."""
        if board.name and board.clock.ready:
            while self._held:
                self.take(board, *self._held.popleft(), now_us)

    def introduce(self, board: Board) -> None:
        """The board has a name and a boot: where it is not the boot of last time, it has started again."""
        last = self._memory.get(_last_boot(board.identity))
        if not isinstance(last, str):
            self._memory[_last_boot(board.identity)] = board.boot
        elif last != board.boot and self._restarted != (board.identity, board.boot):
            reason = f'The board "{board.name}" has started again ({board.reset}): what it saw last may be missing.'
            self._gaps.append(Gap(board.name, board.boot, None, None, reason))
            self._restarted = board.identity, board.boot

    def deliver(self) -> bool:
        """Have everything new kept; only then it counts as kept. Whether there was anything. Raises as ``keep``."""
        if not self._new and not self._gaps:
            return False
        edges, gaps = self._new, self._gaps
        self._new, self._gaps = [], []
        try:
            self._keep(edges, gaps)
        except BaseException:
            # The board sends its edges again; that it started again nobody says a second time
            self._next = self.kept
            self._gaps = [gap for gap in gaps if gap.first is None]
            raise
        self.kept = self._next
        if self._restarted is not None:
            identity, boot = self._restarted
            self._memory[_last_boot(identity)] = boot
            self._restarted = None
        return True


def _last_boot(identity: str) -> str:
    return f"boot:{identity}"


def _edge(board: Board, number: int, wraps: int, item: tuple[int, ...], now_us: int) -> Edge:
    ticks, late_us, channel, level = item
    count = None
    if channel & wire.COUNTER:
        count = late_us - 0x10000 if late_us & 0x8000 else late_us
        late_us = level = 0
    elif late_us == LATE_MOST_US:
        late_us = max(late_us, board.status.get("gap_us", 0))
    earliest_us, latest_us = board.clock.interval(whole_clock_us(wraps, ticks), late_us, now_us)
    return Edge(
        EdgeId(board.boot, number),
        board.name,
        channel & ~wire.COUNTER,
        int(level > 0),
        earliest_us,
        latest_us,
        count,
    )
