"""The toy table's own small web server: its page, its JSON API and a live stream. Loopback only."""

from __future__ import annotations

import asyncio
import json
import math
import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from .board import VirtualBoardError
from .physics import Impossible
from .toy import ToyTable

STATIC = Path(__file__).parent / "static"
LOOPBACK = ("127.0.0.1", "localhost")
BODY_BYTES = 10_000
LIGHTS_S = 0.04  # how often the strips are looked at for the page
LONGEST_WAIT_S = 20.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
TOY: web.AppKey[ToyTable] = web.AppKey("toy", ToyTable)
CLOSING: web.AppKey[asyncio.Event] = web.AppKey("closing", asyncio.Event)

# The daemon's page embeds this one; nobody else may, and it loads nothing from elsewhere
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors http://127.0.0.1:* http://localhost:*",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def toy_app(toy: ToyTable) -> web.Application:
    """The application of one toy table, ready for ``aiohttp.web.AppRunner``."""
    app = web.Application(middlewares=[_guard], client_max_size=BODY_BYTES)
    app[TOY], app[CLOSING] = toy, asyncio.Event()

    async def dress(request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(HEADERS)

    async def close(app: web.Application) -> None:
        app[CLOSING].set()

    app.on_response_prepare.append(dress)
    app.on_shutdown.append(close)
    mimetypes.add_type("text/javascript", ".js")  # some systems say text/plain, and browsers then refuse modules
    app.router.add_get("/", _page)
    app.router.add_get("/api/map", _map)
    app.router.add_get("/api/state", _state)
    app.router.add_get("/api/lights", _lights)
    app.router.add_get("/api/truth", _truth)
    app.router.add_get("/api/events", _events)
    app.router.add_post("/api/flick", _flick)
    app.router.add_post("/api/launch", _launch)
    app.router.add_post("/api/place", _place)
    app.router.add_post("/api/reset", _reset)
    app.router.add_static("/static/", STATIC)
    return app


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        name = request.headers.get("Host", "").partition(":")[0]
        if name not in LOOPBACK:  # a page elsewhere can point its own name at this machine
            return _refusal(421, f"This toy table is not called {name!r}; use http://127.0.0.1.")
        if request.method == "POST" and request.content_type != "application/json":
            return _refusal(415, "A movement is sent as JSON.")  # a foreign page cannot send that unasked
        return await handler(request)
    except Impossible as problem:
        return _refusal(409, f"{problem}.")
    except web.HTTPException as problem:
        return _refusal(problem.status, problem.reason)
    except VirtualBoardError as problem:
        return _refusal(503, str(problem))


def _refusal(status: int, sentence: str) -> web.Response:
    return web.json_response({"ok": False, "error": sentence}, status=status)


async def _page(request: web.Request) -> web.StreamResponse:
    return web.FileResponse(STATIC / "index.html")


async def _map(request: web.Request) -> web.Response:
    toy = request.app[TOY]
    walls = [
        {"level": wall.level, "from": [wall.x0, wall.y0], "to": [wall.x1, wall.y1], "radius": wall.radius}
        for wall in toy.layout.walls
    ]
    return web.json_response({**toy.map, "walls": walls})


async def _state(request: web.Request) -> web.Response:
    return web.json_response(request.app[TOY].state())


async def _lights(request: web.Request) -> web.Response:
    toy = request.app[TOY]
    strips = {name: [list(strip) for strip in board.pixels()] for name, board in toy.boards.items()}
    return web.json_response({"places": toy.lights(), "strips": strips})


async def _truth(request: web.Request) -> web.Response:
    """Finished movements after number ``after``; with ``wait`` seconds, waits for the running one to end."""
    toy = request.app[TOY]
    try:
        after, wait = int(request.query.get("after", 0)), float(request.query.get("wait", 0))
    except ValueError:
        return _refusal(400, '"after" and "wait" must be numbers.')
    if toy.moving and 0 < wait <= LONGEST_WAIT_S:
        await asyncio.sleep(min(wait, toy.ends_in_s() + 0.001))
    return web.json_response({"moving": toy.moving, "movements": toy.truth(after)})


async def _flick(request: web.Request) -> web.Response:
    data = await _body(request)
    angle, speed = _number(data, "angle"), _number(data, "speed")
    return web.json_response({"ok": True, **request.app[TOY].flick(_word(data, "piece"), angle, speed)})


async def _launch(request: web.Request) -> web.Response:
    data = await _body(request)
    return web.json_response({"ok": True, **request.app[TOY].launch(_word(data, "piece"), _point(data, "aim_mm"))})


async def _place(request: web.Request) -> web.Response:
    """``box``: a Box, "depot" or "off"; or ``at_mm`` and ``level``."""
    data = await _body(request)
    at_mm, to = _point(data, "at_mm"), data.get("box")
    level = data.get("level", "lower")
    if at_mm is None and not isinstance(to, str):
        raise Impossible('say where: "box" (a Box, "depot" or "off"), or "at_mm" with "level"')
    if level not in ("lower", "upper"):
        raise Impossible(f'"level" must be "lower" or "upper", not {level!r}')
    return web.json_response({"ok": True, **request.app[TOY].place(_word(data, "piece"), to, at_mm, level)})


async def _reset(request: web.Request) -> web.Response:
    """Everything back on its Depot, for a new game."""
    toy = request.app[TOY]
    for piece in toy.layout.depots:
        toy.place(piece, "off", None, "lower")
    for piece in toy.layout.depots:
        toy.place(piece, "depot", None, "lower")
    return web.json_response({"ok": True})


async def _events(request: web.Request) -> web.StreamResponse:
    """Server-sent events: ``state`` at every movement's start and end, ``lights`` when a pixel changed."""
    toy, closing = request.app[TOY], request.app[CLOSING]
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    state_key: tuple[int, bool] | None = None
    lights_sent, quiet = "", 0.0
    try:
        while not closing.is_set():
            told = ""
            state = toy.key()
            if state != state_key:
                state_key = state
                told += f"event: state\ndata: {json.dumps(toy.state(), separators=(',', ':'))}\n\n"
            lights = json.dumps(toy.lights(), separators=(",", ":"))
            if lights != lights_sent:
                lights_sent = lights
                told += f"event: lights\ndata: {lights}\n\n"
            quiet = 0.0 if told else quiet + LIGHTS_S
            if quiet > 2:
                told, quiet = ": alive\n\n", 0.0
            if told:
                await response.write(told.encode())
            await asyncio.sleep(LIGHTS_S)
    except ConnectionError:
        pass  # the reader has gone
    return response


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        data = await request.json()
    except ValueError:
        raise Impossible("the movement is not JSON") from None
    if not isinstance(data, dict):
        raise Impossible("the movement must be a JSON object")
    return data


def _word(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise Impossible(f'"{name}" must be a name, not {value!r}')
    return value


def _number(data: dict[str, Any], name: str) -> float:
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Impossible(f'"{name}" must be a number, not {value!r}')
    return float(value)


def _point(data: dict[str, Any], name: str) -> tuple[float, float] | None:
    value = data.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise Impossible(f'"{name}" must be [x, y] in mm, not {value!r}')
    return _number({name: value[0]}, name), _number({name: value[1]}, name)
