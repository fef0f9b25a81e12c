# mypy: ignore-errors
"""``machine`` of the ESP32 port, as far as a board of the arena uses it, without hardware."""

import uctypes
import utime
import virtual_channel

PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
SOFT_RESET = 5

_IDLE_US = 300  # leaves the processor to others; on a board, idle() gives one tick away at most
_GPIO_IN = (0x3FF4403C, 0x3FF44040)  # where the classic ESP32 has the words of its inputs

_FLASH = (6, 7, 8, 9, 10, 11)

_identity = b""
_cause = 0


def virtual_start(identity: str, cause: int) -> None:
    global _identity, _cause
    _identity = bytes.fromhex(identity)
    _cause = cause


def gpio_in_addresses() -> "tuple[int, int]":
    """Where the words of the inputs 0-31 and 32-39 are; only the virtual board has this."""
    address = uctypes.addressof(virtual_channel.levels)
    return address, address + 4


def unique_id() -> bytes:
    return _identity


def reset_cause() -> int:
    return _cause


def freq(hertz: "int | None" = None) -> "int | None":
    return 240000000 if hertz is None else None


def idle() -> None:
    utime.sleep_us(_IDLE_US)


def reset() -> None:
    virtual_channel.send(virtual_channel.RESET, 1)
    while True:  # until the supervisor ends this process
        utime.sleep_us(1000000)


def soft_reset() -> None:
    raise SystemExit


def disable_irq() -> int:
    return 0


def enable_irq(state: int) -> None:
    pass


def bitstream(pin: "Pin", encoding: int, timing: "tuple[int, int, int, int]", data: "bytes | bytearray") -> None:
    """Send bytes to a strip, blocking as long as the bits take."""
    bit_ns = timing[0] + timing[1]
    end_us = utime.ticks_us() + len(data) * 8 * bit_ns // 1000
    while True:
        left_us = end_us - utime.ticks_us()
        if left_us <= 0:
            break
        if left_us > virtual_channel.SPIN_US:
            utime.sleep_us(left_us - virtual_channel.SPIN_US)
    virtual_channel.send_bytes(utime.ticks_us(), virtual_channel.PIXELS, pin.number, data)


class _Words:
    """``mem32``, of the two words that hold the inputs' levels."""

    def __getitem__(self, address: int) -> int:
        for bank in (0, 1):
            if address in (_GPIO_IN[bank], gpio_in_addresses()[bank]):
                return virtual_channel.levels[bank]
        raise ValueError("the virtual board has only the words of its inputs in mem32, and nothing at " + hex(address))

    def __setitem__(self, address: int, value: int) -> None:
        raise ValueError("the virtual board has no register to write at " + hex(address))


mem32 = _Words()


class Pin:
    """One GPIO pin; ``Pin(n)`` is the same object each time, as on a board."""

    IN = 1
    OUT = 3
    OPEN_DRAIN = 7
    PULL_DOWN = 1
    PULL_UP = 2
    IRQ_RISING = 1
    IRQ_FALLING = 2

    _known = {}  # noqa: RUF012

    def __new__(cls, number: "int | Pin", *args: object, **keywords: object) -> "Pin":
        if isinstance(number, Pin):
            return number
        if number not in cls._known:
            if not 0 <= number < virtual_channel.PINS or number in (20, 24, 28, 29, 30, 31):
                raise ValueError("invalid pin")
            cls._known[number] = object.__new__(cls)
        return cls._known[number]

    def __init__(
        self, number: "int | Pin", mode: int = -1, pull: "int | None" = -1, value: "int | None" = None
    ) -> None:
        if isinstance(number, Pin):
            number = number.number
        if not hasattr(self, "number"):
            self.number = number
            self._mode = Pin.IN
            self._value = 0
        self.init(mode, pull, value=value)

    def init(self, mode: int = -1, pull: "int | None" = -1, value: "int | None" = None) -> None:
        if mode != -1:
            if mode != Pin.IN and self.number >= 34:
                raise ValueError("pin can only be input")
            self._mode = mode
        if self.number in _FLASH:
            virtual_channel.fault(f"Pin {self.number} belongs to the flash chip: a real board crashes when it is used.")
        if pull not in (-1, None) and self.number >= 34:
            virtual_channel.fault(f"Pin {self.number} has no pull resistor: on a real board it floats.")
        if value is not None:
            self._value = 1 if value else 0

    def value(self, level: "int | None" = None) -> "int | None":
        if level is not None:
            self._value = 1 if level else 0
            return None
        if self._mode != Pin.IN:
            return self._value
        return (virtual_channel.levels[self.number >> 5] >> (self.number & 31)) & 1

    def __call__(self, level: "int | None" = None) -> "int | None":
        return self.value(level)

    def on(self) -> None:
        self._value = 1

    def off(self) -> None:
        self._value = 0

    def irq(self, *args: object, **keywords: object) -> None:
        raise NotImplementedError("the virtual board has no pin interrupts: a real one may lose them without a word")

    def __repr__(self) -> str:
        return f"Pin({self.number})"


class WDT:
    """The watchdog; it cannot be stopped, only set anew. It may bite an eighth of its time too early."""

    def __init__(self, id: int = 0, timeout: int = 5000) -> None:
        self._timeout_ms = timeout
        self._tell()

    def feed(self) -> None:
        if utime.ticks_us() - self._told_us > self._timeout_ms * 125:
            self._tell()

    def _tell(self) -> None:
        self._told_us = utime.ticks_us()
        virtual_channel.send(virtual_channel.WATCHDOG, 0, 0, self._timeout_ms)
