# mypy: ignore-errors
"""``neopixel`` with the documented interface; ``write`` takes 30 µs a pixel of three bytes, as the bits do."""

from machine import bitstream

_FAST = (400, 850, 800, 450)  # ns: a 0's high and low, a 1's high and low
_SLOW = (800, 1700, 1600, 900)


class NeoPixel:
    ORDER = (1, 0, 2, 3)  # where red, green, blue and white go in `buf`

    def __init__(self, pin, n, bpp=3, timing=1):
        self.pin = pin
        self.n = n
        self.bpp = bpp
        self.buf = bytearray(n * bpp)
        self.pin.init(pin.OUT)
        self.timing = (_FAST if timing else _SLOW) if isinstance(timing, int) else timing

    def __len__(self):
        return self.n

    def __setitem__(self, index, colour):
        for part in range(self.bpp):
            self.buf[index * self.bpp + self.ORDER[part]] = colour[part]

    def __getitem__(self, index):
        return tuple(self.buf[index * self.bpp + self.ORDER[part]] for part in range(self.bpp))

    def fill(self, colour):
        for index in range(self.n):
            self[index] = colour

    def write(self):
        bitstream(self.pin, 0, self.timing, self.buf)
