"""Boards for the firmware's tests."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from arena.sim.interpreter import STANDINS

sys.path.insert(0, str(Path(__file__).parent))  # for the module beside the tests

from firmware_board import BOARD, Board, files

MICROPYTHON = Path(sys.executable).parent / "micropython"

Start = Callable[..., Board]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a board of one's own: ``start(config, options, main_dot_py=…)``.

    ``options`` are the virtual board's. Without ``moment`` it starts after a fifth of a second, to save time.
    """
    running: list[Board] = []

    def begin(
        config: object = BOARD,
        options: dict[str, Any] | None = None,
        moment: bool = False,
        **changed: str | bytes,
    ) -> Board:
        held = files(config, **changed)
        if not moment:
            assert b"MOMENT_MS = 2000" in held["main.py"]
            held["main.py"] = held["main.py"].replace(b"MOMENT_MS = 2000", b"MOMENT_MS = 200")
        running.append(Board(held, tmp_path / f"board{len(running)}", **(options or {})))
        return running[-1]

    yield begin
    for board in running:
        board.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """One board for all tests of a module; each says hello for itself."""
    board = Board(files(), tmp_path_factory.mktemp("shared") / "board")
    yield board
    board.stop()


@pytest.fixture
def live(shared: Board) -> Iterator[Board]:
    """The shared board in a new session, everything at rest."""
    shared.drop = lambda message: False
    shared.swallow = lambda: False
    shared.acknowledge = True
    time.sleep(0.02)  # gate counters are recorded when they have been still for 5 ms
    welcome = shared.hello(session=time.monotonic_ns() & 0xFFFFFFFF)
    shared.wait_until(lambda: shared.wanted >= welcome["next"])
    shared.edges.clear()
    yield shared
    shared.bye()


@pytest.fixture
def on_micropython(tmp_path: Path) -> Callable[..., str]:
    """Run a script beside the firmware's modules and the stand-ins, without a board; gives what it printed."""

    def run(script: str, heap: str = "2M") -> str:
        for name, content in files(None).items():
            (tmp_path / name).write_bytes(content)
        (tmp_path / "main.py").unlink()
        ran = subprocess.run(
            [str(MICROPYTHON), "-X", f"heapsize={heap}", "-c", script],
            cwd=tmp_path,
            env={"MICROPYPATH": f"{tmp_path}:{STANDINS}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    return run
