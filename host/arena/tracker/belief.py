"""Where each piece can be: the part of the whereabouts that is still open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ..words import Expectation, PieceId, PlaceId

ANYWHERE: PlaceId = "anywhere"
"""In some Box, but nobody can say in which: after a Launch."""

LEAST = 0.001  # smaller weights are forgotten
DIGITS = 6  # so that equal beliefs compare equal


@dataclass(frozen=True, slots=True)
class Belief:
    """For each piece, in order of name, the places where it can be and their weights, which sum to 1."""

    where: tuple[tuple[PieceId, tuple[tuple[PlaceId, float], ...]], ...] = ()

    @staticmethod
    def of(where: Mapping[PieceId, Mapping[PlaceId, float]]) -> Belief:
        """A belief from weights of any sum; places that hardly count are left out."""
        rows = []
        for piece, weights in sorted(where.items()):
            whole = sum(weights.values()) or 1.0
            kept = {place: weight for place, weight in weights.items() if weight / whole >= LEAST}
            whole = sum(kept.values()) or 1.0
            rows.append((piece, tuple((place, round(kept[place] / whole, DIGITS)) for place in sorted(kept))))
        return Belief(tuple(rows))

    def places(self, piece: PieceId) -> dict[PlaceId, float]:
        """Where a piece can be, with weights; empty where nothing is known of it."""
        return next((dict(places) for name, places in self.where if name == piece), {})

    def likeliest(self, piece: PieceId) -> PlaceId | None:
        """The place where a piece most likely is."""
        places = self.places(piece)
        return max(places, key=lambda place: places[place]) if places else None

    def moved(self, piece: PieceId, to: Mapping[PlaceId, float], weight: float) -> Belief:
        """The belief when with this weight the piece is now as ``to`` says, and else where it was."""
        where = {name: dict(places) for name, places in self.where}
        before = where.get(piece, {})
        after = {place: share * (1 - weight) for place, share in before.items()}
        for place, share in to.items():
            after[place] = after.get(place, 0.0) + share * weight
        where[piece] = after
        return Belief.of(where)


def begin(expectation: Expectation) -> Belief:
    """What one believes before anything moves: what the game knows, all of its places alike."""
    return Belief.of({piece: dict.fromkeys(places, 1.0) for piece, places in expectation.known.items()})


def dump(belief: Belief) -> str:
    """The belief as canonical JSON: equal beliefs give equal text."""
    data = {piece: dict(places) for piece, places in belief.where}
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def load(text: str) -> Belief:
    """The belief that ``dump`` wrote; ``ValueError`` where it did not."""
    data = json.loads(text)
    if not isinstance(data, dict) or not all(isinstance(places, dict) for places in data.values()):
        raise ValueError(f"expected a belief as JSON, found {text[:60]!r}")
    return Belief(tuple((piece, tuple(sorted(places.items()))) for piece, places in sorted(data.items())))
