"""The port: bytes both ways, the input ring, the line's speed, and the cable."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

import pytest
import serial
from arena.sim.board import ECHO, VirtualBoard

from .conftest import Host, MakeBoard, until

OpenPort = Callable[[VirtualBoard], Host]

# Reads nothing for a while, then all there is
LAZY = """
import micropython, select, sys, time
micropython.kbd_intr(-1)
poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
while True:
    print("resting")
    time.sleep_ms(300)
    data = b""
    while poll.poll(0):
        data += sys.stdin.buffer.read(1)
    print("got", len(data), data[-1:])
"""


def echo(host: Host, data: bytes) -> float:
    """Send bytes and take them back; seconds."""
    start = time.perf_counter()
    host.say(data)
    assert host.serial.read(len(data)) == data
    return time.perf_counter() - start


def test_bytes_come_back_at_once_whatever_they_are(make_board: MakeBoard, open_port: OpenPort) -> None:
    host = open_port(make_board(ECHO.decode()))
    echo(host, bytes(range(256)))
    took = [echo(host, b"hello") for _ in range(300)]
    assert statistics.median(took) < 0.002


def test_the_input_ring_keeps_260_bytes_and_drops_the_rest_silently(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(LAZY)
    host = open_port(board)
    host.line_with("resting")
    host.say(b"x" * 250 + b"abcdefghijklmnopqrstuvwxyz")
    assert host.line_with("got") == "got 260 b'j'"
    host.line_with("resting")
    for _ in range(10):
        host.say(b"y" * 40)
        time.sleep(0.005)
    assert host.line_with("got") == "got 260 b'y'"
    assert board.dropped == 16 + 140
    host.line_with("resting")
    host.say(b"z" * 192)
    assert host.line_with("got") == "got 192 b'z'"


def test_a_line_of_115200_baud_takes_87_us_a_byte_each_way(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(ECHO.decode(), baud=115200)
    time.sleep(0.05)  # the boot banner is on its way for so long
    host = open_port(board)
    echo(host, b"warm")
    took = statistics.median(echo(host, b"m" * 100) for _ in range(5))
    # The echo follows byte by byte or in pieces of a millisecond: between one way and both ways, one after another
    assert 0.0087 + 0.000087 < took < 0.030
    took = statistics.median(echo(host, b"s") for _ in range(5))
    assert took >= 2 * 87e-6


def test_a_program_waits_while_the_uart_is_full(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(
        """
        import sys, time
        for _ in range(80):
            sys.stdout.buffer.write(b"f" * 99 + b"\\n")
            time.sleep_us(200)
        print("took", time.ticks_ms())
        """,
        baud=115200,
    )
    host = open_port(board)
    board.reset()
    took_ms = int(host.line_with("took").split()[1])
    assert took_ms > 400  # 8000 bytes take 700 ms


def test_a_slow_host_loses_nothing_and_an_absent_one_stops_nothing(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(
        """
        import sys
        sys.stdin.read(1)
        for n in range(600):
            print("line %04d %s" % (n, "." * 40))
        print("the end")
        """
    )
    host = open_port(board)
    host.say(b"g")
    time.sleep(0.1)
    for number in range(600):
        assert host.line().startswith(f"line {number:04d}")
    host.close()
    assert until(lambda: not board.port_open())
    board.reset("soft reset")
    host = open_port(board)
    host.say(b"g")
    host.close()
    assert until(lambda: "the end" in board.console()[-4:] and "MPY: soft reboot" not in board.console()[-4:])


def test_a_new_host_reads_nothing_that_the_last_one_left(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(ECHO.decode())
    host = open_port(board)
    host.say(b"old")
    time.sleep(0.05)
    host.close()
    assert until(lambda: not board.port_open())
    host = open_port(board)
    assert echo(host, b"new") < 5


def test_a_pulled_cable_hangs_up_and_the_board_runs_on(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(ECHO.decode())
    host = open_port(board)
    echo(host, b"before")
    board.pull_cable()
    with pytest.raises((serial.SerialException, OSError)):
        echo(host, b"gone")
    assert not os.path.lexists(board.port)
    assert not board.port_open()
    board.plug_in()
    host = open_port(board)
    echo(host, b"after")
    assert board.starts == [1]


def test_ctrl_c_interrupts_a_program_until_it_asks_for_the_byte(make_board: MakeBoard, open_port: OpenPort) -> None:
    board = make_board(
        """
        import micropython, sys, time
        try:
            print("ready")
            time.sleep(60)
        except KeyboardInterrupt:
            micropython.kbd_intr(-1)
            print("interrupted")
        print("byte", sys.stdin.buffer.read(1))
        micropython.kbd_intr(3)
        print("again")
        while True:
            pass
        """
    )
    assert board.wait_for("ready")
    host = open_port(board)
    host.say(b"\x03")
    host.line_with("interrupted")
    host.say(b"\x03")
    assert host.line_with("byte") == r"byte b'\x03'"
    host.line_with("again")
    host.say(b"\x03\r1+1\r")  # what follows is kept until the prompt is there
    host.line_with("KeyboardInterrupt")
    assert host.line_with("1+1") == ">>> 1+1"
    assert host.line() == "2"


def test_a_host_that_never_reads_holds_the_board_up_for_a_second_only(
    make_board: MakeBoard, open_port: OpenPort
) -> None:
    board = make_board(
        """
        import sys
        sys.stdin.read(1)
        for n in range(2000):
            print("." * 99)
        print("the end")
        """
    )
    host = open_port(board)
    host.say(b"g")
    assert board.wait_for("the end")
    host.serial.reset_input_buffer()
    host.say(b"\r6*7\r")
    host.line_with("6*7")
    assert host.line() == "42"
