"""What a person watching would tap after a movement: commands in the game's words, and as sentences.

The toy table only suggests; a person confirms on the daemon's page. It knows no rules: who is whose
opponent it takes from whose Depots stand in one Box.
"""

from __future__ import annotations

from typing import Any

from .flight import Flight
from .layout import Layout


def suggest(flight: Flight, layout: Layout) -> list[dict[str, Any]]:
    """A list of {"command": {...} or None, "words": "..."}, in the order of tapping."""
    if flight.kind == "place":
        return []
    mover, taps = flight.piece, []

    def tap(words: str, **command: str) -> None:
        taps.append({"command": command or None, "words": words})

    if flight.kind == "launch":
        landed = flight.landed or "outside"
        tap(f"{mover} landed {'outside' if landed == 'outside' else f'in {landed}'}.", do="landed", box=landed)
    for piece in flight.hits:
        if layout.opponents(mover, piece):
            tap(f"{mover} hit {piece}.", do="hit", piece=piece)
    friends = [piece for piece in flight.hits if not layout.opponents(mover, piece)]
    if friends:
        tap(f"{mover} touched {' and '.join(friends)}.", do="bumped")
    for piece in flight.outside:
        if not (flight.kind == "launch" and piece == mover):
            tap(f"{piece} is outside.", do="outside", piece=piece)
    for piece, place in flight.stuck:
        tap(f"{piece} stands in the frame of {place}.")
    tap("That was all: done." if taps else "Done, nothing hit.", do="done")
    return taps
