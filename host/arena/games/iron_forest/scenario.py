"""A Scenario sheet: which markers stand where, and what wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .content_check import ORIGINS, SCHEMA, Reader
from .places import Places
from .teams import MARKERS, TEAMS


@dataclass(frozen=True, slots=True)
class Scenario:
    """``markers`` are (place, team) pairs, sorted; ``goal`` is how many a team removes to win."""

    name: str
    origin: str
    places_origin: str
    goal: int
    goal_text: str
    new_markers: int
    markers: tuple[tuple[str, str], ...]


def load_scenario(text: object, places: Places, file: str = "the Scenario") -> Scenario:
    """The Scenario in a TOML text; ``ContentError`` lists everything that does not fit this table."""
    reader = Reader(file)
    data = reader.parse(text)
    reader.unknown(data, "", ("scenario", "markers"))
    head = reader.table(data, "scenario")
    known = ("schema", "game", "id", "name", "origin", "places_origin", "goal", "new_markers", "goal_text")
    reader.unknown(head, "scenario", known)
    reader.number(head, "schema", "scenario", SCHEMA, SCHEMA)
    reader.word(head, "game", "scenario", ("iron_forest",))
    reader.word(head, "id", "scenario")
    new_markers = reader.number(head, "new_markers", "scenario", 0, MARKERS)
    markers = _markers(reader, reader.table(data, "markers"), places)
    scenario = Scenario(
        name=reader.word(head, "name", "scenario"),
        origin=reader.word(head, "origin", "scenario", ORIGINS),
        places_origin=reader.word(head, "places_origin", "scenario", ORIGINS),
        goal=reader.number(head, "goal", "scenario", 1, 2 * MARKERS),
        goal_text=reader.word(head, "goal_text", "scenario"),
        new_markers=new_markers,
        markers=tuple(sorted(markers)),
    )
    for team in TEAMS:
        count = sum(1 for _, whose in markers if whose == team)
        if not reader.problems and count + new_markers < scenario.goal:
            reader.wrong("scenario.goal", scenario.goal, f"at most {count + new_markers}, all that {team} can remove")
    if new_markers > len(places.ways):
        reader.wrong("scenario.new_markers", new_markers, f"at most {len(places.ways)}, this table's Doors and Holes")
    reader.check()
    return scenario


def _markers(reader: Reader, markers: Mapping[str, object], places: Places) -> list[tuple[str, str]]:
    reader.unknown(markers, "markers", TEAMS)
    found = []
    for team in TEAMS:
        where = markers.get(team)
        if not isinstance(where, list) or not where or len(where) > MARKERS:
            reader.wrong(f"markers.{team}", where, f"a list of 1 to {MARKERS} Doors and Holes")
            continue
        for nth, place in enumerate(where):
            if place not in places.ways:
                expected = f"a Door or Hole of this table: {', '.join(places.ways)}"
                reader.wrong(f"markers.{team}[{nth}]", place, expected)
            elif place in where[:nth]:
                reader.wrong(f"markers.{team}[{nth}]", place, "each place once")
            else:
                found.append((place, team))
    return found
