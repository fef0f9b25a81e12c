"""The application: one page, one live stream, and one address for each thing a person can do."""

from __future__ import annotations

import dataclasses
import inspect
import json
import mimetypes
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from .. import __version__
from ..table import Given, Table
from ..words import SPECTATOR, TABLE, Command, Seat
from .guard import Handler, Refusal, guards
from .keys import Keys
from .stream import Streams

STATIC = Path(__file__).parent / "static"
BODY_BYTES = 16 * 1024  # a new game with four long names stays far below
ID_CHARACTERS = 80
RELEASE_S = (1, 3600)
BOARD_WORDS = ("name", "state", "words")  # what a spectator may read of a board

LIVE = web.AppKey("live", Streams)
"""``app[LIVE].changed()`` tells the pages of a change that the table does not report."""


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, Command):
        return value.to_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


class Desk:
    """Takes what people ask for to the table, and answers them."""

    def __init__(
        self,
        table: Table,
        keys: Keys,
        rig_map: Mapping[str, Any],
        boards: Callable[[], list[dict[str, Any]]],
        toy_url: str | None,
        release: Callable[[float], Any],
        resume: Callable[[], Any],
        new_game: Callable[[dict[str, Any], str], Any],
        hosts: list[str],
    ) -> None:
        self.table, self.keys, self.rig_map, self.toy_url = table, keys, rig_map, toy_url
        self._boards, self._release, self._resume, self._new_game = boards, release, resume, new_game
        self._hosts = hosts
        self.streams = Streams(table.page, self.boards)

    # --- who asks, and what

    def seat(self, request: web.Request) -> Seat:
        """The seat of the key that came along; nobody's key is a spectator, a wrong one is refused."""
        header = request.headers.get("Authorization", "")
        if not header:
            return SPECTATOR
        kind, _, secret = header.partition(" ")
        seat = self.keys.seat(secret.strip()) if kind.lower() == "bearer" else None
        if seat is None:
            raise Refusal(401, "This key opens no seat at this table. Use the link that the daemon printed.")
        return seat

    def player(self, request: web.Request) -> Seat:
        seat = self.seat(request)
        if seat == SPECTATOR:
            raise Refusal(403, "Spectators watch: only the table's own page or a player's phone can do that.")
        return seat

    def referee(self, request: web.Request) -> Seat:
        seat = self.player(request)
        if seat != TABLE:
            raise Refusal(403, "Only the table's own page can do that, not a player's phone.")
        return seat

    async def body(self, request: web.Request) -> dict[str, Any]:
        try:
            data = json.loads(await request.text())
        except (ValueError, RecursionError):  # also bytes that are no text, and brackets without end
            raise Refusal(400, "A JSON object was expected, and this is not JSON.") from None
        if not isinstance(data, dict):
            raise Refusal(400, f"A JSON object was expected, not {type(data).__name__}.")
        return data

    def boards(self, seat: Seat = SPECTATOR) -> list[dict[str, Any]]:
        told = plain(self._boards())
        return told if seat == TABLE else [{word: board.get(word) for word in BOARD_WORDS} for board in told]

    # --- doing it

    async def command(self, request: web.Request) -> web.Response:
        seat = self.player(request)
        data = await self.body(request)
        seen_in = whole(data, "activation") if "activation" in data else None
        return answered(self.table.give(seat, command_of(data), id_of(data), seen_in))

    async def answer(self, request: web.Request) -> web.Response:
        seat = self.referee(request)
        data = await self.body(request)
        return answered(self.table.answer(text(data, "question"), whole(data, "choice"), id_of(data), seat))

    async def undo(self, request: web.Request) -> web.Response:
        seat = self.referee(request)
        data = await self.body(request)
        return answered(self.table.undo(whole(data, "steps", 1), *preview_of(data), seat))

    async def strike(self, request: web.Request) -> web.Response:
        seat = self.referee(request)
        data = await self.body(request)
        return answered(self.table.strike(whole(data, "seq"), *preview_of(data), seat))

    async def insert(self, request: web.Request) -> web.Response:
        seat = self.referee(request)
        data = await self.body(request)
        return answered(self.table.insert(whole(data, "after_seq"), command_of(data), *preview_of(data), seat))

    async def game(self, request: web.Request) -> web.Response:
        """A new game; the same id again begins no other."""
        self.referee(request)
        data = await self.body(request)
        command_id = id_of(data)
        setup = {name: value for name, value in data.items() if name != "id"}
        try:
            told = await maybe(self._new_game(setup, command_id))
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise Refusal(400, str(problem.args[0] if problem.args else problem)) from None
        return web.json_response({"ok": True, **(plain(told) or {})})

    async def release(self, request: web.Request) -> web.Response:
        self.referee(request)
        data = await self.body(request)
        seconds = whole(data, "seconds", 300)
        if not RELEASE_S[0] <= seconds <= RELEASE_S[1]:
            raise Refusal(400, f'"seconds" must be from {RELEASE_S[0]} to {RELEASE_S[1]}, not {seconds}.')
        return await self._maintain(self._release, seconds)

    async def resume(self, request: web.Request) -> web.Response:
        self.referee(request)
        return await self._maintain(self._resume)

    async def _maintain(self, do: Callable[..., Any], *given: Any) -> web.Response:
        await maybe(do(*given))
        self.streams.changed()
        return web.json_response({"ok": True, "boards": self.boards(TABLE)})

    # --- reading

    async def page(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(STATIC / "index.html")

    async def map(self, request: web.Request) -> web.Response:
        return web.json_response(self.rig_map)

    async def me(self, request: web.Request) -> web.Response:
        """Who this page is: its seat, and what only that seat needs (the toy table, what phones open)."""
        seat = self.seat(request)
        about: dict[str, Any] = {"seat": seat, "version": __version__}
        if seat != SPECTATOR:
            about["toy_url"] = self.toy_url
        if seat == TABLE:
            about["keys"] = {each: self.keys.of(each) for each in self.keys.seats() if each != TABLE}
            about["hosts"] = self._hosts
        return web.json_response(about)

    async def events(self, request: web.Request) -> web.StreamResponse:
        return await self.streams.serve(request, self.seat(request))

    async def health(self, request: web.Request) -> web.Response:
        page = self.table.page(SPECTATOR)
        known = {"game_id": page.get("game_id"), "seq": page.get("seq"), "boards": self.boards(self.seat(request))}
        return web.json_response({"ok": True, "version": __version__, **known})


async def maybe(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def answered(given: Given) -> web.Response:
    """The table's answer to a person: ``ok``, the journal number, what changes, and an error as one sentence."""
    error = given.error or {}
    body: dict[str, Any] = {"ok": given.ok, "seq": given.seq}
    if given.ok:
        return web.json_response({**body, "changes": list(given.changes), "dropped": list(given.dropped)})
    told = {"error": error.get("reason", "That is not possible now."), "section": error.get("section", "")}
    return web.json_response({**body, **told}, status=409)


def id_of(data: Mapping[str, Any]) -> str:
    command_id = text(data, "id")
    if not command_id or len(command_id) > ID_CHARACTERS:
        raise Refusal(400, f'Every request needs an "id" of 1 to {ID_CHARACTERS} characters, its own each time.')
    return command_id


def preview_of(data: Mapping[str, Any]) -> tuple[bool, str | None]:
    """Whether only to tell what would change, and the id if not: a preview has none."""
    preview = data.get("preview") is True
    return preview, None if preview else id_of(data)


def text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise Refusal(400, f'"{name}" must be a text, not {json.dumps(value)}.')
    return value


def whole(data: Mapping[str, Any], name: str, otherwise: int | None = None) -> int:
    value = data.get(name, otherwise)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refusal(400, f'"{name}" must be a whole number, not {json.dumps(value)}.')
    return value


def command_of(data: Mapping[str, Any]) -> Command:
    given = data.get("command")
    if not isinstance(given, dict):
        raise Refusal(400, '"command" must be an object with a verb under "do".')
    try:
        return Command.from_json(given)
    except ValueError as problem:
        raise Refusal(400, f"{problem}.") from None


def make_app(
    table: Table,
    *,
    rig_map: Mapping[str, Any],
    boards: Callable[[], list[dict[str, Any]]],
    keys: Keys,
    release: Callable[[float], Any],
    resume: Callable[[], Any],
    new_game: Callable[[dict[str, Any], str], Any],
    toy_url: str | None = None,
    allowed_hosts: Iterable[str] = (),
) -> web.Application:
    """The application of one table, ready for ``aiohttp.web.AppRunner``.

    ``release``, ``resume`` and ``new_game`` may be plain or async; ``new_game`` gets the form's JSON, the command's id,
    and raises ``ValueError`` with a sentence. ``allowed_hosts`` are names by which the page may be
    asked for besides loopback. Boards' health is looked at once a second by itself.
    """
    hosts = list(allowed_hosts)
    desk = Desk(table, keys, rig_map, boards, toy_url, release, resume, new_game, hosts)
    middlewares, dress = guards(hosts, toy_url)
    app = web.Application(middlewares=middlewares, client_max_size=BODY_BYTES)
    app.on_response_prepare.append(dress)
    app[LIVE] = desk.streams
    table.listen(desk.streams.changed)

    async def end_streams(_: web.Application) -> None:
        desk.streams.close()

    app.on_shutdown.append(end_streams)
    mimetypes.add_type("text/javascript", ".js")  # some systems say text/plain, and browsers then refuse modules
    app.router.add_static("/static/", STATIC)
    reads: dict[str, Handler] = {
        "/": desk.page,
        "/api/map": desk.map,
        "/api/me": desk.me,
        "/api/events": desk.events,
        "/api/health": desk.health,
    }
    writes: dict[str, Callable[[web.Request], Awaitable[web.StreamResponse]]] = {
        "/api/command": desk.command,
        "/api/answer": desk.answer,
        "/api/undo": desk.undo,
        "/api/strike": desk.strike,
        "/api/insert": desk.insert,
        "/api/game": desk.game,
        "/api/boards/release": desk.release,
        "/api/boards/resume": desk.resume,
    }
    for path, handler in reads.items():
        app.router.add_get(path, handler)
    for path, handler in writes.items():
        app.router.add_post(path, handler)
    return app
