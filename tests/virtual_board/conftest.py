"""Boards that run a small program, and the host's end of their port."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import serial
from arena.sim.board import VirtualBoard

MakeBoard = Callable[..., VirtualBoard]
IDENTITY = bytes.fromhex("a0b1c2d3e4f5")


class Host:
    """A program on the laptop that has the port open."""

    def __init__(self, board: VirtualBoard) -> None:
        self.serial = serial.Serial(str(board.port), 115200, timeout=5)
        # The board may still count nobody there for a moment, and what it sends to nobody is lost
        end = time.monotonic() + 5
        while not board.port_open() and time.monotonic() < end:
            time.sleep(0.002)

    def line(self) -> str:
        """The next line that says something."""
        while line := self.serial.readline():
            if text := line.decode().strip():
                return str(text)
        raise AssertionError("no further line came")

    def line_with(self, text: str) -> str:
        """The next line that holds ``text``."""
        passed: list[str] = []
        while line := self.serial.readline().decode():
            if text in line:
                return line.strip()
            passed.append(line)
        raise AssertionError(f"no line with {text!r} came, only {passed[-20:]}")

    def say(self, data: bytes) -> None:
        self.serial.write(data)

    def close(self) -> None:
        self.serial.close()


@pytest.fixture
def make_board(tmp_path: Path) -> Iterator[MakeBoard]:
    """Makes and starts a board that runs ``program``; all end with the test."""
    made: list[VirtualBoard] = []

    def make(program: str = "", **more: Any) -> VirtualBoard:
        files = {"main.py": textwrap.dedent(program).encode(), **more.pop("files", {})}
        board = VirtualBoard(f"board{len(made)}", files, IDENTITY, tmp_path / f"port-{len(made)}", **more)
        made.append(board)
        board.start()
        return board

    yield make
    for board in made:
        board.stop()


@pytest.fixture
def open_port() -> Iterator[Callable[[VirtualBoard], Host]]:
    """Opens a board's port as a host does."""
    opened: list[Host] = []

    def make(board: VirtualBoard) -> Host:
        opened.append(Host(board))
        return opened[-1]

    yield make
    for host in opened:
        host.close()


def now_us() -> int:
    return time.monotonic_ns() // 1000


def until(condition: Callable[[], bool], timeout_s: float = 5.0) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
