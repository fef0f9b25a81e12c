"""The port that a host opens: a pseudo-terminal behind a link of stable name, and a line's speed."""

from __future__ import annotations

import contextlib
import os
import select
import termios
import tty
from pathlib import Path

LOOK_US = 20_000  # how often to look whether somebody opens the port
PATIENCE_US = 1_000_000  # how long a host that has the port open may leave bytes unread before they are lost


class Port:
    """The board's USB plug: it exists while the cable is in."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self._master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self._master, False)
        self.opened = False
        self._waiting = bytearray()
        self._since_us = 0
        self._stalled = False  # the host has the port open and does not read
        half = link.with_name(link.name + ".new")
        half.unlink(missing_ok=True)
        half.symlink_to(self.path)
        half.replace(link)

    def fileno(self) -> int:
        return self._master

    def look(self) -> bool:
        """See whether a host has the port open; one that has gone may have left bytes to read first."""
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        seen = sum(event for _, event in poll.poll(0))
        if not self.opened:
            self.opened = not seen & select.POLLHUP
        elif seen & select.POLLHUP and not seen & select.POLLIN:
            self._forget()
        return self.opened

    def read(self) -> bytes:
        try:
            data = os.read(self._master, 4096)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._forget()
        return data

    def waiting(self) -> int:
        """Bytes that the host has not taken yet."""
        return len(self._waiting)

    def write(self, data: bytes, now_us: int) -> None:
        """Give bytes to the host; with nobody there they are lost, as behind any USB bridge."""
        if self.opened or self.look():
            if not self._waiting:
                self._since_us = now_us - PATIENCE_US if self._stalled else now_us
            self._waiting += data
            self.push(now_us)

    def push(self, now_us: int) -> None:
        """Try again with what waits."""
        if not self._waiting:
            return
        try:
            sent = os.write(self._master, self._waiting)
        except OSError:
            sent = 0
        del self._waiting[:sent]
        if sent:
            self._since_us = now_us
            self._stalled = False
        elif now_us - self._since_us >= PATIENCE_US or not self.opened:
            self._waiting.clear()
            self._stalled = True

    def close(self) -> None:
        """Pull the cable: whoever has the port open gets a hang-up."""
        self._waiting.clear()
        os.close(self._master)
        if self.link.is_symlink() and os.readlink(self.link) == self.path:
            self.link.unlink()

    def _forget(self) -> None:
        """The host has closed the port: what it did not read is lost."""
        self.opened = self._stalled = False
        self._waiting.clear()
        with contextlib.suppress(OSError, termios.error):
            slave = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                termios.tcflush(slave, termios.TCIFLUSH)
                tty.setraw(slave)
            finally:
                os.close(slave)


class Pace:
    """Bytes on their way along a line: ten bit times each, one after another. Without a rate, no time."""

    def __init__(self, baud: int | None) -> None:
        self._byte_us = 10e6 / baud if baud else 0.0
        self._bytes = bytearray()
        self._free_us = 0.0  # when the first of them has arrived

    def __len__(self) -> int:
        return len(self._bytes)

    def push(self, data: bytes, now_us: float) -> None:
        if not self._bytes:
            self._free_us = max(self._free_us, now_us + self._byte_us)
        self._bytes += data

    def take(self, now_us: float) -> bytes:
        """What has arrived by now."""
        if not self._bytes:
            return b""
        count = len(self._bytes)
        if self._byte_us:
            count = min(count, int((now_us - self._free_us) / self._byte_us) + 1) if now_us >= self._free_us else 0
        arrived = bytes(self._bytes[:count])
        del self._bytes[:count]
        self._free_us += count * self._byte_us
        return arrived

    def next_us(self, piece_us: float = 1000.0) -> float | None:
        """When to take again: when all have arrived, or a piece of them."""
        if not self._bytes:
            return None
        return self._free_us + min((len(self._bytes) - 1) * self._byte_us, piece_us)
