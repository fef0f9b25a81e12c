"""Answers to several questions: where they stand in the game, whatever the order in which people give them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from arena.table import Story, Table
from arena.table.questions import Question
from arena.table.redecide import MemoryJournal
from arena.words import TABLE, Command, EdgeId, Seen, Sighting
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from little_race import DOORS, Race
from race_table import MS, RaceTable

WAYS = [(door, origin) for door, ends in DOORS.items() for origin in ends]
HAPPENS = st.one_of(
    st.tuples(st.just("unsure"), st.sampled_from(WAYS), st.integers(0, 400)),
    st.tuples(st.just("unsure"), st.sampled_from(WAYS), st.integers(0, 400)),
    st.tuples(st.just("sure"), st.sampled_from(WAYS), st.integers(0, 50)),
    st.tuples(st.just("put"), st.sampled_from(["RED", "BLUE"]), st.sampled_from("ABC")),
    st.tuples(st.sampled_from(["done", "movement_ended"])),
)


class Afternoon:
    """A race in memory in which some things are asked."""

    def __init__(self, happened: Sequence[tuple[Any, ...]]) -> None:
        self.now_us = 1_000_000
        self.journal, self.game = MemoryJournal(), Race()
        self.table = Table(self.game, self.journal, lambda: self.now_us, lambda: "")
        self.table.begin({"seed": 7})
        for nth, (what, *rest) in enumerate(happened):
            self.now_us += 100 * MS
            if what in ("unsure", "sure"):
                (door, origin), late_ms = rest
                at_us = self.now_us - late_ms * MS
                target = next(box for box in DOORS[door] if box != origin)
                edges = (EdgeId("a1b2c3d4", nth),)
                sure = 1.0 if what == "sure" else 0.3
                seen = Sighting(Seen.PASS, door, at_us - 400, at_us, origin, target, confidence=sure, edges=edges)
                self.table.on_sightings([seen])
            elif what == "put":
                self.table.give(TABLE, Command.of("put", piece=rest[0], box=rest[1]), f"c{nth}")
            else:
                self.table.give(TABLE, Command.of(what), f"c{nth}")

    def answered(self, order: Sequence[int], choices: Sequence[int]) -> str:
        """The state when all that is asked was answered in this order; what is refused is tried again later."""
        asked = self.table.story.waiting
        left = [asked[nth] for nth in order if nth < len(asked)]
        ids = itertools.count()
        again = True
        while again:
            again = False
            for question in tuple(left):
                choice = choices[question.number % len(choices)] % len(question.answers)
                if self.table.answer(question.id, choice, f"a{next(ids)}").ok:
                    left.remove(question)
                    again = True
        folded = Story.of(self.game, self.journal.written)
        assert self.game.dump(folded.state) == self.game.dump(self.table.state)
        assert folded.belief == self.table.belief
        return self.game.dump(self.table.state)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(HAPPENS, min_size=2, max_size=9),
    st.permutations(range(9)),
    st.permutations(range(9)),
    st.lists(st.integers(0, 4), min_size=4, max_size=4),
)
def test_in_whatever_order_people_answer_the_game_comes_to_the_same_state(
    happened: list[tuple[Any, ...]], one: list[int], other: list[int], choices: list[int]
) -> None:
    assert Afternoon(happened).answered(one, choices) == Afternoon(happened).answered(other, choices)


@settings(max_examples=100, deadline=None)
@given(st.lists(HAPPENS, min_size=2, max_size=7), st.permutations(range(7)), st.data())
def test_undone_answers_are_asked_again_and_come_to_the_same_state(
    happened: list[tuple[Any, ...]], order: list[int], data: st.DataObject
) -> None:
    choices = [0]
    played = Afternoon(happened)
    asked = [question.id for question in played.table.story.waiting]
    actions = len(played.table.story.timeline.actions)
    before = played.game.dump(played.table.state)
    after = played.answered(order, choices)
    answers = len(played.table.story.timeline.actions) - actions
    if answers:
        assert played.table.undo(answers).ok
    assert [question.id for question in played.table.story.waiting] == asked
    assert played.game.dump(played.table.state) == before
    again = data.draw(st.permutations(range(7)))
    asked_now = played.table.story.waiting
    for nth in again:
        if nth < len(asked_now):
            played.table.answer(asked_now[nth].id, 0, f"again{nth}")
    for nth in range(len(asked_now)):
        played.table.answer(asked_now[nth].id, 0, f"once-more{nth}")
    for nth in range(len(asked_now)):
        played.table.answer(asked_now[nth].id, 0, f"and-once-more{nth}")
    assert len(asked_now) > 3 or played.game.dump(played.table.state) == after


def passes_in_order(race: RaceTable) -> list[str]:
    return [line["text"] for line in race.page()["log"] if line["kind"] == "pass"]


def asked(race: RaceTable, *doors: tuple[str, str]) -> list[Question]:
    """Passes of one movement about which the race asks."""
    for door, origin in doors:
        race.wait(300)
        race.see(race.pass_seen(door, origin, sure=0.3))
    return list(race.table.story.waiting)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_answers_from_one_movement_stand_in_the_order_in_which_it_happened(
    race: RaceTable, order: tuple[int, int]
) -> None:
    questions = asked(race, ("D1", "A"), ("D1", "A"))
    for nth in order:  # the first was RED, the second BLUE
        race.wait(100)
        assert race.table.answer(questions[nth].id, nth, f"answer-{nth}").ok
    assert passes_in_order(race) == ["RED passes D1 to B.", "BLUE passes D1 to B."]
    dump = race.dump()
    race.restart()
    assert race.dump() == dump
    assert passes_in_order(race) == ["RED passes D1 to B.", "BLUE passes D1 to B."]


def test_a_pass_that_only_another_answer_makes_possible_is_asked_after_it(race: RaceTable) -> None:
    (first,) = asked(race, ("D1", "A"), ("D2", "B"))  # nobody can have been in B yet
    assert not any("No longer asked" in text for text in race.texts())
    race.give("reveal")
    race.restart()
    assert race.table.answer(first.id, 0, "first").ok
    assert race.answer(0).ok
    assert race.state.box("RED") == "C"
    assert passes_in_order(race) == ["RED passes D1 to B.", "RED passes D2 to C."]


def test_an_answer_never_leaves_the_activation_of_its_question(race: RaceTable) -> None:
    race.wait(500)
    race.see(race.pass_seen("D1", "A", at_us=race.now_us + 2_000 * MS, sure=0.3))  # a clock that runs ahead
    race.give("done")
    race.flick("D1", "A")  # BLUE
    assert race.answer(0).ok
    assert race.state.scores == (1, 1)
    assert passes_in_order(race) == ["RED passes D1 to B.", "BLUE passes D1 to B."]


def test_a_pass_that_was_seen_before_another_but_came_after_it_stands_before_it(race: RaceTable) -> None:
    race.wait(500)
    early = race.pass_seen("D1", "A", sure=0.3)
    race.wait(20)
    race.see(race.pass_seen("D1", "A"))  # of a board whose edges came sooner
    race.see(early)
    question = race.page()["question"]
    assert race.table.answer(question["id"], 1, "blue").ok
    assert passes_in_order(race) == ["BLUE passes D1 to B.", "RED passes D1 to B."]


def test_a_question_that_an_answer_made_impossible_waits_again_when_that_is_undone(race: RaceTable) -> None:
    first, second = asked(race, ("D1", "A"), ("D3", "A"))
    assert race.table.answer(first.id, 0, "red").ok
    assert [each.id for each in race.table.story.waiting] == [second.id], "it can still have been BLUE"
    assert not race.table.answer(second.id, 0, "red again").ok
    race.table.undo(1)
    assert [each.id for each in race.table.story.waiting] == [first.id, second.id]
    race.restart()
    assert [each.id for each in race.table.story.waiting] == [first.id, second.id]


def test_questions_of_a_game_that_a_wrong_pass_had_ended_wait_again_when_it_is_undone(race: RaceTable) -> None:
    ring = ["D1", "D2", "D3"]
    for nth in range(9):
        race.flick(ring[nth % 3], "ABC"[nth % 3])
    race.wait(500)
    race.see(race.pass_seen("D1", "A", sure=0.3))
    race.flick("D1", "A")
    assert race.table.outcome()
    assert race.page()["question"] is None
    race.restart()
    assert race.page()["question"] is None
    race.table.undo(1)
    assert race.table.outcome() is None
    assert race.page()["question"]["text"] == "Which piece passed?"
    race.restart()
    assert race.answer(0).ok
    assert race.table.outcome()
