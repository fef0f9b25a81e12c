"""Pages for people and their commands back: one aiohttp application, live over server-sent events."""

from .keys import Keys, KeysError
from .server import LIVE, make_app

__all__ = ["LIVE", "Keys", "KeysError", "make_app"]
