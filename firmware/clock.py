"""The board's microsecond clock, as the whole firmware reads it: masked to 30 bits, where the ESP32 wraps.

``(later - earlier) & MASK`` is a duration, right for anything under 17 minutes.
"""

from micropython import const

try:
    from typing import TYPE_CHECKING
except ImportError:  # MicroPython has no typing
    TYPE_CHECKING = False

if TYPE_CHECKING:

    def ticks_us() -> int:
        """The stubs give it a type without arithmetic; it is an int."""
else:
    from time import ticks_us

__all__ = ("MASK", "ticks_us")

MASK = const(0x3FFFFFFF)
