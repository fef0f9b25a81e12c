"""The LED strips: the host's picture, brief lights that answer a beam, and the patterns without a host.

Byte order, brightness and the current limit are enforced here, whatever the host sends. A write
blinds the direct sampler for 30 µs a pixel, so a strip is written only as far as it changes and, unless
hardware counts the beams, not while something moves through one.
"""

# ruff: noqa: F821  # viper's pointer types are known to its compiler alone

import machine
import micropython
import neopixel
import wire
from clock import MASK

# What the strips show
PICTURE = 0  # what the host asked for
WAITING = 1  # nobody is there: every fourth pixel breathes between two dim blues, one breath in 2 s
MAINTENANCE = 2  # every fourth pixel steadily amber: the REPL may be used

_WAITING_COLOURS = ((0, 0, 96), (0, 0, 24))
_MAINTENANCE_COLOUR = (96, 48, 0)
_BREATH_US = 1000000
_REFLEX_PAUSE_US = 400000  # one place never lights more than 2.5 times a second
_MA_PER_COLOUR = 20  # WS2812: one colour at full


@micropython.viper
def _paint(out: ptr8, rgb: ptr8, order: ptr8, pixels: int, scale: int) -> int:
    """Pixels in a strip's byte order, dimmed by ``scale``/256; gives the sum of all bytes.

    ``order`` holds where red, green, blue and white go, then the bytes a pixel. With a white LED, grey is white.
    """
    size = int(order[4])
    total = 0
    at = 0
    source = 0
    end = pixels * 3
    while source < end:
        red = (int(rgb[source]) * scale) >> 8
        green = (int(rgb[source + 1]) * scale) >> 8
        blue = (int(rgb[source + 2]) * scale) >> 8
        if size == 4:
            white = 0
            if rgb[source] == rgb[source + 1] and rgb[source] == rgb[source + 2]:
                white = red
                red = 0
                green = 0
                blue = 0
            out[at + int(order[3])] = white
            total += white
        out[at + int(order[0])] = red
        out[at + int(order[1])] = green
        out[at + int(order[2])] = blue
        total += red + green + blue
        at += size
        source += 3
    return total


@micropython.viper
def _differ(one: ptr8, other: ptr8, size: int) -> int:
    """How many bytes reach up to the last one that differs."""
    while size > 0 and one[size - 1] == other[size - 1]:
        size -= 1
    return size


class Strip:
    """One strip; ``rgb`` is what the host asked for, before order, brightness and limit."""

    def __init__(self, pin: int, pixels: int, order: str, brightness: int, limit_ma: int) -> None:
        self.pixels = pixels
        self.rgb = bytearray(3 * pixels)
        self.shown = bytearray(3 * pixels)  # what was painted last, overlays and patterns included
        self.dirty = True
        self.whole = True  # to be sent to its end
        self._leds = neopixel.NeoPixel(machine.Pin(pin, machine.Pin.OUT), pixels, bpp=len(order))
        self._written = bytearray(len(order) * pixels)
        self._order = bytearray(
            (order.index("R"), order.index("G"), order.index("B"), max(0, order.find("W")), len(order))
        )
        self._scale = brightness + 1
        self._limit_ma = limit_ma

    def write(self) -> bool:
        """Show ``shown``; whether anything had to be sent."""
        leds = self._leds.buf
        idle_ma = self.pixels  # the chips themselves
        total = _paint(leds, self.shown, self._order, self.pixels, self._scale)  # type: ignore[arg-type]  # viper takes addresses
        full_ma = total * _MA_PER_COLOUR // 255
        if full_ma and full_ma + idle_ma > self._limit_ma:
            room_ma = max(0, self._limit_ma - idle_ma)
            _paint(leds, self.shown, self._order, self.pixels, self._scale * room_ma // full_ma)  # type: ignore[arg-type]  # as above
        self.dirty = False
        size = len(leds) if self.whole else _differ(leds, self._written, len(leds))  # type: ignore[arg-type]  # as above
        if not size:
            return False
        self._written[:] = leds
        self.whole = False
        # A strip keeps what lies behind the last pixel that is sent: only as far as something changed
        pixel = len(leds) // self.pixels
        size = (size + pixel - 1) // pixel * pixel
        machine.bitstream(self._leds.pin, 0, self._leds.timing, memoryview(leds)[:size])
        return True


class Strips:
    """All strips of a board. ``counted``: hardware watches the beams, so that writing never blinds."""

    def __init__(self, strips: "list[tuple[int, int, str, int, int]]", counted: bool) -> None:
        self.strips = [Strip(*strip) for strip in strips]
        self.counted = counted
        self.digest = 0  # of the host's picture, as far as it is on the strips
        self._shows = WAITING
        self._breath = 0
        self._breath_at = 0
        # By channel: strip, first pixel, pixels, RGB, µs, waiting to be shown, shown, since
        self._reflexes: "dict[int, list[int]]" = {}
        self._lit: "list[list[int]]" = []  # the reflexes that are on

    def show(self, what: int) -> None:
        """The host's picture, or one of the patterns."""
        if what != self._shows:
            self._shows = what
            self._breath = 0
            self._all_dirty()
            for strip in self.strips:
                strip.whole = True

    def picture(self, strip: int, first: int, colours: "bytes | memoryview") -> bool:
        """Take some pixels of the host's picture; ``False`` where the board has no such pixels."""
        if strip >= len(self.strips):
            return False
        target = self.strips[strip]
        if 3 * first + len(colours) > len(target.rgb):
            return False
        target.rgb[3 * first : 3 * first + len(colours)] = colours
        target.dirty = True
        return True

    def clear_reflexes(self) -> None:
        self._reflexes = {}
        self._lit = []
        self._all_dirty()

    def set_reflex(
        self, channel: int, strip: int, first: int, pixels: int, red: int, green: int, blue: int, ms: int
    ) -> bool:
        """How a channel answers by itself; no pixels takes the answer back. ``False``: no such pixels."""
        if strip >= len(self.strips) or first + pixels > self.strips[strip].pixels:
            return False
        if pixels:
            self._reflexes[channel] = [strip, first, pixels, red, green, blue, ms * 1000, 0, 0, 0]
        elif channel in self._reflexes:
            reflex = self._reflexes.pop(channel)
            if reflex in self._lit:
                self._lit.remove(reflex)
            self.strips[strip].dirty = True
        return True

    def answer(self, channel: int, now: int) -> None:
        """A channel became active."""
        reflex = self._reflexes.get(channel)
        if reflex is None or self._shows != PICTURE:
            return
        if not reflex[8] and (now - reflex[9]) & MASK >= _REFLEX_PAUSE_US:
            reflex[7] = 1
            self.strips[reflex[0]].dirty = True

    def step(self, now: int, moving: bool) -> bool:
        """Do at most one write, and none while something moves where that would blind; whether one was done."""
        if self._shows == WAITING and (now - self._breath_at) & MASK >= _BREATH_US:
            self._breath_at = now
            self._breath = 1 - self._breath
            self._all_dirty()
        if self._lit:
            self._fade(now)
        if moving and not self.counted:
            return False
        for index in range(len(self.strips)):
            strip = self.strips[index]
            if strip.dirty:
                self._compose(index, now)
                wrote = strip.write()
                self._measure()
                if wrote:
                    return True
        return False

    def _fade(self, now: int) -> None:
        for reflex in list(self._lit):
            if (now - reflex[9]) & MASK >= reflex[6]:
                reflex[8] = 0
                self._lit.remove(reflex)
                self.strips[reflex[0]].dirty = True

    def _compose(self, index: int, now: int) -> None:
        strip = self.strips[index]
        if self._shows == PICTURE:
            strip.shown[:] = strip.rgb
            for reflex in self._reflexes.values():
                if reflex[0] != index:
                    continue
                if reflex[7]:
                    reflex[7], reflex[8], reflex[9] = 0, 1, now
                    self._lit.append(reflex)
                if reflex[8]:
                    for pixel in range(reflex[1], reflex[1] + reflex[2]):
                        strip.shown[3 * pixel] = reflex[3]
                        strip.shown[3 * pixel + 1] = reflex[4]
                        strip.shown[3 * pixel + 2] = reflex[5]
            return
        colour = _MAINTENANCE_COLOUR if self._shows == MAINTENANCE else _WAITING_COLOURS[self._breath]
        for pixel in range(strip.pixels):
            for part in range(3):
                strip.shown[3 * pixel + part] = 0 if pixel % 4 else colour[part]

    def _measure(self) -> None:
        if self._shows == PICTURE and not any(strip.dirty for strip in self.strips):
            digest = 0
            for strip in self.strips:
                digest = wire.digest(strip.rgb, digest)
            self.digest = digest

    def _all_dirty(self) -> None:
        for strip in self.strips:
            strip.dirty = True
