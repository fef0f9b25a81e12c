"""The stand-ins keep to what the ESP32 port documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from arena.sim import interpreter
from arena.sim.board import VirtualBoard

from .conftest import Host, MakeBoard, now_us, until

OpenPort = Callable[[VirtualBoard], Host]


def ask(board: VirtualBoard) -> dict[str, Any]:
    """What the program printed as JSON."""
    assert board.wait_for("{"), board.console()
    said: dict[str, Any] = json.loads(next(line for line in board.console() if line.startswith("{")))
    return said


def test_ticks_begin_where_asked_and_wrap_at_2_to_the_30(make_board: MakeBoard) -> None:
    board = make_board(
        """
        import json, time
        last = time.ticks_us()
        first, passed = last, 0
        while passed < 300_000:
            now = time.ticks_us()
            passed += time.ticks_diff(now, last)
            last = now
        print(json.dumps({
            "first": first, "last": last, "most": 2**30 - 1,
            "diff": [time.ticks_diff(5, 2**30 - 5), time.ticks_diff(2**30 - 5, 5), time.ticks_diff(2**29, 0)],
            "add": [time.ticks_add(2**30 - 1, 2), time.ticks_add(1, -2)],
            "ms": time.ticks_ms() - 2**30 // 1000,
        }))
        """,
        tick_offset_us=2**30 - 200_000,
    )
    said = ask(board)
    assert 2**30 - 200_000 <= said["first"] < 2**30
    assert 100_000 <= said["last"] < 5_000_000
    assert said["diff"] == [10, -10, -(2**29)]
    assert said["add"] == [1, 2**30 - 1]
    assert 50 <= said["ms"] < 5_000
    assert board.ticks_us(now_us()) < 60_000_000


def test_ticks_go_on_over_a_soft_reset_and_begin_anew_after_a_hard_one(make_board: MakeBoard) -> None:
    board = make_board("import time\nprint('ms', time.ticks_ms())", tick_offset_us=7_000_000)
    assert board.wait_for("ms 70")
    for count, cause in ((2, "soft reset"), (3, "reset button")):
        board.reset(cause)
        assert until(lambda: sum(line.startswith("ms ") for line in board.console()) == count)  # noqa: B023
    first, soft, hard = (int(line[3:]) for line in board.console() if line.startswith("ms "))
    assert first < soft
    assert 7_000 <= hard < 7_000 + 1_000


def test_pins_keep_to_the_chips_rules(make_board: MakeBoard) -> None:
    board = make_board(
        """
        import json
        from machine import Pin
        def refused(number, *how):
            try:
                Pin(number, *how)
            except ValueError as reason:
                return str(reason)
        lamp = Pin(23, Pin.OUT, value=1)
        print(json.dumps({
            "same": Pin(23) is lamp, "name": repr(lamp), "on": lamp.value(), "off": lamp.off() or lamp(),
            "input only": refused(34, Pin.OUT), "none": [refused(24), refused(40), refused(-1)],
            "pull": Pin(4, Pin.IN, Pin.PULL_UP).value(),
        }))
        """
    )
    assert ask(board) == {
        "same": True,
        "name": "Pin(23)",
        "on": 1,
        "off": 0,
        "input only": "pin can only be input",
        "none": ["invalid pin"] * 3,
        "pull": 1,
    }


def test_what_a_real_board_would_punish_is_told(make_board: MakeBoard) -> None:
    board = make_board("from machine import Pin\nPin(34, Pin.IN, Pin.PULL_UP)\nPin(35, Pin.IN)\nPin(6)\nprint('done')")
    assert board.wait_for("done")
    assert until(lambda: len(board.faults) == 2)
    assert board.faults[0] == "Pin 34 has no pull resistor: on a real board it floats."
    assert board.faults[1].startswith("Pin 6 belongs to the flash chip")


STRIP = """
import json, time
from machine import Pin
from neopixel import NeoPixel
strip = NeoPixel(Pin(23), 32)
strip.fill((1, 2, 3))
strip[0] = (255, 128, 0)
start = time.ticks_us()
strip.write()
took = time.ticks_diff(time.ticks_us(), start)
white = NeoPixel(Pin(22), 2, bpp=4)
white[1] = (9, 8, 7, 6)
white.write()
print(json.dumps({"took": took, "buf": list(strip.buf[:6]), "first": strip[0], "len": len(strip), "w": white[1]}))
"""


def test_a_strip_shows_what_was_written_and_takes_30_us_a_pixel(make_board: MakeBoard) -> None:
    writes: list[tuple[int, bytes, int]] = []
    config = b'{"strips": [{"pin": 23, "order": "GRB"}, {"pin": 22, "order": "GRBW"}]}'
    board = make_board(STRIP, files={"board.json": config}, on_pixels=lambda *what: writes.append(what))
    said = ask(board)
    assert 960 <= said["took"] < 20_000
    assert said["buf"] == [128, 255, 0, 2, 1, 3]
    assert said["first"] == [255, 128, 0]
    assert said["w"] == [9, 8, 7, 6]
    assert until(lambda: len(writes) == 2)
    assert board.pixels() == [bytes((255, 128, 0)) + bytes((1, 2, 3)) * 31, bytes(3) + bytes((15, 14, 13))]
    assert writes[0][:2] == (23, bytes((128, 255, 0)) + bytes((2, 1, 3)) * 31)
    assert 0 < now_us() - writes[0][2] < 10_000_000
    board.power_cycle()  # without power they are dark, until the program writes again
    assert until(lambda: len(writes) == 6)
    assert writes[2][1] == bytes(96)


def test_a_long_strip_arrives_whole(make_board: MakeBoard) -> None:
    config = b'{"strips": [{"pin": 23, "order": "RGB"}]}'
    program = STRIP.split("start =")[0].replace("32", "300") + "strip.write()\n"
    board = make_board(program, files={"board.json": config})
    assert until(lambda: len(board.pixels()[0]) == 900)
    assert board.pixels()[0][-3:] == bytes((2, 1, 3))


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("machine.mem32[0x3FF44004]", "only the words of its inputs"),
        ("machine.Pin(4).irq(print)", "no pin interrupts"),
        ("esp32.PCNT(8)", "invalid id"),
        ("esp32.PCNT(0, mode_pin=machine.Pin(4))", "ValueError: pin"),
        ("esp32.PCNT(0, rising=3)", "are 0, 1 or 2"),
        ("esp32.PCNT(0).value(1)", "ValueError: value"),
    ],
)
def test_what_is_not_there_says_so(make_board: MakeBoard, program: str, says: str) -> None:
    board = make_board(f"import machine, esp32\n{program}")
    assert board.wait_for(says), board.console()


def test_both_ends_of_the_second_channel_mean_the_same() -> None:
    text = (interpreter.STANDINS / "virtual_channel.py").read_text()
    for name in ("LEVEL", "READY", "APPLIED", "PIXELS", "WATCHDOG", "RESET", "FAULT", "LAST"):
        found = re.search(rf"^{name} = (\w+)", text, re.MULTILINE)
        assert found
        assert int(found[1], 0) == getattr(interpreter, name)
