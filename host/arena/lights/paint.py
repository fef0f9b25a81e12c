"""What a cue looks like on a run of pixels at one moment."""

from __future__ import annotations

from ..words import Cue, Pattern

Colour = tuple[int, int, int]

PULSE_STEP_US = 1_000_000  # bright for one step, dim for the next: half a hertz
DIM = 0.35
FLASH: Colour = (220, 220, 180)  # white, a little warm: no team's colour
OFF: Colour = (0, 0, 0)


def paint(cue: Cue, count: int, now_us: int) -> bytes:
    """The colours, three bytes a pixel, that a cue has on ``count`` pixels at this time."""
    match cue.pattern:
        case Pattern.SOLID:
            pixels = [cue.colour] * count
        case Pattern.DOTS:
            pixels = dots(cue.colour, count)
        case Pattern.SPLIT:
            half = (count + 1) // 2
            pixels = [cue.colour] * half + dots(cue.second, count - half)
        case Pattern.PULSE:
            dim = now_us // PULSE_STEP_US % 2 == 1
            pixels = [dimmed(cue.colour) if dim else cue.colour] * count
        case Pattern.OFF:
            pixels = [OFF] * count
    return b"".join(bytes(pixel) for pixel in pixels)


def dots(colour: Colour, count: int) -> list[Colour]:
    """Every other pixel, beginning with a lit one."""
    return [OFF if index % 2 else colour for index in range(count)]


def dimmed(colour: Colour) -> Colour:
    red, green, blue = (round(part * DIM) for part in colour)
    return red, green, blue


def flash(count: int) -> bytes:
    """The brief answer to an event."""
    return bytes(FLASH) * count
