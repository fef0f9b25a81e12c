# mypy: ignore-errors
"""The virtual board's second channel: input levels come in at their times, pixels and faults go out.

MicroPython runs it, never Python. Two inherited pipes carry records of 16 bytes, little-endian:

    time in µs (8), kind (1), a (1), b (2), c (4); a PIXELS or FAULT record is followed by b bytes

A thread of its own applies the levels. The Unix port has no lock around the interpreter, so that
thread runs beside the program: its loop allocates nothing, and no collection can disturb it.
"""

import _thread
from array import array

import utime  # the real one; `time` is the stand-in

INPUT = 3
OUTPUT = 4

# To the board
LEVEL = 1  # a = pin; b = level, + 2 where nothing was pending before; c = which event

# From the board
READY = 1  # time = the clock at the start
APPLIED = 2  # time = when; a = pin; b = level; c = which event
PIXELS = 3  # time = the end of the write; a = pin; b = bytes that follow; c = offset of the first, + LAST at the end
WATCHDOG = 4  # c = timeout in ms, again with each feeding that matters
RESET = 5  # a = 1: machine.reset(); a = 2: a soft reset out of the program
FAULT = 6  # b = bytes of a sentence that follow

LAST = 0x10000
_KEPT = 0x0FFFFFFFFFFDFF00  # of a record's second word: all but the kind and the fresh flag
MOST = 480  # bytes that follow a record: a pipe takes record and bytes in one piece
SPIN_US = 25  # sleeps end late: the last part of a wait is spent looking at the clock

PINS = 40
UNITS = 8

levels = array("I", [0, 0])  # what GPIO_IN and GPIO_IN1 would show
counts = array("h", [0] * UNITS)
limits = array("h", [0] * (2 * UNITS))  # lower, upper of each unit; 0 = none
running = bytearray(UNITS)
# Of each unit's two channels: pin, mode pin (-1: none), then what to add at a falling edge with the mode pin
# low and high, and at a rising edge with it low and high
CHANNEL = 6
channels = array("b", [-1, -1, 0, 0, 0, 0] * (2 * UNITS))

_in = None
_out = None
_record = array("Q", [0, 0])
_reply = array("Q", [0, 0])
_message = bytearray(16 + MOST)


def begin(low: int, high: int) -> None:
    """Open both pipes and start applying levels; ``low`` and ``high`` are the first words."""
    global _in, _out
    levels[0] = low
    levels[1] = high
    _in = open(INPUT, "rb")  # noqa: SIM115
    _out = open(OUTPUT, "wb")  # noqa: SIM115
    send(READY)
    _thread.start_new_thread(_feed, ())


def send(kind: int, a: int = 0, b: int = 0, c: int = 0) -> None:
    """One record, from the program's thread."""
    _header(utime.ticks_us(), kind, a, b, c)
    _out.write(_message, 16)


def send_bytes(at_us: int, kind: int, a: int, data: "bytes | bytearray") -> None:
    """Records that carry ``data``, from the program's thread; allocates nothing."""
    size = len(data)
    start = 0
    while True:
        part = size - start
        if part > MOST:
            part = MOST
        index = 0
        while index < part:
            _message[16 + index] = data[start + index]
            index += 1
        last = LAST if start + part == size else 0
        _header(at_us, kind, a, part, start | last)
        _out.write(_message, 16 + part)
        start += part
        if last:
            return


def fault(sentence: str) -> None:
    """Tell the simulation what the program did that a real board would not do."""
    send_bytes(utime.ticks_us(), FAULT, 0, sentence.encode())


def _header(at_us: int, kind: int, a: int, b: int, c: int) -> None:
    index = 0
    while index < 8:
        _message[index] = at_us & 0xFF
        at_us >>= 8
        index += 1
    _message[8] = kind
    _message[9] = a
    _message[10] = b & 0xFF
    _message[11] = b >> 8
    while index < 12:
        _message[4 + index] = c & 0xFF
        c >>= 8
        index += 1


def _feed() -> None:
    """Apply each level when its time has come. Late ones shift all that follow: pulses keep their widths."""
    slip_us = 0
    ticks_us = utime.ticks_us
    sleep_us = utime.sleep_us
    read = _in.readinto
    write = _out.write
    while True:
        if read(_record) != 16:
            return  # the supervisor is gone, and the hang-up of the console ends this process
        due_us = _record[0]
        word = _record[1]
        pin = (word >> 8) & 0xFF
        level = (word >> 16) & 1
        if word & 0x20000:
            slip_us = 0
        due_us += slip_us
        while True:
            left_us = due_us - ticks_us()
            if left_us <= 0:
                break
            if left_us > SPIN_US:
                sleep_us(left_us - SPIN_US)
        bank = pin >> 5
        bit = 1 << (pin & 31)
        before = levels[bank]
        now_us = ticks_us()
        if now_us > due_us:
            slip_us += now_us - due_us
        if level:
            if not before & bit:
                _count(pin, 4)
                levels[bank] = before | bit
        elif before & bit:
            _count(pin, 2)
            levels[bank] = before & ~bit
        _reply[0] = now_us
        _reply[1] = APPLIED | word & _KEPT
        write(_reply)


def _count(pin: int, edge: int) -> None:
    """Let every counter channel that watches ``pin`` count; ``edge`` is 4 rising, 2 falling."""
    at = 0
    channel = 0
    while channel < 2 * UNITS:
        unit = channel >> 1
        if channels[at] == pin and running[unit]:
            mode = channels[at + 1]
            high = 1 if mode < 0 else (levels[mode >> 5] >> (mode & 31)) & 1
            value = counts[unit] + channels[at + edge + high]
            if value == limits[2 * unit + 1] or value == limits[2 * unit]:
                value = 0  # the hardware begins again at 0; where there is no limit, it is 0 too
            counts[unit] = value
        at += CHANNEL
        channel += 1
