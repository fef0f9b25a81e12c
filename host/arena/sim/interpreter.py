"""One run of the real MicroPython interpreter in a process of its own, with the stand-ins before it.

The interpreter comes as a Python extension module, so the process is a fork of the supervisor, which
has one thread only. Its console is a pseudo-terminal, made anew for each run: a terminal whose session
ended hangs up for good.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import os
import select
import signal
import struct
import sys
import termios
import time
import tty
from pathlib import Path

STANDINS = Path(__file__).parent / "standins"
HEAP = "384K"  # what an ESP32 without PSRAM has, doubled: objects of the Unix port are twice as big

# The second channel's records, as standins/virtual_channel.py describes them
RECORD = struct.Struct("<QBBHI")
LEVEL = 1
FRESH = 2
READY, APPLIED, PIXELS, WATCHDOG, RESET, FAULT = range(1, 7)
LAST = 0x10000
FOLLOWED = (PIXELS, FAULT)
Record = tuple[int, int, int, int, int, bytes]
RUNNING = termios.NOFLSH  # set in the console's local modes while a program runs; the REPL clears all of them
LOCAL = 3  # where they stand in termios' list
PIECE = 512  # what a pipe takes whole on every system


class Interpreter:
    """A running interpreter: its console, its second channel, its end."""

    def __init__(
        self,
        folder: str,
        identity: bytes,
        cause: int,
        levels: tuple[int, int],
        zero_us: int,
        run_main: bool,
        heap: str = HEAP,
    ) -> None:
        self.console, self._slave = os.openpty()
        tty.setraw(self._slave)
        modes = termios.tcgetattr(self._slave)
        modes[LOCAL] = RUNNING  # start.py lets Ctrl-C interrupt when the stand-ins are in place
        modes[6][termios.VINTR] = b"\x03"
        for never in (termios.VQUIT, termios.VSUSP):
            modes[6][never] = b"\x00"
        termios.tcsetattr(self._slave, termios.TCSANOW, modes)
        to_read, self._to_board = os.pipe()
        self.from_board, to_write = os.pipe()
        now_us = time.monotonic_ns() // 1000
        arguments = ["micropython", "-X", f"heapsize={heap}", "-i", str(STANDINS / "start.py"), folder, identity.hex()]
        arguments += [str(part) for part in (cause, *levels, zero_us, now_us, int(run_main), int(termios.ISIG))]
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _become(arguments, folder, self._slave, to_read, to_write)
            finally:
                os._exit(125)
        os.close(to_read)
        os.close(to_write)
        for fd in (self.console, self.from_board, self._to_board):
            os.set_blocking(fd, False)
        self._records = bytearray()
        self._unsent = bytearray()
        self._ended: int | None = None

    # The console

    def waiting(self) -> int:
        """How many bytes of input the program has not read yet."""
        with contextlib.suppress(OSError):
            found = fcntl.ioctl(self._slave, termios.FIONREAD, b"\0\0\0\0")
            return int(struct.unpack("i", found)[0])
        return 0

    def running(self) -> bool:
        """Whether a program runs, rather than the REPL waiting for a line."""
        with contextlib.suppress(termios.error):
            return bool(termios.tcgetattr(self._slave)[LOCAL] & RUNNING)
        return False

    def hold_output(self, hold: bool) -> None:
        """Let the program's writes wait, as they do while a UART's FIFO is full."""
        with contextlib.suppress(termios.error):
            termios.tcflow(self._slave, termios.TCOOFF if hold else termios.TCOON)

    def read(self) -> bytes:
        with contextlib.suppress(OSError):
            return os.read(self.console, 4096)
        return b""

    def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self.console, data)

    # The second channel

    def send(self, at_us: int, kind: int, a: int, b: int, c: int) -> None:
        self._unsent += RECORD.pack(at_us, kind, a, b, c)
        self.push()

    def push(self) -> bool:
        """Send what waits; whether everything is sent."""
        while self._unsent:
            try:
                sent = os.write(self._to_board, self._unsent[:PIECE])
            except BlockingIOError:
                return False
            except OSError:
                self._unsent.clear()
                return True
            del self._unsent[:sent]
        return True

    def records(self) -> list[Record] | None:
        """What the board says: (time, kind, a, b, c, bytes that follow); ``None`` when it has ended."""
        while True:
            try:
                data = os.read(self.from_board, 65536)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                if self._ended is None:
                    self._ended = 0
                break
            self._records += data
        found = []
        while len(self._records) >= RECORD.size:
            at_us, kind, a, b, c = RECORD.unpack_from(self._records)
            size = RECORD.size + (b if kind in FOLLOWED else 0)
            if len(self._records) < size:
                break
            found.append((at_us, kind, a, b, c, bytes(self._records[RECORD.size : size])))
            del self._records[:size]
        return found if found or self._ended is None else None

    # Its end

    def end(self) -> tuple[int, bytes]:
        """Kill it if it still runs and forget it; its exit status (negative: a signal) and last output."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        rest = b""
        while select.select([self.console], [], [], 0)[0]:
            piece = self.read()
            if not piece:
                break
            rest += piece
        for fd in (self.console, self._slave, self.from_board, self._to_board):
            os.close(fd)
        return os.waitstatus_to_exitcode(status), rest


def _become(arguments: list[str], folder: str, slave: int, to_read: int, to_write: int) -> None:
    """Turn this process into the interpreter."""
    run_main = importlib.import_module("micropython_run").run_main
    os.setsid()
    # High numbers first, so that no copy lands on one that is still needed
    kept = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in (slave, to_read, to_write)]
    for target, source in ((0, kept[0]), (1, kept[0]), (2, kept[0]), (3, kept[1]), (4, kept[2])):
        os.dup2(source, target)
    os.closerange(5, 256)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    with contextlib.suppress(OSError), open("/proc/self/timerslack_ns", "w") as slack:
        slack.write("1")  # Linux ends sleeps 50 µs late otherwise, for the sake of power
    os.chdir(folder)
    sys.stdout.flush()
    os._exit(run_main(arguments) & 0xFF)
