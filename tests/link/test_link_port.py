"""Opening and using serial ports: the order of pyserial's calls, what people are told, bytes both ways."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import pty
import termios
import tty
from collections.abc import Iterator
from typing import Any

import pytest
from arena.link import port as port_module
from arena.link.port import MOST_PENDING, Port, PortError, ThreadedPort, WatchedPort, open_port
from serial import SerialException
from serial.tools.list_ports_common import ListPortInfo


class RecordedSerial:
    """What pyserial was told, in order. A pseudo-terminal has no modem lines, so nothing else can show it."""

    def __init__(self, *arguments: object, problem: Exception | None = None) -> None:
        object.__setattr__(self, "calls", [("made", *arguments)])
        object.__setattr__(self, "problem", problem)

    def __setattr__(self, name: str, value: object) -> None:
        self.calls.append((name, value))

    def open(self) -> None:
        self.calls.append(("open",))
        if self.problem is not None:
            raise self.problem

    def fileno(self) -> int:
        raise OSError("no such thing")


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    """The board's end of a pseudo-terminal, and the path of the host's end."""
    board, host = pty.openpty()
    tty.setraw(board)
    tty.setraw(host)
    path = os.ttyname(host)
    yield board, path
    for file in (board, host):
        with contextlib.suppress(OSError):
            os.close(file)


def test_both_modem_lines_are_set_alike_before_the_port_is_opened() -> None:
    recorded = RecordedSerial()
    open_port("/dev/ttyUSB7", lambda: recorded)
    calls = recorded.calls
    assert calls[0] == ("made",)  # without a path: such a port is still closed
    opened = calls.index(("open",))
    before = dict(call for call in calls[1:opened])
    assert before["dtr"] == before["rts"]
    assert before["port"] == "/dev/ttyUSB7"
    assert before["baudrate"] == 115_200
    assert before["exclusive"] is True
    assert not before.get("rtscts")
    assert not before.get("dsrdtr")
    assert calls[opened + 1 :] == []  # and the lines are left alone afterwards


def test_closing_does_not_hang_up(terminal: tuple[int, str]) -> None:
    device = open_port(terminal[1])
    assert not termios.tcgetattr(device.fileno())[2] & termios.HUPCL
    device.close()


def test_a_port_is_ours_alone_and_a_second_program_is_told(terminal: tuple[int, str]) -> None:
    device = open_port(terminal[1])
    with pytest.raises(PortError, match=f"Another program uses {terminal[1]}. Close it"):
        open_port(terminal[1])
    device.close()
    open_port(terminal[1]).close()


@pytest.mark.parametrize(
    ("problem", "says", "missing"),
    [
        (SerialException(errno.ENOENT, "could not open port"), "Nothing is plugged in at /dev/x.", True),
        (SerialException(errno.EBUSY, "could not open port"), "Another program uses /dev/x.", False),
        (SerialException(errno.EAGAIN, "Could not exclusively lock port"), "Another program uses /dev/x.", False),
        (SerialException(errno.EACCES, "could not open port"), "You may not use /dev/x.", False),
        (SerialException("could not open port 'COM3': PermissionError(13, 'denied')"), "Another program uses", False),
        (SerialException("could not open port 'COM3': FileNotFoundError(2, 'gone')"), "Nothing is plugged in", True),
        (OSError(errno.EIO, "Input/output error"), "/dev/x cannot be opened", False),
    ],
)
def test_what_stands_in_the_way_of_a_port_is_said_plainly(problem: Exception, says: str, missing: bool) -> None:
    with pytest.raises(PortError) as told:
        open_port("/dev/x", lambda: RecordedSerial(problem=problem))
    assert str(told.value).startswith(says)
    assert told.value.missing is missing


def test_somebody_without_the_right_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_module.sys, "platform", "linux")
    problem = SerialException(errno.EACCES, "could not open port")
    with pytest.raises(PortError, match=r"usermod -aG dialout"):
        open_port("/dev/x", lambda: RecordedSerial(problem=problem))


@pytest.mark.parametrize("kind", [WatchedPort, ThreadedPort])
def test_bytes_go_both_ways_and_the_end_is_told_once(kind: type[Port], terminal: tuple[int, str]) -> None:
    board, path = terminal
    got: list[bytes] = []
    ends: list[str] = []

    async def use() -> None:
        port = kind(open_port(path), got.append, ends.append)
        port.write(b"\x00hello\xff")
        port.write(b" board")
        os.write(board, b"\x03hello\n\xff host")
        async with asyncio.timeout(2):
            while b"".join(got) != b"\x03hello\n\xff host":
                await asyncio.sleep(0.01)
            read = b""
            while read != b"\x00hello\xff board":
                read += await asyncio.to_thread(os.read, board, 100)
            os.close(board)
            while not ends:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
        assert port.closed
        port.write(b"nobody is there")

    asyncio.run(use())
    assert len(ends) == 1


@pytest.mark.parametrize("kind", [WatchedPort, ThreadedPort])
def test_a_port_that_takes_nothing_never_makes_the_loop_wait(kind: type[Port], terminal: tuple[int, str]) -> None:
    async def use() -> None:
        loop = asyncio.get_running_loop()
        port = kind(open_port(terminal[1]), lambda data: None, lambda reason: None)
        worst = 0.0
        for _ in range(400):
            begin = loop.time()
            port.write(b"x" * 100)
            worst = max(worst, loop.time() - begin)
            await asyncio.sleep(0)
        assert worst < 0.05
        assert port.dropped > 0
        assert not port.idle
        assert len(getattr(port, "_pending", b"")) <= MOST_PENDING
        # And what was kept goes out as soon as it can, in order
        read = b""
        async with asyncio.timeout(5):
            while not port.idle:
                read += await asyncio.to_thread(os.read, terminal[0], 4096)
        assert set(read) == {ord("x")}
        port.close()

    asyncio.run(use())


def test_only_ports_that_an_esp32_may_be_behind_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    makers = {"/dev/ttyUSB1": 0x10C4, "/dev/ttyS0": None, "/dev/ttyACM0": 0x303A, "/dev/ttyUSB0": 0x46D}

    def comports() -> list[Any]:
        found = [ListPortInfo(device) for device in makers]
        for info in found:
            info.vid = makers[info.device]
        return found

    monkeypatch.setattr(port_module.list_ports, "comports", comports)
    assert port_module.find_ports() == ["/dev/ttyACM0", "/dev/ttyUSB1"]
