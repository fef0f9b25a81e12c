"""How a classic ESP32 starts: the boot ROM's words, and what ``machine.reset_cause()`` says then.

After MicroPython's ``ports/esp32/modmachine.c`` and ESP-IDF's reset reasons. The button (EN) cuts the power
inside the classic chip, so that it cannot be told from the power coming on.
"""

from __future__ import annotations

PWRON_RESET, HARD_RESET, WDT_RESET, SOFT_RESET = 1, 2, 3, 5

POWER_ON = "power on"
BUTTON = "reset button"
BY_PROGRAM = "machine.reset"
WATCHDOG = "watchdog"
SOFT = "soft reset"

_POWERON, _SOFTWARE = "0x1 (POWERON_RESET)", "0xc (SW_CPU_RESET)"
HARD = {
    POWER_ON: (_POWERON, PWRON_RESET),
    BUTTON: (_POWERON, PWRON_RESET),
    BY_PROGRAM: (_SOFTWARE, HARD_RESET),
    WATCHDOG: (_SOFTWARE, WDT_RESET),
}
CAUSES = (*HARD, SOFT)

SOFT_REBOOT = "MPY: soft reboot\r\n"
PANIC = "Guru Meditation Error: Core 1 panic'ed (the virtual board's interpreter ended)\r\n\r\nRebooting...\r\n"


def banner(cause: str) -> str:
    """What the boot ROM prints after a hard reset."""
    return (
        f"ets Jul 29 2019 12:21:46\r\n\r\nrst:{HARD[cause][0]},boot:0x17 (SPI_FAST_FLASH_BOOT)\r\n"
        "configsip: 0, SPIWP:0xee\r\nmode:DIO, clock div:2\r\nload:0x3fff0030,len:4892\r\nentry 0x400805ac\r\n"
    )


def bite(up_ms: int) -> str:
    """What the task watchdog prints before it resets the chip."""
    head = f"E ({up_ms}) task_wdt: "
    return (
        f"{head}Task watchdog got triggered. The following tasks/users did not reset the watchdog in time:\r\n"
        f"{head} - mp_task (CPU 1)\r\n{head}Aborting.\r\n\r\nRebooting...\r\n"
    )
