"""The console's input ring on the ESP32: 260 bytes, and what does not fit is dropped without a word."""

from __future__ import annotations

import time
from collections import deque

from .interpreter import Interpreter

RING = 260
SEEN_US = 300  # the kernel counts what was written by so much later
SETTLE_US = 500_000  # how long a program may take from a Ctrl-C to the REPL's prompt

CTRL_C = b"\x03"


class Ring:
    """Between the line and the program, for one start of the interpreter.

    The Unix port forgets its waiting input on the way from a program to the prompt; a board does not.
    So what follows a Ctrl-C to a running program waits here until the prompt is there.
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[int, int]] = deque()
        self._held = bytearray()
        self._until_us: int | None = None

    def __len__(self) -> int:
        """Bytes that wait for the prompt."""
        return len(self._held)

    def put(self, data: bytes, board: Interpreter, now_us: int) -> int:
        """Pass bytes on; how many were dropped."""
        if self._until_us is not None:
            if board.running() and now_us < self._until_us:
                return self._hold(data)
            self._until_us = None
            data = bytes(self._held) + data
            self._held.clear()
        if not data:
            return 0
        dropped = max(0, len(data) - self._room(len(data), board, now_us))
        data = data[: len(data) - dropped]
        end = data.find(CTRL_C) + 1
        if end and board.running():
            self._until_us = now_us + SETTLE_US
            self._hold(data[end:])
            data = data[:end]
        if data:
            self._recent.append((now_us, len(data)))
            board.write(data)
        return dropped

    def _room(self, wanted: int, board: Interpreter, now_us: int) -> int:
        """How many bytes fit, where ``wanted`` come."""
        while self._recent and self._recent[0][0] < now_us - SEEN_US:
            self._recent.popleft()
        if wanted + board.waiting() + sum(size for _, size in self._recent) > RING and self._recent:
            # It may be full, or the program has read all that: wait until the kernel knows
            time.sleep(SEEN_US / 1e6)
            self._recent.clear()
        return max(0, RING - board.waiting())

    def _hold(self, data: bytes) -> int:
        room = RING - len(self._held)
        self._held += data[:room]
        return max(0, len(data) - room)
