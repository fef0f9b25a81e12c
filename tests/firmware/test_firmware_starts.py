"""How a board starts, stops, crashes and lets people in."""

from __future__ import annotations

import json
import time
from pathlib import Path
from struct import pack

import pytest
from arena import wire

BOARD = {"inputs": [{"pin": 4, "active": 0, "pull": "up", "kind": "beam"}], "strips": []}
STRIP = {"pin": 23, "pixels": 8, "order": "GRB", "brightness": 255, "limit_ma": 1500}
FIRMWARE = Path(__file__).parents[2] / "firmware"


def repl_answers(board, timeout=3.0):
    """Whether the REPL computes for us."""
    board.raw(b"print(6 * 7, 'is it')\r")
    board.wait_until(lambda: any(line.endswith(b"42 is it") for line in board.console), timeout, "the REPL's answer")
    return True


def quick(name, before, after):
    """A firmware module with one constant changed, to shorten a wait."""
    text = (FIRMWARE / name).read_text()
    assert before in text
    return text.replace(before, after)


def test_ctrl_c_in_the_first_two_seconds_gives_the_repl(start):
    board = start(moment=True)
    board.virtual.wait_for("starts in 2 s")
    time.sleep(1.2)
    board.raw(b"\x03")
    assert repl_answers(board)
    assert not board.messages


def test_a_file_named_safe_skips_the_program(start):
    board = start(safe="")
    board.virtual.wait_for("a file named safe is here")
    assert repl_answers(board)


def test_ctrl_c_wins_even_while_the_host_talks(start):
    board = start(moment=True)
    board.virtual.wait_for("starts in 2 s")
    for _ in range(5):
        board.send("who")
    board.raw(b"\r\x03")
    assert repl_answers(board)


def test_without_a_session_a_bare_ctrl_c_gives_the_repl_and_leaves_the_maintenance_pattern(start):
    board = start({**BOARD, "strips": [STRIP]})
    board.wait("beacon")
    board.raw(b"\r\x03")
    board.virtual.wait_for("the REPL is yours")
    assert repl_answers(board)
    assert board.pixels[-1] == ("306000" + "000000" * 3) * 2


def test_a_release_lets_ctrl_c_through_and_its_end_does_not(start):
    board = start({**BOARD, "strips": [STRIP]})
    board.hello()
    mark = len(board.messages)
    board.send("release", pack("<H", 1))
    board.answered()
    board.wait_until(lambda: board.pixels and board.pixels[-1].startswith("306000"), 1, "the maintenance pattern")
    time.sleep(1.2)
    board.raw(b"\r\x03")
    board.status()
    assert board.pixels[-1] == "000000" * 8
    board.send("release", pack("<H", 60))
    board.answered()
    board.fall_silent()
    board.raw(b"\r\x03")
    assert repl_answers(board)
    assert board.messages[mark:]


def test_a_soft_reset_out_of_the_repl_starts_the_program_again(start):
    board = start()
    boot = board.hello()["boot"]
    board.bye()
    board.wait("beacon", len(board.messages))
    board.raw(b"\x03")
    assert repl_answers(board)
    board.messages.clear()
    board.raw(b"\x04")
    beacon = board.wait("beacon")
    assert wire.RESETS[beacon["reset"]] == "soft reset"
    assert beacon["boot"] != boot


def test_the_cause_of_a_reset_is_told(start):
    board = start()
    boots = {board.wait("beacon")["boot"]}
    for cause, told in (("machine.reset", "reset button"), ("watchdog", "watchdog"), ("soft reset", "soft reset")):
        board.restart(cause)
        beacon = board.wait("beacon")
        assert wire.RESETS[beacon["reset"]] == told
        boots.add(beacon["boot"])
    assert len(boots) == 4, "every start has an identity of its own"


def test_the_watchdog_is_armed_late_in_a_session_and_resets_a_board_that_hangs(start):
    superloop = quick("superloop.py", "ARM_US = 10000000", "ARM_US = 500000")
    superloop = superloop.replace("WATCHDOG_MS = 5000", "WATCHDOG_MS = 1000")
    # It hangs when the host announces a release of 13 s
    hangs = "self._sampler.look()\n            while self._session.release_us == 13000000: pass\n"
    superloop = superloop.replace(
        "            now = sampler.look()\n            self._write(now)\n", "            " + hangs
    )
    board = start(BOARD, superloop_dot_py=superloop)
    board.hello()
    time.sleep(1.6)
    board.send("release", pack("<H", 13))
    board.wait_until(lambda: any("WDT" in line or "wdt" in line for line in board.virtual.console()), 5, "the watchdog")
    board.session = 0
    board.messages.clear()
    assert wire.RESETS[board.wait("beacon")["reset"]] == "watchdog"


def test_no_watchdog_bites_a_person_at_the_repl_or_after_a_soft_reset(start):
    superloop = quick("superloop.py", "ARM_US = 10000000", "ARM_US = 300000")
    superloop = superloop.replace("WATCHDOG_MS = 5000", "WATCHDOG_MS = 1000")
    board = start(BOARD, superloop_dot_py=superloop)
    board.hello()
    time.sleep(0.7)
    board.bye()
    board.wait("beacon", len(board.messages))
    board.raw(b"\x03")
    assert repl_answers(board)
    time.sleep(1.6)
    assert repl_answers(board)
    board.raw(b"\x04")
    board.messages.clear()
    board.hello()
    time.sleep(2)
    board.status()
    assert board.virtual.starts == [1, 5]


def test_a_clock_that_wraps_is_counted_and_loses_nothing(start):
    board = start(BOARD, {"tick_offset_us": wire.TICKS - 4_000_000})
    board.hello()
    board.change((4, 0))
    board.wait_until(lambda: board.virtual.ticks_us(time.monotonic_ns() // 1000) < 2_000_000, 10, "the wrap")
    board.change((4, 1))
    board.wait_until(lambda: len(board.edges) == 2)
    first, second = board.edges
    assert (first.wraps, second.wraps) == (0, 1)
    assert second.ticks < first.ticks
    mark = len(board.messages)
    board.send("ping", pack("<I", 3))
    pong = board.wait("pong", mark, token=3)
    assert pong["wraps"] == 1
    earlier, later = board.status(), board.status()
    assert 900 < later["uptime_ms"] - earlier["uptime_ms"] < 1300
    assert later["gap_us"] < 1_000_000


def test_a_crash_is_kept_told_once_and_the_board_starts_again(start):
    broken = "raise ZeroDivisionError('the gate broke')\n"
    board = start(BOARD, gates_dot_py=broken)
    board.virtual.wait_for("the gate broke")
    board.wait_until(lambda: len(board.virtual.starts) >= 2, 5, "the restart")
    assert "the gate broke" in (board.folder / "crash.txt").read_text()
    (board.folder / "gates.py").write_bytes((FIRMWARE / "gates.py").read_bytes())
    board.restart("machine.reset")
    assert board.hello()["crashed"] == 1
    report = board.file(wire.CRASH).decode()
    assert "Traceback" in report
    assert "ZeroDivisionError: the gate broke" in report
    board.wait_until(lambda: not (board.folder / "crash.txt").exists(), 2, "crash.txt to go")
    board.restart("machine.reset")
    assert board.hello()["crashed"] == 0


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("{", "board.json is not JSON: write it again from the rig file"),
        ([], "board.json must hold one object"),
        ({"inputs": [{"pin": 6, "active": 0}]}, "inputs[0]: pin 6 belongs to the console or the flash memory"),
        ({"inputs": [{"pin": 4, "active": 0}] * 2}, "inputs[1]: pin 4 is inputs[0] already"),
        ({"inputs": [{"pin": 4, "active": 2}]}, "inputs[0]: active must be 0 to 1, not 2"),
        ({"strips": [{**STRIP, "pixels": 33}]}, "strips[0]: pixels must be 1 to 32, not 33"),
        ({"strips": [{**STRIP, "order": "XYZ"}]}, 'strips[0]: order "XYZ" is not one of RGB'),
        ({"strips": [{**STRIP, "pin": 34}]}, "strips[0]: pin must be 0 to 33, not 34"),
        ({"gates": [{"a": 0, "b": -1, "counter": 0}]}, "gates[0]: a must be 0 to -1, not 0"),
        ({"inputs": [7]}, "inputs[0] must be an object"),
        ({"inputs": 7}, "inputs must be a list"),
    ],
)
def test_a_wrong_board_file_gives_a_sentence(config, sentence, on_micropython):
    text = config if isinstance(config, str) else json.dumps(config)
    told = on_micropython(
        "import settings\n"
        f"try:\n    settings.load({text.encode()!r})\n    print('fine')\n"
        "except ValueError as fault:\n    print(fault)\n"
    )
    assert sentence in told


def test_a_board_with_a_wrong_file_still_introduces_itself_and_says_why(start):
    board = start({"inputs": [{"pin": 6, "active": 0}]}, {"levels": {}})
    welcome = board.hello()
    assert welcome["crashed"] == 1
    assert b"pin 6 belongs to the console" in board.file(wire.CRASH)
    assert not any(b"Traceback" in line for line in board.console)


def test_a_board_that_nobody_has_set_up_introduces_itself(start):
    board = start(None)
    welcome = board.hello()
    assert welcome["config"] == wire.digest(b"")
    assert board.status()["levels"] == 0
    board.send("pixels", pack("<IBB", 1, 0, 0) + bytes(3))
    board.answered()
