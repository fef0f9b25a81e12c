"""Who a sighting can have been."""

from __future__ import annotations

from ..words import Candidate, Expectation, PieceId, PlaceId, Seen, Sighting
from .belief import ANYWHERE, Belief

KNOCKED = 0.02  # how much less likely than the mover another piece is: the mover must hit it first
UNLIKELY = 0.005  # a candidate with less weight than this is not worth a question
HERE = 0.25  # of a piece that can be anywhere, how likely it is in any one Box


def who(belief: Belief, sighting: Sighting, expectation: Expectation) -> tuple[tuple[Candidate, ...], Belief]:
    """The pieces that it can have been, the likeliest first, and what one believes then.

    Nobody where no piece can be in the Box that it came from (the game asks), where a hand is placing
    a piece (the passes are the hand's), and where the sighting is not about a piece at all.
    """
    belief = _with_all(belief, expectation)
    if expectation.placing or sighting.seen in (Seen.SETTLED, Seen.PRESS, Seen.SICK):
        return (), belief
    if sighting.seen is Seen.LAUNCH:
        # The switch says neither who nor from where: the mover is assumed, the landing is asked
        if expectation.mover is None:
            return (), belief
        launched = (Candidate(expectation.mover, 1.0),)
        return launched, belief.moved(expectation.mover, {ANYWHERE: 1.0}, sighting.confidence)
    candidates = _candidates(belief, sighting.origin, expectation)
    to = _afterwards(sighting)
    for candidate in candidates:
        if to:
            belief = belief.moved(candidate.piece, to, candidate.weight * sighting.confidence)
    return candidates, belief


def _with_all(belief: Belief, expectation: Expectation) -> Belief:
    """Pieces that the game knows and the belief does not."""
    missing = {piece: places for piece, places in expectation.known.items() if not belief.places(piece)}
    if not missing:
        return belief
    where = {piece: dict(places) for piece, places in belief.where}
    return Belief.of(where | {piece: dict.fromkeys(places, 1.0) for piece, places in missing.items()})


def _candidates(belief: Belief, origin: PlaceId | None, expectation: Expectation) -> tuple[Candidate, ...]:
    if origin is None:
        return ()
    weights: dict[PieceId, float] = {}
    for piece, places in ((piece, dict(row)) for piece, row in belief.where):
        here = places.get(origin, 0.0) + HERE * places.get(ANYWHERE, 0.0)
        knocked = expectation.mover is not None and piece != expectation.mover
        if here > 0:
            weights[piece] = here * (KNOCKED if knocked else 1.0)
    whole = sum(weights.values())
    weights = {piece: weight for piece, weight in weights.items() if weight >= UNLIKELY * whole}
    whole = sum(weights.values())
    ordered = sorted(weights, key=lambda piece: (-weights[piece], piece))
    return tuple(Candidate(piece, weights[piece] / whole) for piece in ordered)


def _afterwards(sighting: Sighting) -> dict[PlaceId, float]:
    """Where the piece is then; empty where it stays where it was."""
    if sighting.target is None or sighting.origin is None:
        return {}
    if sighting.seen is Seen.STUCK:  # inside both Boxes
        return {sighting.origin: 0.5, sighting.target: 0.5}
    return {sighting.target: 1.0} if sighting.seen in (Seen.PASS, Seen.DROP) else {}
