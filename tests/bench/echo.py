"""What the interpreter and the pseudo-terminal take by themselves: one byte there and back."""

from __future__ import annotations

import os
import select
import statistics
import time
import tty
from pathlib import Path

from arena.sim.board import ECHO, VirtualBoard

WARM_UP = 100
ROUNDS = 1000


def echo_p50_ms(folder: Path) -> float:
    with VirtualBoard("echo", {"main.py": ECHO}, b"echo-echo", folder / "echo-port") as board:
        line = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
        try:
            tty.setraw(line)
            _answered(line)
            took = [_round(line) for _ in range(WARM_UP + ROUNDS)]
        finally:
            os.close(line)
    return statistics.median(took[WARM_UP:]) * 1000


def _answered(line: int) -> None:
    """Wait until the program runs: until then bytes may be lost or answered by the REPL."""
    for _ in range(100):
        os.write(line, b"!")
        if select.select([line], [], [], 0.1)[0] and os.read(line, 4096).endswith(b"!"):
            time.sleep(0.2)
            while select.select([line], [], [], 0)[0]:
                os.read(line, 4096)
            return
    raise SystemExit("The echo program never answered.")


def _round(line: int) -> float:
    start = time.perf_counter()
    os.write(line, b"x")
    os.read(line, 1)
    return time.perf_counter() - start
