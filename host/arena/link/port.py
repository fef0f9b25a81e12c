"""Serial ports: finding them, opening them without disturbing the board, bytes in and out.

Nothing here ever makes the event loop wait: what cannot be written at once is kept, up to a bound.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
import threading
from collections.abc import Callable
from queue import Empty, Full, Queue
from typing import Any

import serial  # type: ignore[import-untyped]  # it has no types of its own
from serial.tools import list_ports  # type: ignore[import-untyped]  # as above

if sys.platform != "win32":
    import termios

BAUD = 115_200
CHUNK = 4096
MOST_PENDING = 4096  # bytes that wait for a port that takes none; more are dropped, as a cable would

# Makers of the USB bridges on ESP32 boards, and of the ESP32's own USB
ESP32_USB = {0x10C4: "Silicon Labs", 0x1A86: "WCH", 0x0403: "FTDI", 0x067B: "Prolific", 0x303A: "Espressif"}

# The two lines drive the reset circuit of a board, which acts only while they differ. Linux and macOS
# raise both when a port is opened, and pyserial then sets one after the other: leaving both up is the
# one order without a moment in between that resets the board. Windows sets both at once.
LINES_UP = os.name != "nt"


class PortError(Exception):
    """Why a port cannot be used, as a sentence that says what to do. ``missing``: it is simply not there."""

    def __init__(self, says: str, missing: bool = False) -> None:
        super().__init__(says)
        self.missing = missing


def absent(path: str) -> PortError:
    return PortError(f"Nothing is plugged in at {path}.", missing=True)


def find_ports() -> list[str]:
    """Ports that an ESP32 board may be behind. Takes milliseconds: not for the event loop."""
    return sorted(port.device for port in list_ports.comports() if port.vid in ESP32_USB)


def open_port(path: str, serial_class: Callable[[], Any] = serial.Serial) -> Any:
    """An open pyserial port, exclusively ours, that was not reset by opening; ``PortError`` says why not."""
    port = serial_class()
    port.port = path
    port.baudrate = BAUD
    port.timeout = 0.5  # only a reader thread waits so long
    port.write_timeout = 0.5  # and only a writer thread
    port.exclusive = True
    port.dtr = LINES_UP
    port.rts = LINES_UP
    try:
        port.open()
    except (OSError, ValueError) as problem:
        raise _explain(path, problem) from None
    _no_hang_up(port)
    return port


def _no_hang_up(port: Any) -> None:
    """Closing must leave both lines as they are."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError, termios.error):
            settings = termios.tcgetattr(port.fileno())
            settings[2] &= ~termios.HUPCL
            termios.tcsetattr(port.fileno(), termios.TCSANOW, settings)


def _explain(path: str, problem: Exception) -> PortError:
    number = getattr(problem, "errno", None)
    text = str(problem)
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV) or "FileNotFoundError" in text:
        return absent(path)
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK) or "PermissionError" in text or "exclusively" in text:
        return PortError(f"Another program uses {path}. Close it (a serial monitor? mpremote?); the arena tries again.")
    if number in (errno.EACCES, errno.EPERM):
        todo = (
            "Add yourself to the port's group (`sudo usermod -aG dialout $USER` on most systems), then log in again."
            if sys.platform == "linux"
            else "Give your user the right to read and write it."
        )
        return PortError(f"You may not use {path}. {todo}")
    return PortError(f"{path} cannot be opened: {text}.")


class Port:
    """An open port on the event loop. ``received`` gets bytes, ``lost`` is called once with the reason."""

    def __init__(self, device: Any, received: Callable[[bytes], None], lost: Callable[[str], None]) -> None:
        self._device = device
        self._received = received
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._pending = bytearray()
        self._closed = False
        self.dropped = 0  # bytes that were too many for the port

    @classmethod
    def start(cls, device: Any, received: Callable[[bytes], None], lost: Callable[[str], None]) -> Port:
        """The kind of port for this event loop: without threads where the loop can watch a port."""
        try:
            return WatchedPort(device, received, lost)
        except NotImplementedError:
            return ThreadedPort(device, received, lost)

    def write(self, data: bytes) -> None:
        """Send all of it as soon as the port takes it."""
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def idle(self) -> bool:
        """Whether everything is written."""
        return not self._pending

    def close(self) -> None:
        """Let go of the port. Neither callback is called any more."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._device.close()

    def _fail(self, reason: str) -> None:
        if not self._closed:
            self.close()
            self._lost(reason)


class WatchedPort(Port):
    """Reads and writes on the event loop itself, so that no thread's wake-up stands between edge and light."""

    def __init__(self, device: Any, received: Callable[[bytes], None], lost: Callable[[str], None]) -> None:
        super().__init__(device, received, lost)
        self._file = device.fileno()
        self._loop.add_reader(self._file, self._read)

    def write(self, data: bytes) -> None:
        if self._closed:
            return
        if not self._pending:
            written = self._try(data)
            data = data[written:]
            if not data or self._closed:
                return
            self._loop.add_writer(self._file, self._flush)
        if len(self._pending) + len(data) > MOST_PENDING:
            self.dropped += len(data)
        else:
            self._pending += data

    def close(self) -> None:
        if not self._closed:
            self._loop.remove_reader(self._file)
            self._loop.remove_writer(self._file)
        super().close()

    def _read(self) -> None:
        try:
            data = os.read(self._file, CHUNK)
        except BlockingIOError:
            return
        except OSError as problem:
            self._fail(problem.strerror or str(problem))
            return
        if data:
            self._received(data)
        else:
            self._fail("the port was closed at its other end")

    def _flush(self) -> None:
        del self._pending[: self._try(bytes(self._pending))]
        if not self._pending and not self._closed:
            self._loop.remove_writer(self._file)

    def _try(self, data: bytes) -> int:
        try:
            return os.write(self._file, data)
        except BlockingIOError:
            return 0
        except OSError as problem:
            self._fail(problem.strerror or str(problem))
            return 0


class ThreadedPort(Port):
    """The same with a thread each way, for event loops that cannot watch a port (Windows)."""

    def __init__(self, device: Any, received: Callable[[bytes], None], lost: Callable[[str], None]) -> None:
        super().__init__(device, received, lost)
        self._queue: Queue[bytes] = Queue(maxsize=MOST_PENDING // 128)
        for work in (self._read, self._write):
            threading.Thread(target=work, name=f"arena port {device.port}", daemon=True).start()

    def write(self, data: bytes) -> None:
        try:
            self._queue.put_nowait(data)
        except Full:
            self.dropped += len(data)

    @property
    def idle(self) -> bool:
        return self._queue.unfinished_tasks == 0

    def _read(self) -> None:
        try:
            while not self._closed:
                data = self._device.read(max(1, self._device.in_waiting))
                if data:
                    self._tell(self._take, data)
        except (OSError, TypeError, AttributeError) as problem:  # pyserial's two last: closed while reading
            self._tell(self._fail, str(problem))

    def _write(self) -> None:
        while not self._closed:
            try:
                data = self._queue.get(timeout=0.5)
            except Empty:
                continue
            try:
                self._device.write(data)
            except serial.SerialTimeoutException:
                self.dropped += len(data)
            except (OSError, TypeError, AttributeError) as problem:
                self._tell(self._fail, str(problem))
            self._queue.task_done()

    def _take(self, data: bytes) -> None:
        if not self._closed:
            self._received(data)

    def _tell(self, call: Callable[..., None], value: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(call, value)
