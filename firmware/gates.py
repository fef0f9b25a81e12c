"""Gate counters: two beams of a Door as a quadrature pair, counted in hardware while Python is busy.

+4 is a complete pass from beam A's side to beam B's, -4 one back, 0 a retreat; a Hole's single beam
counts its two edges. A counter is never reset (reading and resetting are not one step): the board
keeps 16-bit totals from differences.
"""

from array import array

import machine
from clock import MASK

try:
    from esp32 import PCNT
except ImportError:  # an ESP32 without pulse counters, such as the C3
    PCNT = None  # type: ignore[assignment, misc]  # then no gate is counted

LIMIT = 32000  # the hardware begins again at 0 when it reaches +LIMIT or -LIMIT
_FILTER = 1023  # ticks of 80 MHz: shorter than 12.8 µs is a glitch


class Gates:
    """The gates of a board, with their 16-bit totals, and what of them is not in the ring yet."""

    def __init__(self, gates: "list[tuple[int, int, int]]", pins: "list[machine.Pin]", settle_us: int) -> None:
        self._beams = [(a, b) for a, b, _ in gates]
        self._settle_us = settle_us
        self._counters: "list[PCNT | None]" = []
        self.totals = array("H", [0] * 8)  # by gate, as STATUS carries them
        self._raw = array("h", [0] * 8)
        self._recorded = array("H", [0] * 8)
        self._changed_at = array("I", [0] * 8)
        for a, b, unit in gates:
            self._counters.append(
                _counter(unit, pins[a], pins[b] if b >= 0 else None) if unit >= 0 and PCNT is not None else None
            )
        for gate, counter in enumerate(self._counters):
            if counter is not None:
                self._raw[gate] = counter.value()

    def __len__(self) -> int:
        return len(self._beams)

    def read(self, gate: int, levels: bytearray, now: int) -> bool:
        """Read one counter; whether its total has changed, settled and should be recorded now."""
        counter = self._counters[gate]
        if counter is None:
            return False
        value = counter.value()
        if value != self._raw[gate]:
            # The shortest way round: both limits are the same place as 0
            change = (value - self._raw[gate] + LIMIT // 2) % LIMIT - LIMIT // 2
            self._raw[gate] = value
            self.totals[gate] = (self.totals[gate] + change) & 0xFFFF
            self._changed_at[gate] = now
        if self.totals[gate] == self._recorded[gate]:
            return False
        a, b = self._beams[gate]
        if levels[a] or (b >= 0 and levels[b]):
            self._changed_at[gate] = now
            return False
        if (now - self._changed_at[gate]) & MASK < self._settle_us:
            return False
        self._recorded[gate] = self.totals[gate]
        return True


def _counter(unit: int, a: machine.Pin, b: "machine.Pin | None") -> "PCNT":
    """A running counter. The signs hold for beams that are dark at 0 and for beams that are dark at 1."""
    counter = PCNT(unit, min=-LIMIT, max=LIMIT, filter=_FILTER)
    if b is None:
        counter.init(channel=0, pin=a, falling=PCNT.INCREMENT, rising=PCNT.INCREMENT)
    else:
        counter.init(channel=0, pin=a, falling=PCNT.INCREMENT, rising=PCNT.DECREMENT, mode_pin=b, mode_low=PCNT.REVERSE)
        counter.init(channel=1, pin=b, falling=PCNT.DECREMENT, rising=PCNT.INCREMENT, mode_pin=a, mode_low=PCNT.REVERSE)
    counter.start()
    return counter
