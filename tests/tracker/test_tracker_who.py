"""Who can have passed: named where it is certain, weighed where it is not, nobody where nobody can."""

from __future__ import annotations

import pytest
from arena.tracker import ANYWHERE, Belief, begin, dump, load, who
from arena.words import OUTSIDE, Candidate, Expectation, PieceId, PlaceId, Seen, Sighting
from hypothesis import given, settings
from hypothesis import strategies as st

CLANS = ("BBIT", "BUBO", "HOWLER", "SPIKE")
FORCE = ("SHI3LD", "DRON3", "CHAS3R", "WH33L")


def table(mover: PieceId | None = "BUBO", **where: PlaceId | tuple[PlaceId, ...]) -> Expectation:
    """Everybody on the Depot except those named."""
    home = dict.fromkeys(CLANS, ("B3",)) | dict.fromkeys(FORCE, ("B7",))
    moved = {piece: (places,) if isinstance(places, str) else places for piece, places in where.items()}
    return Expectation(known=home | moved, mover=mover)


def seen(kind: Seen, place: PlaceId, origin: PlaceId | None, target: PlaceId | None, confidence: float = 1) -> Sighting:
    return Sighting(kind, place, 1_000_000, 1_010_000, origin, target, confidence=confidence)


def passed(door: PlaceId, origin: PlaceId, target: PlaceId) -> Sighting:
    return seen(Seen.PASS, door, origin, target)


def names(candidates: tuple[Candidate, ...]) -> list[PieceId]:
    return [candidate.piece for candidate in candidates]


def test_the_only_piece_that_can_have_been_there_is_certain() -> None:
    expectation = table(BUBO="B1")
    candidates, belief = who(begin(expectation), passed("D1", "B1", "B5"), expectation)
    assert candidates == (Candidate("BUBO", 1.0),)
    assert belief.places("BUBO") == {"B5": 1.0}


def test_that_holds_for_a_piece_that_somebody_knocked_through() -> None:
    expectation = table(BUBO="B1", SHI3LD="B2")
    candidates, belief = who(begin(expectation), passed("D2", "B2", "B5"), expectation)
    assert candidates == (Candidate("SHI3LD", 1.0),)
    assert belief.places("SHI3LD") == {"B5": 1.0}
    assert belief.places("BUBO") == {"B1": 1.0}


def test_the_mover_is_strongly_preferred_among_those_that_were_there() -> None:
    expectation = table()
    candidates, _ = who(begin(expectation), passed("D3", "B3", "B5"), expectation)
    assert names(candidates) == ["BUBO", "BBIT", "HOWLER", "SPIKE"]
    assert candidates[0].weight > 0.9
    assert sum(candidate.weight for candidate in candidates) == pytest.approx(1)


def test_the_mover_is_not_named_where_it_cannot_be() -> None:
    expectation = table(mover="BUBO", BUBO="B1")
    candidates, _ = who(begin(expectation), passed("D3", "B3", "B5"), expectation)
    assert names(candidates) == ["BBIT", "HOWLER", "SPIKE"]
    assert [candidate.weight for candidate in candidates] == pytest.approx([1 / 3] * 3)


def test_nobody_is_named_where_nobody_can_have_been() -> None:
    expectation = table()
    belief = begin(expectation)
    assert who(belief, passed("D1", "B1", "B5"), expectation) == ((), belief)


def test_a_piece_outside_passes_nothing() -> None:
    expectation = Expectation({"BUBO": (OUTSIDE,)}, mover="BUBO")
    assert who(begin(expectation), passed("D1", "B1", "B5"), expectation)[0] == ()


def test_the_mover_is_followed_through_several_doors_and_down_a_hole() -> None:
    expectation = table(mover="DRON3")
    belief, who_it_was = begin(expectation), []
    for sighting in (
        passed("D9", "B7", "B6"),
        seen(Seen.DROP, "H1", "B6", "B4"),
        passed("D4", "B4", "B5"),
        passed("D1", "B5", "B1"),
    ):
        candidates, belief = who(belief, sighting, expectation)
        who_it_was.append(candidates[0].piece)
        assert candidates[0].weight > 0.9
    assert who_it_was == ["DRON3"] * 4
    assert candidates == (Candidate("DRON3", 1.0),)
    assert belief.likeliest("DRON3") == "B1"


def test_two_passes_from_a_box_of_two_leave_open_which_was_whose() -> None:
    # The mover may have gone first, or have followed the one that it pushed out
    expectation = table(BUBO="B1", SHI3LD="B1")
    first, belief = who(begin(expectation), passed("D1", "B1", "B5"), expectation)
    second, belief = who(belief, passed("D5", "B1", "B2"), expectation)
    assert names(first)[0] == "BUBO"
    assert sorted(names(second)) == ["BUBO", "SHI3LD"]
    assert second[0].weight < 0.6


def test_a_bounce_changes_nothing_but_names_who_it_was() -> None:
    expectation = table(BUBO="B1")
    belief = begin(expectation)
    assert who(belief, seen(Seen.BOUNCE, "D1", "B1", "B1"), expectation) == ((Candidate("BUBO", 1.0),), belief)


def test_a_stuck_piece_is_in_both_boxes() -> None:
    expectation = table(BUBO="B1")
    candidates, belief = who(begin(expectation), seen(Seen.STUCK, "D1", "B1", "B5"), expectation)
    assert names(candidates) == ["BUBO"]
    assert belief.places("BUBO") == {"B1": 0.5, "B5": 0.5}


def test_a_piece_known_to_be_in_two_boxes_can_pass_from_either() -> None:
    for origin, target, door in (("B1", "B2", "D5"), ("B5", "B3", "D3")):
        expectation = table(BUBO=("B1", "B5"))
        candidates, belief = who(begin(expectation), passed(door, origin, target), expectation)
        assert candidates == (Candidate("BUBO", 1.0),)
        assert belief.places("BUBO") == {target: 1.0}


def test_a_launch_is_the_movers_and_leads_anywhere() -> None:
    expectation = table(BUBO="B1")
    candidates, belief = who(begin(expectation), seen(Seen.LAUNCH, "L1", None, None), expectation)
    assert candidates == (Candidate("BUBO", 1.0),)
    assert belief.places("BUBO") == {ANYWHERE: 1.0}
    # Wherever it rolls on, it is likelier the launched one than those that lay there
    candidates, belief = who(belief, passed("D9", "B7", "B6"), expectation)
    assert candidates[0].piece == "BUBO"
    assert 0.5 < candidates[0].weight < 1
    assert belief.likeliest("BUBO") == "B6"


def test_a_launch_with_nobody_to_move_is_asked() -> None:
    expectation = table(mover=None)
    assert who(begin(expectation), seen(Seen.LAUNCH, "L1", None, None), expectation)[0] == ()


def test_passes_while_a_hand_is_placing_are_the_hands() -> None:
    expectation = Expectation({"BUBO": ("B1",)}, mover="BUBO", placing=("BUBO",))
    belief = begin(expectation)
    assert who(belief, passed("D1", "B1", "B5"), expectation) == ((), belief)


def test_without_a_mover_all_that_were_there_are_alike() -> None:
    expectation = table(mover=None)
    candidates, _ = who(begin(expectation), passed("D3", "B3", "B5"), expectation)
    assert {candidate.weight for candidate in candidates} == {0.25}


def test_a_doubtful_pass_leaves_the_piece_where_it_was_as_well() -> None:
    expectation = table(BUBO="B1")
    _, belief = who(begin(expectation), seen(Seen.PASS, "D1", "B1", "B5", confidence=0.3), expectation)
    assert belief.places("BUBO") == {"B1": 0.7, "B5": 0.3}


@pytest.mark.parametrize("kind", [Seen.SETTLED, Seen.SICK, Seen.PRESS])
def test_what_is_not_about_a_piece_names_nobody(kind: Seen) -> None:
    expectation = table()
    belief = begin(expectation)
    assert who(belief, seen(kind, "", None, None), expectation) == ((), belief)


def test_a_piece_that_the_game_has_brought_in_since_is_known() -> None:
    before = Expectation({"BUBO": ("B1",)}, mover="BUBO")
    after = Expectation({"BUBO": ("B1",), "DIE": ("B2",)}, mover="BUBO")
    candidates, _ = who(begin(before), passed("D2", "B2", "B5"), after)
    assert names(candidates) == ["DIE"]


def test_text_that_is_no_belief_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="expected a belief"):
        load("[1, 2]")


BOXES = [f"B{number}" for number in range(1, 8)]
SIGHTINGS = st.builds(
    seen,
    st.sampled_from([Seen.PASS, Seen.DROP, Seen.STUCK, Seen.BOUNCE, Seen.LAUNCH, Seen.SETTLED]),
    st.just("D1"),
    st.sampled_from(BOXES),
    st.sampled_from(BOXES),
    st.floats(0.05, 1),
)


@settings(max_examples=200, deadline=None)
@given(
    known=st.dictionaries(
        st.sampled_from([*CLANS, *FORCE]),
        st.lists(st.sampled_from([*BOXES, OUTSIDE]), max_size=3, unique=True).map(tuple),
    ),
    sightings=st.lists(SIGHTINGS, max_size=12),
    mover=st.sampled_from([None, *CLANS]),
)
def test_weights_sum_to_one_and_beliefs_survive_being_written(
    known: dict[str, tuple[str, ...]], sightings: list[Sighting], mover: str | None
) -> None:
    expectation = Expectation(known, mover)
    belief = begin(expectation)
    for sighting in sightings:
        candidates, belief = who(belief, sighting, expectation)
        if candidates:
            assert sum(candidate.weight for candidate in candidates) == pytest.approx(1)
            weights = [candidate.weight for candidate in candidates]
            assert weights == sorted(weights, reverse=True)
        for piece, places in belief.where:
            assert sum(weight for _, weight in places) == pytest.approx(1, abs=1e-4) or not places, piece
        again = load(dump(belief))
        assert again == belief
        assert dump(again) == dump(belief)
        assert isinstance(again, Belief)
