"""The program: one loop that looks at the inputs, and in between does one short thing after another.

No step may take longer than about a millisecond, and there is a look between any two, so that the
blind gap stays under 2 ms. Nothing is printed and nothing is written to flash while it plays.
"""

import gc
import os

import machine
import micropython
import serial_line
import strips
import wire
from clock import MASK, ticks_us
from files import Files
from gates import Gates
from sampler import Sampler
from session import FIRMWARE, Session
from wiring import Wiring

LOOK_US = 150  # one burst of looking
READ_US = 400  # the most that reading the line may take at a time
MOVING_US = 300000  # a beam dark for longer has something stuck in it: nothing moves there
GATE_US = 4000  # each gate counter is read so often
ARM_US = 10000000  # the watchdog is armed after so long in one session
WATCHDOG_MS = 5000
AWAY_MS = 86400000  # it cannot be stopped: leaving to the REPL puts it off by a day

# What one frame in or out, a write or a batch of edges takes of the heap at most (64-bit objects; a board needs half)
_STEP_BYTES = 1200


def reset_cause() -> int:
    """Why the board started, as an index of ``wire.RESETS``."""
    causes = (
        None,
        machine.PWRON_RESET,
        machine.HARD_RESET,
        machine.WDT_RESET,
        machine.DEEPSLEEP_RESET,
        machine.SOFT_RESET,
    )
    cause = machine.reset_cause()
    return causes.index(cause) if cause in causes else 0


class Superloop:
    """Everything on the board. ``fault`` says what is wrong with its ``board.json``, if anything is."""

    def __init__(self, wired: Wiring, fault: str) -> None:
        self._wiring = wired
        crash = fault.encode()
        try:
            with open("crash.txt", "rb") as file:
                crash = crash + b"\n" + file.read() if crash else file.read()
            self._crash_file = True
        except OSError:
            self._crash_file = False
        pins = [
            machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) if pull else machine.Pin(pin, machine.Pin.IN)
            for (pin, _), pull in zip(wired.pins, wired.pulls)
        ]
        self._sampler = Sampler(wired.pins)
        self._gates = Gates(wired.gates, pins, wired.settle_us)
        self._strips = strips.Strips(wired.strips, wired.counted())
        self._line = serial_line.SerialLine()
        self._reset = reset_cause()
        self._session = Session(
            self._sampler,
            self._gates,
            self._strips,
            Files(crash),
            os.urandom(4),
            (machine.unique_id() + bytes(8))[:8],
            self._reset,
            self._sampler.look(),
        )
        self._watchdog: "machine.WDT | None" = None
        self._seen = self._sampler.next  # edges dealt with here
        self._edge_at = 0
        self._dark = 0  # beams that are dark now
        self._gates_at = 0
        self._room = 0  # bytes that may still be allocated before collecting
        self._steps = 0

    def run(self) -> None:
        """Run until a Ctrl-C may and does leave to the REPL."""
        micropython.kbd_intr(-1)
        machine.freq(240000000)
        # Collections are ours, when nothing moves; at the end of the heap an early one still beats a crash
        gc.threshold(-1)
        try:
            self._collect()
            self._count_dark()
            self._live_since = now = self._sampler.look()
            while not self._line.interrupted:
                now = self._round()
            self._strips.show(strips.MAINTENANCE)
            while self._strips.step(now, False):
                pass
        finally:
            micropython.kbd_intr(3)
            if self._watchdog is not None:
                machine.WDT(timeout=AWAY_MS)

    def _round(self) -> int:
        sampler = self._sampler
        session = self._session
        now = sampler.look(LOOK_US)
        if self._seen != sampler.next:
            self._edges(now)
        moving = self._dark > 0 and (now - self._edge_at) & MASK < MOVING_US
        if (now - self._gates_at) & MASK >= GATE_US:
            self._read_gates(now)
        session.tick(now)
        self._write(now)
        now = sampler.look()
        line = self._line.read(READ_US)
        if line is not None:
            self._steps += 1
            session.receive(line, sampler.look())
            if session.live and session.introduced and self._crash_file:
                self._forget_crash()
            now = sampler.look()
            self._write(now)
        if self._line.interrupted and not session.may_interrupt():
            self._line.interrupted = False
        session.errors += self._line.broken
        self._line.broken = 0
        now = sampler.look()
        if self._seen != sampler.next:
            moving = True  # since this round began
        if self._strips.step(now, moving):
            self._steps += 1
        now = sampler.look()
        self._house(now, moving)
        machine.idle()
        return now

    def _edges(self, now: int) -> None:
        """Let the strips answer new edges, and know whether something moves."""
        beams = self._wiring.beams
        number = max(self._seen, self._sampler.oldest)
        while number < self._sampler.next:
            channel, level = self._sampler.edge(number)
            number += 1
            if channel & wire.COUNTER:
                continue
            if level:
                self._strips.answer(channel, now)
            if beams[channel]:
                self._edge_at = now
        self._seen = number
        self._steps += 1
        self._count_dark()

    def _count_dark(self) -> None:
        levels = self._sampler.levels
        beams = self._wiring.beams
        dark = 0
        for channel in range(len(beams)):
            if beams[channel]:
                dark += levels[channel]
        self._dark = dark

    def _read_gates(self, now: int) -> None:
        self._gates_at = now
        for gate in range(len(self._gates)):
            if self._gates.read(gate, self._sampler.levels, now):
                self._sampler.count(gate, self._gates.totals[gate])

    def _write(self, now: int) -> None:
        if self._line.ready(now):
            frame = self._session.frame(now)
            if frame is not None:
                self._line.write(frame, now)
                self._steps += 1

    def _house(self, now: int, moving: bool) -> None:
        """The heap and the watchdog."""
        used = self._steps * _STEP_BYTES
        if used > self._room or (used * 2 > self._room and not moving and not self._dark):
            self._collect()
        if self._watchdog is not None:
            self._watchdog.feed()
        elif not self._session.live:
            self._live_since = now
        elif (now - self._live_since) & MASK >= ARM_US and self._reset != wire.RESETS.index("soft reset"):
            self._watchdog = machine.WDT(timeout=WATCHDOG_MS)

    def _collect(self) -> None:
        start = ticks_us()
        gc.collect()
        took_us = (ticks_us() - start) & MASK
        if took_us > self._session.collect_us:
            self._session.collect_us = took_us
        self._session.heap = gc.mem_free()
        self._room = self._session.heap * 3 // 4
        self._steps = 0

    def _forget_crash(self) -> None:
        """The crash has been reported; the session goes on telling it until the next start."""
        self._crash_file = False
        try:
            os.remove("crash.txt")
        except OSError:
            pass


def run(wired: Wiring, fault: str) -> None:
    """Build everything and run until the REPL is wanted."""
    Superloop(wired, fault).run()
    print("arena %d.%d.%d: the REPL is yours; Ctrl-D or a reset starts the program again" % FIRMWARE)
