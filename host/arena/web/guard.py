"""What stands before every answer: the Host check, the security headers, and errors as sentences."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from ..games.contract import Illegal

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take that method.",
    413: "That is longer than any command can be.",
}


class Refusal(Exception):
    """A request that is answered with a sentence: HTTP status, the sentence, the rulebook section if any."""

    def __init__(self, status: int, sentence: str, section: str = "") -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.section = status, sentence, section


def refusal(status: int, sentence: str, section: str = "") -> web.Response:
    body: dict[str, Any] = {"ok": False, "error": sentence}
    if section:
        body["section"] = section
    return web.json_response(body, status=status)


def host_name(header: str) -> str:
    """The name in a Host header, without the port, in lower case."""
    name = header.strip().lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]


def origin_of(url: str) -> str:
    """Scheme, host and port of an address, as browsers compare origins."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"the toy table's address should begin with http:// and name a host, not {url!r}")
    return f"{parts.scheme}://{parts.netloc}"


def headers_for(toy_url: str | None) -> dict[str, str]:
    frames = origin_of(toy_url) if toy_url else "'none'"
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "frame-src": frames,
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }


def guards(allowed_hosts: Iterable[str], toy_url: str | None) -> tuple[list[Any], Callable[..., Awaitable[None]]]:
    """The middlewares, and the hook that puts the headers on every answer (streams too)."""
    hosts = {host_name(name) for name in (*LOOPBACK, *allowed_hosts)}
    headers = headers_for(toy_url)

    @web.middleware
    async def sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            # A page elsewhere can point its own name at this machine (DNS rebinding); its Host gives it away
            if host_name(request.headers.get("Host", "")) not in hosts:
                raise Refusal(
                    421, f"This table is not called {request.headers.get('Host', '')!r}. Use its printed link."
                )
            return await handler(request)
        except Refusal as problem:
            return refusal(problem.status, problem.sentence, problem.section)
        except Illegal as problem:
            return refusal(409, problem.reason, problem.section)
        except web.HTTPException as problem:
            return refusal(problem.status, SENTENCES.get(problem.status, problem.reason))
        except (ConnectionError, TimeoutError):
            raise  # the person has gone: nobody to tell
        except Exception:
            log.exception("while answering %s %s", request.method, request.path)
            return refusal(500, "The daemon could not do that; its log says why. The game is unchanged.")

    async def dress(request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(headers)
        # Always ask again: a new daemon brings new pages, and a game's state is never kept
        kept = request.path.startswith("/static/")
        response.headers.setdefault("Cache-Control", "no-cache" if kept else "no-store")

    return [sentences], dress
