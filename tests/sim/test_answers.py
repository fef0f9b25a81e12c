"""A scripted player answers questions truthfully, from what it saw."""

from __future__ import annotations

from typing import Any

import pytest
from arena.sim.answers import truthful, whose


def movement(**what: Any) -> dict[str, Any]:
    return {"kind": "flick", "piece": "BUBO", "passes": [], "hits": [], "stuck": [], "origin": ["B3"], **what}


def passed(piece: str, place: str, origin: str, target: str) -> dict[str, Any]:
    return {"piece": piece, "place": place, "origin": origin, "target": target}


WHO = {
    "text": "Something passed Door D3 from B3 into B5. Which Mecha was it?",
    "choices": ["BUBO passed Door D3", "WH33L passed Door D3", "A hand, or nothing"],
}
HIT = {
    "text": "Something passed Door D3 from B3 into B5, and BUBO is not known to have been there. Which Mecha was it?",
    "choices": [
        "WH33L passed Door D3, hit by BUBO",
        "WH33L passed Door D3, pushed by another",
        "BUBO passed Door D3 after all",
        "A hand, or nothing",
    ],
}
LATE = {
    "text": "Something passed D3 from B3 into B5. It came late: it happened in BUBO's Activation.",
    "choices": ["credit it to BUBO's Activation", "ignore it"],
}
MISSED = {
    "text": "The table may have missed a pass in Door D3: an edge was lost. Did BUBO pass it?",
    "choices": ["No, nothing passed", "BUBO passed into B3 (South)", "BUBO passed into B5 (Centre)"],
}
STUCK = {
    "text": "Something stands in the frame of Door D3. Which Mecha is it?",
    "choices": ["BUBO is stuck there", "WH33L is stuck there", "A hand, or nothing"],
}
STOOD = {
    "text": "The Launcher was released, but BUBO is not known in an outer Box. Where did it stand?",
    "choices": ["BUBO stood in B1 (North)", "BUBO stood in B3 (South)", "Nothing: somebody tried the Launcher"],
}
THROUGH = movement(passes=[passed("WH33L", "D3", "B3", "B5")], hits=["WH33L"])


@pytest.mark.parametrize(
    ("question", "saw", "answer"),
    [
        (WHO, THROUGH, 1),
        (WHO, movement(passes=[passed("BUBO", "D3", "B3", "B5")]), 0),
        (WHO, movement(passes=[passed("BUBO", "D3", "B5", "B3")]), 2),
        (WHO, movement(), 2),
        (HIT, THROUGH, 0),
        (HIT, movement(passes=THROUGH["passes"]), 1),
        (HIT, movement(passes=[passed("BUBO", "D3", "B3", "B5")]), 2),
        (HIT, movement(), 3),
        (LATE, movement(passes=[passed("BUBO", "D3", "B3", "B5")]), 0),
        (LATE, movement(), 1),
        (MISSED, movement(), 0),
        (MISSED, movement(passes=[passed("BUBO", "D3", "B3", "B5")]), 2),
        (STUCK, movement(stuck=[("WH33L", "D3")]), 1),
        (STUCK, movement(), 2),
        (STOOD, movement(kind="launch"), 1),
        (STOOD, movement(), 2),
    ],
)
def test_the_true_choice_is_taken(question: dict[str, Any], saw: dict[str, Any], answer: int) -> None:
    assert truthful(question, [saw]) == answer


def test_what_the_log_tells_already_was_not_missed() -> None:
    saw = movement(passes=[passed("BUBO", "D3", "B3", "B5")])
    assert truthful(MISSED, [saw], ["BUBO passes Door D3 into B5 (Centre)."]) == 0


def test_a_pass_of_the_movement_before_is_remembered() -> None:
    assert truthful(WHO, [movement(piece="SPIKE"), THROUGH]) == 1


def test_a_doubted_pass_is_whose_the_toy_table_saw_it() -> None:
    assert whose("D3", "B5", THROUGH, []) == "WH33L"
    assert whose("D3", "B3", THROUGH, []) == "BUBO"


def test_two_doubted_passes_of_one_door_are_told_one_after_the_other() -> None:
    saw = movement(passes=[passed("WH33L", "D3", "B3", "B5"), passed("BUBO", "D3", "B3", "B5")])
    assert whose("D3", "B5", saw, []) == "WH33L"
    assert whose("D3", "B5", saw, ["WH33L"]) == "BUBO"
