"""The daemon's upper half as its pages meet it: the real table, game and store behind the real server."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web
from arena.games.iron_forest import IronForest
from arena.rig import RigFile, load_rig
from arena.store import Store
from arena.table import Table
from arena.web import LIVE, Keys, make_app
from arena.words import TABLE, Command, Seat, Seen, Sighting

CONTENT = resources.files("arena.games.iron_forest") / "content"
RIG_TOML = Path(__file__).parents[2] / "hardware" / "rig.toml"
ANN_AND_BEN = [{"name": "Ann", "team": "animal_clans"}, {"name": "Ben", "team": "iron_force"}]
SEED = 918273645564738291  # long, so that it would be found in a page
WAIT_S = 15.0

Told = TypeVar("Told")


class LiveTable:
    """A table on a folder, served from a thread of its own. ``stop`` and ``start`` are a daemon's end and return."""

    def __init__(self, folder: Path, toy_url: str | None = None) -> None:
        self.folder, self.toy_url = folder, toy_url
        self.rig_file: RigFile = load_rig(RIG_TOML.read_text(encoding="utf-8"), "rig.toml")
        self.boards = [{"name": "lower", "state": "live", "words": "The board lower is live.", "console": "secret"}]
        self.released: list[float | None] = []
        self.port = 0
        self.start()

    # --- its life

    def start(self) -> None:
        ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        assert ready.wait(WAIT_S)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    async def _serve(self, ready: threading.Event) -> None:
        self.loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self.now_us = 1_000_000
        with Store(self.folder / "arena.sqlite") as store:
            self.table = Table(IronForest(), store, self.clock)
            self.table.resume()
            self.keys = Keys.open(self.folder)
            self.app = make_app(
                self.table,
                rig_map=self.rig_file.map(),
                boards=lambda: self.boards,
                keys=self.keys,
                release=self.release,
                resume=lambda: self.released.append(None),
                new_game=self.new_game,
                toy_url=self.toy_url,
                allowed_hosts=["arena.local"],
            )
            runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", self.port).start()
            self.port = runner.addresses[0][1]
            ready.set()
            await self._stop.wait()
            await runner.cleanup()

    def clock(self) -> int:
        self.now_us += 1000
        return self.now_us

    async def release(self, seconds: float) -> None:
        self.released.append(seconds)

    def new_game(self, wishes: dict[str, Any], command_id: str | None = None) -> dict[str, Any]:
        players = wishes.get("players", ANN_AND_BEN)
        setup = {
            "seed": wishes.get("seed", SEED),
            "players": [{**player, "seat": f"P{number}"} for number, player in enumerate(players, 1)],
            "first": wishes.get("first", "animal_clans"),
            "options": wishes.get("options", {}),
            "map": self.rig_file.map(),
            "scenario": (CONTENT / "establishing_a_network.toml").read_text(encoding="utf-8"),
            "power_ups": (CONTENT / "power_ups.toml").read_text(encoding="utf-8"),
        }
        return {"game_id": self.table.begin(setup, command_id)}

    # --- what happens at the table

    def do(self, work: Callable[[], Told]) -> Told:
        """Do something in the daemon's own thread."""
        done: list[Told] = []
        wrong: list[BaseException] = []
        ended = threading.Event()

        def run() -> None:
            try:
                done.append(work())
            except BaseException as problem:
                wrong.append(problem)
            ended.set()

        self.loop.call_soon_threadsafe(run)
        assert ended.wait(WAIT_S)
        if wrong:
            raise wrong[0]
        return done[0]

    def begin(self, **wishes: Any) -> None:
        self.do(lambda: self.new_game(wishes))

    def tap(self, verb: str, **args: str | int) -> None:
        """Somebody else at the table gives a command."""
        command_id = os.urandom(8).hex()
        given = self.do(lambda: self.table.give(TABLE, Command.of(verb, **args), command_id))
        assert given.ok, given

    def sees(self, seen: Seen, place: str, origin: str | None = None, target: str | None = None) -> None:
        """The beams tell the table of something that moved."""

        def tell() -> None:
            now = self.clock()
            self.table.on_sightings([Sighting(seen, place, now, now, origin, target)])

        self.do(tell)

    def view(self) -> dict[str, Any]:
        view: dict[str, Any] = self.do(lambda: self.table.page(TABLE))["view"]
        return view

    def active(self) -> str:
        name: str = self.view()["active"]["mecha"]
        return name

    def win(self) -> str:
        """Let the team that begins collect everything, told by taps; its winner."""
        ways = {**{d: list(e["boxes"]) for d, e in self.rig_file.map()["doors"].items()}}
        ways |= {h: [e["box"], e["below"]] for h, e in self.rig_file.map()["holes"].items()}
        while (view := self.view())["outcome"] is None:
            if view["markers_due"]:
                free = next(place for place in ways if not view["markers"].get(place))
                self.tap("place_marker", place=free)
                continue
            active = view["active"]
            own = next((p for p, teams in view["markers"].items() if active["team"] in teams), None)
            if own and active["team"] == "animal_clans":
                if view["mechas"][active["mecha"]]["boxes"] != ways[own][:1]:
                    self.tap("put", piece=active["mecha"], box=ways[own][0])
                self.tap("passed", piece=active["mecha"], place=own, target=ways[own][1])
                if self.view()["outcome"] or self.view()["markers_due"]:
                    continue
            self.tap("done")
        (winner,) = view["outcome"]["winners"]
        return str(winner)

    def boards_changed(self) -> None:
        self.do(lambda: self.app[LIVE].changed())

    # --- what a page's own code would do

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def page_of(self, seat: Seat) -> str:
        return f"{self.url}#key={self.keys.of(seat)}"

    def ask(
        self, path: str, body: Any = None, *, seat: Seat | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        """One request: status, JSON, headers."""
        sent = {"Authorization": f"Bearer {self.keys.of(seat)}"} if seat else {}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {**sent, **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
                return answer.status, json.load(answer), dict(answer.headers)
        except urllib.error.HTTPError as problem:
            return problem.code, json.load(problem), dict(problem.headers)

    @contextmanager
    def stream(self, seat: Seat | None = None, last: int | None = None) -> Iterator[Iterator[dict[str, Any]]]:
        """The live stream of a seat: each event as {"name", "id", "data"}."""
        headers = {"Authorization": f"Bearer {self.keys.of(seat)}"} if seat else {}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        request = urllib.request.Request(self.url + "api/events", headers=headers)
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            yield events(answer)


def events(lines: Any) -> Iterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    for raw in lines:
        line = raw.decode().rstrip("\n")
        name, _, value = line.partition(": ")
        if not line and "data" in event:
            yield event
            event = {}
        elif name == "data":
            event["data"] = json.loads(value)
        elif name in ("id", "event"):
            event[name] = value
