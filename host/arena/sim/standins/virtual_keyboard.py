# mypy: ignore-errors
"""``micropython`` with the ESP32's ``kbd_intr``: after -1, a Ctrl-C is a byte like any other."""

import termios

import micropython
from micropython import *  # noqa: F403

_LOCAL = 3  # the local modes in the list of attributes

_interrupt = 0


def virtual_start(interrupt: int) -> None:
    global _interrupt
    _interrupt = interrupt


def kbd_intr(character: int) -> None:
    """Which character interrupts: 3 or none (-1)."""
    if character not in (-1, 3):
        raise ValueError("the virtual board knows only 3 (Ctrl-C) and -1 (none) here")
    modes = termios.tcgetattr(0)
    if character == 3:
        modes[_LOCAL] |= _interrupt
        micropython.kbd_intr(3)
    else:
        modes[_LOCAL] &= ~_interrupt
    termios.tcsetattr(0, termios.TCSANOW, modes)
