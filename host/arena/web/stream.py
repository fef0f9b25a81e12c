"""Live pages: each reader gets the whole page of its seat whenever something changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from ..words import Seat

GATHER_S = 0.03  # changes that come together make one event
BEAT_S = 2.0  # a sign of life for readers; they call the daemon gone after 5 s of silence
LOOK_S = 1.0  # how often the boards' health is compared
SEND_S = 10.0  # a reader that takes nothing for so long has gone


class Streams:
    """All readers of the live page. ``changed`` wakes them; every reader is served on its own."""

    def __init__(self, page: Callable[[Seat], dict[str, Any]], boards: Callable[[Seat], list[dict[str, Any]]]) -> None:
        self._page, self._boards = page, boards
        self._readers: set[asyncio.Event] = set()
        self._closing = False

    def changed(self, *_: object) -> None:
        """Something changed: call it in the event loop's thread; what it is told is ignored."""
        for reader in self._readers:
            reader.set()

    def close(self) -> None:
        """End all streams, so that the server can stop at once."""
        self._closing = True
        self.changed()

    async def serve(self, request: web.Request, seat: Seat) -> web.StreamResponse:
        """Server-sent events: the page (no event name, id = journal number) and ``boards`` in between."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
        await response.prepare(request)
        wake = asyncio.Event()
        self._readers.add(wake)
        try:
            # The first event is always the whole page, so a reader that missed anything has it all again
            sent_page, sent_boards = "", ""
            loop = asyncio.get_running_loop()
            quiet_since = loop.time()
            while not self._closing:
                boards = json.dumps(self._boards(seat), separators=(",", ":"))
                if wake.is_set() or not sent_page:
                    wake.clear()
                    page = self._page(seat)
                    text = json.dumps(page, separators=(",", ":"))
                    if text != sent_page:
                        sent_page, sent_boards = text, boards
                        whole = f'{text[:-1]},"boards":{boards}}}'
                        await self._send(response, f"id: {page.get('seq') or 0}\ndata: {whole}\n\n")
                        quiet_since = loop.time()
                if boards != sent_boards:
                    sent_boards = boards
                    await self._send(response, f"event: boards\ndata: {boards}\n\n")
                    quiet_since = loop.time()
                if loop.time() - quiet_since >= BEAT_S:
                    await self._send(response, ": alive\n\n")
                    quiet_since = loop.time()
                try:
                    await asyncio.wait_for(wake.wait(), LOOK_S)
                    await asyncio.sleep(GATHER_S)
                except TimeoutError:
                    pass
        except (ConnectionError, TimeoutError):
            pass  # the reader has gone
        finally:
            self._readers.discard(wake)
        return response

    @staticmethod
    async def _send(response: web.StreamResponse, text: str) -> None:
        await asyncio.wait_for(response.write(text.encode()), SEND_S)
