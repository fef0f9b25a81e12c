"""Watches every input at once and keeps each change as a numbered edge until the host holds it.

The direct sampler: a viper loop reads the two GPIO input words and compares them with the last
ones. Nothing is allocated while it looks. An edge lies in the ring just as it travels: 8 bytes,
``wire.EDGE``. When the ring is full the oldest edge goes; its number is never used again.
"""

# ruff: noqa: F821  # viper's pointer types are known to its compiler alone

from array import array

import machine
import micropython
from clock import ticks_us
from micropython import const
from wire import COUNTER, EDGES_PER_FRAME

RING = const(512)  # edges held; a power of two
GPIO_IN = const(0x3FF4403C)  # ESP32 technical reference: pins 0-31
GPIO_IN1 = const(0x3FF44040)  # pins 32-39

# Words of the state that the loop and Python share
_NEXT = const(0)  # number of the next edge
_OLDEST = const(1)  # number of the oldest edge still in the ring
_LOW = const(2)  # last input words, only the watched pins
_HIGH = const(3)
_LOW_MASK = const(4)
_HIGH_MASK = const(5)
_LOOKED = const(6)  # ticks before the latest look that saw nothing new
_WRAPS = const(7)  # how often ticks_us has wrapped
_GAP = const(8)  # longest time between two looks, in µs
_OVERFLOW = const(9)  # edges that the ring had no room for
_CLOCK = const(10)  # latest ticks, to notice a wrap
_INPUTS = const(11)

_MASK = const(0x3FFFFFFF)  # clock.MASK; viper wants constants of its own module
_RING_MASK = const(511)
_BLOCK = const(24)  # looks between two readings of the clock


# The largest pieces of memory, taken before imports have cut up the heap
_edges = bytearray(8 * RING)
_edge_wraps = bytearray(2 * RING)  # 16 bits by slot


@micropython.viper
def _look(state: ptr32, ring: ptr32, wraps: ptr16, inputs: ptr8, levels: ptr8, low: uint, high: uint, us: int) -> int:
    """Look for ``us`` microseconds; every change goes into the ring. Gives the clock."""
    low_word = ptr32(low)
    high_word = ptr32(high)
    low_mask = int(state[_LOW_MASK])
    high_mask = int(state[_HIGH_MASK])
    low_last = int(state[_LOW])
    high_last = int(state[_HIGH])
    before = int(state[_LOOKED])
    now = int(ticks_us()) & _MASK
    start = now
    while True:
        if now < int(state[_CLOCK]):
            state[_WRAPS] = int(state[_WRAPS]) + 1
        state[_CLOCK] = now
        gap = (now - before) & _MASK
        if gap > int(state[_GAP]):
            state[_GAP] = gap
        left = _BLOCK
        a = low_last
        b = high_last
        while left > 0:
            a = int(low_word[0]) & low_mask
            b = int(high_word[0]) & high_mask
            if a != low_last or b != high_last:
                break
            left -= 1
        if left > 0:
            seen = int(ticks_us()) & _MASK
            if seen < now:
                state[_WRAPS] = int(state[_WRAPS]) + 1
            state[_CLOCK] = seen
            # The last look that saw nothing new came after `now`, or after `before` where this was the block's first
            late = (seen - before) & _MASK if left == _BLOCK else (seen - now) & _MASK
            if late > 65535:
                late = 65535
            channel = 0
            count = int(state[_INPUTS])
            while channel < count:
                pin = int(inputs[channel * 2])
                bit = ((b if pin > 31 else a) >> (pin & 31)) & 1
                level = 1 if bit == int(inputs[channel * 2 + 1]) else 0
                if level != int(levels[channel]):
                    levels[channel] = level
                    number = int(state[_NEXT])
                    if number - int(state[_OLDEST]) >= RING:
                        state[_OLDEST] = int(state[_OLDEST]) + 1
                        state[_OVERFLOW] = int(state[_OVERFLOW]) + 1
                    slot = number & _RING_MASK
                    ring[slot * 2] = seen
                    ring[slot * 2 + 1] = late | (channel << 16) | (level << 24)
                    wraps[slot] = int(state[_WRAPS])
                    state[_NEXT] = number + 1
                channel += 1
            low_last = a
            high_last = b
            before = now
            now = seen
        else:
            before = now
            now = int(ticks_us()) & _MASK
            if (now - start) & _MASK >= us:
                break
    state[_LOOKED] = before
    state[_LOW] = low_last
    state[_HIGH] = high_last
    return int(state[_CLOCK])


class Sampler:
    """All inputs of a board. ``inputs`` gives (pin, active level) by channel; the pins are set up already.

    What an input shows at the start is its first level and makes no edge: the status tells it.
    """

    def __init__(self, inputs: "list[tuple[int, int]]") -> None:
        self._state = array("I", [0] * 12)
        self._ring = _edges
        self._wraps = _edge_wraps
        self._held = memoryview(self._ring)
        self.levels = bytearray(max(1, len(inputs)))  # by channel, 1 where active
        self._inputs = bytearray(2 * len(inputs) or 1)
        self._low, self._high = GPIO_IN, GPIO_IN1
        if hasattr(machine, "gpio_in_addresses"):  # the virtual board keeps its input words elsewhere
            self._low, self._high = machine.gpio_in_addresses()
        masks = [0, 0]
        for channel, (pin, active) in enumerate(inputs):
            masks[pin // 32] |= 1 << (pin % 32)
            self._inputs[2 * channel] = pin
            self._inputs[2 * channel + 1] = active
        state = self._state
        state[_LOW_MASK], state[_HIGH_MASK] = masks
        state[_INPUTS] = len(inputs)
        state[_LOW] = machine.mem32[self._low] & masks[0]
        state[_HIGH] = machine.mem32[self._high] & masks[1]
        for channel, (pin, active) in enumerate(inputs):
            word = state[_HIGH] if pin > 31 else state[_LOW]
            self.levels[channel] = ((word >> (pin % 32)) & 1) == active
        state[_LOOKED] = state[_CLOCK] = ticks_us() & _MASK

    def look(self, us: int = 0) -> int:
        """Look for ``us`` microseconds, at least once; gives the clock, ``ticks_us`` cut to 30 bits."""
        ring = self._ring  # not one line: a tuple would be allocated
        inputs = self._inputs
        low = self._low
        high = self._high
        return _look(self._state, ring, self._wraps, inputs, self.levels, low, high, us)  # type: ignore[arg-type]  # viper

    @property
    def next(self) -> int:
        """The number of the next edge."""
        return self._state[_NEXT]

    @property
    def oldest(self) -> int:
        """The number of the oldest edge still held; ``next`` where none is."""
        return self._state[_OLDEST]

    @property
    def wraps(self) -> int:
        """How often the clock has wrapped, modulo 2^16."""
        return self._state[_WRAPS] & 0xFFFF

    @property
    def room(self) -> int:
        """How many edges the ring holds."""
        return RING

    @property
    def overflow(self) -> int:
        """How many edges were lost because the ring was full."""
        return self._state[_OVERFLOW]

    def forget(self, before: int) -> None:
        """The host holds every edge below this number."""
        if self._state[_OLDEST] < before <= self._state[_NEXT]:
            self._state[_OLDEST] = before

    def edge(self, number: int) -> "tuple[int, int]":
        """(channel, level) of an edge that is held."""
        at = 8 * (number & _RING_MASK)
        return self._ring[at + 6], self._ring[at + 7]

    def held(self, first: int) -> "tuple[int, memoryview]":
        """(wraps, bytes) of as many edges from ``first`` on as one frame carries."""
        slot = first & _RING_MASK
        wraps = self._wraps
        low, high = wraps[2 * slot], wraps[2 * slot + 1]
        end = slot + min(EDGES_PER_FRAME, self._state[_NEXT] - first, RING - slot)
        stop = slot + 1
        while stop < end and wraps[2 * stop] == low and wraps[2 * stop + 1] == high:
            stop += 1
        return low | high << 8, self._held[8 * slot : 8 * stop]

    def count(self, gate: int, value: int) -> None:
        """Put a gate counter's reading into the ring; the time is the clock's latest."""
        state = self._state
        number = state[_NEXT]
        if number - state[_OLDEST] >= RING:
            state[_OLDEST] += 1
            state[_OVERFLOW] += 1
        slot = number & _RING_MASK
        at = 8 * slot
        ring = self._ring
        ticks = state[_CLOCK]
        for index in range(4):
            ring[at + index] = (ticks >> (8 * index)) & 0xFF
        ring[at + 4] = value & 0xFF
        ring[at + 5] = (value >> 8) & 0xFF
        ring[at + 6] = COUNTER | gate
        ring[at + 7] = 0
        self._wraps[2 * slot] = state[_WRAPS] & 0xFF
        self._wraps[2 * slot + 1] = (state[_WRAPS] >> 8) & 0xFF
        state[_NEXT] = number + 1

    def bitmap(self) -> int:
        """Bit n is set where channel n is active."""
        word = 0
        for channel in range(self._state[_INPUTS]):
            word |= self.levels[channel] << channel
        return word

    def worst_gap(self) -> int:
        """The longest time in µs without a look since this was last asked."""
        gap = self._state[_GAP]
        self._state[_GAP] = 0
        return gap
