"""Sightings as the journal keeps them, and in words for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..words import EdgeId, Seen, Sighting

Key = tuple[str, str, str, int]
"""What tells one sighting from another when the same edges are folded again."""

PASSED = frozenset({Seen.PASS, Seen.DROP})
MOVED = frozenset({Seen.PASS, Seen.BOUNCE, Seen.STUCK, Seen.DROP, Seen.LAUNCH})


def key_of(sighting: Sighting) -> Key:
    """Kind, place and the edge that completed it; by time where no edge did, as when all is still."""
    if sighting.edges and sighting.seen is not Seen.SETTLED:
        last = sighting.edges[-1]
        return (sighting.seen, sighting.place, last.boot, last.number)
    return (sighting.seen, sighting.place, "", _time_in_key(sighting.seen, sighting.earliest_us, sighting.latest_us))


def _time_in_key(seen: str, earliest_us: int, latest_us: int) -> int:
    """What was lost begins with the last edge before it; its end is only when one heard of the loss."""
    return earliest_us if seen == Seen.SICK else latest_us


def to_json(sighting: Sighting) -> dict[str, Any]:
    """Only what is known, edges as ``{boot: [numbers]}``: a journal entry stays small."""
    data: dict[str, Any] = {
        "seen": sighting.seen.value,
        "place": sighting.place,
        "us": [sighting.earliest_us, sighting.latest_us],
        "from": sighting.origin,
        "to": sighting.target,
        "sides": list(sighting.sides),
        "mm_s": sighting.speed_mm_s and round(sighting.speed_mm_s, 1),
        "mm": sighting.length_mm and round(sighting.length_mm, 1),
        "sure": None if sighting.confidence == 1.0 else round(sighting.confidence, 3),
        "last": [sighting.edges[-1].boot, sighting.edges[-1].number] if sighting.edges else None,
        "edges": _by_boot(sighting.edges),
        "note": sighting.note,
        "against": _by_boot(sighting.contradicts),
    }
    return {name: value for name, value in data.items() if name == "place" or value not in (None, "", [], {})}


def _by_boot(edges: Iterable[EdgeId]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {}
    for edge in edges:
        numbers.setdefault(edge.boot, []).append(edge.number)
    return numbers


def edges_in(data: Mapping[str, Any], name: str = "edges") -> list[EdgeId]:
    """The edges of a sighting in a journal entry, or those that it speaks ``"against"``."""
    return [EdgeId(boot, number) for boot, numbers in data.get(name, {}).items() for number in numbers]


def key_in(data: Mapping[str, Any]) -> Key:
    """The key of a sighting in a journal entry."""
    timed = data["seen"] == Seen.SETTLED or "last" not in data
    boot, number = ("", _time_in_key(data["seen"], *data["us"])) if timed else data["last"]
    return (data["seen"], data["place"], boot, number)


def from_json(data: Mapping[str, Any]) -> Sighting:
    """The sighting in a journal entry; the completing edge comes last."""
    edges = edges_in(data)
    if "last" in data:
        last = EdgeId(*data["last"])
        edges = [edge for edge in edges if edge != last] + [last]
    return Sighting(
        seen=Seen(data["seen"]),
        place=data["place"],
        earliest_us=data["us"][0],
        latest_us=data["us"][1],
        origin=data.get("from"),
        target=data.get("to"),
        sides=tuple(data.get("sides", ())),
        speed_mm_s=data.get("mm_s"),
        length_mm=data.get("mm"),
        confidence=data.get("sure", 1.0),
        edges=tuple(edges),
        note=data.get("note", ""),
        contradicts=tuple(edges_in(data, "against")),
    )


def words_of(sighting: Sighting) -> str:
    """The sighting as a sentence."""
    place, way = sighting.place, f"from {sighting.origin} to {sighting.target}"
    match sighting.seen:
        case Seen.PASS:
            return f"Something passed {place} {way}."
        case Seen.DROP:
            return f"Something dropped through {place} {way}."
        case Seen.BOUNCE:
            return f"Something went into {place} and came back to {sighting.origin}."
        case Seen.STUCK:
            return f"Something is stuck in {place}."
        case Seen.LAUNCH:
            return f"The Launcher {place} was released."
        case Seen.SETTLED:
            return "Nothing moves any more."
        case Seen.PRESS:
            return f"{place} was pressed."
        case Seen.SICK:
            return sighting.note or f"The sensor at {place} cannot be believed."
