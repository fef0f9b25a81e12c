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
    friends = [piece for piece in flight.hits if not layout.opponents(mover, piece)]
    for piece in friends:
        tap(f"{mover} touched {piece}.", do="bumped", piece=piece)
    for piece in dict.fromkeys(passed.piece for passed in flight.passes):
        if piece != mover and piece not in flight.hits:
            tap(f"{piece} was pushed by another.", do="bumped", piece=piece)
    for piece in flight.outside:
        if not (flight.kind == "launch" and piece == mover):
            tap(f"{piece} is outside.", do="outside", piece=piece)
    for piece, place in flight.stuck:
        tap(f"{piece} stands in the frame of {place}.")
    foes = [piece for piece in flight.hits if layout.opponents(mover, piece)]
    for piece in foes[:-1]:
        tap(f"{mover} hit {piece}.", do="hit", piece=piece)
    if foes:  # the last hit and "done" are one tap
        tap(f"{mover} hit {foes[-1]}: done.", do="done", hit=foes[-1])
    else:
        tap("That was all: done." if taps else "Done, nothing hit or touched.", do="done")
    return taps
