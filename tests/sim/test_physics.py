"""The simulated table, in simulated time: it moves and breaks beams as a real one would."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from arena.sim.flight import Flight
from arena.sim.physics import Impossible, Physics
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import house_map

NORTH, EAST, SOUTH, WEST = math.pi / 2, 0.0, -math.pi / 2, math.pi
MAP = house_map()


@pytest.fixture
def table(table_map: dict[str, Any]) -> Physics:
    return Physics(table_map, seed=1)


def alone(table: Physics, piece: str, **place: Any) -> None:
    """Clear the table of everything but one piece, and put that somewhere."""
    for other in table.spots:
        table.place(other, "off")
    table.place(piece, **place)


def at(flight: Flight, place: str) -> list[tuple[str, int]]:
    return [(event.beam, event.level) for event in flight.beams if event.place == place]


def energy(table: Physics, flight: Flight) -> list[float]:
    """The table's kinetic energy between the drawn samples, up to the mass, coarsely."""
    steps: dict[int, float] = {}
    for samples in flight.samples.values():
        for (t0, x0, y0, a), (t1, x1, y1, b) in itertools.pairwise(samples):
            if t1 - t0 == 20_000 and a == b:
                steps[t0] = steps.get(t0, 0) + ((x1 - x0) ** 2 + (y1 - y0) ** 2) / 0.02**2
    return [steps[t] for t in sorted(steps)]


def test_a_mecha_flicked_straight_through_a_door_breaks_a_then_b_and_passes_once(table: Physics) -> None:
    alone(table, "BUBO", to="B5")
    flight = table.flick("BUBO", NORTH, 0.7)
    assert at(flight, "D1") == [("a", 1), ("b", 1), ("a", 0), ("b", 0)]
    assert [(p.piece, p.place, p.origin, p.target) for p in flight.passes] == [("BUBO", "D1", "B5", "B1")]
    assert table.where("BUBO") == ("B1",)


def test_a_beam_is_dark_for_width_by_speed_and_beams_follow_by_spacing_by_speed(table: Physics) -> None:
    alone(table, "BUBO", to="B5")
    a_dark, b_dark, a_clear, _ = (event.at_us for event in table.flick("BUBO", NORTH, 4.0).beams[:4])
    speed_mm_us = 12 / (b_dark - a_dark)
    assert speed_mm_us == pytest.approx(0.004, rel=0.03)
    assert (a_clear - a_dark) * speed_mm_us == pytest.approx(30, rel=0.03)


def test_the_other_way_through_a_door_breaks_b_first(table: Physics) -> None:
    alone(table, "BUBO", at_mm=(350, 560))
    flight = table.flick("BUBO", SOUTH, 0.8)
    assert at(flight, "D1") == [("b", 1), ("a", 1), ("b", 0), ("a", 0)]
    assert flight.passes[0].target == "B5"


def test_who_turns_back_in_a_frame_has_bounced_and_not_passed(table: Physics) -> None:
    alone(table, "BUBO", at_mm=(372, 350))  # heads for the post
    flight = table.flick("BUBO", NORTH, 0.9)
    assert not flight.passes
    assert at(flight, "D1") == [("a", 1), ("a", 0)]
    assert [(p.piece, p.place) for p in flight.bounces] == [("BUBO", "D1")]


def test_a_mecha_knocks_another_through_a_door(table: Physics) -> None:
    alone(table, "BUBO", at_mm=(350, 290))
    table.place("WH33L", at_mm=(350, 400))
    flight = table.flick("BUBO", NORTH, 1.2)
    assert flight.hits == ["WH33L"]
    assert ("WH33L", "D1", "B1") in [(p.piece, p.place, p.target) for p in flight.passes]


def test_a_wall_stops_a_mecha_and_no_beam_sees_it(table: Physics) -> None:
    alone(table, "BUBO", to="B5")
    flight = table.flick("BUBO", math.radians(45), 1.5)
    assert flight.beams == []
    assert table.where("BUBO") == ("B5",)


def test_a_slow_mecha_over_a_hole_drops_to_the_box_below(table: Physics) -> None:
    alone(table, "WH33L", at_mm=(175, 290), level="upper")
    flight = table.flick("WH33L", NORTH, 0.6)
    assert at(flight, "H1") == [("h", 1), ("h", 0)]
    assert [(p.place, p.origin, p.target) for p in flight.passes] == [("H1", "B6", "B4")]
    assert table.where("WH33L") == ("B4",)


def test_a_fast_mecha_flies_over_a_hole(table: Physics) -> None:
    alone(table, "WH33L", at_mm=(175, 250), level="upper")
    flight = table.flick("WH33L", NORTH, 1.3)
    assert flight.samples["WH33L"][3][2] > 300
    assert flight.passes == [] or flight.passes[0].at_us > 200_000  # only after coming back slowly


def test_a_mecha_at_rest_in_a_frame_is_stuck_and_keeps_the_beam_dark(table: Physics) -> None:
    alone(table, "BUBO", at_mm=(350, 400))
    flight = table.flick("BUBO", NORTH, 0.38)
    assert flight.stuck == [("BUBO", "D1")]
    assert flight.passes == []
    assert table.dark()
    assert set(table.where("BUBO")) <= {"B5", "B1"}
    lifted = table.place("BUBO", "B2")
    assert {(e.place, e.level) for e in lifted.beams} == {("D1", 0)}


def test_a_launch_presses_the_switch_and_lands_upper_or_outside(table_map: dict[str, Any]) -> None:
    ends = set()
    for seed in range(60):
        table = Physics(table_map, seed)
        flight = table.launch("BUBO")
        assert at(flight, "L1") == [("switch", 1), ("switch", 0)]
        assert (flight.landed == "outside") == (flight.outside == ["BUBO"])
        assert table.where("BUBO")[0] == flight.landed
        ends.add(flight.touchdown)
    assert ends == {"B6", "B7", "outside"}


def test_nobody_launches_from_an_inner_box_or_from_off_the_table(table: Physics) -> None:
    table.place("BUBO", "B5")
    with pytest.raises(Impossible, match="outer Box"):
        table.launch("BUBO")
    table.place("BUBO", "off")
    with pytest.raises(Impossible, match="off the table"):
        table.flick("BUBO", 0, 1)


def test_only_hard_flicks_at_the_outer_wall_now_and_then_leave_the_table(table_map: dict[str, Any]) -> None:
    def leavers(speed: float) -> int:
        return sum(bool(Physics(table_map, seed).flick("BBIT", SOUTH, speed).outside) for seed in range(100))

    assert 3 <= leavers(6.0) <= 40
    assert leavers(2.0) == 0


def test_the_same_seed_and_moves_give_the_same_flight(table_map: dict[str, Any]) -> None:
    def play(table: Physics) -> list[Flight]:
        return [table.flick("BUBO", 1.9, 5.5), table.launch("SPIKE"), table.flick("WH33L", 3.3, 4.0)]

    first = Physics(table_map, 5)
    middle = Physics.load(table_map, json.loads(json.dumps(first.dump())))
    assert play(first) == play(first.load(table_map, middle.dump())) == play(middle.copy())
    assert first.dump() != middle.dump()


def test_looking_ahead_on_a_copy_leaves_the_table_alone(table: Physics) -> None:
    before = table.dump()
    table.copy().flick("BUBO", 1.0, 3.0)
    assert table.dump() == before


def test_a_hand_puts_pieces_on_free_spots_and_breaks_no_beam(table: Physics) -> None:
    for piece in table.spots:
        for to in ("B1", "off", "B5", "B6", "depot"):
            assert table.place(piece, to).beams == []
    table.place("BUBO", at_mm=(430, 60))  # where HOWLER or SPIKE may stand
    spots = [s for s in table.spots.values() if s.level == "lower"]
    gaps = [math.dist((a.x, a.y), (b.x, b.y)) for a in spots for b in spots if a is not b]
    assert min(gaps) >= 30


@settings(max_examples=60, deadline=None)
@given(
    piece=st.sampled_from(["BUBO", "SPIKE", "WH33L", "DRON3"]),
    box=st.sampled_from(["B1", "B2", "B3", "B4", "B5", "B6", "B7"]),
    angle=st.floats(0, 2 * math.pi),
    speed=st.floats(0.2, 6.0),
)
def test_nothing_tunnels_through_a_wall_at_any_speed(piece: str, box: str, angle: float, speed: float) -> None:
    table = Physics(MAP, seed=3)
    table.place(piece, box)
    boxes = {name: table.where(name)[0] for name in table.spots}
    flight = table.flick(piece, angle, speed)
    for passed in flight.passes:
        assert passed.origin == boxes[passed.piece]
        boxes[passed.piece] = passed.target
    for name, spot in table.spots.items():
        if name in flight.outside:
            assert spot.level == "off"
        else:
            frames = [f for f in table.layout.frames_on[spot.level] if f.holds(spot.x, spot.y)]
            may_be = {table.where(name)[0], *(box for frame in frames for box in frame.boxes)}
            assert boxes[name] in may_be  # whoever changed Boxes went through a Door or Hole
            gaps = [wall.gap_mm(spot.x, spot.y) for wall in table.layout.walls_on[spot.level]]
            assert min(gaps) > 13  # at rest nothing is in a wall, but for a settling overlap
    for event in flight.beams:
        assert event.at_us >= 0


@settings(max_examples=30, deadline=None)
@given(angle=st.floats(0, 2 * math.pi), speed=st.floats(0.2, 6.0))
def test_energy_never_grows(angle: float, speed: float) -> None:
    table = Physics(MAP, seed=3)
    table.place("WH33L", "B3")
    levels = [(speed * 1000) ** 2, *energy(table, table.flick("BUBO", angle, speed))]
    # Chords between samples can only be shorter than the way, so a bounce looks like a dip and back
    highest_later = levels[-1]
    for level in reversed(levels[:-1]):
        assert highest_later <= levels[0] * 1.01
        highest_later = max(highest_later, level)


@settings(max_examples=40, deadline=None)
@given(angle=st.floats(0, 2 * math.pi), speed=st.floats(0.2, 6.0), seed=st.integers(0, 9))
def test_every_beam_alternates_and_ends_as_the_pieces_lie(angle: float, speed: float, seed: int) -> None:
    table = Physics(MAP, seed)
    table.place("BUBO", "B5")
    flight = table.flick("BUBO", angle, speed)
    levels: dict[tuple[str, str], int] = {}
    last_us = 0
    for event in flight.beams:
        assert event.at_us >= last_us
        assert event.level != levels.get((event.place, event.beam), 0)
        levels[event.place, event.beam], last_us = event.level, event.at_us
    assert {key for key, level in levels.items() if level} == table.dark()
