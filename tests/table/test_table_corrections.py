"""Undo, striking out, putting in afterwards, and passes that come late."""

from __future__ import annotations

import pytest
from arena.words import Command, EdgeId, Seen, Sighting
from race_table import MS, RaceTable


def passed(piece: str, place: str, target: str) -> Command:
    return Command.of("passed", piece=piece, place=place, target=target)


def test_undo_takes_back_and_appends(race: RaceTable) -> None:
    race.flick("D1", "A")
    before = race.dump()
    race.flick("D2", "B")
    assert race.table.undo(1).ok
    assert race.dump() == before
    assert [entry.kind for entry in race.store.entries(race.table.game_id or "")] == [
        "setup",
        "command",
        "command",
        "undo",
    ]
    assert race.texts()[-1] == "Undone: RED passes D2 to C."


def test_undo_across_a_draw_brings_the_same_card_back(race: RaceTable) -> None:
    race.give("done")
    drawn = race.state.hands
    race.table.undo(1)
    assert race.state.hands == ((), ())
    race.give("done")
    assert race.state.hands == drawn


def test_a_preview_says_what_would_change_and_changes_nothing(race: RaceTable) -> None:
    race.flick("D1", "A")
    race.give("done")
    before, seq = race.dump(), race.table.seq
    preview = race.table.undo(2, preview=True)
    assert preview.ok
    assert preview.changes == ("P1: 1 → 0.", "Active: BLUE, P2 → RED, P1.", "RED: B → A.")
    assert (race.dump(), race.table.seq) == (before, seq)


def test_striking_out_a_pass_drops_what_needed_it_and_says_so(race: RaceTable) -> None:
    race.flick("D1", "A")
    race.flick("D2", "B")
    race.give("done")
    struck = race.seq_of("RED passes D1 to B.")
    preview = race.table.strike(struck, preview=True)
    assert preview.changes == ("P1: 2 → 0.", "RED: C → A.")
    assert preview.dropped == ("RED passes D2 to C.",)
    assert race.table.strike(struck).dropped == preview.dropped
    assert race.state.scores == (0, 0)
    assert race.state.activation == 2, "what did not need it stays"
    assert "Struck out: RED passes D1 to B. So these no longer count: RED passes D2 to C." in race.texts()
    (line,) = [line for line in race.page()["log"] if line["kind"] == "refused"]
    assert line["text"].startswith("No longer possible, so it does not count: passed RED D2 C.")


def test_undoing_a_strike_brings_everything_back(race: RaceTable) -> None:
    race.flick("D1", "A")
    race.flick("D2", "B")
    before = race.dump()
    race.table.strike(race.seq_of("RED passes D1 to B."))
    race.table.undo(1)
    assert race.dump() == before
    assert "Undone; it counts again: RED passes D1 to B." in race.texts()[-1]


def test_a_missed_pass_is_put_in_where_it_belongs(race: RaceTable) -> None:
    race.give("done")
    done = race.table.seq
    race.flick("D1", "A")  # BLUE
    preview = race.table.insert(0, passed("RED", "D1", "B"), preview=True)
    assert preview.changes == ("P1: 0 → 1.", "RED: A → B.")
    assert race.table.insert(0, passed("RED", "D1", "B")).ok
    assert race.state.scores == (1, 1)
    assert [line["text"] for line in race.page()["log"] if line["kind"] == "pass"] == [
        "RED passes D1 to B.",
        "BLUE passes D1 to B.",
    ]
    refused = race.table.insert(done, passed("RED", "D1", "B"))
    assert refused.error is not None
    assert refused.error["section"] == "Doors"


def test_what_does_not_count_can_be_neither_struck_nor_followed(race: RaceTable) -> None:
    race.flick("D1", "A")
    struck = race.table.seq
    race.table.strike(struck)
    assert not race.table.strike(struck).ok
    assert not race.table.strike(99).ok
    assert not race.table.insert(99, passed("RED", "D1", "B")).ok
    assert not race.table.undo(3).ok
    assert not race.table.undo(0).ok
    assert race.table.insert(struck, passed("RED", "D1", "B")).ok, "a struck entry still marks its place"
    assert race.state.scores == (1, 0)


def test_the_same_correction_id_corrects_once(race: RaceTable) -> None:
    race.give("done")
    race.give("done")
    assert race.table.undo(1, command_id="u1") == race.table.undo(1, command_id="u1")
    assert race.state.activation == 2


def test_an_undone_sighting_stays_decided(race: RaceTable) -> None:
    seen = race.flick("D1", "A")
    race.table.undo(1)
    race.see(seen)
    race.restart()
    race.see(seen)
    assert race.state.scores == (0, 0)


@pytest.mark.parametrize("credited", [True, False])
def test_a_pass_that_comes_after_its_activation_becomes_a_proposed_correction(race: RaceTable, credited: bool) -> None:
    race.wait(500)
    late = race.pass_seen("D1", "A")
    race.wait(50)
    race.give("done")
    race.wait(50)
    race.see(late)
    assert race.state.scores == (0, 0)
    question = race.page()["question"]
    assert question["text"] == ("Something passed D1 from A to B. It came late: it happened in RED's Activation.")
    assert question["choices"] == ["credit it to RED's Activation", "ignore it"]
    assert race.answer(0 if credited else 1).ok
    assert race.state.scores == ((1, 0) if credited else (0, 0))
    assert race.state.activation == 2
    assert race.page()["question"] is None
    race.restart()
    assert race.state.scores == ((1, 0) if credited else (0, 0))


def test_a_pass_across_the_change_of_activations_is_asked(race: RaceTable) -> None:
    race.wait(500)
    race.give("done")
    race.see(race.pass_seen("D1", "A", at_us=race.now_us + 5 * MS, width_us=10 * MS))
    question = race.page()["question"]
    assert question["choices"] == ["credit it to RED's Activation", "count it in BLUE's Activation", "ignore it"]
    race.answer(1)
    assert race.state.scores == (0, 1)


def test_a_late_pass_of_an_earlier_activation_survives_two_more(race: RaceTable) -> None:
    race.wait(500)
    late = race.pass_seen("D1", "A")
    race.give("done")
    race.give("done")
    race.see(late)
    assert "RED's Activation" in race.page()["question"]["choices"][0]
    race.flick("D1", "A")  # RED again, in its second Activation
    assert race.page()["question"]
    given = race.answer(0)
    assert given.ok
    assert given.dropped == ("RED passes D1 to B.",), "the later pass can only have been the same one"


def test_a_pass_after_the_movement_ended_belongs_before_it_if_it_happened_before(race: RaceTable) -> None:
    race.flick("D1", "A")
    race.wait(200)
    late = race.pass_seen("D2", "B")
    race.wait(10)
    race.settle()
    assert not race.state.moving
    race.see(late)
    assert race.page()["question"]["choices"][0] == "credit it to RED's Activation"
    race.answer(0)
    assert race.state.scores == (2, 0)
    assert not race.state.moving


def test_an_answer_belongs_to_the_moment_of_its_question(race: RaceTable) -> None:
    race.flick("D2", "B")  # by nobody known
    race.settle()
    race.give("done")
    assert race.page()["question"]
    assert race.answer(0).ok
    assert race.state.box("RED") == "C"
    entries = race.store.entries(race.table.game_id or "")
    assert [entry.kind for entry in entries[-2:]] == ["answer", "insert"]


def test_the_belief_begins_anew_after_a_correction(race: RaceTable) -> None:
    race.flick("D1", "A")
    assert race.table.belief.likeliest("RED") == "B"
    race.table.undo(1)
    assert race.table.belief.places("RED") == {"A": 1.0}


def test_an_open_belief_survives_a_restart(race: RaceTable) -> None:
    race.wait(500)
    launch = Sighting(Seen.LAUNCH, "L1", race.now_us, race.now_us, edges=(EdgeId("ffff0000", 1),))
    race.see(launch)
    belief = race.table.belief
    assert belief.likeliest("RED") == "anywhere"
    race.restart()
    assert race.table.belief == belief
    race.give("put", piece="RED", box="C")
    assert race.table.belief.places("RED") == {"C": 1.0}


def test_what_happened_before_the_game_was_begun_is_no_part_of_it(race: RaceTable) -> None:
    early = race.pass_seen("D1", "A")
    race.wait(1000)
    race.table.begin({"seed": 7})
    race.see(early)
    assert race.table.seq == 1
