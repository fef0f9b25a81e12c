"""When everything lies still: once a movement, the sooner the slower its last pass was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from arena.rig import Rig
from arena.words import Seen

Tell = Callable[..., list[Any]]


def settled_after_us(rig: Rig) -> int:
    due_us = rig.next_tick_us
    assert due_us is not None
    assert rig.tick(due_us - 1) == []
    (settled,) = rig.tick(due_us)
    assert settled.seen is Seen.SETTLED
    assert rig.next_tick_us is None
    return due_us


@pytest.mark.parametrize(("speed_m_s", "least_s", "most_s"), [(0.2, 0.6, 0.8), (1.0, 0.9, 1.1), (6.0, 2.4, 2.7)])
def test_a_fast_mecha_is_waited_for_longer_than_a_slow_one(
    rig: Rig, lower: Any, tell: Tell, speed_m_s: float, least_s: float, most_s: float
) -> None:
    (one,) = tell(rig, lower.edges(lower.crossing("D1", 1_000_000, speed_m_s)))
    assert least_s < (settled_after_us(rig) - one.latest_us) / 1e6 < most_s


def test_a_fast_pass_followed_by_a_slow_one_waits_for_the_fast_ones_piece(rig: Rig, lower: Any, tell: Tell) -> None:
    tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 5.0) + lower.crossing("D7", 1_200_000, 0.3)))
    assert settled_after_us(rig) > 1_000_000 + 2_300_000


def test_nothing_settles_before_anything_moved(rig: Rig) -> None:
    assert rig.next_tick_us is None
    assert rig.tick(10**9) == []


def test_each_movement_settles_once(rig: Rig, lower: Any, tell: Tell) -> None:
    edges = lower.edges([change for at_s in (1, 11, 21) for change in lower.crossing("D1", at_s * 1_000_000, 1.0)])
    found = []
    for edge in edges:
        found += rig.tick(edge.latest_us - 50_000) + rig.fold(edge)
    found += rig.tick(60_000_000) + rig.tick(61_000_000)
    assert [each.seen for each in found] == [Seen.PASS, Seen.SETTLED] * 3


def test_settled_says_when_it_was_not_when_it_was_asked(rig: Rig, lower: Any, tell: Tell) -> None:
    one, settled = tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0)), 60_000_000)
    assert one.latest_us < settled.latest_us < one.latest_us + 2_000_000


def test_settled_names_the_last_edge_before_it(rig: Rig, lower: Any, tell: Tell) -> None:
    edges = lower.edges(lower.crossing("D1", 1_000_000, 1.0))
    assert tell(rig, edges, 60_000_000)[-1].edges == (edges[-1].id,)


def test_a_launch_is_waited_for_as_long_as_anything(rig: Rig, upper: Any, tell: Tell) -> None:
    channel = upper.channel("L1")
    edges = upper.edges([(1_000_000, channel, 1), (1_500_000, channel, 0)])
    tell(rig, edges)
    assert settled_after_us(rig) >= 1_500_000 + 2_500_000


def test_a_flickering_beam_does_not_keep_the_game_waiting(rig: Rig, lower: Any, tell: Tell) -> None:
    channel = lower.channel("D3", "A")
    flicker = [(2_000_000 + 20_000 * index, channel, (index + 1) % 2) for index in range(500)]
    lower.counters = False
    found = []
    for edge in lower.edges(lower.crossing("D1", 1_000_000, 1.0) + flicker):
        found += rig.tick(edge.latest_us) + rig.fold(edge)
    settled = [each for each in found if each.seen is Seen.SETTLED]
    assert settled
    assert settled[0].latest_us < 6_000_000
