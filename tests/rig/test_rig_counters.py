"""Gate counters have the last word: what edges missed is added, what they got wrong is flagged, nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from arena.rig import Rig
from arena.words import Edge, Seen

Tell = Callable[..., list[Any]]


def warm(rig: Rig, board: Any, tell: Tell) -> None:
    """An ordinary pass long before, so that the counter has been heard."""
    tell(rig, board.edges(board.crossing("D1", 1_000_000, 1.0)), 10_000_000)


@pytest.mark.parametrize("forward", [True, False])
def test_a_pass_that_nobody_looked_at_is_told_by_the_counter(
    rig: Rig, lower: Any, tell: Tell, moved: Tell, forward: bool
) -> None:
    lower.blind = [(999_000, 1_015_000)]
    edges = lower.edges(lower.crossing("D1", 1_000_000, 4.0, forward))
    assert [edge.count for edge in edges] == [4 if forward else -4]
    found = tell(rig, edges, 10_000_000)
    assert moved(found) == [(Seen.PASS, "D1", *(("B5", "B1") if forward else ("B1", "B5")))]
    assert found[0].confidence < 1
    assert found[0].earliest_us <= 1_000_000
    assert found[0].latest_us >= 1_010_500


@pytest.mark.parametrize("blind_us", range(0, 12_000, 700))
@pytest.mark.parametrize("long_us", [1500, 3500, 6000])
@pytest.mark.parametrize("forward", [True, False])
def test_wherever_the_board_did_not_look_a_pass_is_one_pass(
    rig: Rig, lower: Any, tell: Tell, moved: Tell, blind_us: int, long_us: int, forward: bool
) -> None:
    start = 19_998_000 + blind_us
    lower.blind = [(start, start + long_us)]
    edges = lower.edges(lower.crossing("D1", 1_000_000, 1.0) + lower.crossing("D1", 20_000_000, 4.0, forward))
    warm_up = [edge for edge in edges if edge.latest_us < 10_000_000]
    tell(rig, warm_up, 10_000_000)
    found = moved(tell(rig, edges[len(warm_up) :], 30_000_000))
    assert found == [(Seen.PASS, "D1", *(("B5", "B1") if forward else ("B1", "B5")))]


@pytest.mark.parametrize("blind_us", range(0, 14_000, 900))
def test_wherever_the_board_did_not_look_a_retreat_is_never_a_pass_for_good(
    rig: Rig, lower: Any, tell: Tell, moved: Tell, blind_us: int
) -> None:
    start = 19_998_000 + blind_us
    lower.blind = [(start, start + 3500)]
    later = lower.crossing("D7", 21_000_000, 1.0)
    edges = lower.edges(lower.crossing("D1", 1_000_000, 1.0) + lower.retreat("D1", 20_000_000, 3.0) + later)
    warm_up = [edge for edge in edges if edge.latest_us < 10_000_000]
    tell(rig, warm_up, 10_000_000)
    found = [each for each in tell(rig, edges[len(warm_up) :], 30_000_000) if each.place == "D1"]
    told = [each.seen for each in found]
    assert told.count(Seen.PASS) <= told.count(Seen.SICK)
    assert Seen.PASS not in told or "strike the pass" in found[-1].note


def test_a_pass_that_the_counter_saw_come_back_is_flagged_and_not_taken_back(rig: Rig, lower: Any, tell: Tell) -> None:
    warm(rig, lower, tell)
    edges = lower.edges(lower.crossing("D1", 20_000_000, 1.0))
    wrong = [replace(edge, count=edge.count - 4) if edge.count is not None else edge for edge in edges]
    found = tell(rig, wrong)
    assert [each.seen for each in found] == [Seen.PASS, Seen.SICK]
    assert "counter of D1" in found[1].note
    assert "strike" in found[1].note


def test_a_pass_that_the_counter_never_confirms_is_flagged_when_more_is_heard(rig: Rig, lower: Any, tell: Tell) -> None:
    warm(rig, lower, tell)
    edges = [edge for edge in lower.edges(lower.crossing("D1", 20_000_000, 1.0)) if edge.count is None]
    assert [each.seen for each in tell(rig, edges)] == [Seen.PASS]
    later = tell(rig, lower.edges(lower.crossing("D7", 20_500_000, 1.0)))
    assert [(each.seen, each.place) for each in later] == [(Seen.SICK, "D1"), (Seen.PASS, "D7")]


def test_a_reading_that_comes_late_over_a_bad_cable_is_no_second_pass(
    rig: Rig, lower: Any, tell: Tell, moved: Tell
) -> None:
    warm(rig, lower, tell)
    edges = lower.edges(lower.crossing("D1", 20_000_000, 1.0))
    found = tell(rig, edges[:-1], 60_000_000)  # the cable is out, everything settles
    found += tell(rig, edges[-1:], 70_000_000)
    assert moved(found) == [(Seen.PASS, "D1", "B5", "B1")]


def test_the_counter_wraps_and_nobody_notices(rig: Rig, lower: Any, tell: Tell, moved: Tell) -> None:
    value = 0
    found: list[Any] = []
    for turn in range(3):
        edges = lower.edges(lower.crossing("D1", 1_000_000 + 20_000_000 * turn, 1.0))
        value += 4
        edges = [replace(edge, count=signed(value)) if edge.count is not None else edge for edge in edges]
        found += tell(rig, edges, 15_000_000 + 20_000_000 * turn)
        if turn == 0:  # as if it had counted to just before the wrap
            value = 0x7FFC
            at_us = 16_000_000
            found += rig.fold(Edge(replace(edges[-1].id, number=1000), "lower", 0, 0, at_us, at_us, signed(value)))
    passes = [each for each in moved(found) if each[0] is Seen.PASS]
    assert len(passes) >= 3
    assert moved(found)[-1] == (Seen.PASS, "D1", "B5", "B1")


def signed(value: int) -> int:
    return (value + 0x8000) % 0x10000 - 0x8000


def test_a_count_that_is_no_whole_pass_is_a_sick_gate(rig: Rig, lower: Any, tell: Tell) -> None:
    warm(rig, lower, tell)
    edges = lower.edges(lower.crossing("D1", 20_000_000, 1.0))
    odd = [replace(edge, count=edge.count + 3) if edge.count is not None else edge for edge in edges]
    found = tell(rig, odd)
    assert [each.seen for each in found] == [Seen.PASS, Seen.SICK]


def test_without_counters_a_mecha_too_fast_for_its_entry_is_a_doubtful_pass(
    rig: Rig, lower: Any, tell: Tell, moved: Tell
) -> None:
    lower.counters = False
    lower.blind = [(999_000, 1_004_000)]  # both beams went dark meanwhile
    found = tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 4.0)), 10_000_000)
    assert moved(found) == [(Seen.PASS, "D1", "B5", "B1")]
    assert found[0].confidence == 0.5


def test_a_daemon_that_starts_beside_a_running_board_takes_its_counter_as_it_is(
    rig: Rig, lower: Any, tell: Tell, moved: Tell
) -> None:
    lower.edges(lower.crossing("D1", 1_000_000, 1.0))  # nobody listens
    edges = lower.edges(lower.crossing("D1", 20_000_000, 1.0, False))
    running = [replace(edge, count=-400) if edge.count is not None else edge for edge in edges]
    assert moved(tell(rig, running, 30_000_000)) == [(Seen.PASS, "D1", "B1", "B5")]
