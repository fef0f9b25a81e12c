"""The real mpremote does on a virtual board what it does on a real one."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from arena.sim.board import VirtualBoard

from .conftest import MakeBoard, until

# Never gives way by itself, as firmware does in a loop
BUSY = "import time\nprint('busy')\nwhile True:\n    time.sleep_ms(1)\n"


@pytest.fixture
def board(make_board: MakeBoard) -> VirtualBoard:
    board = make_board(BUSY)
    assert board.wait_for("busy")
    return board


def mpremote(board: VirtualBoard, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mpremote", "connect", str(board.port), *words],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_exec_runs_a_statement_on_the_board(board: VirtualBoard) -> None:
    assert mpremote(board, "exec", "import machine; print(machine.reset_cause())").strip() == "5"


def test_resume_runs_it_without_a_soft_reset(board: VirtualBoard) -> None:
    assert mpremote(board, "resume", "exec", "print(6*7)").strip() == "42"
    assert board.starts == [1]


def test_run_runs_a_script_of_the_host(board: VirtualBoard, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os\nfor n in range(3):\n    print('step', n)\nprint(os.listdir())\n")
    assert mpremote(board, "run", str(script)).split("\n")[:4] == ["step 0", "step 1", "step 2", "['main.py']"]


def test_files_are_copied_both_ways_listed_and_checked(board: VirtualBoard, tmp_path: Path) -> None:
    there, back = tmp_path / "there.bin", tmp_path / "back.bin"
    there.write_bytes(bytes(range(256)) * 40)
    mpremote(board, "fs", "cp", str(there), ":data.bin")
    listed = mpremote(board, "fs", "ls")
    assert "main.py" in listed
    assert "data.bin" in listed
    assert hashlib.sha256(there.read_bytes()).hexdigest() in mpremote(board, "fs", "sha256sum", "data.bin")
    mpremote(board, "fs", "cp", ":data.bin", str(back))
    assert back.read_bytes() == there.read_bytes()


def test_a_new_program_is_put_on_the_board_and_started(board: VirtualBoard, tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text("print('the new program')\n")
    mpremote(board, "fs", "cp", str(program), ":main.py", "+", "reset")
    assert board.wait_for("the new program")
    assert board.starts[-1] == 2


def test_soft_reset_starts_without_the_program_and_reset_with_it(board: VirtualBoard) -> None:
    mpremote(board, "soft-reset")
    assert board.starts == [1, 5]
    assert board.console().count("busy") == 1
    mpremote(board, "reset")
    assert until(lambda: board.console().count("busy") == 2)


def test_a_line_of_115200_baud_carries_it_too(make_board: MakeBoard, tmp_path: Path) -> None:
    board = make_board(BUSY, baud=115200)
    assert board.wait_for("busy")
    there = tmp_path / "there.bin"
    there.write_bytes(b"0123456789" * 100)
    mpremote(board, "fs", "cp", str(there), ":data.bin")
    assert board.folder is not None
    assert (board.folder / "data.bin").read_bytes() == there.read_bytes()
