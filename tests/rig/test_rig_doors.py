"""Doors: a complete pass is told from a bounce, from something stuck and from a hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from arena.rig import Rig, RigFile
from arena.words import Seen

Tell = Callable[..., list[Any]]
SPEEDS = (0.2, 0.35, 0.7, 1.2, 2.0, 3.3, 4.0, 6.0)


@pytest.mark.parametrize("speed_m_s", SPEEDS)
@pytest.mark.parametrize("forward", [True, False], ids=["B5 to B1", "B1 to B5"])
@pytest.mark.parametrize("counters", [True, False], ids=["counted", "uncounted"])
def test_a_mecha_through_d1_is_one_pass_told_when_its_last_beam_clears(
    rig: Rig, lower: Any, tell: Tell, moved: Tell, speed_m_s: float, forward: bool, counters: bool
) -> None:
    lower.counters = counters
    edges = lower.edges(lower.crossing("D1", 1_000_000, speed_m_s, forward))
    completing = [edge for edge in edges if edge.count is None][-1]
    found = [sighting for edge in edges[: edges.index(completing) + 1] for sighting in rig.fold(edge)]
    way = ("B5", "B1") if forward else ("B1", "B5")
    assert moved(found) == [(Seen.PASS, "D1", *way)]
    one = found[0]
    assert one.confidence == 1.0
    assert one.edges == tuple(edge.id for edge in edges if edge.count is None)
    assert one.earliest_us == edges[0].earliest_us
    assert one.latest_us == completing.latest_us
    assert one.speed_mm_s == pytest.approx(speed_m_s * 1000, rel=0.08)
    assert one.length_mm == pytest.approx(30, rel=0.08)
    # Neither the counter's reading nor stillness tells it a second time
    rest = tell(rig, edges[edges.index(completing) + 1 :], 10_000_000)
    assert [each.seen for each in rest] == [Seen.SETTLED]


@pytest.mark.parametrize("slowing", [0.3, 0.6])
def test_a_mecha_that_slows_down_in_the_frame_keeps_its_length(
    rig: Rig, lower: Any, tell: Tell, slowing: float
) -> None:
    (one,) = tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0, slowing=slowing)))
    assert one.length_mm == pytest.approx(30, rel=0.1)
    assert 1000 * slowing < one.speed_mm_s < 1000


@pytest.mark.parametrize("deep", [True, False], ids=["both beams", "one beam"])
@pytest.mark.parametrize("forward", [True, False])
def test_a_retreat_is_a_bounce_on_the_side_that_it_came_from(
    rig: Rig, lower: Any, tell: Tell, moved: Tell, deep: bool, forward: bool
) -> None:
    found = tell(rig, lower.edges(lower.retreat("D1", 1_000_000, 0.8, forward, deep)), 10_000_000)
    side = "B5" if forward else "B1"
    assert moved(found) == [(Seen.BOUNCE, "D1", side, side)]


def test_hesitating_in_the_frame_before_going_through_is_one_pass(
    rig: Rig, lower: Any, tell: Tell, moved: Tell
) -> None:
    a, b = lower.channel("D1", "A"), lower.channel("D1", "B")
    steps = [(0, a, 1), (20, b, 1), (60, b, 0), (95, b, 1), (140, a, 0), (170, a, 1), (230, a, 0), (260, b, 0)]
    found = tell(
        rig, lower.edges([(1_000_000 + 1000 * ms, channel, level) for ms, channel, level in steps]), 10_000_000
    )
    assert moved(found) == [(Seen.PASS, "D1", "B5", "B1")]


def test_two_mechas_one_after_the_other_are_two_passes(rig: Rig, lower: Any, tell: Tell, moved: Tell) -> None:
    first = lower.crossing("D1", 1_000_000, 2.0)
    second = lower.crossing("D1", 1_025_000, 2.0)
    assert moved(tell(rig, lower.edges(first + second), 10_000_000)) == [(Seen.PASS, "D1", "B5", "B1")] * 2


@pytest.mark.parametrize("gap_mm", [3, 6, 9])
def test_two_mechas_so_near_that_a_beam_is_always_dark_are_two_passes(
    rig: Rig, lower: Any, tell: Tell, moved: Tell, gap_mm: float
) -> None:
    first = lower.crossing("D1", 1_000_000, 1.0)
    second = lower.crossing("D1", 1_000_000 + round((30 + gap_mm) * 1000), 1.0)
    found = tell(rig, lower.edges(first + second), 10_000_000)
    assert moved(found) == [(Seen.PASS, "D1", "B5", "B1")] * 2
    assert found[0].edges != found[1].edges


def test_two_mechas_that_touch_look_like_one_long_one_and_are_doubted(rig: Rig, lower: Any, tell: Tell) -> None:
    (one,) = tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0, length_mm=60)))
    assert one.seen is Seen.PASS
    assert one.confidence < 0.7
    assert "two together" in one.note


def test_a_hand_through_a_door_is_told_as_too_long_for_a_mecha(rig: Rig, lower: Any, tell: Tell) -> None:
    (one,) = tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 0.3, length_mm=180)))
    assert (one.seen, one.target) == (Seen.PASS, "B1")
    assert one.confidence <= 0.3
    assert "hand" in one.note


@pytest.mark.parametrize("length_mm", [4, 8, 11])
@pytest.mark.parametrize("forward", [True, False])
def test_a_thing_smaller_than_the_spacing_passes_with_doubt(
    rig: Rig, lower: Any, tell: Tell, moved: Tell, length_mm: float, forward: bool
) -> None:
    edges = lower.edges(lower.crossing("D1", 1_000_000, 0.5, forward, length_mm))
    found = tell(rig, edges, 10_000_000)
    assert moved(found) == [(Seen.PASS, "D1", *(("B5", "B1") if forward else ("B1", "B5")))]
    assert found[0].confidence <= 0.5


def test_two_mechas_that_bounce_from_both_sides_do_not_make_a_pass(
    rig: Rig, lower: Any, tell: Tell, moved: Tell
) -> None:
    here = lower.retreat("D1", 1_000_000, 0.5, True, deep=False)
    there = lower.retreat("D1", 1_600_000, 0.5, False, deep=False)
    found = tell(rig, lower.edges(here + there), 10_000_000)
    assert moved(found) == [(Seen.BOUNCE, "D1", "B5", "B5"), (Seen.BOUNCE, "D1", "B1", "B1")]


def test_passes_through_several_doors_at_once_are_told_apart(rig: Rig, lower: Any, tell: Tell, moved: Tell) -> None:
    changes = lower.crossing("D1", 1_000_000, 1.0, False) + lower.crossing("D7", 1_001_000, 1.2)
    changes += lower.crossing("D3", 1_010_000, 1.1, False)
    found = moved(tell(rig, lower.edges(changes), 10_000_000))
    assert sorted(found) == [
        (Seen.PASS, "D1", "B1", "B5"),
        (Seen.PASS, "D3", "B5", "B3"),
        (Seen.PASS, "D7", "B4", "B3"),
    ]


def test_what_stays_in_the_frame_is_stuck_and_has_not_passed(rig: Rig, lower: Any, tell: Tell) -> None:
    into = lower.crossing("D1", 1_000_000, 0.5)[:2]
    found = tell(rig, lower.edges(into), 10_000_000)
    assert [each.seen for each in found] == [Seen.STUCK, Seen.SETTLED]
    assert (found[0].origin, found[0].target, found[0].sides) == ("B5", "B1", ("B5", "B1"))


def test_a_stuck_mecha_that_shows_on_one_side_only_says_which(rig: Rig, lower: Any, tell: Tell) -> None:
    found = tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 0.5)[:3]), 10_000_000)
    assert (found[0].seen, found[0].sides) == (Seen.STUCK, ("B1",))


def test_what_is_stuck_is_told_once_however_often_others_move(rig: Rig, lower: Any, tell: Tell, moved: Tell) -> None:
    changes = lower.crossing("D1", 1_000_000, 0.5)[:2] + lower.crossing("D7", 20_000_000, 1.0)
    edges = lower.edges(changes)
    found = tell(rig, edges[:2], 10_000_000) + tell(rig, edges[2:], 30_000_000)
    assert [each[0] for each in moved(found)] == [Seen.STUCK, Seen.PASS]


def test_a_stuck_mecha_flicked_on_passes_in_the_later_movement(rig: Rig, lower: Any, tell: Tell) -> None:
    whole = lower.crossing("D1", 1_000_000, 0.5)
    on = [(at_us + 20_000_000, channel, level) for at_us, channel, level in whole[2:]]
    edges = lower.edges(whole[:2] + on)
    tell(rig, edges[:2], 10_000_000)
    (one,) = [each for each in tell(rig, edges[2:], 30_000_000) if each.seen is Seen.PASS]
    assert (one.origin, one.target) == ("B5", "B1")
    assert one.earliest_us > 20_000_000  # it belongs to the later Activation
    assert one.confidence == 0.5  # lifting it out looks the same
    assert one.length_mm is None


def test_a_hand_that_stays_in_a_door_is_stuck_until_it_leaves(rig: Rig, lower: Any, tell: Tell, moved: Tell) -> None:
    edges = lower.edges(lower.retreat("D1", 1_000_000, 0.002))
    found = []
    for edge in edges:
        found += rig.tick(edge.latest_us - 1000) + rig.fold(edge)
    found += rig.tick(60_000_000)
    assert [each[0] for each in moved(found)] == [Seen.STUCK, Seen.STUCK, Seen.STUCK, Seen.BOUNCE]


def test_every_door_of_the_house_is_watched_both_ways(house: RigFile, make_board: Any, tell: Tell, moved: Tell) -> None:
    for door in house.doors.values():
        board = make_board(next(b.name for b in house.boards.values() if any(g.place == door.name for g in b.gates)))
        rig = Rig(house)
        changes = board.crossing(door.name, 1_000_000, 1.0) + board.crossing(door.name, 5_000_000, 1.0, False)
        first, second = door.boxes
        assert moved(tell(rig, board.edges(changes), 10_000_000)) == [
            (Seen.PASS, door.name, first, second),
            (Seen.PASS, door.name, second, first),
        ]
