"""``arena sim``: the process of the simulated table, one virtual board for each board of the rig file.

It outlives the daemon, as real boards do, and ends when told, or when nobody has opened its ports for
two minutes. ``sim.json`` in the data folder says where it is: {"toy", "ports", "pid"}.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from .. import wire
from ..rig import RigError, RigFile, load_rig
from .board import VirtualBoard, VirtualBoardError

ARENA = Path(__file__).parents[1]
REPOSITORY = ARENA.parents[1]
IDLE_S = 120.0
LOOK_S = 5.0


class Mistake(Exception):
    """What a person can mend: the sentence says what was wrong and what to do."""


def firmware_files(rig: RigFile, board: str, firmware: Path) -> dict[str, bytes]:
    """Everything that is on that board's file system, by file name."""
    files = {path.name: path.read_bytes() for path in sorted(firmware.glob("*.py"))}
    if "main.py" not in files:
        raise Mistake(f"There is no firmware in {firmware}: main.py is missing. Name its folder with --firmware.")
    files["wire.py"] = Path(wire.__file__).read_bytes()
    files["board.json"] = rig.board_json(board)
    files["dictionary.json"] = json.dumps(wire.dictionary()).encode()  # type: ignore[no-untyped-call]
    return files


def identity_of(rig: RigFile, board: str) -> bytes:
    """The virtual chip's identity: the rig file's if an owner entered one, or always the same invented one."""
    known = rig.boards[board].identity
    return bytes.fromhex(known) if known else hashlib.sha256(f"virtual board {board}".encode()).digest()[:6]


@contextlib.contextmanager
def only_one(data: Path) -> Iterator[None]:
    """Hold the data folder's simulation; a second one is told so."""
    with (data / "sim.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Mistake(f"A simulation already runs for {data}; {data / 'sim.json'} says where.") from None
        yield


def tell(data: Path, where: Mapping[str, Any]) -> None:
    """Write ``sim.json`` in one go, so that nobody reads half of it."""
    half = data / "sim.json.new"
    half.write_text(json.dumps(where), encoding="utf-8")
    half.replace(data / "sim.json")


async def run(rig: RigFile, data: Path, port: int, seed: int, firmware: Path, fresh: bool) -> None:
    """Start the boards and the toy table, say where they are, and stay until told to end."""
    try:  # pymunk is an extra: real tables do without it
        from .server import toy_app
        from .toy import ToyTable
    except ImportError as problem:
        raise Mistake(f"The simulated table needs {problem.name}: pip install 'iron-forest-arena[sim]'.") from None

    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    boards = {
        name: VirtualBoard(
            name,
            firmware_files(rig, name, firmware),
            identity_of(rig, name),
            port_link=data / f"port-{name}",
        )
        for name in rig.boards
    }
    kept = data / "toy.json"
    if fresh:
        kept.unlink(missing_ok=True)
    toy = ToyTable(rig, boards, seed, kept)
    runner = web.AppRunner(toy_app(toy), access_log=None, shutdown_timeout=1)
    try:
        for board in boards.values():
            await asyncio.to_thread(board.start)
        toy.show_all()
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        try:
            await site.start()
        except OSError as problem:
            raise Mistake(
                f"The toy table cannot use port {port}: {problem.strerror}. Name another with --port."
            ) from None
        where = {
            "toy": f"http://127.0.0.1:{runner.addresses[0][1]}/",
            "ports": {name: str(board.port) for name, board in boards.items()},
            "pid": os.getpid(),
        }
        tell(data, where)
        print(json.dumps(where), flush=True)
        used = time.monotonic()
        while not stop.is_set() and time.monotonic() - used < IDLE_S:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), LOOK_S)
            if any(board.port_open() for board in boards.values()):
                used = time.monotonic()
    finally:
        await runner.cleanup()
        for board in boards.values():
            await asyncio.to_thread(board.stop)
        (data / "sim.json").unlink(missing_ok=True)


def main(argv: Sequence[str] | None = None) -> int:
    """``arena sim``; the exit status: 0, or 2 after a sentence on what to mend."""
    parser = argparse.ArgumentParser(prog="arena sim", description="A simulated table with virtual boards.")
    parser.add_argument("--rig", type=Path, required=True, help="the rig file, for example hardware/rig.toml")
    parser.add_argument("--data", type=Path, required=True, help="folder for sim.json and the table's state")
    parser.add_argument("--port", type=int, default=0, help="the toy page's port (default: any free one)")
    parser.add_argument("--seed", type=int, default=1, help="of jumps and Launches")
    parser.add_argument("--firmware", type=Path, default=None, help="folder of the firmware to run")
    parser.add_argument("--fresh", action="store_true", help="begin with every Mecha on its Depot")
    given = parser.parse_args(argv)
    shipped = [REPOSITORY / "firmware", ARENA / "shipped" / "firmware"]
    firmware = given.firmware or next((path for path in shipped if path.exists()), shipped[0])
    try:
        rig = load_rig(given.rig.read_text(encoding="utf-8"), str(given.rig))
        given.data.mkdir(parents=True, exist_ok=True)
        with only_one(given.data):
            asyncio.run(run(rig, given.data, given.port, given.seed, firmware, given.fresh))
    except (Mistake, RigError, VirtualBoardError) as problem:
        print(problem, file=sys.stderr)
        return 2
    except (OSError, UnicodeDecodeError) as problem:
        print(f"The simulation cannot start: {problem}", file=sys.stderr)
        return 2
    return 0
