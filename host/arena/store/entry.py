"""What the journal is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a game's journal; never changed once it is written.

    ``seq`` counts from 1 within a game and is filled in by the store. ``cause`` says who: a seat,
    ``"beams"``, ``"daemon"``. ``command_id`` is unique in a game, so that a command that is given
    twice is applied once. ``edge_row`` is the newest row of the edge log that was taken into account.
    ``body`` must be JSON. ``at_us`` is on the table clock, ``wall`` an ISO time for people.
    """

    seq: int | None
    kind: str
    at_us: int
    cause: str
    body: dict[str, Any]
    command_id: str | None = None
    edge_row: int | None = None
    wall: str = ""


@dataclass(frozen=True, slots=True)
class GameKept:
    """One game of the file, in short: how it began, and how many entries it has."""

    game_id: str
    at_us: int
    wall: str
    setup: dict[str, Any]
    entries: int
