"""What a virtual board's inputs will do, and what they have done so far."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable

from .interpreter import FRESH, LEVEL, Interpreter

HORIZON_US = 25_000  # levels are handed to the board so long ahead

Applied = list[list[int]]
"""Of each level: when it was due, when it was applied, pin, level, and 1 if a program could see it."""


class Waveform:
    """Levels to come, by time; those in the board's hands; and the levels as they are now."""

    def __init__(self, levels: Iterable[tuple[int, int]]) -> None:
        self.words = [0xFFFFFFFF, 0xFF]
        for pin, level in levels:
            self._set(pin, level)
        self._coming: list[tuple[int, int, int, int]] = []
        self._given: deque[tuple[int, int, int, int]] = deque()
        self._count = 0
        self._fresh = True

    def feed(self, events: Iterable[tuple[int, int, int]]) -> None:
        if not self._coming and not self._given:
            self._fresh = True  # the board forgets by how much it is late
        for at_us, pin, level in events:
            self._count += 1
            heapq.heappush(self._coming, (at_us, self._count, pin, level))

    def next_us(self, looking: bool) -> int | None:
        """When to give again."""
        return self._coming[0][0] - (HORIZON_US if looking else 0) if self._coming else None

    def give(self, board: Interpreter | None, clock_us: int, now_us: int) -> Applied:
        """Hand what is nearly due to a board that looks; without one, what is due just happens."""
        until_us = now_us + HORIZON_US if board is not None else now_us
        applied = []
        while self._coming and self._coming[0][0] <= until_us:
            event = heapq.heappop(self._coming)
            at_us, number, pin, level = event
            if board is None:
                self._set(pin, level)
                applied.append([at_us, now_us, pin, level, 0])
            else:
                flags = FRESH if self._fresh else 0
                self._fresh = False
                self._given.append(event)
                board.send(at_us + clock_us, LEVEL, pin, level | flags, number & 0xFFFFFFF)
        return applied

    def applied(self, at_us: int, pin: int, level: int) -> list[int]:
        """The board has applied the oldest level that it was given."""
        self._set(pin, level)
        return [self._given.popleft()[0], at_us, pin, level, 1]

    def take_back(self) -> None:
        """The board is gone, and what it did not apply is still to come."""
        for event in self._given:
            heapq.heappush(self._coming, event)
        self._given.clear()
        self._fresh = True

    def _set(self, pin: int, level: int) -> None:
        bank, bit = pin >> 5, 1 << (pin & 31)
        self.words[bank] = self.words[bank] | bit if level else self.words[bank] & ~bit
