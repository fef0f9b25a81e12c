"""Resets: what the board prints, what its program is told, what stays and what goes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest
from arena.sim.board import VirtualBoard, VirtualBoardError

from .conftest import IDENTITY, Host, MakeBoard, until

OpenPort = Callable[[VirtualBoard], Host]

TELL = "import machine\nprint('cause', machine.reset_cause(), machine.unique_id())\n"


@pytest.mark.parametrize(
    ("cause", "banner", "told"),
    [
        ("power on", "rst:0x1 (POWERON_RESET)", 1),
        ("reset button", "rst:0x1 (POWERON_RESET)", 1),
        ("machine.reset", "rst:0xc (SW_CPU_RESET)", 2),
        ("watchdog", "rst:0xc (SW_CPU_RESET)", 3),
        ("soft reset", "MPY: soft reboot", 5),
    ],
)
def test_each_reset_says_its_cause_as_the_chip_does(
    make_board: MakeBoard, open_port: OpenPort, cause: str, banner: str, told: int
) -> None:
    board = make_board(TELL)
    assert board.wait_for(f"cause 1 {IDENTITY!r}")
    host = open_port(board)
    board.reset(cause)
    host.line_with(banner)
    assert host.line_with("cause").startswith(f"cause {told} ")
    assert board.starts == [1, told]


def test_a_program_resets_the_board_by_itself(make_board: MakeBoard) -> None:
    board = make_board(TELL + "if machine.reset_cause() == 1:\n    machine.reset()\n")
    assert board.wait_for("cause 2")
    assert "rst:0xc (SW_CPU_RESET),boot:0x17 (SPI_FAST_FLASH_BOOT)" in board.console()


def test_a_program_that_exits_starts_anew_softly(make_board: MakeBoard) -> None:
    board = make_board(TELL + "if machine.reset_cause() == 1:\n    machine.soft_reset()\n")
    assert board.wait_for("MPY: soft reboot")
    assert board.wait_for("cause 5")


def test_a_watchdog_bites_a_program_that_stops_feeding_it(make_board: MakeBoard) -> None:
    board = make_board(
        TELL
        + """
import time
if machine.reset_cause() == 1:
    dog = machine.WDT(timeout=300)
    for _ in range(10):
        time.sleep_ms(100)
        dog.feed()
    print("fed for", time.ticks_ms() // 1000, "s")
    while True:
        pass
"""
    )
    assert board.wait_for("fed for 1 s")
    assert board.wait_for("Task watchdog got triggered")
    assert board.wait_for("cause 3")


def test_a_watchdog_outlasts_a_soft_reset(make_board: MakeBoard) -> None:
    board = make_board(TELL + "if machine.reset_cause() == 1:\n    machine.WDT(timeout=400)\n    raise SystemExit\n")
    assert board.wait_for("cause 5")
    assert board.wait_for("cause 3")


def test_a_crashed_interpreter_is_told_and_starts_again(make_board: MakeBoard) -> None:
    board = make_board(TELL)
    assert board.wait_for("cause 1")
    os.kill(board.interpreter_pid, signal.SIGSEGV)
    assert board.wait_for("Guru Meditation")
    assert board.wait_for("cause 2")
    assert "signal 11" in board.faults[0]


def test_an_exception_is_printed_and_leaves_the_prompt(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board("raise ValueError('a mistake')")
    assert board.wait_for("ValueError: a mistake")
    host = open_port(board)
    host.say(b"\r6*7\r")
    host.line_with("6*7")
    assert host.line() == "42"


def test_boot_py_runs_before_main_py(make_board: MakeBoard) -> None:
    board = make_board("print('main sees', early)", files={"boot.py": b"early = 'boot'"})
    assert board.wait_for("main sees boot")


def test_its_files_stay_and_it_sees_no_others(make_board: MakeBoard) -> None:
    board = make_board(
        """
        import os, sys
        print("files", sorted(os.listdir("/")), os.getcwd(), sys.path)
        try:
            open("/etc/passwd")
        except OSError:
            print("walled in")
        with open("/kept.txt", "a") as file:
            file.write("x")
        print("kept", len(open("kept.txt").read()))
        """
    )
    assert board.wait_for("kept 1")
    assert "walled in" in board.console()
    assert "files ['main.py'] / ['', '.frozen', '/lib']" in board.console()
    board.power_cycle()
    assert board.wait_for("kept 2")
    assert board.folder is not None
    assert (board.folder / "kept.txt").read_text() == "xx"


def test_an_unknown_reset_is_refused_in_a_sentence(make_board: MakeBoard) -> None:
    board = make_board()
    with pytest.raises(VirtualBoardError, match="reset by one of power on, reset button"):
        board.reset("kick")


def test_without_power_the_port_is_silent(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(TELL)
    assert board.wait_for("cause")
    host = open_port(board)
    board.power_cycle(off_s=0.05)
    assert "POWERON_RESET" in host.line_with("rst:")
    assert until(lambda: board.starts == [1, 1])
