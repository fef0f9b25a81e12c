"""Thin HTTP clients for a scripted player: the daemon's public API, and the toy table's."""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import aiohttp

QUIET_S = 30.0  # a stream that says nothing for so long is opened again


class Refused(Exception):
    """The other side answered no; the text is its sentence."""


class Daemon:
    """The daemon as a page with the referee's key sees it. ``page`` is the newest whole page."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url.rstrip("/"), key
        self.page: dict[str, Any] | None = None
        self._news = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Daemon:
        self._http = aiohttp.ClientSession(headers={"Authorization": f"Bearer {self.key}"})
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, what: Any, where: TracebackType | None) -> None:
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
        await self._http.close()

    async def _read(self) -> None:
        """Follow the live stream, over breaks and over restarts of the daemon."""
        while True:
            try:
                timeout = aiohttp.ClientTimeout(total=None, sock_read=QUIET_S)
                async with self._http.get(f"{self.url}/api/events", timeout=timeout) as stream:
                    await self._events(stream)
            except (aiohttp.ClientError, TimeoutError, ValueError):
                pass
            await asyncio.sleep(0.2)

    async def _events(self, stream: aiohttp.ClientResponse) -> None:
        kind, data, rest = "", [], b""
        async for chunk in stream.content.iter_any():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                name, _, value = line.decode().partition(":")
                if name == "event":
                    kind = value.strip()
                elif name == "data":
                    data.append(value.strip())
                elif not line.strip() and data:
                    if not kind or kind == "page":
                        self.page = json.loads("\n".join(data))
                        self._news.set()
                    kind, data = "", []

    async def news(self, timeout_s: float) -> bool:
        """Wait for the next page; False if none came."""
        self._news.clear()
        try:
            await asyncio.wait_for(self._news.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    async def reach(self, seq: int, timeout_s: float = 3.0) -> None:
        """Wait for the page of that journal number: what was accepted shows a moment later."""
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout_s
        while (self.page is None or (self.page["seq"] or 0) < seq) and (left := until - loop.time()) > 0:
            await self.news(left)

    async def first_page(self, timeout_s: float = 30.0) -> dict[str, Any]:
        if self.page is None and not await self.news(timeout_s):
            raise Refused(f"The daemon at {self.url} sent no page within {timeout_s:g} s.")
        assert self.page is not None
        return self.page

    async def command(self, command: dict[str, Any]) -> dict[str, Any]:
        return await self._post("/api/command", {"command": command})

    async def answer(self, question: str, choice: int) -> dict[str, Any]:
        return await self._post("/api/answer", {"question": question, "choice": choice})

    async def new_game(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Begin another game; ``setup`` as on the page: seed, players, first, options."""
        return await self._post("/api/game", dict(setup))

    async def strike(self, seq: int) -> dict[str, Any]:
        return await self._post("/api/strike", {"seq": seq})

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Post with an id of its own, and again with the same id where the daemon was away."""
        body = {**body, "id": uuid.uuid4().hex}
        for patience in (0.2, 1.0, 3.0, 6.0, None):
            try:
                async with self._http.post(f"{self.url}{path}", json=body) as response:
                    answer: dict[str, Any] = await response.json()
                    if not answer.get("ok"):
                        raise Refused(f"{body}: {answer.get('error')}")
                    return answer
            except (aiohttp.ClientConnectionError, TimeoutError):
                if patience is None:
                    raise Refused(f"The daemon at {self.url} does not answer any more.") from None
                await asyncio.sleep(patience)
        raise AssertionError("unreachable")


class Toy:
    """The toy table's JSON API."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    async def __aenter__(self) -> Toy:
        self._http = aiohttp.ClientSession()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, what: Any, where: TracebackType | None) -> None:
        await self._http.close()

    async def get(self, path: str) -> Any:
        async with self._http.get(f"{self.url}/api/{path}") as response:
            return await response.json()

    async def do(self, path: str, **body: Any) -> dict[str, Any]:
        async with self._http.post(f"{self.url}/api/{path}", json=body) as response:
            answer: dict[str, Any] = await response.json()
            if not answer.get("ok"):
                raise Refused(f"{path} {body}: {answer.get('error')}")
            return answer

    async def truth(self, number: int) -> dict[str, Any]:
        """The truth of one movement, when it is at rest."""
        while True:
            told = await self.get(f"truth?after={number - 1}&wait=15")
            if told["movements"]:
                movement: dict[str, Any] = told["movements"][0]
                return movement
