"""The process around one virtual board: its power, its cable, its resets, and the way of every byte.

Started by :class:`arena.sim.board.VirtualBoard`, which it talks to by lines of JSON over a socket; when
that socket ends, however its owner died, the board ends too. A process of its own, because a relay must
answer within a fraction of a millisecond whatever else the simulation computes. It imports nothing but
the standard library and its two neighbours, so that it starts quickly.
"""

from __future__ import annotations

import contextlib
import heapq
import json
import select
import socket
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from .interpreter import APPLIED, FAULT, FRESH, LAST, LEVEL, PIXELS, READY, RESET, WATCHDOG, Interpreter
from .line import NEVER_OPENED_S, Pace, Port

HORIZON_US = 25_000  # levels are handed to the board so long ahead
RING = 260  # the console's input ring on the ESP32; what does not fit is dropped without a word
FIFO = 128  # the UART's output FIFO; while it is full, the program waits
RING_SEEN_US = 200.0  # the kernel counts what was written so much later at most
SETTLE_S = 0.5  # how long a program may take from a Ctrl-C to the REPL's prompt
CRASH_PAUSE_S = 0.3  # between an interpreter that ended by itself in the wrong way and its next start
MOST_TEXT = 240

PWRON_RESET, HARD_RESET, WDT_RESET, SOFT_RESET = 1, 2, 3, 5

# How the classic ESP32 names each reset in its banner, and what machine.reset_cause() then says
CAUSES = {
    "power on": ("0x1 (POWERON_RESET)", PWRON_RESET),
    "reset button": ("0x1 (POWERON_RESET)", PWRON_RESET),  # EN cuts the power inside the classic chip
    "machine.reset": ("0xc (SW_CPU_RESET)", HARD_RESET),
    "watchdog": ("0xc (SW_CPU_RESET)", WDT_RESET),
}
BANNER = (
    "ets Jul 29 2019 12:21:46\r\n\r\nrst:{},boot:0x17 (SPI_FAST_FLASH_BOOT)\r\n"
    "configsip: 0, SPIWP:0xee\r\nmode:DIO, clock div:2\r\nload:0x3fff0030,len:4892\r\nentry 0x400805ac\r\n"
)
BITE = (
    "E ({ms}) task_wdt: Task watchdog got triggered. The following tasks did not reset the watchdog in time:\r\n"
    "E ({ms}) task_wdt:  - mp_task (CPU 1)\r\nE ({ms}) task_wdt: Aborting.\r\n\r\nRebooting...\r\n"
)
RAW_BANNER = b"raw REPL; CTRL-B to exit"
PROMPT = b">>> "


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
        self._identity = bytes.fromhex(settings["identity"])
        self._link = Path(settings["port_link"])
        self._tick_offset_us = int(settings["tick_offset_us"])
        self._levels = [0xFFFFFFFF, 0xFF]
        for pin, level in settings["levels"]:
            self._set(pin, level)
        baud = settings["baud"]
        self._paced = bool(baud)
        self._in, self._out = Pace(baud), Pace(baud)
        self._port: Port | None = Port(self._link)
        self._was_open = False
        self._board: Interpreter | None = None
        self._ready = False
        self._clock_us = 0  # the board's clock minus this one: not 0 where its clock is the wall clock
        self._zero_us = 0
        self._start_at_us: int | None = None
        self._next: tuple[int, bool] = (PWRON_RESET, True)
        self._raw = False
        self._prompt: bytearray | None = None  # output while the raw REPL is being entered anew
        self._tail = b""
        self._watchdog_us: int | None = None
        self._watchdog_ms = 0
        self._events: list[tuple[int, int, int, int]] = []
        self._given: deque[tuple[int, int, int, int]] = deque()
        self._count = 0
        self._fresh = True
        self._ring: deque[tuple[float, int]] = deque()
        self._held = bytearray()
        self._held_until_us: int | None = None
        self._dropped = 0
        self._output_held = False
        self._pixels: dict[int, bytearray] = {}
        self._line = bytearray()
        self._answers: list[int] = []
        self._ending = False

    # The loop

    def run(self) -> None:
        self.power("power on")
        self._obey_all()
        try:
            while not self._ending:
                self._round()
        finally:
            if self._board is not None:
                self._board.end()
            if self._port is not None:
                self._port.close()

    def _round(self) -> None:
        board, port = self._board, self._port
        reads: list[Any] = [self.owner]
        if port is not None and port.opened and len(self._in) < 4096:
            reads.append(port)
        if board is not None:
            reads.append(board.from_board)
            if not self._output_held:
                reads.append(board.console)
        writes = [self.owner] if self._told else []
        ready, writable, _ = select.select(reads, writes, [], self._timeout_s())
        if writable:
            self._push()
        if self.owner in ready:
            self._listen()
        if board is not None and self._board is board:
            if board.from_board in ready:
                self._records()
            if self._board is board and board.console in ready:
                self._output(board.read())
        if port is not None and port in ready and self._port is port:
            self._in.push(port.read(), now_us())
        self._when_due()

    def _timeout_s(self) -> float:
        now = now_us()
        due: list[float] = []
        if self._port is not None and not self._port.opened:
            due.append(now + NEVER_OPENED_S * 1e6)
        for pace in (self._in, self._out):
            at = pace.next_us()
            if at is not None:
                due.append(at)
        if self._events:
            due.append(self._events[0][0] - (HORIZON_US if self._ready else 0))
        if self._watchdog_us is not None:
            due.append(self._watchdog_us)
        if self._start_at_us is not None:
            due.append(self._start_at_us)
        if self._held:
            due.append(now + 1000)
        return min(max(0.0, (min(due) - now) / 1e6), 1.0) if due else 1.0

    def _when_due(self) -> None:
        now = now_us()
        if self._port is not None:
            if not self._port.opened:
                self._port.look()
            if self._port.opened != self._was_open:
                self._was_open = self._port.opened
                self._tell(open=self._was_open)
        if self._start_at_us is not None and now >= self._start_at_us:
            self._start_at_us = None
            self._start()
        self._input(now)
        out = self._out.take(now)
        if out and self._port is not None:
            self._port.write(out)
        if self._output_held and len(self._out) <= FIFO and self._board is not None:
            self._output_held = False
            self._board.hold_output(False)
        self._give(now)
        if self._watchdog_us is not None and now >= self._watchdog_us:
            self._print(BITE.format(ms=(now - self._zero_us) // 1000))
            self.power("watchdog")

    # Power and resets

    def power(self, cause: str) -> None:
        """A hard reset: whatever ran is gone, and the boot ROM prints its banner."""
        self._stop_board()
        if cause == "power on":
            for strip in self._pixels.values():
                strip[:] = bytes(len(strip))
        banner, code = CAUSES[cause]
        self._zero_us = now_us() - self._tick_offset_us
        self._print(BANNER.format(banner))
        self._next = (code, True)
        self._start()

    def _stop_board(self) -> int:
        board, self._board = self._board, None
        self._ready = False
        self._watchdog_us = None
        self._start_at_us = None
        self._output_held = False
        self._prompt = None
        self._held.clear()
        self._held_until_us = None
        self._ring.clear()
        if board is None:
            return 0
        self._take_records(board.records() or [])
        status, rest = board.end()
        self._output(rest)
        for event in self._given:
            heapq.heappush(self._events, event)
        self._given.clear()
        self._fresh = True
        return status

    def _start(self) -> None:
        cause, run_main = self._next
        low, high = self._levels
        zero_us = self._zero_us + self._clock_us
        self._board = Interpreter(self._folder, self._identity, cause, (low, high), zero_us, run_main)
        if not run_main:
            self._prompt = bytearray()
        self._raw = False
        self._tell(started=cause, pid=self._board.pid, zero_us=self._zero_us)

    def _soft_reset(self) -> None:
        raw = self._raw
        self._stop_board()
        self._print("MPY: soft reboot\r\n")
        self._next = (SOFT_RESET, not raw)
        self._start()

    def _ended(self) -> None:
        """The interpreter has ended by itself: Ctrl-D or SystemExit at the REPL, or a crash of its own."""
        raw = self._raw
        status = self._stop_board()
        self._raw = raw
        if status >= 0:
            self._soft_reset()
            return
        self._fault(f"the interpreter ended by signal {-status}, which a board shows as a reset after a panic")
        self._print("Guru Meditation Error: Core 1 panic'ed (the virtual board's interpreter ended)\r\n")
        self._zero_us = now_us() - self._tick_offset_us
        self._print(BANNER.format(CAUSES["machine.reset"][0]))
        self._next = (HARD_RESET, True)
        self._start_at_us = now_us() + int(CRASH_PAUSE_S * 1e6)

    # From the board to the host

    def _output(self, data: bytes) -> None:
        if not data:
            return
        if self._prompt is not None:
            # A soft reset within the raw REPL: the host sees the raw banner only
            self._prompt += data
            if not self._prompt.endswith(PROMPT) or self._board is None:
                return
            data = bytes(self._prompt[: max(0, self._prompt.rfind(b"MicroPython "))])
            self._prompt = None
            self._board.write(b"\x01")
        seen = self._tail + data
        if RAW_BANNER in seen:
            self._raw = True
            self._tail = b""
        else:
            self._tail = seen[-len(RAW_BANNER) :]
        self._send_out(data)

    def _print(self, text: str) -> None:
        self._send_out(text.encode())

    def _send_out(self, data: bytes) -> None:
        now = now_us()
        self._out.push(data, now)
        if not self._paced:
            data = self._out.take(now)
            if self._port is not None:
                self._port.write(data)
        elif len(self._out) > FIFO and not self._output_held and self._board is not None:
            self._output_held = True
            self._board.hold_output(True)
        self._note(data)

    def _note(self, data: bytes) -> None:
        """Keep what is not a frame for whoever looks at the board's console."""
        self._line += data
        while b"\n" in self._line:
            line, _, rest = self._line.partition(b"\n")
            self._line = bytearray(rest)
            text = bytes(line).strip(b"\r\n \x04>")
            if text and not text.startswith(b"~"):
                self._tell(console=text[:MOST_TEXT].decode("utf-8", "replace"))
        del self._line[:-MOST_TEXT]

    # From the host to the board

    def _input(self, now: int) -> None:
        arrived = self._in.take(now)
        board = self._board
        if board is None:
            return  # no power, or between two starts: nobody is there to take them
        if self._held_until_us is not None:
            if board.running() and now < self._held_until_us:
                self._keep(arrived, len(self._held))
                return
            self._held_until_us = None
            arrived = bytes(self._held) + arrived
            self._held.clear()
        if not arrived:
            return
        while self._ring and self._ring[0][0] < now - RING_SEEN_US:
            self._ring.popleft()
        full = max(board.waiting(), sum(size for _, size in self._ring))
        room = max(0, RING - full)
        if len(arrived) > room:
            self._drop(len(arrived) - room)
            arrived = arrived[:room]
        interrupt = arrived.find(b"\x03")
        if interrupt >= 0 and interrupt + 1 < len(arrived) and board.running():
            # The Unix port forgets its input on the way to the prompt; a board keeps it in the ring
            self._keep(arrived[interrupt + 1 :], 0)
            self._held_until_us = now + int(SETTLE_S * 1e6)
            arrived = arrived[: interrupt + 1]
        elif interrupt >= 0 and board.running():
            self._held_until_us = now + int(SETTLE_S * 1e6)
        if b"\x02" in arrived and not board.running():
            self._raw = False
        if arrived:
            self._ring.append((now, len(arrived)))
            board.write(arrived)

    def _keep(self, data: bytes, held: int) -> None:
        room = max(0, RING - held)
        self._held += data[:room]
        if len(data) > room:
            self._drop(len(data) - room)

    def _drop(self, count: int) -> None:
        self._dropped += count
        self._tell(dropped=self._dropped)

    # The second channel

    def _give(self, now: int) -> None:
        """Hand over the levels that are nearly due; without a program that looks, they just happen."""
        board = self._board
        until = now + HORIZON_US if self._ready else now
        applied: list[list[int]] = []
        while self._events and self._events[0][0] <= until:
            event = heapq.heappop(self._events)
            at_us, number, pin, level = event
            if self._ready and board is not None:
                flags = FRESH if self._fresh else 0
                self._fresh = False
                self._given.append(event)
                board.send(at_us + self._clock_us, LEVEL, pin, level | flags, number & 0xFFFFFFF)
            else:
                self._set(pin, level)
                applied.append([at_us, now, pin, level, 0])
        if board is not None:
            board.push()
        if applied:
            self._tell(applied=applied)

    def _set(self, pin: int, level: int) -> None:
        bank, bit = pin >> 5, 1 << (pin & 31)
        self._levels[bank] = self._levels[bank] | bit if level else self._levels[bank] & ~bit

    def _records(self) -> None:
        assert self._board is not None
        records = self._board.records()
        if records is None:
            self._ended()
        else:
            self._take_records(records)

    def _take_records(self, records: list[tuple[int, int, int, int, int, bytes]]) -> None:
        applied: list[list[int]] = []
        reset = 0
        for at_us, kind, a, b, c, data in records:
            at_us -= self._clock_us
            if kind == APPLIED:
                due_us = self._given.popleft()[0]
                self._set(a, b & 1)
                applied.append([due_us, at_us, a, b & 1, 1])
            elif kind == PIXELS:
                self._show(a, c & ~LAST, data, bool(c & LAST), at_us)
            elif kind == READY:
                self._ready = True
                # Where the board's clock is not this one, it is the wall clock (macOS)
                if abs(at_us - now_us()) > 5_000_000:
                    self._clock_us = time.time_ns() // 1000 - now_us()
                self._answer()
            elif kind == WATCHDOG:
                self._watchdog_us = at_us + c * 1000
            elif kind == RESET:
                reset = a
            elif kind == FAULT:
                self._fault(data.decode("utf-8", "replace"))
        if applied:
            self._tell(applied=applied)
        if reset and self._board is not None:
            if reset == 1:
                self.power("machine.reset")
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
            return
        self._heard += data
        self._obey_all()

    def _obey_all(self) -> None:
        while b"\n" in self._heard:
            line, _, rest = self._heard.partition(b"\n")
            self._heard = bytearray(rest)
            self._obey(json.loads(line))

    def _obey(self, order: dict[str, Any]) -> None:
        do = order["do"]
        if do == "feed":
            if not self._events and not self._given:
                self._fresh = True
            for at_us, pin, level in order["events"]:
                self._count += 1
                heapq.heappush(self._events, (at_us, self._count, pin, level))
            return
        if do == "pull" and self._port is not None:
            self._port.close()
            self._port = None
            self._was_open = False
        elif do == "plug" and self._port is None:
            self._port = Port(self._link)
        elif do == "off":
            self._stop_board()
            for strip in self._pixels.values():
                strip[:] = bytes(len(strip))
        elif do == "reset":
            self._answers.append(order["number"])
            if order["cause"] == "soft reset":
                self._soft_reset()
            else:
                self.power(order["cause"])
            return
        elif do == "start":
            self._answers.append(order["number"])
            if self._ready:
                self._answer()
            return
        elif do == "stop":
            self._ending = True
        self._tell(done=order["number"])

    def _answer(self) -> None:
        for number in self._answers:
            self._tell(done=number)
        self._answers.clear()

    def _fault(self, sentence: str) -> None:
        self._tell(fault=sentence)

    def _tell(self, **what: Any) -> None:
        self._told += json.dumps(what).encode() + b"\n"
        self._push()

    def _push(self) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                sent = self.owner.send(self._told)
            except BlockingIOError:
                raise
            except OSError:
                self._ending = True
                sent = len(self._told)
            del self._told[:sent]


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
    import micropython_run  # noqa: F401  # loaded once, so that every start is a fork only

    settings, _, orders = first.partition(b"\n")
    Supervisor(owner, json.loads(settings), orders).run()


if __name__ == "__main__":
    main()
