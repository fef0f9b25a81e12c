"""Sensors that cannot be believed, and what may be missing: said once, in the owner's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arena.rig import Rig
from arena.words import Edge, EdgeId, Gap, Seen

Tell = Callable[..., list[Any]]


def sick(found: list[Any]) -> list[Any]:
    return [each for each in found if each.seen is Seen.SICK]


def test_a_flickering_beam_is_called_sick_once_and_well_again_when_it_is_quiet(
    rig: Rig, lower: Any, tell: Tell
) -> None:
    lower.counters = False
    channel = lower.channel("D3", "B")
    changes = [(1_000_000 + 9_000 * index, channel, (index + 1) % 2) for index in range(400)]
    found = tell(rig, lower.edges(changes), 5_000_000)
    assert [each.place for each in sick(found)] == ["D3"]
    assert sick(found)[0].note.startswith("Beam B of D3 flickers")
    assert len([each for each in found if each.seen is Seen.BOUNCE]) < 20
    assert rig.sick()["D3"].startswith("Beam B of D3 flickers")
    rig.tick(60_000_000)
    assert "D3" not in rig.sick()


def test_a_pass_at_a_flickering_door_counts_for_little(rig: Rig, lower: Any, tell: Tell) -> None:
    lower.counters = False
    channel = lower.channel("D1", "A")
    changes = [(1_000_000 + 9_000 * index, channel, (index + 1) % 2) for index in range(40)]
    found = tell(rig, lower.edges(changes + lower.crossing("D1", 2_000_000, 1.0)))
    assert [each.confidence for each in found if each.seen is Seen.PASS] == [0.5]


def test_a_beam_never_heard_of_while_its_partner_is_broken_is_sick(rig: Rig, lower: Any, tell: Tell) -> None:
    lower.counters = False
    passes = [change for at_s in range(1, 8) for change in lower.crossing("D1", at_s * 1_000_000, 1.0)]
    dead = lower.channel("D1", "B")
    found = tell(rig, lower.edges([change for change in passes if change[1] != dead]), 20_000_000)
    assert [each.place for each in sick(found)] == ["D1"]
    assert sick(found)[0].note.startswith("Beam B of D1 says nothing")
    assert "D1" in rig.sick()
    tell(rig, lower.edges(lower.crossing("D1", 30_000_000, 1.0)))
    assert rig.sick() == {}


def test_a_few_bounces_on_one_side_are_no_sickness(rig: Rig, lower: Any, tell: Tell) -> None:
    changes = lower.crossing("D1", 1_000_000, 1.0)
    for at_s in range(2, 10):
        changes += lower.retreat("D1", at_s * 1_000_000, 0.5, deep=False)
    assert sick(tell(rig, lower.edges(changes), 20_000_000)) == []


def test_lost_edges_are_said_with_the_places_where_passes_may_be_missing(rig: Rig, lower: Any, tell: Tell) -> None:
    tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0)), 5_000_000)
    (one,) = rig.gap(Gap("lower", lower.boot, 5, 16, "the board's memory was full."))
    assert (one.seen, one.place) == (Seen.SICK, "lower")
    assert one.note == (
        "Board lower lost 12 changes (the board's memory was full): "
        "passes at D1, D2, D3, D4, D5, D6, D7, D8 may be missing."
    )
    assert rig.levels["lower"] == [None] * 16
    assert rig.levels["upper"] == [None] * 11


def test_a_pass_among_lost_edges_is_told_by_the_counter(rig: Rig, lower: Any, tell: Tell, moved: Tell) -> None:
    tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0)), 5_000_000)
    edges = lower.edges(lower.crossing("D1", 10_000_000, 1.0, False))
    lost, reading = edges[:4], edges[4]
    found = rig.gap(Gap("lower", lower.boot, lost[0].id.number, lost[-1].id.number, "overflow"))
    found += tell(rig, [reading], 20_000_000)
    assert [(each[0], each[1]) for each in moved(found)] == [(Seen.SICK, "lower"), (Seen.PASS, "D1")]
    assert found[1].target == "B5"


def test_a_board_that_starts_again_forgets_what_was_dark_and_says_so(rig: Rig, lower: Any, tell: Tell) -> None:
    tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0)[:2]), 1_500_000)
    assert rig.levels["lower"][:2] == [1, 1]
    anew = replace(lower.edges(lower.crossing("D7", 9_000_000, 1.0))[0], id=EdgeId("11111111", 0))
    found = rig.fold(anew)
    assert sick(found)[-1].place == "lower"
    assert "started again" in sick(found)[-1].note
    assert rig.levels["lower"][:2] == [None, None]


def test_the_first_boot_of_all_is_no_news(rig: Rig, lower: Any, tell: Tell) -> None:
    assert sick(tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0)), 9_000_000)) == []


def test_what_was_in_a_frame_before_anybody_looked_is_not_guessed(rig: Rig, lower: Any, tell: Tell) -> None:
    lower.counters = False
    out = lower.crossing("D1", 1_000_000, 1.0)[2:]
    edges = [
        Edge(EdgeId(lower.boot, 40 + index), "lower", channel, 0, at_us - 100, at_us)
        for index, (at_us, channel, _) in enumerate(out)
    ]
    found = tell(rig, edges, 9_000_000)
    assert [each.seen for each in found if each.seen is not Seen.SETTLED][-1] is Seen.SICK
    assert not [each for each in found if each.seen in (Seen.PASS, Seen.BOUNCE)]


def test_a_board_or_an_input_that_the_rig_file_does_not_know_is_said_once(rig: Rig, lower: Any, tell: Tell) -> None:
    edge = lower.edges(lower.crossing("D1", 1_000_000, 1.0))[0]
    found = rig.fold(replace(edge, board="attic")) + rig.fold(replace(edge, board="attic"))
    assert [each.note for each in found] == ["Board attic is not in the rig file: which table is it of?"]
    found = rig.fold(replace(edge, channel=20)) + rig.fold(replace(edge, channel=20))
    assert [each.note for each in found] == [
        "Board lower tells of input 20, but the rig file gives it 16: flash it again."
    ]
    assert set(rig.sick()) == {"attic", "lower"}


def test_a_status_that_differs_for_a_second_is_a_flagged_correction_and_no_pass(
    rig: Rig, lower: Any, tell: Tell
) -> None:
    tell(rig, lower.edges(lower.crossing("D1", 1_000_000, 1.0)), 5_000_000)
    assert rig.levels_say("lower", 0b0001, 6_000_000) == []
    assert rig.levels_say("lower", 0b0000, 7_000_000) == []  # only the edge was late
    assert rig.levels_say("lower", 0b0001, 8_000_000) == []
    (one,) = rig.levels_say("lower", 0b0001, 9_000_000)
    assert (one.seen, one.place) == (Seen.SICK, "D1")
    assert one.note == "Beam A of D1 is dark, but nobody saw it change: a pass there may be missing."
    assert rig.levels["lower"][0] == 1


def test_the_first_status_tells_what_is_dark_from_the_start(rig: Rig) -> None:
    assert rig.levels_say("lower", 0b0011, 1_000_000) == []
    found = rig.tick(9_000_000)
    assert [(each.seen, each.place) for each in found] == [(Seen.STUCK, "D1"), (Seen.SETTLED, "")]
