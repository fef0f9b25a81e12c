"""A game at the table: what people and beams do, and what the pages then show."""

from __future__ import annotations

import json

import pytest
from arena.words import SPECTATOR, Seen, Sighting
from race_table import RaceTable


def test_a_pass_that_the_beams_saw_is_scored_journalled_and_told(race: RaceTable) -> None:
    race.flick("D1", "A")
    assert race.state.scores == (1, 0)
    assert race.state.box("RED") == "B"
    line = race.page()["log"][-1]
    assert (line["text"], line["by"], line["place"], line["can_strike"]) == (
        "RED passes D1 to B.",
        "beams",
        "D1",
        True,
    )
    assert race.page()["cues"]["D1"] == {"pattern": "solid", "colour": [0, 60, 0], "second": [0, 0, 0], "answer": 1}
    entry = race.store.entries(race.table.game_id or "")[-1]
    assert entry.kind == "command"
    assert entry.body["command"] == {"do": "passed", "piece": "RED", "place": "D1", "target": "B"}
    assert entry.body["sighting"]["edges"] == {"a1b2c3d4": [1, 2, 3, 4]}


def test_nobody_is_told_before_it_is_durable(race: RaceTable) -> None:
    held: list[int] = []
    race.table.listen(lambda: held.append(len(race.store.entries(race.table.game_id or ""))))
    race.give("done")
    race.flick("D1", "A")
    assert held == [2, 3]


def test_the_same_sighting_is_decided_once(race: RaceTable) -> None:
    seen = race.flick("D1", "A")
    told = race.told
    race.see(seen)
    race.restart()
    race.see(seen)
    assert race.state.scores == (1, 0)
    assert race.told <= told + 1


def test_the_same_command_id_is_applied_once_and_answered_alike(race: RaceTable) -> None:
    first = race.give("done", id="tap-1")
    again = race.give("done", id="tap-1")
    assert first.ok
    assert again == first
    assert race.state.activation == 2
    race.restart()
    assert race.give("done", id="tap-1") == first
    assert race.state.activation == 2


def test_a_refused_command_says_why_and_changes_nothing(race: RaceTable) -> None:
    before, seq = race.dump(), race.table.seq
    refused = race.give("done", seat="P2", id="tap-1")
    assert not refused.ok
    assert refused.error == {"section": "Turns", "reason": "It is P1's turn."}
    assert (race.dump(), race.table.seq) == (before, seq)
    race.give("done")
    assert race.give("done", seat="P2", id="tap-1") == refused, "the same id gets the same answer"


def test_spectators_have_no_commands(race: RaceTable) -> None:
    assert not race.give("done", seat=SPECTATOR).ok
    assert race.page(SPECTATOR)["legal"] == []


def test_settled_ends_the_movement_once(race: RaceTable) -> None:
    race.flick("D1", "A")
    race.settle()
    assert not race.state.moving
    assert race.texts()[-1] == "RED lies still."


def test_settled_does_not_end_a_movement_that_has_not_begun(race: RaceTable) -> None:
    race.flick("D1", "A")
    race.give("done")
    race.settle()
    assert race.state.moving, "the last Activation's stillness came after its done"


def test_a_secret_card_is_seen_by_its_player_only(race: RaceTable) -> None:
    race.give("done")
    assert any("secret" in text for text in race.texts("P1"))
    for seat in ("P2", SPECTATOR, "table"):
        assert not any("secret" in text for text in race.texts(seat))
    race.table.undo(1)
    for seat in ("P2", SPECTATOR, "table"):
        assert "secret" not in json.dumps(race.page(seat))


def test_the_setup_and_the_generator_never_reach_a_page(race: RaceTable) -> None:
    race.table.begin({"seed": 918273645, "packs": "the order of everything"})
    race.give("done")
    for seat in ("table", "P1", "P2", SPECTATOR):
        text = json.dumps(race.page(seat)) + json.dumps(race.table.log(seat))
        assert "918273645" not in text
        assert "order of everything" not in text
        assert str(race.state.generator) not in text


def test_a_pass_by_nobody_known_is_asked_and_the_answer_counts(race: RaceTable) -> None:
    race.flick("D2", "B")  # no piece can be in B
    question = race.page(SPECTATOR)["question"]
    assert (question["text"], question["section"]) == ("Who passed?", "Doors")
    assert question["choices"] == ["RED is there now", "BLUE is there now", "nobody"]
    assert race.answer(0).ok
    assert race.state.box("RED") == "C"
    assert race.page()["question"] is None


def test_that_was_nothing_is_an_answer_too(race: RaceTable) -> None:
    race.flick("D2", "B")
    before = race.dump()
    assert race.answer(2).ok
    assert race.dump() == before
    assert "Who passed? – nobody." in race.texts()


def test_questions_wait_in_a_queue_and_survive_a_restart(race: RaceTable) -> None:
    race.give("movement_ended")
    race.flick("D1", "A")
    race.flick("D1", "A")
    race.restart()
    first = race.page()["question"]
    assert first["text"] == "A pass with nobody moving. Who?"
    assert race.page()["questions_waiting"] == 2
    race.answer(0)
    assert race.page()["question"]["id"] != first["id"]


def test_a_question_that_no_answer_fits_any_more_is_withdrawn_with_a_note(race: RaceTable) -> None:
    race.give("reveal")
    race.give("movement_ended")
    race.flick("D1", "A")
    assert race.page()["question"]
    race.table.undo(1)
    assert race.page()["question"] is None, "the moment that it was about was undone"
    assert "No longer asked, the game went on: A pass with nobody moving. Who?" in race.texts()
    race.restart()
    assert race.page()["question"] is None


def test_undoing_an_answer_asks_again(race: RaceTable) -> None:
    race.give("movement_ended")
    race.flick("D1", "A")
    asked = race.page()["question"]
    race.answer(0)
    assert race.page()["question"] is None
    race.table.undo(1)
    assert race.page()["question"] == asked
    assert race.state.box("RED") == "A"


def test_answering_twice_or_something_else_is_refused_in_words(race: RaceTable) -> None:
    race.give("movement_ended")
    race.flick("D1", "A")
    question = race.page()["question"]["id"]
    assert not race.table.answer(question, 9, "x1").ok
    assert race.table.answer(question, 0, "x2").ok
    again = race.table.answer(question, 0, "x3")
    assert again.error is not None
    assert "no longer open" in again.error["reason"]


def test_a_finished_game_stays_until_a_new_one_is_begun(race: RaceTable) -> None:
    ring = ["D1", "D2", "D3"]
    for nth in range(10):
        race.flick(ring[nth % 3], "ABC"[nth % 3])
    outcome = race.table.outcome()
    assert outcome is not None
    assert outcome.winners == ("P1",)
    race.restart()
    race.flick("D1", "A")
    assert race.table.outcome() == outcome
    assert not race.give("done").ok
    race.table.begin({"seed": 8})
    assert race.table.outcome() is None
    assert race.page()["log"][-1]["text"] == "A new game begins."


def test_a_pass_from_which_nothing_follows_is_kept_and_shown(race: RaceTable) -> None:
    ring = ["D1", "D2", "D3"]
    for nth in range(10):
        race.flick(ring[nth % 3], "ABC"[nth % 3])
    race.flick("D2", "B")
    assert race.texts()[-1] == "Something passed D2 from B to C. Nothing follows from it."


def test_a_sick_sensor_is_noted_in_its_words(race: RaceTable) -> None:
    race.see(Sighting(Seen.SICK, "D1", race.now_us, race.now_us, note="Beam A of D1 flickers."))
    assert race.texts()[-1] == "Beam A of D1 flickers."


def test_paused_is_only_shown(race: RaceTable) -> None:
    told = race.told
    race.table.pause()
    assert race.page()["paused"]
    assert race.told == told + 1
    assert race.give("done").ok
    race.table.pause(False)
    assert not race.page()["paused"]


def test_before_any_game_the_page_is_empty_and_commands_are_refused_in_words(race: RaceTable) -> None:
    fresh = type(race.table)(race.table.game, race.store, lambda: 0)
    assert fresh.page("table")["view"] is None
    assert not fresh.undo(1).ok
    assert not fresh.strike(1).ok
    fresh.on_sightings([race.pass_seen("D1", "A")])
    assert fresh.page("table")["game_id"] is None


def test_a_setup_that_the_game_refuses_writes_nothing(race: RaceTable) -> None:
    with pytest.raises(ValueError, match="seed"):
        race.table.begin({"seed": "none"})
    assert len(race.store.games()) == 1
    assert race.give("done").ok
