"""How many host bytes are under way, and which frames the board has dealt with. Pure.

A board's input holds 260 bytes and drops the rest in silence, so no more than ``WINDOW`` may be
unanswered. Sequence numbers wrap at 16 bits and never start anew; hello sets where the board counts.
"""

from __future__ import annotations

from collections import deque

from ..wire import MAX_BODY, PING, PIXELS, READ, REFLEX, RELEASE, WINDOW

ANSWER_US = 500_000  # a frame that asks for an answer and had none by then was lost; doubles ...
ANSWER_MOST_US = 2_000_000  # ... up to this
ACK_BYTES = 18  # a frame without a body: its place is kept free
FRAME_BYTES = 12  # header and check, before base64

_ANSWERED = frozenset((PIXELS, REFLEX, READ, PING, RELEASE))

Sent = tuple[int, int]
"""Sequence and type of a frame."""


class Window:
    """The frames of one session that the board has not dealt with yet."""

    def __init__(self) -> None:
        self.sequence = 0  # of the newest frame
        self._dealt = 0  # the newest that the board has dealt with
        self._frames: deque[tuple[int, int, int, int]] = deque()  # sequence, type, bytes, when
        self._bytes = 0
        self._patience_us = ANSWER_US

    def begin(self) -> int:
        """Forget what is under way; the sequence number of the hello."""
        self.sequence = self._dealt = (self.sequence + 1) & 0xFFFF
        self._frames.clear()
        self._bytes = 0
        self._patience_us = ANSWER_US
        return self.sequence

    def next(self) -> int:
        """The number of the next frame."""
        self.sequence = (self.sequence + 1) & 0xFFFF
        return self.sequence

    def sent(self, kind: int, size: int, now_us: int) -> None:
        """The frame of the newest number has left, ``size`` characters long."""
        self._frames.append((self.sequence, kind, size, now_us))
        self._bytes += size

    def room(self) -> int:
        """Bytes that a body may have now, beside a kept place for an acknowledgement; negative where none fits."""
        line = WINDOW - ACK_BYTES - self._bytes
        return min(MAX_BODY, (line - 2) // 4 * 3 - FRAME_BYTES)

    def room_for_ack(self) -> bool:
        return self._bytes + ACK_BYTES <= WINDOW

    def settle(self, ack: int) -> list[Sent]:
        """The frames that the board has now dealt with, or knows lost; none where ``ack`` makes no sense."""
        passed = (ack - self._dealt) & 0xFFFF
        if not 0 < passed <= (self.sequence - self._dealt) & 0xFFFF:
            return []
        self._patience_us = ANSWER_US
        self._dealt = ack
        done = []
        while self._frames and (ack - self._frames[0][0]) & 0xFFFF < 0x8000:
            done.append(self._pop())
        return done

    def due_us(self) -> int | None:
        """When the oldest frame that asks for an answer must be given up."""
        return next((at + self._patience_us for _, kind, _, at in self._frames if kind in _ANSWERED), None)

    def give_up(self, now_us: int) -> list[Sent]:
        """Frames that must have been lost: all, once the oldest that asks for an answer is overdue."""
        due_us = self.due_us()
        if due_us is None or now_us < due_us:
            return []
        self._patience_us = min(2 * self._patience_us, ANSWER_MOST_US)
        self._dealt = self.sequence
        return [self._pop() for _ in range(len(self._frames))]

    def _pop(self) -> Sent:
        sequence, kind, size, _ = self._frames.popleft()
        self._bytes -= size
        return sequence, kind
