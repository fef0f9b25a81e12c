"""The process around one virtual board: its power, its cable, its resets, and the way of every byte.

Started by :class:`arena.sim.board.VirtualBoard`, which it talks to by lines of JSON over a socket; when
that socket ends, however its owner died, the board ends too. A process of its own, because a relay must
answer within a fraction of a millisecond whatever else the simulation computes. It imports nothing but
the standard library and its neighbours here, so that it starts quickly.
"""

from __future__ import annotations

import importlib
import json
import select
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Any

from . import resets
from .interpreter import APPLIED, FAULT, HEAP, LAST, PIXELS, READY, RESET, WATCHDOG, Interpreter, Record
from .line import LOOK_US, Pace, Port
from .ring import Ring
from .waveform import Applied, Waveform

FIFO = 128  # the UART's output FIFO; while it is full, the program waits
CRASH_PAUSE_US = 300_000  # between an interpreter that crashed and its next start
INPUT_MOST = 4096  # on the line; what the host writes beyond waits in its own kernel
MOST_TEXT = 240

RAW_BANNER = b"raw REPL; CTRL-B to exit"
PROMPT = b">>> "
CTRL_A, CTRL_B = b"\x01", b"\x02"


def now_us() -> int:
    return time.monotonic_ns() // 1000


class Supervisor:
    """One virtual board, from its first power-on to its owner's end."""

    def __init__(self, owner: socket.socket, settings: dict[str, Any], orders: bytes = b"") -> None:
        self.owner = owner
        owner.setblocking(False)
        self._told = bytearray()
        self._heard = bytearray(orders)
        self._folder = str(settings["folder"])
        self._temporary = bool(settings["temporary"])
        self._identity = bytes.fromhex(settings["identity"])
        self._heap = str(settings.get("heap") or HEAP)
        self._link = Path(settings["port_link"])
        self._tick_offset_us = int(settings["tick_offset_us"])
        self._waveform = Waveform(settings["levels"])
        self._paced = bool(settings["baud"])
        self._in, self._out = Pace(settings["baud"]), Pace(settings["baud"])
        self._dropped = 0
        self._port: Port | None = Port(self._link)
        self._was_open = False
        self._pixels: dict[int, bytearray] = {}
        self._text = bytearray()
        self._answers: list[int] = []
        self._ending = False
        # Of the interpreter that runs now
        self._board: Interpreter | None = None
        self._ready = False
        self._ring = Ring()
        self._clock_us = 0  # the interpreter's clock minus this one: not 0 where its clock is the wall clock
        self._zero_us = 0  # when the board's ticks were 0
        self._raw = False  # the host has it in the raw REPL
        self._prompt: bytearray | None = None  # output while the raw REPL is being entered anew
        self._tail = b""
        self._watchdog_us: int | None = None
        self._restart_us: int | None = None
        self._output_held = False

    # The loop

    def run(self) -> None:
        self._hard_reset(resets.POWER_ON)
        self._obey_all()
        try:
            while not self._ending:
                self._round()
        finally:
            if self._board is not None:
                self._board.end()
            if self._port is not None:
                self._port.close()
            if self._temporary:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _round(self) -> None:
        board, port = self._board, self._port
        reads: list[Any] = [self.owner]
        writes: list[Any] = [self.owner] if self._told else []
        if port is not None and port.opened:
            if len(self._in) < INPUT_MOST:
                reads.append(port)
            if port.waiting():
                writes.append(port)
        if board is not None:
            reads.append(board.from_board)
            if not self._output_held and not (port is not None and port.waiting()):
                reads.append(board.console)
        ready, writable, _ = select.select(reads, writes, [], self._timeout_s())
        if self.owner in writable:
            self._push()
        if self.owner in ready:
            self._listen()
        if board is not None and board.from_board in ready and self._board is board:
            self._records(board)
        if board is not None and board.console in ready and self._board is board:
            self._output(board.read())
        if port is not None and port in ready and self._port is port:
            self._in.push(port.read(), now_us())
        self._when_due(now_us())

    def _timeout_s(self) -> float:
        now = now_us()
        port = self._port
        due = [
            now + LOOK_US if port is not None and (not port.opened or port.waiting()) else None,
            now + 1000 if self._ring else None,
            self._in.next_us(),
            self._out.next_us(),
            self._waveform.next_us(self._ready),
            self._watchdog_us,
            self._restart_us,
        ]
        wait_us = min((at_us - now for at_us in due if at_us is not None), default=1e6)
        return max(0.0, wait_us) / 1e6

    def _when_due(self, now: int) -> None:
        if self._port is not None:
            if not self._port.opened:
                self._port.look()
            self._port.push(now)
        self._tell_open()
        if self._restart_us is not None and now >= self._restart_us:
            self._restart_us = None
            self._start(resets.HARD_RESET)
        self._input(self._in.take(now), now)
        out = self._out.take(now)
        if out and self._port is not None:
            self._port.write(out, now)
        if self._output_held and len(self._out) <= FIFO and self._board is not None:
            self._output_held = False
            self._board.hold_output(False)
        looking = self._board if self._ready else None
        self._tell_applied(self._waveform.give(looking, self._clock_us, now))
        if self._board is not None:
            self._board.push()
        if self._watchdog_us is not None and now >= self._watchdog_us:
            self._print(resets.bite((now - self._zero_us) // 1000))
            self._hard_reset(resets.WATCHDOG)

    # Power and resets

    def _hard_reset(self, cause: str) -> None:
        """Whatever ran is gone, and the boot ROM prints its banner."""
        self._end()
        if cause == resets.POWER_ON:
            self._dark()
        self._boot(cause)
        self._start(resets.HARD[cause][1])

    def _boot(self, cause: str) -> None:
        self._watchdog_us = None
        self._zero_us = now_us() - self._tick_offset_us
        self._print(resets.banner(cause))

    def _soft_reset(self) -> None:
        """The program starts anew; time goes on and so does an armed watchdog. In the raw REPL, it does not start."""
        raw = self._raw
        self._end()
        self._print(resets.SOFT_REBOOT)
        self._start(resets.SOFT_RESET, run_main=not raw)

    def _ended(self) -> None:
        """The interpreter has ended by itself: Ctrl-D or SystemExit at the REPL, or a crash of its own."""
        raw = self._raw
        status = self._end()
        self._raw = raw
        if status >= 0:
            self._soft_reset()
            return
        self._tell(fault=f"The interpreter ended by signal {-status}; a board would show a reset after a panic.")
        self._print(resets.PANIC)
        self._boot(resets.BY_PROGRAM)
        self._restart_us = now_us() + CRASH_PAUSE_US

    def _end(self) -> int:
        """End what runs; its exit status."""
        board, self._board = self._board, None
        self._ready = self._raw = self._output_held = False
        self._restart_us = self._prompt = None
        self._tail = b""
        if board is None:
            return 0
        self._take(board.records() or [])
        status, rest = board.end()
        self._output(rest)
        self._waveform.take_back()
        return status

    def _start(self, cause: int, run_main: bool = True) -> None:
        low, high = self._waveform.words
        self._ring = Ring()
        self._board = Interpreter(self._folder, self._identity, cause, (low, high), self._zero_us, run_main, self._heap)
        if not run_main:
            self._prompt = bytearray()
        self._tell(started=cause, pid=self._board.pid, zero_us=self._zero_us)

    def _dark(self) -> None:
        for strip in self._pixels.values():
            strip[:] = bytes(len(strip))

    # From the board to the host

    def _output(self, data: bytes) -> None:
        if self._prompt is not None:
            # A soft reset within the raw REPL: the host sees the raw banner only
            self._prompt += data
            if not self._prompt.endswith(PROMPT) or self._board is None:
                return
            data = bytes(self._prompt[: max(0, self._prompt.rfind(b"MicroPython "))])
            self._prompt = None
            self._board.write(CTRL_A)
        seen = self._tail + data
        self._raw = self._raw or RAW_BANNER in seen
        self._tail = seen[-len(RAW_BANNER) + 1 :]
        self._send(data)

    def _print(self, text: str) -> None:
        self._send(text.encode())

    def _send(self, data: bytes) -> None:
        now = now_us()
        self._out.push(data, now)
        if not self._paced:
            out = self._out.take(now)
            if self._port is not None:
                self._port.write(out, now)
        elif len(self._out) > FIFO and not self._output_held and self._board is not None:
            self._output_held = True
            self._board.hold_output(True)
        # What is not a frame is for whoever looks at the board's console
        self._text += data
        if b"\n" in data:
            *lines, self._text = self._text.split(b"\n")
            for line in lines:
                text = bytes(line).strip(b"\r\n \x04>")
                if text and not text.startswith(b"~"):
                    self._tell(console=text[:MOST_TEXT].decode("utf-8", "replace"))
        del self._text[:-MOST_TEXT]

    # From the host to the board

    def _input(self, data: bytes, now: int) -> None:
        if self._board is None or not (data or self._ring):
            return  # without power nobody takes it
        at_prompt = CTRL_B in data and not self._board.running()
        dropped = self._ring.put(data, self._board, now)
        if at_prompt:
            self._raw = False
        if dropped:
            self._dropped += dropped
            self._tell(dropped=self._dropped)

    # The second channel

    def _records(self, board: Interpreter) -> None:
        records = board.records()
        if records is None:
            self._ended()
        else:
            self._take(records)

    def _take(self, records: list[Record]) -> None:
        applied: Applied = []
        reset = 0
        for at_us, kind, a, b, c, data in records:
            at_us -= self._clock_us
            if kind == APPLIED:
                applied.append(self._waveform.applied(at_us, a, b & 1))
            elif kind == PIXELS:
                self._show(a, c & ~LAST, data, bool(c & LAST), at_us)
            elif kind == READY:
                self._ready = True
                if abs(at_us - now_us()) > 5_000_000:  # its clock is the wall clock, as on macOS
                    self._clock_us = time.time_ns() // 1000 - now_us()
                self._answer()
            elif kind == WATCHDOG:
                self._watchdog_us = at_us + c * 1000
            elif kind == RESET:
                reset = a
            elif kind == FAULT:
                self._tell(fault=data.decode("utf-8", "replace"))
        self._tell_applied(applied)
        if reset and self._board is not None:
            if reset == 1:
                self._hard_reset(resets.BY_PROGRAM)
            else:
                self._soft_reset()

    def _show(self, pin: int, offset: int, data: bytes, last: bool, at_us: int) -> None:
        strip = self._pixels.setdefault(pin, bytearray())
        strip.extend(bytes(max(0, offset + len(data) - len(strip))))
        strip[offset : offset + len(data)] = data
        if last:
            self._tell(pixels=bytes(strip).hex(), pin=pin, at_us=at_us)

    # The owner

    def _listen(self) -> None:
        try:
            data = self.owner.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._ending = True
        self._heard += data
        self._obey_all()

    def _obey_all(self) -> None:
        *orders, self._heard = self._heard.split(b"\n")
        for order in orders:
            self._obey(json.loads(order))

    def _obey(self, order: dict[str, Any]) -> None:
        do = order["do"]
        if do == "feed":
            self._waveform.feed(order["events"])
            return
        if do == "pull" and self._port is not None:
            self._port.close()
            self._port = None
            self._tell_open()
        elif do == "plug" and self._port is None:
            self._port = Port(self._link)
        elif do == "off":
            self._end()
            self._watchdog_us = None
            self._dark()
            for pin, strip in self._pixels.items():
                self._tell(pixels=strip.hex(), pin=pin, at_us=now_us())
        elif do == "reset" and order["cause"] == resets.SOFT and self._board is not None:
            self._soft_reset()
        elif do == "reset":
            self._hard_reset(order["cause"])
        self._answers.append(order["number"])
        if self._ready or do not in ("start", "reset"):
            self._answer()

    def _answer(self) -> None:
        for number in self._answers:
            self._tell(done=number)
        self._answers.clear()

    def _tell_open(self) -> None:
        is_open = self._port is not None and self._port.opened
        if is_open != self._was_open:
            self._was_open = is_open
            self._tell(open=is_open)

    def _tell_applied(self, applied: Applied) -> None:
        if applied:
            self._tell(applied=applied)

    def _tell(self, **what: Any) -> None:
        self._told += json.dumps(what).encode() + b"\n"
        self._push()

    def _push(self) -> None:
        try:
            del self._told[: self.owner.send(self._told)]
        except BlockingIOError:
            return
        except OSError:
            self._told.clear()
            self._ending = True


def main() -> None:
    """``python -m arena.sim.supervisor SOCKET PACKAGES``: the owner's socket, the interpreter's folder."""
    sys.path.append(sys.argv[2])
    owner = socket.socket(fileno=int(sys.argv[1]))
    first = b""
    while b"\n" not in first:
        piece = owner.recv(65536)
        if not piece:
            return
        first += piece
    importlib.import_module("micropython_run")  # loaded once, so that every start is a fork only
    settings, _, orders = first.partition(b"\n")
    Supervisor(owner, json.loads(settings), orders).run()


if __name__ == "__main__":
    main()
