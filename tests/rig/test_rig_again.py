"""The same edges give the same sightings: again, with the clock ticking between them, and after a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from arena.rig import Rig, RigFile
from arena.rig.rig import LATE_US
from arena.words import Edge, Seen, Sighting
from hypothesis import given, settings
from hypothesis import strategies as st

Change = tuple[int, int, int]


@st.composite
def evenings(draw: st.DrawFn) -> list[tuple[str, int, str, float, bool, float]]:
    """Things that happen at Doors: (kind, milliseconds after the last, Door, m/s, way, length in mm)."""
    thing = st.tuples(
        st.sampled_from(["crossing", "crossing", "retreat", "touch", "enter", "dark"]),
        st.one_of(st.integers(0, 60), st.integers(300, 6000)),
        st.sampled_from(["D1", "D2", "D3"]),
        st.floats(0.2, 6.0),
        st.booleans(),
        st.sampled_from([8.0, 16.0, 30.0, 30.0, 55.0, 150.0]),
    )
    return draw(st.lists(thing, min_size=1, max_size=14))


def happen(board: Any, evening: list[tuple[str, int, str, float, bool, float]]) -> list[Edge]:
    changes: list[Change] = []
    at_us = 1_000_000
    for kind, after_ms, door, speed, way, length in evening:
        at_us += after_ms * 1000
        if kind == "crossing":
            changes += board.crossing(door, at_us, speed, way, length)
        elif kind == "enter":
            changes += board.crossing(door, at_us, speed, way, length)[:2]
        elif kind == "dark":
            board.blind.append((at_us, at_us + 5_000))
        else:
            changes += board.retreat(door, at_us, speed, way, deep=kind == "retreat")
    return list(board.edges(changes))


def arrivals(edges: list[Edge], delays: list[int]) -> list[tuple[int, Edge]]:
    """When each edge arrives: in order, and never more than the rig allows after it happened."""
    found, last = [], 0
    for edge, delay in zip(edges, delays, strict=False):
        last = max(last, edge.latest_us + delay)
        found.append((last, edge))
    return found


def folded(rig: Rig, edges: list[Edge], end_us: int) -> list[Sighting]:
    return [sighting for edge in edges for sighting in rig.fold(edge)] + rig.tick(end_us)


@settings(max_examples=150, deadline=None)
@given(evening=evenings(), data=st.data())
def test_ticking_between_the_edges_changes_nothing(
    house: RigFile, make_board: Callable[..., Any], evening: Any, data: st.DataObject
) -> None:
    edges = happen(make_board(), evening)
    end_us = edges[-1].latest_us + 20_000_000 if edges else 20_000_000
    delays = data.draw(st.lists(st.integers(0, LATE_US), min_size=len(edges), max_size=len(edges)))
    live: list[Sighting] = []
    rig = Rig(house)
    for at_us, edge in arrivals(edges, delays):
        due_us = rig.next_tick_us
        while due_us is not None and due_us < at_us and edge.latest_us + LATE_US >= at_us:
            live += rig.tick(due_us)
            due_us = rig.next_tick_us
        live += rig.fold(edge)
    live += rig.tick(end_us)
    assert live == folded(Rig(house), edges, end_us)


@settings(max_examples=100, deadline=None)
@given(evening=evenings(), data=st.data())
def test_a_rig_that_remembers_goes_on_after_a_crash_as_if_there_had_been_none(
    house: RigFile, make_board: Callable[..., Any], evening: Any, data: st.DataObject
) -> None:
    edges = happen(make_board(), evening)
    end_us = edges[-1].latest_us + 20_000_000 if edges else 20_000_000
    whole = folded(Rig(house), edges, end_us)
    cut = data.draw(st.integers(0, len(edges)))
    first = Rig(house)
    found = [sighting for edge in edges[:cut] for sighting in first.fold(edge)]
    second = Rig(house, json.loads(json.dumps(first.to_json())))
    assert found + folded(second, edges[cut:], end_us) == whole


@settings(max_examples=100, deadline=None)
@given(evening=evenings())
def test_folding_again_from_the_last_settled_loses_nothing_when_nothing_was_stuck(
    house: RigFile, make_board: Callable[..., Any], evening: Any
) -> None:
    # What a counter said before is only in the rig's memory: here nothing overlaps, so the edges suffice
    apart = [(kind, max(400, after_ms), *rest) for kind, after_ms, *rest in evening if kind not in ("enter", "dark")]
    edges = happen(make_board(), [thing for thing in apart if thing[-1] < 100])
    end_us = edges[-1].latest_us + 20_000_000 if edges else 20_000_000
    rig = Rig(house)
    whole: list[Sighting] = []
    settled_at: list[tuple[int, int]] = []  # (sightings until then, edges until then)
    for number, edge in enumerate(edges):
        for sighting in rig.fold(edge):
            whole.append(sighting)
            if sighting.seen is Seen.SETTLED:
                settled_at.append((len(whole), number))
    whole += rig.tick(end_us)
    for until, number in settled_at:
        again = folded(Rig(house), edges[number:], end_us)
        assert [essence(each) for each in again] == [essence(each) for each in whole[until:]]


def essence(sighting: Sighting) -> tuple[Any, ...]:
    return (sighting.seen, sighting.place, sighting.origin, sighting.target, sighting.latest_us, sighting.edges)


@settings(max_examples=100, deadline=None)
@given(evening=evenings())
def test_no_pass_is_told_twice_and_every_clear_pass_is_told(
    house: RigFile, make_board: Callable[..., Any], evening: Any
) -> None:
    # One thing after the other, seconds apart: then every one must be told as what it was
    spaced = [(kind, 4000, *rest[:-1], 30.0) for kind, _, *rest in evening if kind in ("crossing", "retreat", "touch")]
    found = [
        (each.seen, each.place, each.origin, each.target)
        for each in folded(Rig(house), happen(make_board(), spaced), 200_000_000)
        if each.seen is not Seen.SETTLED
    ]
    expected = []
    for kind, _, door, _, way, _ in spaced:
        first, second = house.doors[door].boxes if way else house.doors[door].boxes[::-1]
        expected.append((Seen.PASS, door, first, second) if kind == "crossing" else (Seen.BOUNCE, door, first, first))
    assert [each for each in found if each[0] is not Seen.SICK] == expected


def test_a_kill_between_the_two_beams_of_a_door_loses_nothing(house: RigFile, lower: Any, tell: Any) -> None:
    before = lower.edges(lower.crossing("D7", 1_000_000, 1.0))
    edges = lower.edges(lower.crossing("D1", 20_000_000, 1.0, False))
    whole = tell(Rig(house), before + edges, 40_000_000)
    rig = Rig(house)
    tell(rig, before, 10_000_000)  # settled: from here on it is folded again
    rig.fold(edges[0])
    del rig
    again = tell(Rig(house), edges, 40_000_000)
    assert again == whole[-2:]


def test_the_memory_of_another_version_is_forgotten(house: RigFile, lower: Any, tell: Any) -> None:
    rig = Rig(house, {"format": 0, "places": "something else"})
    assert [each.seen for each in tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0)))] == [Seen.PASS]
