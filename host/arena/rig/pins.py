"""What each pin of an ESP32 can be used for, in words for the person who is wiring it.

Source: Espressif's ESP32 data sheet, sections on strapping pins and the pin overview.
"""

from __future__ import annotations

KINDS = ("esp32", "esp32-wrover")

USABLE = (4, 13, 14, 16, 17, 18, 19, 21, 22, 23, 25, 26, 27, 32, 33, 34, 35)

FLASH = frozenset(range(6, 12))
REPL = frozenset((1, 3))
PSRAM = frozenset((16, 17))
INPUT_ONLY = frozenset(range(34, 40))
GHOSTS = frozenset((36, 39))
STRAPPING = {
    0: "keeps the board from starting when it is low at reset",
    2: "must be low or open while the board is being flashed",
    5: "decides the timing of the boot when the board is reset",
    12: "keeps the board from starting when it is high at reset",
    15: "silences the boot messages when it is low at reset",
}
ABSENT = frozenset((20, 24, 28, 29, 30, 31, 37, 38))


def trouble(pin: int, kind: str, output: bool, pull: str = "none") -> str | None:
    """Why this pin cannot be used so, as the rest of a sentence that begins with the pin; or ``None``."""
    if not 0 <= pin <= 39 or pin in ABSENT:
        return "is not on the board's header"
    if pin in FLASH:
        return "belongs to the flash memory that holds the firmware"
    if pin in REPL:
        return "is the serial line to the computer"
    if pin in PSRAM and kind == "esp32-wrover":
        return "belongs to the extra memory of a WROVER module"
    if pin in STRAPPING:
        return STRAPPING[pin]
    if pin in INPUT_ONLY:
        if output:
            return "can only be an input"
        if pull == "up":
            return 'has no pull-up inside: solder 10 kΩ to 3.3 V and write pull = "none"'
        if pin in GHOSTS:
            return "makes edges by itself on this chip"
    return None


def free(used: set[int], kind: str, output: bool, pull: str) -> list[int]:
    """Pins that could be used instead, best first."""
    return [pin for pin in USABLE if pin not in used and trouble(pin, kind, output, pull) is None]
