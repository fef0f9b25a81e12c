"""The console's two byte streams: whole frames in, paced frames out, and a bare Ctrl-C.

The ESP32 console keeps 260 bytes of input and drops the rest; it blocks while its output FIFO of
128 bytes is full. So input is taken byte by byte within a time budget, and a frame is written only
when the FIFO has room for it.
"""

import select
import sys

from clock import MASK, ticks_us
from wire import MAX_LINE

CTRL_C = 3
_BYTE_US = 87  # one character at 115,200 baud
_FIFO_BYTES = 128
_TILDE = 126
_NEWLINE = 10
_RETURN = 13


class SerialLine:
    """The console as a line of frames."""

    def __init__(self) -> None:
        self.broken = 0  # frames that were too long, or cut off
        self.bytes_in = 0  # ever since the start
        self.interrupted = False  # a Ctrl-C came at the start of a line
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._input = sys.stdin.buffer
        self._output = sys.stdout.buffer
        self._byte = bytearray(1)
        self._line = bytearray(MAX_LINE)
        self._size = 0
        self._overlong = False
        self._empty_at = ticks_us() & MASK  # when the output FIFO will be empty

    def read(self, budget_us: int) -> "bytes | None":
        """One whole frame as a line, or ``None`` where no more bytes wait or the time is over."""
        start = ticks_us()
        byte = self._byte
        while True:
            ready = False
            for _ in self._poll.ipoll(0):
                ready = True
            if not ready or not self._input.readinto(byte):
                return None
            self.bytes_in += 1
            line = self._take(byte[0])
            if line is not None or (ticks_us() - start) & MASK >= budget_us:
                return line

    def _take(self, byte: int) -> "bytes | None":
        if byte == _NEWLINE or byte == _RETURN:
            line = None
            if self._overlong:
                self.broken += 1
            elif self._size and self._line[0] == _TILDE:
                line = bytes(memoryview(self._line)[: self._size])
            self._size = 0
            self._overlong = False
            return line
        if byte == CTRL_C:
            # Frames never hold it: what it follows is no frame, and the next one stands at the start of a line
            if self._size == 0 and not self._overlong:
                self.interrupted = True
            self._size = 0
            self._overlong = False
            return None
        if byte == _TILDE:
            if self._size and self._line[0] == _TILDE:
                self.broken += 1
            self._size = 0
            self._overlong = False
        if self._size == MAX_LINE:
            self._overlong = self._line[0] == _TILDE
            if not self._overlong:
                self._size = 1  # console text of the host: only that it is not the start of a line matters
            return None
        self._line[self._size] = byte
        self._size += 1
        return None

    def ready(self, now: int) -> bool:
        """Whether a frame of any length can be written without waiting."""
        ahead = (self._empty_at - now) & MASK
        if ahead > MASK // 2:
            self._empty_at = now
            return True
        return ahead <= (_FIFO_BYTES - MAX_LINE) * _BYTE_US

    def write(self, frame: bytes, now: int) -> None:
        """Write one frame; only where :meth:`ready`."""
        self._output.write(frame)
        ahead = (self._empty_at - now) & MASK
        begin = now if ahead > MASK // 2 else self._empty_at
        self._empty_at = (begin + len(frame) * _BYTE_US) & MASK
