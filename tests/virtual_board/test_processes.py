"""Nothing of a virtual board outlives whoever started it."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from arena.sim.board import ECHO, VirtualBoard, VirtualBoardError

from .conftest import IDENTITY, MakeBoard, until

OWNER = """
import sys, time
from pathlib import Path
from arena.sim.board import VirtualBoard
board = VirtualBoard("orphan", {"main.py": b"while True: pass"}, bytes(6), Path(sys.argv[1]))
board.start()
print(board._process.pid, board.interpreter_pid, board.folder, flush=True)
time.sleep(60)
"""


def runs(pid: int) -> bool:
    """Whether a process is there and not just waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")


@needs_proc
def test_a_stopped_board_leaves_neither_process_nor_file(tmp_path: Path) -> None:
    board = VirtualBoard("short", {"main.py": ECHO}, IDENTITY, tmp_path / "port")
    with board:
        process = board._process
        assert process is not None
        pids = [process.pid, board.interpreter_pid]
        assert all(runs(pid) for pid in pids)
    assert not any(runs(pid) for pid in pids)
    assert not os.path.lexists(tmp_path / "port")
    assert board.folder is not None
    assert not board.folder.exists()
    board.stop()  # twice is once


@needs_proc
def test_when_the_owner_is_killed_the_board_goes_too(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / "port")], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        supervisor, interpreter, folder = owner.stdout.readline().split()
        assert runs(int(interpreter))
        owner.kill()
        assert until(lambda: not runs(int(supervisor)) and not runs(int(interpreter)))
        assert until(lambda: not os.path.exists(folder) and not os.path.lexists(tmp_path / "port"))


@needs_proc
def test_when_the_supervisor_is_killed_the_interpreter_goes_and_the_next_call_says_so(make_board: MakeBoard) -> None:
    board = make_board("while True: pass")
    assert board._process is not None
    os.kill(board._process.pid, signal.SIGKILL)
    assert until(lambda: not runs(board.interpreter_pid))
    with pytest.raises(VirtualBoardError, match="has ended"):
        board.reset()


def test_a_given_folder_is_kept(make_board: MakeBoard, tmp_path: Path) -> None:
    board = make_board("open('made', 'w').close()\nprint('done')", folder=tmp_path / "flash")
    assert board.wait_for("done")
    board.stop()
    assert sorted(path.name for path in (tmp_path / "flash").iterdir()) == ["made", "main.py"]
    board.start()
    assert board.starts[-1] == 1


def test_without_an_interpreter_a_sentence_says_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(VirtualBoardError, match="Linux on x86-64 and macOS on arm64"):
        VirtualBoard("none", {}, IDENTITY, tmp_path / "port").start()


def test_a_board_that_is_not_running_says_so(tmp_path: Path) -> None:
    board = VirtualBoard("off", {}, IDENTITY, tmp_path / "port")
    with pytest.raises(VirtualBoardError, match="start it first"):
        board.feed([(0, 4, 0)])
    with pytest.raises(VirtualBoardError, match="pins 0-39"):
        board.feed([(0, 40, 1)])
    assert board.pixels() == []
    assert board.console() == []
