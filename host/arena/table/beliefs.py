"""How the belief of where pieces are follows what the game comes to know."""

from __future__ import annotations

from ..tracker import Belief
from ..words import Command
from .timeline import Step


def follow(belief: Belief, before: Step, after: Step, command: Command) -> Belief:
    """The belief after a move: the game's word for each piece that it names or that the game now knows
    elsewhere; what is open about the others stays open."""
    was, known = before.expectation.known, after.expectation.known
    named = {value for _, value in command.args}
    told = {piece: places for piece, places in known.items() if piece in named or was.get(piece) != places}
    if not told and was.keys() == known.keys():
        return belief
    where = {piece: dict(places) for piece, places in belief.where if piece in known}
    return Belief.of(where | {piece: dict.fromkeys(places, 1.0) for piece, places in told.items()})
