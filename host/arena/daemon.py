"""The daemon: one table's rooms, wired together on one event loop.

Edges come from the link, are kept by the store, become sightings in the rig, commands at the table,
and cues that the lights turn into pixels for the link.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import secrets
import signal
import socket
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from aiohttp import web as http

from . import wire
from .games.iron_forest import IronForest
from .lights import Lights
from .link import Link, State
from .rig import Rig, RigFile
from .store import Store
from .table import Table
from .web import LIVE, Keys, make_app
from .words import TABLE, Edge, Gap, Seen, Sighting

JOURNAL = "arena.sqlite"
CATCH_UP_US = 1_000_000  # a board that is back sends what it kept at once; 512 edges take 0.6 s at 115,200 baud


class Mistake(Exception):
    """What a person can mend: the sentence says what was wrong, where, and what to do."""


class Daemon:
    """One table: its store, link, rig, game and page, wired together on one event loop."""

    def __init__(
        self,
        rig_file: RigFile,
        store: Store,
        keys: Keys,
        ports: Sequence[str] | None,
        host: str = "127.0.0.1",
        toy_url: str | None = None,
    ) -> None:
        self.rig_file = rig_file
        self.host, self.toy_url = host, toy_url
        self.keys = keys
        self.store = store
        self.clock = table_clock(store)
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
            configs={name: wire.digest(rig_file.board_json(name)) for name in rig_file.boards},
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
            allowed_hosts=own_names(host),
        )
        self._timer: asyncio.TimerHandle | None = None
        self._heard: dict[str, int] = {}  # by board, when its last status came
        self._said: dict[str, str] = {}  # what was last printed of each board
        self._ready = False
        self._whole_from_us: int | None = None  # since when all boards have told all that they kept

    # --- the upper half of the loop: edges in

    def keep(self, edges: list[Edge], gaps: list[Gap]) -> None:
        """Make edges durable, then conclude from them. The link acknowledges when this returns.

        What the store or the table raises ends the daemon, and nothing was acknowledged: at the next
        start everything is folded again from what is durable.
        """
        before = self.store.last_edge_row() if gaps else 0
        arrived: Sequence[Edge | Gap] = self.store.add_edges(edges, gaps)
        if gaps:  # in the order in which they are kept, as they will be folded after a restart
            arrived = [item for _, item in self.store.edges(after=before)]
        sightings = [sighting for item in arrived for sighting in self.fold(item)]
        self.conclude(sightings)

    def fold(self, item: Edge | Gap) -> list[Sighting]:
        return self.rig.fold(item) if isinstance(item, Edge) else self.rig.gap(item)

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
            self.say(board.name or board.port or "", board.words)
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

    def say(self, what: str, words: str) -> None:
        """Tell the terminal, once, what the page says of a board."""
        if self._said.get(what) != words:
            self._said[what] = words
            print(words, flush=True)

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

    def new_game(self, wishes: dict[str, Any], command_id: str | None = None) -> dict[str, Any]:
        before = self.table.game_id
        game_id = self.table.begin(iron_forest_setup(self.rig_file, wishes), command_id)
        if game_id != before:
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
            sightings = [each for each in self.fold(item) if each.latest_us >= begun_us]
            self.table.on_sightings(sightings, edge_row=row)

    def health(self) -> list[dict[str, Any]]:
        sick = [{"name": place, "state": "sick", "words": words} for place, words in sorted(self.rig.sick().items())]
        return [dataclasses.asdict(board) for board in self.link.boards()] + sick

    # --- its life

    async def run(self, http_port: int, open_browser: bool) -> None:
        """Play until SIGINT or SIGTERM."""
        self.recover()
        self._ready = True
        self.table.listen(self.light)
        self.light()
        # Nonsense from the network is answered and needs no page of the terminal; the web room logs its own faults
        logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
        runner = http.AppRunner(self.app, access_log=None, shutdown_timeout=2)
        stop = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        await runner.setup()
        try:
            try:
                await http.TCPSite(runner, self.host, http_port).start()
            except OSError as problem:
                where = f"{self.host}:{http_port}"
                raise Mistake(
                    f"The page cannot use {where}: {problem.strerror}. "
                    "Name another port with --http-port, or an address of this machine with --host."
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
        print("Stopped. The game goes on where it was at the next start.", flush=True)

    def greet(self, port: int, open_browser: bool) -> None:
        page = f"http://127.0.0.1:{port}/"
        referee = f"{page}#key={self.keys.of(TABLE)}"
        print(f"The table's page:  {referee}")
        for name in own_names(self.host) or ["127.0.0.1"]:
            print(f"For spectators:    http://{name}:{port}/")
        if self.toy_url:
            print(f"The toy table:     {self.toy_url}")
        print("Ctrl-C ends the daemon; the game goes on where it was at the next start.", flush=True)
        if open_browser:
            webbrowser.open(referee)


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


def own_names(host: str) -> list[str]:
    """Names and addresses by which others reach a daemon that listens on ``host``; none on the loopback."""
    if host == "localhost" or host.startswith("127.") or host == "::1":
        return []
    if host not in ("0.0.0.0", "::"):
        return [host]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only asks which address would be used (RFC 5737)
            address = [probe.getsockname()[0]]
        except OSError:
            address = []
    return [*address, socket.gethostname(), f"{socket.gethostname()}.local"]
