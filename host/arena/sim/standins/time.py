# mypy: ignore-errors
"""``time`` with the ESP32's ticks: they count from the board's start and wrap at 2^30."""

import utime
from utime import *  # noqa: F403

_MASK = 0x3FFFFFFF
_HALF = 0x20000000

_zero_us = 0


def virtual_start(zero_us: int, now_us: int) -> None:
    """``zero_us``: when the ticks are 0, on the supervisor's monotonic clock; ``now_us``: what that says now."""
    global _zero_us
    apart_us = utime.ticks_us() - now_us
    # On macOS this clock is the wall clock: then the ticks are right to a few ms, the time that a start takes
    _zero_us = zero_us + (apart_us if abs(apart_us) > 5000000 else 0)


def ticks_us() -> int:
    return (utime.ticks_us() - _zero_us) & _MASK


def ticks_ms() -> int:
    return (utime.ticks_us() - _zero_us) // 1000 & _MASK


def ticks_cpu() -> int:
    return (utime.ticks_us() - _zero_us) * 240 & _MASK


def ticks_add(ticks: int, delta: int) -> int:
    if delta > _HALF - 1 or delta < -_HALF:
        raise OverflowError("ticks interval overflow")
    return (ticks + delta) & _MASK


def ticks_diff(end: int, start: int) -> int:
    return ((end - start + _HALF) & _MASK) - _HALF
