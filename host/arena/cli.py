"""The verbs: reads files and wires the rooms together; decides nothing itself.

``arena run`` is the daemon. Edges come from the link, are kept by the store, become sightings in
the rig, commands at the table, and cues that the lights turn into pixels for the link.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import difflib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from aiohttp import web as http

from . import __version__, wire
from .games.iron_forest import IronForest
from .lights import Lights
from .link import Link, State
from .rig import Rig, RigError, RigFile, load_rig
from .sim.process import Mistake as SimulationMistake
from .sim.process import firmware_files
from .sim.process import main as simulate
from .store import Store, StoreError
from .table import Story, Table, read_record, redecide, sightings
from .table import record as write_record
from .web import LIVE, Keys, KeysError, make_app
from .words import TABLE, Edge, Gap, Seen, Sighting

REPOSITORY = Path(__file__).parents[2]
DEFAULT_HTTP_PORT = 8417
SIM_START_S = 20
JOURNAL = "arena.sqlite"
CATCH_UP_US = 1_000_000  # a board that is back sends what it kept at once; 512 edges take 0.6 s at 115,200 baud


class Mistake(Exception):
    """What a person can mend: the sentence says what was wrong, where, and what to do."""


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


def table_clock(store: Store) -> Callable[[], int]:
    """Microseconds that never go back: the host's monotonic clock, moved on past what the store holds."""
    behind = max(0, store.last_at_us() - time.monotonic_ns() // 1000)
    return lambda: time.monotonic_ns() // 1000 + behind


def iron_forest_setup(rig_file: RigFile, wishes: Mapping[str, Any]) -> dict[str, Any]:
    """A new game's setup from what people chose on the page, or the defaults for two players."""
    content = resources.files("arena.games.iron_forest") / "content"
    players = wishes.get("players") or [
        {"name": "Animal Clans", "team": "animal_clans"},
        {"name": "Iron Force", "team": "iron_force"},
    ]
    return {
        "seed": wishes.get("seed", secrets.randbits(64)),
        "players": [{**player, "seat": f"P{number}"} for number, player in enumerate(players, 1)],
        "first": wishes.get("first", "animal_clans"),
        "options": dict(wishes.get("options", {})),
        "map": rig_file.map(),
        "scenario": (content / "establishing_a_network.toml").read_text(encoding="utf-8"),
        "power_ups": (content / "power_ups.toml").read_text(encoding="utf-8"),
    }


class Daemon:
    """One table: its store, link, rig, game and page, wired together on one event loop."""

    def __init__(self, rig_file: RigFile, folder: Path, ports: Sequence[str] | None, toy_url: str | None) -> None:
        self.rig_file = rig_file
        self.toy_url = toy_url
        self.keys = Keys.open(folder)
        self.store = Store(folder / JOURNAL)
        self.clock = table_clock(self.store)
        self.rig = Rig(rig_file)
        self.lights = Lights(rig_file)
        self.table = Table(IronForest(), self.store, self.clock)
        self.link = Link(
            ports=ports,
            names={board.identity: name for name, board in rig_file.boards.items() if board.identity},
            clock=self.clock,
            keep=self.keep,
            wanted=self.store.next_edge,
            on_change=self.boards_changed,
            configs={name: wire.digest(board_json(rig_file, name)) for name in rig_file.boards},
            memory=self.store.remembered,
        )
        self.app = make_app(
            self.table,
            rig_map=rig_file.map(),
            boards=self.health,
            keys=self.keys,
            release=self.link.release,
            resume=self.link.resume,
            new_game=self.new_game,
            toy_url=toy_url,
        )
        self._timer: asyncio.TimerHandle | None = None
        self._heard: dict[str, int] = {}  # by board, when its last status came
        self._ready = False
        self._whole_from_us: int | None = None  # since when all boards have told all that they kept

    # --- the upper half of the loop: edges in

    def keep(self, edges: list[Edge], gaps: list[Gap]) -> None:
        """Make edges durable, then conclude from them. The link acknowledges when this returns.

        What the store or the table raises ends the daemon, and nothing was acknowledged: at the next
        start everything is folded again from what is durable.
        """
        fresh = self.store.add_edges(edges, gaps)
        sightings = [sighting for gap in gaps for sighting in self.rig.gap(gap)]
        sightings += [sighting for edge in fresh for sighting in self.rig.fold(edge)]
        self.conclude(sightings)

    def conclude(self, sightings: Sequence[Sighting]) -> None:
        self.table.on_sightings(sightings)
        if any(sighting.seen is Seen.SETTLED for sighting in sightings):
            self.remember_rig()
        self.wind()

    def remember_rig(self) -> None:
        """Note what the rig knows now, so that only later edges are folded again after a restart."""
        self.store.remember("rig", {"row": self.store.last_edge_row(), "memory": self.rig.to_json()})

    def boards_changed(self) -> None:
        """A board came, went or told its status: compare its levels, and stop the clock without boards."""
        if not self._ready:
            return
        missing = set(self.rig_file.boards)
        for board in self.link.boards():
            if board.state is State.LIVE:
                missing.discard(board.name)
            told_at_us = board.status_at_us
            if board.levels is not None and told_at_us is not None and self._heard.get(board.name) != told_at_us:
                self._heard[board.name] = told_at_us
                self.conclude(self.rig.levels_say(board.name, board.levels, told_at_us))
        self.table.pause(bool(missing))
        if missing:
            self._whole_from_us = None
        elif self._whole_from_us is None:
            self._whole_from_us = self.clock() + CATCH_UP_US
        self.app[LIVE].changed()
        self.wind()

    # --- the lower half: light out

    def light(self) -> None:
        for run in self.lights.show(self.table.cues(), self.clock()):
            self.link.show(run.board, run.strip, run.first, run.colours)
        self.wind()

    def wind(self) -> None:
        """Set the one timer for what the rig or the lights will do by themselves."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = [] if self.lights.next_tick_us is None else [self.lights.next_tick_us]
        if self.rig.next_tick_us is not None and self._whole_from_us is not None:
            due.append(max(self.rig.next_tick_us, self._whole_from_us))
        if due and self._ready:
            wait_s = max(0, min(due) - self.clock()) / 1e6
            self._timer = asyncio.get_running_loop().call_later(wait_s, self.tick)

    def tick(self) -> None:
        now_us = self.clock()
        # While a board is away nothing is known to lie still: its edges may be on their way
        if self._whole_from_us is not None and now_us >= self._whole_from_us:
            self.conclude(self.rig.tick(now_us))
        for run in self.lights.tick(now_us):
            self.link.show(run.board, run.strip, run.first, run.colours)
        self.wind()

    # --- games

    def new_game(self, wishes: dict[str, Any]) -> dict[str, Any]:
        game_id = self.table.begin(iron_forest_setup(self.rig_file, wishes))
        self.remember_rig()
        if self.toy_url:
            self.tidy_toy_table()
        return {"ok": True, "game_id": game_id}

    def tidy_toy_table(self) -> None:
        """Put the toy table's Mechas on their Depots, as people do before a game."""
        request = urllib.request.Request(
            f"{self.toy_url}api/reset", data=b"{}", headers={"Content-Type": "application/json"}
        )
        with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=2):
            pass

    def recover(self) -> None:
        """Go on where the journal ends: fold the game, then the edges that came after the rig's last memory."""
        known = self.store.recall("rig") or {"row": 0, "memory": None}
        self.rig = Rig(self.rig_file, known["memory"])
        try:
            resumed = self.table.resume()
        except ValueError as problem:
            raise Mistake(f"The game in {self.store.path} cannot go on: {problem}. Name another --data.") from None
        if not resumed:
            self.new_game({})
        self.table.pause()  # until all boards are there
        begun_us = self.table.story.timeline.steps[0].at_us
        for row, item in self.store.edges(after=known["row"]):
            sightings = self.rig.fold(item) if isinstance(item, Edge) else self.rig.gap(item)
            self.table.on_sightings([each for each in sightings if each.latest_us >= begun_us], edge_row=row)

    def health(self) -> list[dict[str, Any]]:
        sick = [{"name": place, "state": "sick", "words": words} for place, words in sorted(self.rig.sick().items())]
        return [dataclasses.asdict(board) for board in self.link.boards()] + sick

    # --- its life

    async def run(self, host: str, http_port: int, open_browser: bool) -> None:
        """Play until SIGINT or SIGTERM."""
        self.recover()
        self._ready = True
        self.table.listen(self.light)
        self.light()
        runner = http.AppRunner(self.app, access_log=None, shutdown_timeout=2)
        stop = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        await runner.setup()
        try:
            try:
                await http.TCPSite(runner, host, http_port).start()
            except OSError as problem:
                raise Mistake(
                    f"The page cannot use {host}:{http_port}: {problem.strerror}. Name another port with --http-port."
                ) from None
            self.greet(runner.addresses[0][1], open_browser)
            playing = asyncio.create_task(self.link.run())
            stopped = asyncio.create_task(stop.wait())
            await asyncio.wait({playing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            await self.link.close()
            await playing
        finally:
            await runner.cleanup()
            if self._timer is not None:
                self._timer.cancel()
            self.store.close()

    def greet(self, port: int, open_browser: bool) -> None:
        page = f"http://127.0.0.1:{port}/"
        referee = f"{page}#key={self.keys.of(TABLE)}"
        print(f"The table's page:  {referee}")
        print(f"For spectators:    {page}")
        if self.toy_url:
            print(f"The toy table:     {self.toy_url}")
        print("Ctrl-C ends the daemon; the game goes on where it was at the next start.", flush=True)
        if open_browser:
            webbrowser.open(referee)


# --- the verbs


def run(given: argparse.Namespace) -> None:
    """``arena run``: the daemon."""
    folder = data_folder(given.data)
    rig_file = read_rig(given.rig)
    if given.sim and given.port:
        raise Mistake("Either --sim for simulated boards or --port for real ones, not both.")
    with simulation(given.rig, folder) if given.sim else contextlib.nullcontext() as sim:
        ports = list(sim["ports"].values()) if sim else given.port
        daemon = Daemon(rig_file, folder, ports, sim["toy"] if sim else given.toy)
        asyncio.run(daemon.run(given.host, given.http_port, not given.no_browser and sys.stdout.isatty()))


@contextlib.contextmanager
def simulation(rig: Path, folder: Path) -> Iterator[dict[str, Any]]:
    """The simulated table's process: one that a killed daemon left behind, or a new one; ended with the daemon."""
    data = folder / "sim"
    running = running_simulation(data)
    if running is None:
        data.mkdir(exist_ok=True)
        child = subprocess.Popen(
            [sys.executable, "-m", "arena", "sim", "--rig", str(rig), "--data", str(data)],
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


def running_simulation(data: Path) -> dict[str, Any] | None:
    """What ``sim.json`` says, where its process lives."""
    try:
        told: dict[str, Any] = json.loads((data / "sim.json").read_text(encoding="utf-8"))
        os.kill(told["pid"], 0)
    except (OSError, ValueError, KeyError):
        return None
    return told


def board_json(rig_file: RigFile, board: str) -> bytes:
    """That board's configuration, as it lies on the board."""
    return json.dumps(rig_file.board_config(board)).encode()


def files(given: argparse.Namespace) -> None:
    """``arena files BOARD FOLDER``: what goes onto a board, for mpremote."""
    rig_file = read_rig(given.rig)
    if given.board not in rig_file.boards:
        raise Mistake(f"The rig file has no board {given.board!r}, only {', '.join(sorted(rig_file.boards))}.")
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, content in firmware_files(rig_file, given.board, shipped("firmware")).items():
        (given.folder / name).write_bytes(content)
    print(f"What board {given.board} needs is in {given.folder}. Put it there with:")
    print(f"  mpremote connect PORT fs cp {given.folder}/* : + reset")


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
        with given.file.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
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
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        raise Mistake(f"{given.file} cannot be replayed: {problem}") from None
    for line in difflib.unified_diff(again.recorded, again.decided, "recorded", "decided again", lineterm=""):
        print(line)
    for lost in again.lost:
        print("no place for:", lost)
    print(f"{len(again.decided)} passes decided, {len(again.recorded)} recorded:", end=" ")
    print("the same" if again.same else "not the same", "and the same end" if again.same_end else "and another end")
    return 0 if again.same and again.same_end else 1


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
    verb.add_argument("--http-port", type=int, default=DEFAULT_HTTP_PORT, help=f"default {DEFAULT_HTTP_PORT}")
    verb.add_argument("--toy", help="address of a toy table that runs already")
    verb.add_argument("--no-browser", action="store_true", help="only print the page's address")
    verb.set_defaults(do=run)

    verb = verbs.add_parser("files", help="gather what goes onto a board")
    verb.add_argument("board", help="the board's name in the rig file")
    verb.add_argument("folder", type=Path)
    verb.set_defaults(do=files)

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
