"""When the board's clock is asked for, and what its answers say. Pure."""

from __future__ import annotations

from struct import pack

from .. import wire
from .clock import BoardClock, whole_clock_us

PING_US = 1_000_000
PING_FIRST_US = 30_000  # until the clock is known well ...
PINGS_FIRST = 5  # ... which takes so many
KEPT = 8  # questions without an answer that are remembered


class Pings:
    """The pings of one session, the one that rides with its hello included."""

    def __init__(self) -> None:
        self.rtt_us: int | None = None
        self.due_us = 0
        self._sent: dict[int, int] = {}  # by token: when
        self._token = 0
        self._count = 0

    def begin(self) -> None:
        self._sent.clear()
        self._count = 0

    def question(self, now_us: int, known: bool) -> bytes:
        """The body of a PING that leaves now. ``known``: the clock has been told before."""
        self._token = (self._token + 1) & 0xFFFFFFFF
        self._sent[self._token] = now_us
        while len(self._sent) > KEPT:
            del self._sent[next(iter(self._sent))]
        self._count += 1
        self.due_us = now_us + (PING_US if known and self._count >= PINGS_FIRST else PING_FIRST_US)
        return pack("<I", self._token)

    def answer(self, clock: BoardClock, body: bytes, now_us: int) -> None:
        """One PONG: tell the clock. One that nobody asked for says nothing."""
        token, ticks, wraps = wire.fixed(wire.PONG, body)
        sent_us = self._sent.pop(token, None)
        if sent_us is not None:
            clock.add(whole_clock_us(wraps, ticks), sent_us, now_us)
            self.rtt_us = now_us - sent_us
