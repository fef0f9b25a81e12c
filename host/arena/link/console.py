"""What a board says outside frames: kept for the doctor, and read for resets and their causes.

Pure. Nothing here is ever believed as data; it only says that a session is over.
"""

from __future__ import annotations

import re
from collections import deque
from enum import StrEnum

KEPT = 200  # lines, of at most 240 bytes each

_BANNER = re.compile(rb"rst:0x[0-9a-fA-F]+ ?\(?([A-Z0-9_]*)")
# The ROM's names for causes, in words; others are given as they are
_CAUSES = {
    "POWERON_RESET": "power came on",
    "POWERON": "power came on",
    "RTCWDT_BROWN_OUT_RESET": "its supply voltage fell too low",
    "RTCWDT_RTC_RESET": "the watchdog",
    "TG0WDT_SYS_RESET": "the watchdog",
    "TG1WDT_SYS_RESET": "the watchdog",
    "SW_CPU_RESET": "its program asked for it",
    "SW_RESET": "its program asked for it",
    "DEEPSLEEP_RESET": "it woke from deep sleep",
}


class Told(StrEnum):
    """What a console line means for the session."""

    NOTHING = "nothing"
    RESET = "reset"  # the board has started again
    CRASH = "crash"  # its program ended with an error
    PROMPT = "prompt"  # nobody runs: the Python prompt


class Console:
    """The last lines, printable, and the cause of the last reset that they told."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT)
        self.cause = ""

    def add(self, line: bytes) -> Told:
        """Keep one line and say what it means."""
        text = line.decode("utf-8", "replace")
        self._lines.append("".join(sign if sign.isprintable() else "�" for sign in text))
        banner = _BANNER.search(line)
        if banner:
            name = banner[1].decode()
            self.cause = _CAUSES.get(name, name.lower().replace("_", " ") or "unknown")
            return Told.RESET
        if b"MPY: soft reboot" in line:
            self.cause = "a soft reset"
            return Told.RESET
        if b"Traceback (most recent call last)" in line:
            self.cause = "an error in its program"
            return Told.CRASH
        if line.startswith(b">>>") or b"raw REPL" in line:
            return Told.PROMPT
        return Told.NOTHING

    def tail(self) -> list[str]:
        """The lines that are kept, oldest first."""
        return list(self._lines)
