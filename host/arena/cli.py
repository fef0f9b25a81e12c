"""The verbs: reads files, starts the daemon or the simulation; decides nothing itself."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import difflib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import __version__
from .daemon import JOURNAL, Daemon, Mistake
from .games.iron_forest import IronForest
from .rig import Rig, RigError, RigFile, load_rig
from .sim.clients import Refused
from .sim.process import Mistake as SimulationMistake
from .sim.process import firmware_files
from .sim.process import main as simulate
from .store import Store, StoreError
from .table import Story, read_record, redecide, sightings
from .table import record as write_record
from .web import Keys, KeysError
from .words import TABLE

REPOSITORY = Path(__file__).parents[2]
DEFAULT_HTTP_PORT = 8417
SIM_START_S = 20


def shipped(name: str) -> Path:
    """A file that comes with the program: in the repository, or beside an installed package."""
    here = REPOSITORY / name
    return here if here.exists() else Path(__file__).parent / "shipped" / Path(name).name


def read_rig(path: Path) -> RigFile:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise Mistake(f"The rig file {path} cannot be read: {problem.strerror}. Name another with --rig.") from None
    except UnicodeDecodeError:
        raise Mistake(f"The rig file {path} is not text in UTF-8. Is it really a rig file?") from None
    try:
        return load_rig(text, str(path))
    except RigError as problem:
        raise Mistake(str(problem)) from None


def data_folder(given: Path | None) -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = given or Path(base) / "iron-forest-arena"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Mistake(f"The folder {folder} cannot be made: {problem.strerror}. Name another with --data.") from None
    return folder


def port_number(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


# --- the verbs


def run(given: argparse.Namespace) -> None:
    """``arena run``: the daemon."""
    folder = data_folder(given.data)
    rig_file = read_rig(given.rig)
    if given.sim and given.port:
        raise Mistake("Either --sim for simulated boards or --port for real ones, not both.")
    if given.sim and given.toy:
        raise Mistake("--sim brings a toy table of its own; --toy names one that runs already. Give one of them.")
    keys = Keys.open(folder)
    with (
        Store(folder / JOURNAL) as store,  # first: it belongs to one daemon, and so does its simulation
        simulation(given, folder) if given.sim else contextlib.nullcontext() as sim,
    ):
        ports = list(sim["ports"].values()) if sim else given.port
        daemon = Daemon(rig_file, store, keys, ports, given.host, sim["toy"] if sim else given.toy)
        asyncio.run(daemon.run(given.http_port, not given.no_browser and sys.stdout.isatty()))


@contextlib.contextmanager
def simulation(given: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """The simulated table's process: one that a killed daemon left behind, or a new one; ended with the daemon."""
    data = folder / "sim"
    running = running_simulation(data)
    if running is None:
        data.mkdir(exist_ok=True)
        options = ["--rig", str(given.rig), "--data", str(data), "--port", str(toy_port(given.http_port))]
        child = subprocess.Popen(
            [sys.executable, "-m", "arena", "sim", *options],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + SIM_START_S
        while (running := running_simulation(data)) is None:
            if child.poll() is not None:
                raise Mistake("The simulated table did not start; its message stands above.")
            if time.monotonic() > deadline:
                child.kill()
                raise Mistake(f"The simulated table did not start within {SIM_START_S} s.")
            time.sleep(0.05)
    try:
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(running["pid"], signal.SIGTERM)


def toy_port(http_port: int) -> int:
    """The port after the page's, so that an open page finds the toy table again after a restart; else any."""
    if not 0 < http_port < 65535:
        return 0
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", http_port + 1))
        except OSError:
            return 0
    return http_port + 1


def running_simulation(data: Path) -> dict[str, Any] | None:
    """What ``sim.json`` says, where its process lives."""
    try:
        told: dict[str, Any] = json.loads((data / "sim.json").read_text(encoding="utf-8"))
        os.kill(told["pid"], 0)
    except (OSError, ValueError, KeyError):
        return None
    return told


def files(given: argparse.Namespace) -> None:
    """``arena files BOARD FOLDER``: what goes onto a board, for mpremote."""
    rig_file = read_rig(given.rig)
    if given.board not in rig_file.boards:
        raise Mistake(f"The rig file has no board {given.board!r}, only {', '.join(sorted(rig_file.boards))}.")
    try:
        given.folder.mkdir(parents=True, exist_ok=True)
        for name, content in firmware_files(rig_file, given.board, shipped("firmware")).items():
            (given.folder / name).write_bytes(content)
    except OSError as problem:
        raise Mistake(f"{problem.filename} cannot be written: {problem.strerror}.") from None
    print(f"What board {given.board} needs is in {given.folder}. Put it on the board, from that folder, with:")
    print("  mpremote connect PORT fs cp *.py *.json : + reset")


def record(given: argparse.Namespace) -> None:
    """``arena record FILE``: the raw edges of the latest game, and its journal once it is over."""
    path = data_folder(given.data) / JOURNAL
    if not path.exists():
        raise Mistake(f"There is no journal in {path.parent}. Name the daemon's data folder with --data.")
    with Store(path, read_only=True) as store:
        game_id = store.latest_game()
        if game_id is None:
            raise Mistake(f"No game was begun in {path.parent}.")
        game, entries = IronForest(), store.entries(game_id)
        over = game.outcome(Story.of(game, entries).state) is not None
        lines = write_record(store.edges(), entries, game=game.name, game_id=game_id, over=over)
        try:
            with given.file.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as problem:
            raise Mistake(f"{given.file} cannot be written: {problem.strerror}.") from None
    if not over:
        print("The game is not over, so its journal stays secret: the record has its edges only.", file=sys.stderr)


def replay(given: argparse.Namespace) -> int:
    """``arena replay FILE``: decide a record again; exit status 1 where passes come out otherwise."""
    try:
        with given.file.open(encoding="utf-8") as file:
            recorded = read_record(file)
        rig = Rig(read_rig(given.rig))
        if not recorded.entries:
            for sighting in sightings(recorded, rig):
                print(sighting.seen, sighting.place, sighting.origin or "", sighting.target or "", sighting.note)
            return 0
        again = redecide(recorded, rig, IronForest())
    except OSError as problem:
        raise Mistake(f"{given.file} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:
        raise Mistake(f"{given.file} cannot be replayed: {problem}") from None
    for line in difflib.unified_diff(again.recorded, again.decided, "recorded", "decided again", lineterm=""):
        print(line)
    for lost in again.lost:
        print("no place for:", lost)
    print(f"{len(again.decided)} passes decided, {len(again.recorded)} recorded:", end=" ")
    print("the same" if again.same else "not the same", "and the same end" if again.same_end else "and another end")
    return 0 if again.same and again.same_end else 1


def play(given: argparse.Namespace) -> None:
    """``arena play``: play the running game of ``arena run --sim`` to its end by scripted flicks."""
    from .sim.player import play_game  # needs the simulation's own packages

    folder = data_folder(given.data)
    running = running_simulation(folder / "sim")
    if running is None:
        raise Mistake(f"No simulated table runs with the data folder {folder}. Start one first: arena run --sim")
    page = f"http://127.0.0.1:{given.http_port}"
    try:
        report = asyncio.run(play_game(page, Keys.open(folder).of(TABLE), running["toy"], given.seed))
    except Refused as problem:
        raise Mistake(f"The game at {page} cannot be played on: {problem}") from None
    print(json.dumps(report.to_json(), indent=1))


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0, or 2 after a sentence on what to mend."""
    parser = argparse.ArgumentParser(prog="arena", description="The Iron Forest smart arena.")
    parser.add_argument("--version", action="version", version=f"arena {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    verb = verbs.add_parser("run", help="start the table: boards, referee and page")
    verb.add_argument("--sim", action="store_true", help="simulated boards and a toy table instead of real ones")
    verb.add_argument("--port", action="append", help="a board's serial port (default: find them); may be repeated")
    verb.add_argument("--data", type=Path, help="folder of the journal and the keys")
    verb.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    verb.add_argument("--http-port", type=port_number, default=DEFAULT_HTTP_PORT, help=f"default {DEFAULT_HTTP_PORT}")
    verb.add_argument("--toy", help="address of a toy table that runs already")
    verb.add_argument("--no-browser", action="store_true", help="only print the page's address")
    verb.set_defaults(do=run)

    verb = verbs.add_parser("files", help="gather what goes onto a board")
    verb.add_argument("board", help="the board's name in the rig file")
    verb.add_argument("folder", type=Path)
    verb.set_defaults(do=files)

    verb = verbs.add_parser("play", help="play the simulated table's running game by scripted flicks")
    verb.add_argument("--seed", type=int, default=1, help="of the flicks that are chosen")
    verb.add_argument("--data", type=Path, help="data folder of the running daemon")
    verb.add_argument("--http-port", type=port_number, default=DEFAULT_HTTP_PORT, help="its page's port")
    verb.set_defaults(do=play)

    verb = verbs.add_parser("record", help="write the latest game's edges and journal to a file")
    verb.add_argument("file", type=Path)
    verb.add_argument("--data", type=Path, help="folder of the journal")
    verb.set_defaults(do=record)

    verb = verbs.add_parser("replay", help="decide a recorded game again and compare")
    verb.add_argument("file", type=Path)
    verb.set_defaults(do=replay)

    for verb in verbs.choices.values():
        verb.add_argument("--rig", type=Path, default=shipped("hardware/rig.toml"), help="the rig file")

    # The simulation has its own options
    arguments = list(sys.argv[1:] if argv is None else argv)
    verbs.add_parser("sim", help="the simulated table alone; see arena sim --help", add_help=False)
    if arguments[:1] == ["sim"]:
        return simulate(arguments[1:])

    given = parser.parse_args(arguments)
    try:
        return given.do(given) or 0
    except (Mistake, SimulationMistake, StoreError, KeysError) as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
