"""Holes, the Launcher and buttons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from arena.rig import Rig, load_rig
from arena.words import Edge, EdgeId, Seen

Tell = Callable[..., list[Any]]


def dark(board: Any, place: str, at_us: int, for_us: int) -> list[tuple[int, int, int]]:
    channel = board.channel(place)
    return [(at_us, channel, 1), (at_us + for_us, channel, 0)]


@pytest.mark.parametrize("for_ms", [8, 25, 60, 200])
def test_what_falls_through_a_hole_arrives_in_the_box_below(rig: Rig, upper: Any, tell: Tell, for_ms: int) -> None:
    edges = upper.edges(dark(upper, "H1", 1_000_000, for_ms * 1000))
    found = tell(rig, edges, 10_000_000)
    assert [(each.seen, each.place) for each in found] == [(Seen.DROP, "H1"), (Seen.SETTLED, "")]
    assert (found[0].origin, found[0].target, found[0].confidence) == ("B6", "B4", 1.0)


def test_a_drop_whose_edges_were_missed_is_told_by_the_counter(rig: Rig, upper: Any, tell: Tell) -> None:
    upper.blind = [(999_000, 1_020_000)]
    found = tell(rig, upper.edges(dark(upper, "H2", 1_000_000, 9_000)), 10_000_000)
    assert [(each.seen, each.place, each.target) for each in found[:-1]] == [(Seen.DROP, "H2", "B2")]
    assert found[0].confidence < 1


def test_a_hand_in_a_hole_is_stuck_and_then_a_doubtful_drop(rig: Rig, upper: Any, tell: Tell) -> None:
    edges = upper.edges(dark(upper, "H1", 1_000_000, 6_000_000))
    found = tell(rig, edges[:1], 6_000_000) + tell(rig, edges[1:], 20_000_000)
    assert [each.seen for each in found] == [Seen.STUCK, Seen.SETTLED, Seen.DROP, Seen.SETTLED]
    assert found[0].sides == ("B6",)
    assert found[2].confidence == 0.5


def test_a_launch_is_told_when_the_launcher_is_let_go(rig: Rig, upper: Any, tell: Tell) -> None:
    press, release = upper.edges(dark(upper, "L1", 1_000_000, 400_000))
    assert rig.fold(press) == []
    (launch,) = rig.fold(release)
    assert (launch.seen, launch.place, launch.origin) == (Seen.LAUNCH, "L1", None)
    assert launch.latest_us == release.latest_us
    assert [each.seen for each in tell(rig, [], 10_000_000)] == [Seen.SETTLED]


def test_rattling_contacts_make_one_launch(rig: Rig, upper: Any, tell: Tell, moved: Tell) -> None:
    channel = upper.channel("L1")
    times_ms = [0, 1, 2, 4, 5, 400, 401, 403, 404, 409]
    changes = [(1_000_000 + 1000 * ms, channel, (index + 1) % 2) for index, ms in enumerate(times_ms)]
    assert [each[0] for each in moved(tell(rig, upper.edges(changes), 10_000_000))] == [Seen.LAUNCH]


def test_pressing_the_launcher_alone_moves_nothing(rig: Rig, upper: Any, tell: Tell) -> None:
    assert tell(rig, upper.edges(dark(upper, "L1", 1_000_000, 400_000))[:1], 10_000_000) == []


def test_a_button_tells_a_press_and_no_movement(shipped: str, tell: Tell) -> None:
    text = shipped.replace("[depots]", "[buttons.UNDO]\n[depots]")
    text = text.replace('{ place = "L1", pin = 26 },', '{ place = "L1", pin = 26 },\n{ place = "UNDO", pin = 27 },')
    rig = Rig(load_rig(text))
    press = Edge(EdgeId("00c0ffee", 0), "upper", 11, 1, 1_000_000, 1_000_200)
    release = replace(press, id=EdgeId("00c0ffee", 1), level=0, earliest_us=1_200_000, latest_us=1_200_200)
    assert [(each.seen, each.place) for each in tell(rig, [press, release], 10_000_000)] == [(Seen.PRESS, "UNDO")]
